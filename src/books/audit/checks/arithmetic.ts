import { plural } from '../../../core/text.ts';
import { chainCause } from '../causes.ts';
import { aboutLeg, assetText, declareCheck, valueAtPrice } from '../check.ts';

export const arithmetic = declareCheck({
  name: 'arithmetic',
  title: 'Balances that do not add up',
  means: 'The difference between the balances before and after a leg does not equal the quantity of the leg.',
  fix: 'If the leg was edited, undo the edit. Otherwise, report the difference to the service.',
  needs: ['beforeBalance', 'afterBalance'],
  start(report, scope) {
    let [judged, unjudged] = [0, 0];
    return {
      step({ leg, error }) {
        if (!scope.has(leg.time)) return;
        if (error !== null) judged += 1;
        else if (scope.isChosen(leg)) unjudged += 1;
        if (error === null || error.isZero()) return;
        const { before, after, change } = leg;
        if (!before || !after || !change) return;
        const expected = before.plus(change).toFixed();
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error', expected, actual: after.toFixed() },
          ...{ amount: error.abs().toFixed(), value: valueAtPrice(error, leg), lack: error },
          message: `${before.toFixed()} ${change.isNegative() ? '−' : '+'} ${change.abs().toFixed()} is ${expected} ${assetText(leg)}, but the balance after the leg is ${after.toFixed()}.`,
        });
      },
      notPossible: () => (judged > 0 ? undefined : 'No leg in the period has both balances and a quantity.'),
      notJudged: () =>
        unjudged === 0 || judged === 0
          ? undefined
          : `${plural(unjudged, 'leg has', 'legs have')} an unknown balance or quantity, or a type without a direction.`,
    };
  },
  cause: chainCause,
});
