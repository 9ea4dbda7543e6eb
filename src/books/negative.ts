import { type Exact, exact } from '../base/decimal.ts';
import type { JsonRecord } from '../base/json.ts';

/** A leg that stands for others in a finding. */
export interface Leg {
  readonly id: string;
  readonly transactionId: string;
  /** Unix milliseconds; null where the leg carries none. */
  readonly timestamp: number | null;
  /** Decimal string, character for character as served. */
  readonly afterBalance: string;
}

/** The negative running balances of one asset in one wallet. */
export interface NegativeBalance {
  readonly walletId: string;
  /** Null while the asset is unresolved; `symbol` then tells assets apart. */
  readonly assetId: string | null;
  readonly symbol: string;
  /** Legs after which the balance is below zero. */
  readonly legs: number;
  /** The earliest of them: where to look for what is missing. */
  readonly first: Leg;
  /** The one with the lowest balance. */
  readonly deepest: Leg;
}

export interface NegativeFindings {
  readonly found: readonly NegativeBalance[];
  /** Legs with a running balance that is no decimal: nothing can be said of them. */
  readonly unreadable: number;
}

/**
 * Groups legs whose running balance is below zero by wallet and asset, in the order of their first offending
 * leg. Legs at or above zero, or with no running balance, are passed over, and what is no decimal is counted. Memory grows with wallets × assets.
 */
export async function negativeBalances(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
): Promise<NegativeFindings> {
  let unreadable = 0;
  const groups = new Map<string, Group>();
  for await (const record of legs) {
    const afterBalance = record['afterBalance'];
    const balance = exact(afterBalance);
    if (balance === null && afterBalance !== null && afterBalance !== undefined) unreadable += 1;
    if (!balance?.isNegative() || balance.isZero()) continue;
    const group = groupOf(record);
    const key = JSON.stringify([group.walletId, group.assetId ?? group.symbol, group.assetId === null]);
    const leg = legOf(record);
    const found = groups.get(key);
    if (!found) {
      groups.set(key, { ...group, legs: 1, first: leg, deepest: leg, depth: balance });
      continue;
    }
    found.legs += 1;
    if (earlier(leg, found.first)) found.first = leg;
    if (balance.lessThan(found.depth)) [found.deepest, found.depth] = [leg, balance];
  }
  const found = [...groups.values()]
    .map(({ depth, ...finding }) => finding)
    .sort((left, right) => (left.first.timestamp ?? 0) - (right.first.timestamp ?? 0));
  return { found, unreadable };
}

type Group = { -readonly [K in keyof NegativeBalance]: NegativeBalance[K] } & { depth: Exact };

function groupOf(record: JsonRecord): Pick<NegativeBalance, 'walletId' | 'assetId' | 'symbol'> {
  const { walletId, assetId } = record;
  return {
    walletId: textOf(walletId),
    assetId: typeof assetId === 'string' ? assetId : null,
    symbol: textOf(symbolIn(record['asset'])) || textOf(symbolIn(record['assetRaw'])),
  };
}

function symbolIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'symbol' in value ? value.symbol : undefined;
}

function legOf(record: JsonRecord): Leg {
  const { timestamp } = record;
  return {
    id: textOf(record['id']),
    transactionId: textOf(record['transactionId']),
    timestamp: typeof timestamp === 'number' ? timestamp : null,
    afterBalance: textOf(record['afterBalance']),
  };
}

function earlier(left: Leg, right: Leg): boolean {
  return (left.timestamp ?? Number.POSITIVE_INFINITY) < (right.timestamp ?? Number.POSITIVE_INFINITY);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value);
}
