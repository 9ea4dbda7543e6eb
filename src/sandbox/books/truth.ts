// Counts ledgers and transactions. Tests compare these counts with responses. Rows are counted one by one, without the filters
// of the routes.

import { formatUnits } from '../core/decimal.ts';
import {
  EDITED,
  FEE,
  HALF_POSTED,
  INCOMING,
  type LegColumns,
  NO_BALANCE,
  OUTGOING,
  PROFIT_OFF,
  UNPROCESSED,
} from './columns.ts';
import type { BookContext } from './context.ts';
import { isIgnored, type TransactionType, transactionTypeOf } from './legs.ts';

/** A wallet/asset pair with a recorded balance below zero, because purchases are missing. */
export interface NegativePair {
  readonly walletId: string;
  readonly providerId: string;
  readonly assetId: string;
  readonly symbol: string;
  readonly firstLedgerId: string;
  /** Unix milliseconds. */
  readonly firstTimestamp: number;
  /** Number of legs with a negative balance. */
  readonly legs: number;
  /** Decimal string. */
  readonly deepest: string;
}

interface TransactionTruth {
  /** Number of transactions by type. `unnamed` counts transfers between own wallets, and transactions with only fees. */
  readonly transactionTypes: Readonly<Record<TransactionType | 'unnamed', number>>;
  /** Number of transactions by label. Transactions without a label are not counted. */
  readonly transactionLabels: Readonly<Record<string, number>>;
  /** Number of transactions with a leg that has no price. */
  readonly transactionsMissingPrice: number;
  /** Number of transactions with a leg that has a negative balance. */
  readonly transactionsMissingPurchase: number;
  /** Number of deposits and withdrawals that still have a default label and are not ignored. */
  readonly uncategorised: number;
}

export interface LedgerTruth extends TransactionTruth {
  readonly ledgers: number;
  readonly transactions: number;
  readonly incoming: number;
  readonly outgoing: number;
  readonly fee: number;
  /** Legs with a negative `afterBalance`. */
  readonly negative: number;
  readonly withoutBalance: number;
  readonly missingPrice: number;
  readonly missingAsset: number;
  readonly edited: number;
  /** Legs for which tax processing has not run. Cost basis, proceeds and profit are null. */
  readonly unprocessed: number;
  /** Legs that were created more than a day after their timestamp. */
  readonly backdated: number;
  /** Legs whose token has a malicious name. */
  readonly hostile: number;
  /** Legs with `debitCoaCode` but without `creditCoaCode`. */
  readonly halfPosted: number;
  /** Legs whose `profit` is not `proceeds` minus `costbasis`. */
  readonly profitOff: number;
  /** Legs that repeat the previous leg with a different id. */
  readonly duplicates: number;
  /** Legs with the same timestamp as the previous leg. */
  readonly ties: number;
  readonly firstTimestamp: number | null;
  readonly lastTimestamp: number | null;
  readonly negativePairs: readonly NegativePair[];
}

const DAY = 86_400_000;

/** @param repeated numbers (see `LegColumns.number`) of the ledgers that duplicate the previous ledger */
export function countLedgers(
  columns: LegColumns,
  context: BookContext,
  repeated: readonly number[],
): LedgerTruth {
  const { assets } = context.catalogue;
  const { size, type, asset, flags, timestamp, createdAt, price, number } = columns;
  const duplicates = new Set(repeated);
  const count = (test: (row: number) => boolean) => {
    let found = 0;
    for (let row = 0; row < size; row += 1) if (test(row)) found += 1;
    return found;
  };
  const has = (flag: number) => (row: number) => ((flags[row] ?? 0) & flag) !== 0;
  const ofType = (wanted: number) => count((row) => type[row] === wanted);
  const time = (row: number) => timestamp[row] ?? 0;
  const negativePairs = findNegativePairs(columns, context);
  return {
    ...countTransactions(columns, context),
    ledgers: size,
    incoming: ofType(INCOMING),
    outgoing: ofType(OUTGOING),
    fee: ofType(FEE),
    negative: negativePairs.reduce((sum, { legs }) => sum + legs, 0),
    withoutBalance: count(has(NO_BALANCE)),
    missingPrice: count((row) => Number.isNaN(price[row])),
    missingAsset: count((row) => assets[asset[row] ?? 0]?.id === null),
    edited: count(has(EDITED)),
    unprocessed: count(has(UNPROCESSED)),
    backdated: count((row) => (createdAt[row] ?? 0) - time(row) > DAY),
    hostile: count((row) => assets[asset[row] ?? 0]?.hostile === true),
    halfPosted: count(has(HALF_POSTED)),
    profitOff: count(has(PROFIT_OFF)),
    duplicates: count((row) => duplicates.has(number[row] ?? 0)),
    ties: count((row) => row > 0 && time(row) === time(row - 1)),
    firstTimestamp: size === 0 ? null : time(0),
    lastTimestamp: size === 0 ? null : time(size - 1),
    negativePairs,
  };
}

