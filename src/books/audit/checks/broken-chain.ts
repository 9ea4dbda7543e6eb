import { plural } from '../../../core/text.ts';
import { chainCause } from '../causes.ts';
import { aboutLeg, check, idText, valueAtPrice } from '../check.ts';

export const brokenChain = check({
  name: 'broken-chain',
  title: 'Gaps between balances',
  means:
    'The balance before a leg differs from the balance that the earlier legs lead to. A leg may be missing.',
  fix: 'Look for a deleted or missing leg.',
  needs: ['beforeBalance', 'afterBalance'],
  isOrdered: true,
  isEffect: true,
  start(report, scope) {
    let hasBalance = false;
    let unjudged = 0;
    return {
      step(step) {
        const { leg, gap, previous } = step;
        if (scope.has(leg.time)) {
          hasBalance ||= leg.before !== null || leg.after !== null;
          if (gap === null && previous && leg.start !== null && scope.isChosen(leg.pair)) unjudged += 1;
        }
        if (gap === null || gap.isZero()) return;
        const [from, to] = [step.carried?.toFixed() ?? null, leg.start?.toFixed() ?? null];
        const last = previous ? ` (${idText(previous)})` : '';
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error', expected: from, actual: to },
          ...{ amount: gap.abs().toFixed(), value: valueAtPrice(gap, leg) },
          message: `The leg starts from ${to} ${leg.symbol}, but the legs up to the previous one${last} lead to ${from}.`,
        });
      },
      notPossible: () => (hasBalance ? undefined : 'No leg in the period has a running balance.'),
      notJudged: () =>
        unjudged === 0
          ? undefined
          : `${plural(unjudged, 'leg', 'legs')} could not be compared with the legs before ${unjudged === 1 ? 'it' : 'them'}, because the balance after the earlier legs is unknown.`,
    };
  },
  cause: chainCause,
});
