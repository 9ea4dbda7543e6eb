// Which rows a query is about.

import type { Catalogue } from './catalogue.ts';
import { type Columns, NO_BALANCE, TYPES } from './columns.ts';
import type { Ids } from './ids.ts';
import type { LedgerFilters } from './query.ts';

export type TimeBounds = 'inclusive' | 'exclusive';
type Test = (row: number) => boolean;

export interface FilterParts {
  readonly catalogue: Catalogue;
  readonly transactionIds: Ids;
  readonly bounds: TimeBounds;
}

/** One test a filter given; none when every row is meant. */
export function testsFor(
  columns: Columns,
  filters: LedgerFilters,
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
    const wanted = TYPES.map((type) => types.includes(type));
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
  // Whether the bounds belong to the range is not shown in the spec: the sandbox can be either.
  const open = bounds === 'exclusive';
  if (startTime !== undefined) {
    tests.push((row) => (open ? (timestamp[row] ?? 0) > startTime : (timestamp[row] ?? 0) >= startTime));
  }
  if (endTime !== undefined) {
    tests.push((row) => (open ? (timestamp[row] ?? 0) < endTime : (timestamp[row] ?? 0) <= endTime));
  }
  // A leg without a running balance is left out by either balance filter.
  const hasBalance: Test = (row) => ((flags[row] ?? 0) & NO_BALANCE) === 0;
  if (lessThan !== undefined) tests.push((row) => hasBalance(row) && after.get(row) < lessThan);
  if (greaterThan !== undefined) tests.push((row) => hasBalance(row) && after.get(row) > greaterThan);
  return tests;
}
