import { count } from '../../../core/text.ts';
import { amountText, assetText, declareCheck } from '../check.ts';
import { inScope, Tallies } from '../tally.ts';

export const missingPrice = declareCheck({
  name: 'missing-price',
  title: 'Missing prices',
  means: 'These legs have no price in their base currency, so their value is unknown.',
  fix: 'Set a price.',
  needs: ['price', 'assetId'],
  start(report, scope) {
    const tallies = new Tallies();
    const legs = new Map<string, { all: number }>();
    /** The pairs of wallet and asset that have legs with a price in a currency other than the base currency. */
    const foreign = new Set<string>();
    return {
      ...inScope(scope, (leg, pair) => {
        const counted = legs.get(pair);
        if (counted) counted.all += 1;
        else legs.set(pair, { all: 1 });
        if (leg.assetId === null || leg.isPriced) return;
        tallies.add(pair, leg);
        if (leg.hasForeignPrice) foreign.add(pair);
      }),
      finish() {
        for (const [pair, tally] of tallies) {
          const { all } = legs.get(pair) ?? { all: 0 };
          const what = foreign.has(pair) ? 'no price in the base currency' : 'no price';
          report(
            tally.draft(
              'warning',
              `${count(tally.legs)} of ${count(all)} ${all === 1 ? 'leg' : 'legs'} of ${assetText(tally.first)} in this wallet ${tally.legs === 1 ? 'has' : 'have'} ${what} (${amountText(tally.quantity, tally.first)} in total). Their value and profit are unknown.`,
            ),
          );
        }
      },
    };
  },
});
