import { accountingFields } from '../../../api/ledgers.ts';
import { plural } from '../../../core/text.ts';
import { isProcessed } from '../../disposals.ts';
import { figureOf } from '../../figure.ts';
import { aboutLeg, declareCheck } from '../check.ts';

export const profit = declareCheck({
  name: 'profit',
  title: 'Profits that do not add up',
  means: 'The profit that the service reports differs from the proceeds minus the cost basis.',
  fix: 'If the leg was edited, undo the edit. Otherwise, report the difference to the service.',
  needs: ['costbasis', 'proceeds', 'profit'],
  start(report, scope) {
    let hasAccounting = false;
    let unjudged = 0;
    return {
      step({ leg }) {
        if (!scope.has(leg.time)) return;
        hasAccounting ||= isProcessed(leg);
        const isRight = leg.hasRightProfit;
        // An incoming leg has no profit.
        if (isRight === null && leg.sign !== 1 && scope.isChosen(leg)) unjudged += 1;
        if (isRight !== false) return;
        const [cost, proceeds, served] = accountingFields.map((name) => figureOf(leg.decimal(name)));
        if (!cost || !proceeds || !served) return;
        const expected = proceeds.minus(cost);
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error' },
          ...{ expected: expected.toFixed(), actual: served.toFixed() },
          value: { amount: served.minus(expected).abs(), currency: leg.currency },
          message: `Proceeds ${proceeds.toFixed()} minus cost basis ${cost.toFixed()} equals ${expected.toFixed()}, but the profit is ${served.toFixed()}.`,
        });
      },
      notPossible: () => (hasAccounting ? undefined : NOT_PROCESSED),
      notJudged: () =>
        unjudged === 0 || !hasAccounting
          ? undefined
          : `${plural(unjudged, 'leg lacks', 'legs lack')} a cost basis, proceeds or profit.`,
    };
  },
});

export const NOT_PROCESSED =
  'No leg in the period has a cost basis, proceeds or profit: tax processing may not have run.';
