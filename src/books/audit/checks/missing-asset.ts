import { plural } from '../../../core/text.ts';
import { assetText, declareCheck } from '../check.ts';
import { inScope, Tallies } from '../tally.ts';

export const missingAsset = declareCheck({
  name: 'missing-asset',
  title: 'Unresolved assets',
  means: 'The service does not know which asset these legs move.',
  fix: 'Resolve the asset.',
  needs: ['assetId'],
  isOfPeriod: true,
  start(report, scope) {
    const tallies = new Tallies();
    return {
      ...inScope(scope, (leg, pair) => {
        if (leg.assetId === null) tallies.add(pair, leg);
      }),
      finish() {
        for (const [, tally] of tallies) {
          const { legs, first } = tally;
          const what = `${legs === 1 ? 'leg' : 'legs'} of ${assetText(first)}`;
          report(
            tally.draft(
              'warning',
              `${plural(legs, what, what)} in this wallet ${legs === 1 ? 'has' : 'have'} no resolved asset.`,
            ),
          );
        }
      },
    };
  },
});
