// Reads the query parameters of GET /v1/ledgers, and creates a row test for each filter. Balances are compared exactly.

import type { Catalogue } from '../../books/catalogue.ts';
import { LEG_TYPES, type LegColumns, NO_BALANCE } from '../../books/columns.ts';
import type { NumberedIds } from '../../core/ids.ts';
import { type RawQuery, readQuery } from '../../http/parameters.ts';

export interface LegFilters {
  readonly transactionIds: readonly string[] | undefined;
  readonly assetIds: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly providers: readonly string[] | undefined;
  readonly hasMissingPrice: boolean | undefined;
  readonly hasMissingAsset: boolean | undefined;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  /** Exclusive upper bound of the balance, in units of 10^-18. */
  readonly lessThan: bigint | undefined;
  /** Exclusive lower bound of the balance, in units of 10^-18. */
  readonly greaterThan: bigint | undefined;
}

export interface LegQuery {
  readonly filters: LegFilters;
  readonly sortBy: 'timestamp' | 'createdAt';
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
}

const MAX_LIMIT = 200;

export function readLedgerQuery(raw: RawQuery): LegQuery {
  return readQuery(raw, ({ reject, list, flag, time, whole, choice, decimal }) => {
    const types = list('types');
    const known: readonly string[] = LEG_TYPES;
    const other = types?.find((type) => !known.includes(type));
    if (other !== undefined) reject('types', `one of ${LEG_TYPES.join(', ')}`, `'${other}'`);
    return {
      filters: {
        transactionIds: list('transactionIds'),
        assetIds: list('assetIds'),
        types,
        providers: list('providers'),
        hasMissingPrice: flag('hasMissingPrice'),
        hasMissingAsset: flag('hasMissingAsset'),
        startTime: time('startTime'),
        endTime: time('endTime'),
        lessThan: decimal('ltAfterBalance')?.ceiling,
        greaterThan: decimal('gtAfterBalance')?.floor,
      },
      sortBy: choice('sortBy', ['timestamp', 'createdAt']) ?? 'timestamp',
      ascending: choice('sortOrder', ['desc', 'asc']) === 'asc',
      limit: whole('limit', 50, 1, MAX_LIMIT),
      offset: whole('offset', 0, 0),
    };
  });
}

export type TimeBounds = 'inclusive' | 'exclusive';
type Test = (row: number) => boolean;

export interface FilterParts {
  readonly catalogue: Catalogue;
  readonly transactionIds: NumberedIds;
  readonly bounds: TimeBounds;
}

/** Returns one row test for each filter that is set. */
export function legTests(
  columns: LegColumns,
  filters: LegFilters,
  { catalogue: { assets, wallets }, transactionIds: transactions, bounds }: FilterParts,
): Test[] {
  const tests: Test[] = [];
  const { transactionIds, assetIds, types, providers, hasMissingPrice, hasMissingAsset } = filters;
  const { startTime, endTime, lessThan, greaterThan } = filters;
  const { timestamp, after, flags } = columns;

  if (transactionIds !== undefined) {
    const wanted = new Set(transactionIds.map((id) => transactions.index(id)));
    tests.push((row) => wanted.has(columns.transaction[row]));
  }
  if (assetIds !== undefined) {
    const wanted = assets.map(({ id }) => id !== null && assetIds.includes(id));
    tests.push((row) => wanted[columns.asset[row] ?? 0] === true);
  }
  if (types !== undefined) {
    const wanted = LEG_TYPES.map((type) => types.includes(type));
    tests.push((row) => wanted[columns.type[row] ?? 0] === true);
  }
  if (providers !== undefined) {
    const wanted = wallets.map(({ providerId }) => providers.includes(providerId));
    tests.push((row) => wanted[columns.wallet[row] ?? 0] === true);
  }
  if (hasMissingPrice !== undefined) {
    tests.push((row) => Number.isNaN(columns.price[row] ?? Number.NaN) === hasMissingPrice);
  }
  if (hasMissingAsset !== undefined) {
    const missing = assets.map(({ id }) => id === null);
    tests.push((row) => missing[columns.asset[row] ?? 0] === hasMissingAsset);
  }
  // The specification does not say whether a time range includes its bounds.
  const open = bounds === 'exclusive';
  if (startTime !== undefined) {
    tests.push((row) => (open ? (timestamp[row] ?? 0) > startTime : (timestamp[row] ?? 0) >= startTime));
  }
  if (endTime !== undefined) {
    tests.push((row) => (open ? (timestamp[row] ?? 0) < endTime : (timestamp[row] ?? 0) <= endTime));
  }
  // Legs without a running balance match neither balance filter.
  const hasBalance: Test = (row) => ((flags[row] ?? 0) & NO_BALANCE) === 0;
  if (lessThan !== undefined) tests.push((row) => hasBalance(row) && after.get(row) < lessThan);
  if (greaterThan !== undefined) tests.push((row) => hasBalance(row) && after.get(row) > greaterThan);
  return tests;
}
