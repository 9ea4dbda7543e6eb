import { count, plural } from '../../../core/text.ts';
import { amountText, assetText, declareCheck } from '../check.ts';
import { inScope, Tallies } from '../tally.ts';

export const missingPrice = declareCheck({
  name: 'missing-price',
  title: 'Missing prices',
  means: 'These legs have no price in their base currency, so their value may be unknown.',
  fix: 'Set a price.',
  needs: ['price.price', 'assetId'],
  isOfPeriod: true,
  start(report, scope) {
    const tallies = new Tallies();
    const counts = new Map<string, { all: number; foreign: number; unvalued: number }>();
    let unvalued = 0;
    return {
      ...inScope(scope, (leg, pair) => {
        const counted = counts.get(pair) ?? { all: 0, foreign: 0, unvalued: 0 };
        counts.set(pair, counted);
        counted.all += 1;
        if (leg.isPriced) {
          if (!leg.isValued && scope.isChosen(leg)) unvalued += 1;
          return;
        }
        tallies.add(pair, leg);
        if (leg.hasForeignPrice) counted.foreign += 1;
        if (leg.money('value') === null) counted.unvalued += 1;
      }),
      finish() {
        for (const [pair, tally] of tallies) {
          const { legs, first, quantity } = tally;
          const { all, foreign, unvalued } = counts.get(pair) ?? { all: 0, foreign: 0, unvalued: 0 };
          const what = foreign > 0 ? 'no price in the base currency' : 'no price';
          report(
            tally.draft(
              // The check `missing-asset` already warns of an unresolved asset, which cannot have a price.
              first.assetId === null ? 'info' : 'warning',
              `${count(legs)} of ${count(all)} ${all === 1 ? 'leg' : 'legs'} of ${assetText(first)} in this wallet ${legs === 1 ? 'has' : 'have'} ${what} (${amountText(quantity, first)} in total).${valueNote(legs, unvalued)}`,
            ),
          );
        }
      },
      notJudged: () =>
        unvalued > 0 ? `The value of ${plural(unvalued, 'leg', 'legs')} with a price is unknown.` : undefined,
    };
  },
});

/** Says how many of the legs without a price also have no value. Empty if all of them have a value. */
function valueNote(legs: number, unvalued: number): string {
  if (unvalued === 0) return '';
  if (unvalued < legs) return ` The value of ${count(unvalued)} of them is unknown.`;
  return legs === 1 ? ' Its value is unknown.' : ' Their value is unknown.';
}
