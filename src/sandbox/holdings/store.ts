// What the workspace holds of each token when its books close: the ledgers, added up.

import { createHash } from 'node:crypto';
import { multiply } from '../decimal.ts';
import { ASSETS, type Asset } from '../ledgers/assets.ts';
import type { Columns } from '../ledgers/columns.ts';
import type { Books } from '../ledgers/generate.ts';
import { SPAN_END } from '../ledgers/prices.ts';
import { WALLETS } from '../ledgers/wallets.ts';
import { pairOf } from '../ledgers/writer.ts';

/** Money is kept to eight places. */
export const PLACES = 8;
const DAY = 86_400_000;

export interface Holding {
  readonly assetId: string;
  readonly tokenId: string;
  readonly isSpam: boolean;
  readonly transactionCount: number;
  /** In 10^-18. */
  readonly quantity: bigint;
  /** Average cost of one unit; 0 where no cost basis is recorded. */
  readonly costPerUnit: number;
  /** In 10^-8 of the base currency, as the next two. */
  readonly costBasis: bigint;
  readonly value: bigint;
  readonly valueDayBefore: bigint;
}

/** Tokens of which the books leave something, in the order of the catalogue. */
export function buildHoldings({ columns, positions }: Books): Holding[] {
  const counts = transactionCounts(columns);
  return ASSETS.flatMap((asset, index) => {
    // A holding has an asset id, so what is unresolved is no holding.
    if (asset.id === null) return [];
    const pairs = WALLETS.map((_, wallet) => pairOf(wallet, index));
    const balances = pairs.map((pair) => positions.balance[pair] ?? 0n);
    const quantity = balances.reduce((sum, balance) => sum + balance, 0n);
    if (quantity <= 0n) return [];
    const costs = pairs.map((pair) => positions.unitCost[pair] ?? 0);
    const costPerUnit = averageCost(balances, costs);
    const at = (moment: number) => multiply(quantity, positions.priceAt(index, moment, 0.5), PLACES);
    return {
      assetId: asset.id,
      tokenId: tokenIdOf(asset),
      isSpam: asset.hostile,
      transactionCount: counts[index] ?? 0,
      quantity,
      costPerUnit,
      costBasis: multiply(quantity, costPerUnit, PLACES),
      value: at(SPAN_END),
      valueDayBefore: at(SPAN_END - DAY),
    };
  });
}

/** Of the wallets that hold any: those below zero have no cost to speak of. */
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

/** A transaction counts once for an asset, however many of its legs move it. */
function transactionCounts({ size, asset, transaction }: Columns): number[] {
  const counts = new Array<number>(ASSETS.length).fill(0);
  const last = new Array<number>(ASSETS.length).fill(-1);
  for (let row = 0; row < size; row += 1) {
    const index = asset[row] ?? 0;
    if (last[index] === transaction[row]) continue;
    last[index] = transaction[row] ?? 0;
    counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

function tokenIdOf({ id }: Asset): string {
  return `tkn_${createHash('sha256').update(`token/${id}`).digest('hex').slice(0, 12)}`;
}
