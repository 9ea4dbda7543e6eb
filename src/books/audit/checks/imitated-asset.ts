import { lookOf, withCodePoints } from '../../../core/look-alikes.ts';
import { count } from '../../../core/text.ts';
import { byAsset } from '../../asset.ts';
import { byId, type Leg } from '../../leg.ts';
import { declareCheck, foundLeg } from '../check.ts';

/**
 * An asset in a wallet. Assets without legs in the period are included, because an imitation may have been carried into the
 * period.
 */
interface Seen {
  readonly first: Leg;
  /** Number of legs in the period. */
  legs: number;
}

export const imitatedAsset = declareCheck({
  name: 'imitated-asset',
  title: 'Symbols that look alike',
  means: 'Several assets share a symbol, or have symbols that look alike. One of them may imitate another.',
  fix: 'Check the assets that are not marked as spam, and mark imitations.',
  needs: ['assetId'],
  isOfPeriod: true,
  judgesCarried: true,
  start(report, scope, { spamAssetIds }) {
    const pairs = new Map<string, Seen>();
    return {
      step({ leg, pair }) {
        const legs = scope.has(leg.time) ? 1 : 0;
        const known = pairs.get(pair);
        if (known) known.legs += legs;
        else pairs.set(pair, { first: leg, legs });
      },
      finish() {
        const looks = new Map<string, Seen[]>();
        for (const seen of pairs.values()) {
          if (seen.first.symbol === '') continue;
          const look = lookOf(seen.first.symbol);
          looks.set(look, [...(looks.get(look) ?? []), seen]);
        }
        for (const [look, all] of looks) {
          const symbols = [...new Set(all.map(({ first }) => first.symbol))].sort();
          const ids = [...new Set(all.flatMap(({ first }) => first.assetId ?? []))].sort();
          // If an unresolved leg only has the same symbol as a resolved asset, the check missing-asset reports it.
          if (symbols.length === 1 && ids.length < 2) continue;
          const [first] = all.sort(({ first: left }, { first: right }) =>
            left.time === right.time ? byId(left, right) : (left.time ?? 0) - (right.time ?? 0),
          );
          if (!first) continue;
          const shown = symbols.map(withCodePoints).join(', ');
          const isSpam = (id: string | null) => id !== null && spamAssetIds?.has(id) === true;
          const named = ids.map((id) => (isSpam(id) ? `${id} (marked as spam)` : id)).join(', ');
          const pairs = all.map(({ first }) => first.pair);
          const assets = byAsset(pairs);
          const others = assets.filter(([{ assetId }]) => !isSpam(assetId));
          const each = ids.some(isSpam) ? 'the others' : symbols.length > 1 ? 'them' : 'these assets';
          const advice = others.length > 1 ? ` Check that none of ${each} is an imitation.` : '';
          report({
            severity: symbols.length > 1 ? 'warning' : 'info',
            key: [look, ...symbols, ...ids],
            pair: {
              walletId: '',
              assetId: assets.length > 1 ? null : first.first.assetId,
              symbol: first.first.symbol,
            },
            pairs,
            leg: foundLeg(first.first),
            legs: all.reduce((sum, { legs }) => sum + legs, 0),
            message:
              symbols.length > 1
                ? `The symbols ${shown} look alike, but are ${count(symbols.length)} different symbols${ids.length > 0 ? ` (assets ${named})` : ''}.${advice}`
                : `${symbols[0]} is the symbol of ${count(ids.length)} assets: ${named}.${advice}`,
            inPeriod: true,
          });
        }
      },
    };
  },
});
