// A holding is the balance of a token after the last ledger. The balances of all wallets are added up.

import { ASSETS, type Asset } from '../../books/assets.ts';
import type { GeneratedBooks } from '../../books/generate.ts';
import { SPAN_END } from '../../books/prices.ts';
import { WALLETS } from '../../books/wallets.ts';
import { pairOf } from '../../books/writer.ts';
import { multiply } from '../../core/decimal.ts';
import { digest } from '../../core/hash.ts';

/** Number of decimal places in amounts of money. */
export const MONEY_PLACES = 8;
const DAY = 86_400_000;

export type TokenHolding = ReturnType<typeof buildHoldings>[number];

/**
 * Tokens with a positive balance after the last ledger, in the order of `ASSETS`.
 *
 * @param counts number of transactions per asset, in the order of `ASSETS`
 */
export function buildHoldings({ positions }: GeneratedBooks, counts: readonly number[]) {
  return ASSETS.flatMap((asset, index) => {
    // A holding has an asset id, so unresolved assets are not holdings.
    if (asset.id === null) return [];
    const pairs = WALLETS.map((_, wallet) => pairOf(wallet, index));
    const balances = pairs.map((pair) => positions.balance[pair] ?? 0n);
    const quantity = balances.reduce((sum, balance) => sum + balance, 0n);
    if (quantity <= 0n) return [];
    const costs = pairs.map((pair) => positions.unitCost[pair] ?? 0);
    const costPerUnit = averageCost(balances, costs);
    const at = (moment: number) => multiply(quantity, positions.priceAt(index, moment, 0.5), MONEY_PLACES);
    return {
      assetId: asset.id,
      tokenId: tokenIdOf(asset),
      isSpam: asset.hostile,
      transactionCount: counts[index] ?? 0,
      /** In units of 10^-18. */
      quantity,
      /** 0 if no cost basis is recorded. */
      costPerUnit,
      // Amounts of money are in units of 10^-8 of the base currency.
      costBasis: multiply(quantity, costPerUnit, MONEY_PLACES),
      value: at(SPAN_END),
      valueDayBefore: at(SPAN_END - DAY),
    };
  });
}

/** The average cost, weighted by balance. Negative balances have no cost, so their wallets are ignored. */
function averageCost(balances: readonly bigint[], costs: readonly number[]): number {
  let held = 0;
  let paid = 0;
  balances.forEach((balance, wallet) => {
    if (balance <= 0n) return;
    held += Number(balance);
    paid += Number(balance) * (costs[wallet] ?? 0);
  });
  return held === 0 ? 0 : paid / held;
}

function tokenIdOf({ id }: Asset): string {
  return `tkn_${digest(`token/${id}`).slice(0, 12)}`;
}