function isNegative({ flags, after }: LegColumns, row: number): boolean {
  return ((flags[row] ?? 0) & NO_BALANCE) === 0 && after.get(row) < 0n;
}

function countTransactions(
  columns: LegColumns,
  { catalogue: { labels }, legs }: BookContext,
): TransactionTruth & { transactions: number } {
  const types = { deposit: 0, withdrawal: 0, trade: 0, payment: 0, unnamed: 0 };
  const byLabel = new Map<string, number>();
  const counts = {
    transactions: 0,
    transactionsMissingPrice: 0,
    transactionsMissingPurchase: 0,
    uncategorised: 0,
  };
  const all = legs();
  for (let first = 0; first < columns.size; first += 1) {
    const number = columns.transaction[first] ?? 0;
    if (!all.isFirst(number, first)) continue;
    const rows = all.of(number)?.rows ?? [];
    const label = labels[columns.kind[first] ?? 0] ?? null;
    const type = transactionTypeOf(label, new Set(rows.map((row) => columns.type[row] ?? 0)));
    counts.transactions += 1;
    types[type ?? 'unnamed'] += 1;
    if (label !== null) byLabel.set(label, (byLabel.get(label) ?? 0) + 1);
    if (rows.some((row) => Number.isNaN(columns.price[row]))) counts.transactionsMissingPrice += 1;
    if (rows.some((row) => isNegative(columns, row))) counts.transactionsMissingPurchase += 1;
    const plain =
      (type === 'deposit' || type === 'withdrawal') && (label === 'Deposit' || label === 'Withdrawal');
    if (plain && !isIgnored(number)) counts.uncategorised += 1;
  }
  return { ...counts, transactionTypes: types, transactionLabels: Object.fromEntries(byLabel) };
}

function findNegativePairs(columns: LegColumns, { book, catalogue, walletIds }: BookContext): NegativePair[] {
  const pairs = new Map<number, { first: number; legs: number; deepest: bigint }>();
  for (let row = 0; row < columns.size; row += 1) {
    if (!isNegative(columns, row)) continue;
    const balance = columns.after.get(row);
    const key = (columns.wallet[row] ?? 0) * 65_536 + (columns.asset[row] ?? 0);
    const pair = pairs.get(key) ?? { first: row, legs: 0, deepest: balance };
    pair.legs += 1;
    if (balance < pair.deepest) pair.deepest = balance;
    pairs.set(key, pair);
  }
  return [...pairs.values()].map(({ first, legs, deepest }) => {
    const wallet = columns.wallet[first] ?? 0;
    const asset = catalogue.assets[columns.asset[first] ?? 0];
    return {
      walletId: walletIds.of(wallet),
      providerId: catalogue.wallets[wallet]?.providerId ?? '',
      assetId: asset?.id ?? '',
      symbol: asset?.symbol ?? '',
      firstLedgerId: book.id(columns.number[first] ?? 0),
      firstTimestamp: columns.timestamp[first] ?? 0,
      legs,
      deepest: formatUnits(deepest),
    };
  });
}
