// One holding as it is served (spec: Holdings): the fields of the table, and no other.

import { formatUnits } from '../decimal.ts';
import { objectText } from '../lists.ts';
import { type Holding, PLACES } from './store.ts';

/** Figures leave as the exact decimals they are, with more digits than a double holds where they have them. */
export function holdingJson(holding: Holding): string {
  const { costBasis, costPerUnit, value, valueDayBefore, assetId, tokenId, transactionCount, isSpam } =
    holding;
  return objectText({
    assetId: JSON.stringify(assetId),
    asset: JSON.stringify({ tokenId }),
    costBasis: money(costBasis),
    costPerUnit: String(costPerUnit),
    roiPercentage: String(roiOf(holding)),
    change24h: money(value - valueDayBefore),
    change24hPercentage: String(changeOf(holding)),
    transactionCount: String(transactionCount),
    isSpam: String(isSpam),
  });
}

export function money(figure: bigint): string {
  return formatUnits(figure, PLACES);
}

export function totalValue(holdings: readonly Holding[]): string {
  return money(holdings.reduce((sum, { value }) => sum + value, 0n));
}

/** Null means that no cost basis is recorded. */
export function roiOf({ costBasis, value }: Holding): number | null {
  return costBasis === 0n ? null : percent(value - costBasis, costBasis);
}

export function changeOf({ value, valueDayBefore }: Holding): number {
  return valueDayBefore === 0n ? 0 : percent(value - valueDayBefore, valueDayBefore);
}

/** To four places. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 1_000_000n) / whole) / 10_000;
}
