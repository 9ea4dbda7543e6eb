import { accountingFields } from '../../../api/ledgers.ts';
import { addsUp, figureOf } from '../../figure.ts';
import { aboutLeg, check } from '../check.ts';

export const profit = check({
  name: 'profit',
  title: 'Profits that do not add up',
  means: 'The profit that the service reports differs from the proceeds minus the cost basis.',
  fix: 'Report the difference to the service.',
  needs: ['costbasis', 'proceeds', 'profit'],
  start(report, scope) {
    let hasAccounting = false;
    return {
      step({ leg }) {
        if (!scope.has(leg.time)) return;
        const { record, currency } = leg;
        hasAccounting ||= accountingFields.some((name) => (record[name] ?? null) !== null);
        if (addsUp(record['costbasis'], record['profit'], record['proceeds']) !== false) return;
        const [cost, proceeds, served] = accountingFields.map((name) => figureOf(record[name]));
        if (!cost || !proceeds || !served) return;
        const expected = proceeds.minus(cost);
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'error', key: [leg.id] },
          ...{ expected: expected.toFixed(), actual: served.toFixed() },
          value: { amount: served.minus(expected).abs(), currency },
          message: `Proceeds ${proceeds.toFixed()} minus cost basis ${cost.toFixed()} equals ${expected.toFixed()}, but the profit is ${served.toFixed()}.`,
        });
      },
      notPossible: () => (hasAccounting ? undefined : NOT_PROCESSED),
    };
  },
});

export const NOT_PROCESSED =
  'No leg in the period has a cost basis, proceeds or profit: tax processing has not run.';
