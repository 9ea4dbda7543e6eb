import { count } from '../../../core/text.ts';
import { amountText, check } from '../check.ts';
import { inScope, Tallies } from '../tally.ts';

export const missingPrice = check({
  name: 'missing-price',
  title: 'Missing prices',
  means: 'These legs have no price, so their value is unknown.',
  fix: 'Set a price.',
  needs: ['price', 'assetId'],
  start(report, scope) {
    const tallies = new Tallies();
    const legs = new Map<string, number>();
    return {
      ...inScope(scope, (leg, pair) => {
        legs.set(pair, (legs.get(pair) ?? 0) + 1);
        if (leg.assetId !== null && (leg.record['price'] ?? null) === null) tallies.add(pair, leg);
      }),
      finish() {
        for (const [pair, tally] of tallies) {
          const all = legs.get(pair) ?? 0;
          report(
            tally.draft(
              'warning',
              `${count(tally.legs)} of ${count(all)} ${all === 1 ? 'leg' : 'legs'} of ${tally.first.symbol || tally.first.assetId} in this wallet ${tally.legs === 1 ? 'has' : 'have'} no price (${amountText(tally.quantity, tally.first)} in total). Their value and profit are unknown.`,
            ),
          );
        }
      },
    };
  },
});
