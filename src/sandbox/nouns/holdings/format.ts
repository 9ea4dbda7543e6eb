// Holdings as JSON. Numbers are exact and can have more digits than a double.

import { formatUnits } from '../../core/decimal.ts';
import { objectText } from '../../http/lists.ts';
import { MONEY_PLACES, type TokenHolding } from './store.ts';

/** A holding in the format that the specification defines. Numbers are exact and can have more digits than a double. */
export function holdingJson(holding: TokenHolding): string {
  const { costBasis, costPerUnit, value, valueDayBefore, assetId, tokenId, transactionCount, isSpam } =
    holding;
  return objectText({
    assetId: JSON.stringify(assetId),
    asset: JSON.stringify({ tokenId }),
    costBasis: formatMoney(costBasis),
    costPerUnit: String(costPerUnit),
    roiPercentage: String(roiOf(holding)),
    change24h: formatMoney(value - valueDayBefore),
    change24hPercentage: String(changeOf(holding)),
    transactionCount: String(transactionCount),
    isSpam: String(isSpam),
  });
}

export function formatMoney(amount: bigint): string {
  return formatUnits(amount, MONEY_PLACES);
}

export function totalValue(holdings: readonly TokenHolding[]): string {
  return formatMoney(holdings.reduce((sum, { value }) => sum + value, 0n));
}

/** Null means that no cost basis is recorded. */
function roiOf({ costBasis, value }: TokenHolding): number | null {
  return costBasis === 0n ? null : percent(value - costBasis, costBasis);
}

function changeOf({ value, valueDayBefore }: TokenHolding): number {
  return valueDayBefore === 0n ? 0 : percent(value - valueDayBefore, valueDayBefore);
}

/** Percentage with four decimal places. */
function percent(part: bigint, whole: bigint): number {
  return Number((part * 1_000_000n) / whole) / 10_000;
}

/** The legacy API uses the old names of holdings fields. The specification lists the old names in its change list. */
export function legacyHoldingJson(holding: TokenHolding): string {
  return objectText({
    asset: JSON.stringify({ tokenId: holding.tokenId }),
    costbasis: formatMoney(holding.costBasis),
    // 0 if unknown. The current API returns null instead.
    roi: String(roiOf(holding) ?? 0),
    // A percentage, despite its name.
    '24hrChange': String(changeOf(holding)),
  });
}
