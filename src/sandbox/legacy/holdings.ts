// One holding as the previous API showed it: the fields that the change list renames, under their old names.

import { changeOf, money, roiOf } from '../holdings/format.ts';
import type { Holding } from '../holdings/store.ts';
import { objectText } from '../lists.ts';

export function legacyHoldingJson(holding: Holding): string {
  return objectText({
    asset: JSON.stringify({ tokenId: holding.tokenId }),
    costbasis: money(holding.costBasis),
    // 0 where it is unknown, which the current API tells apart.
    roi: String(roiOf(holding) ?? 0),
    // A percentage, though its name does not say so.
    '24hrChange': String(changeOf(holding)),
  });
}
