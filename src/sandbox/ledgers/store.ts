// Pages of ledgers: which rows, in which order.

import { createRemembered, keyOf } from '../remembered.ts';
import { type TimeBounds, testsFor } from './filter.ts';
import type { Books } from './generate.ts';
import { createIds, type Ids } from './ids.ts';
import type { LedgerQuery } from './query.ts';

/**
 * In which order rows come that have the same sort key, which is not shown in the spec: `stable` is always the
 * same; `unstable` changes from one request to the next, as a database without a second sort key may do.
 */
export type Ties = 'stable' | 'unstable';

export interface LedgerStore {
  readonly ids: Ids;
  readonly transactionIds: Ids;
  page(query: LedgerQuery, ties?: Ties): { rows: number[]; total: number };
  find(id: string): number | undefined;
}

export interface StoreOptions {
  readonly seed: string;
  readonly timeBounds: TimeBounds;
  readonly ties: Ties;
}

export function createLedgerStore({ columns }: Books, { seed, timeBounds, ties }: StoreOptions): LedgerStore {
  const ids = createIds('led', seed);
  const transactionIds = createIds('txn', seed);
  const remembered = createRemembered();
  let requests = 0;

  function page(
    { filters, sortBy, ascending, limit, offset }: LedgerQuery,
    asked: Ties = ties,
  ): {
    rows: number[];
    total: number;
  } {
    const rows = ordered(filters, sortBy);
    const key = sortBy === 'timestamp' ? columns.timestamp : columns.createdAt;
    requests += 1;
    const at = (position: number) => rows[ascending ? position : rows.length - 1 - position] ?? 0;
    const end = Math.min(rows.length, offset + limit);
    if (offset >= end) return { rows: [], total: rows.length };
    const order = asked === 'stable' ? at : shuffledTies(at, key, offset, end, rows.length, requests);
    return {
      rows: Array.from({ length: end - offset }, (_, index) => order(offset + index)),
      total: rows.length,
    };
  }

  /** Ascending row numbers by the sort key; equal keys by row. */
  function ordered(filters: LedgerQuery['filters'], sortBy: LedgerQuery['sortBy']): Uint32Array {
    return remembered(`${sortBy} ${keyOf(filters)}`, () => select(filters, sortBy));
  }

  function select(filters: LedgerQuery['filters'], sortBy: LedgerQuery['sortBy']): Uint32Array {
    const tests = testsFor(columns, filters, transactionIds, timeBounds);
    const rows = new Uint32Array(columns.size);
    let count = 0;
    for (let row = 0; row < columns.size; row += 1) {
      if (tests.every((test) => test(row))) {
        rows[count] = row;
        count += 1;
      }
    }
    const selected = count === columns.size ? rows : rows.slice(0, count);
    // Rows are written in the order of their timestamps, so that only the other key needs sorting.
    const { createdAt } = columns;
    return sortBy === 'timestamp'
      ? selected
      : selected.sort((a, b) => (createdAt[a] ?? 0) - (createdAt[b] ?? 0) || a - b);
  }

  function find(id: string): number | undefined {
    const row = ids.index(id);
    return row !== undefined && row < columns.size ? row : undefined;
  }

  return { ids, transactionIds, page, find };
}

/** The same order, with each run of equal keys that the page touches dealt anew. */
function shuffledTies(
  at: (position: number) => number,
  key: Float64Array,
  start: number,
  end: number,
  total: number,
  salt: number,
): (position: number) => number {
  const keyAt = (position: number) => key[at(position)];
  let first = start;
  while (first > 0 && keyAt(first - 1) === keyAt(start)) first -= 1;
  let last = end;
  while (last < total && keyAt(last) === keyAt(end - 1)) last += 1;
  const rows = Array.from({ length: last - first }, (_, index) => at(first + index));
  const rank = (row: number) => Math.imul(row ^ Math.imul(salt, 0x9e37_79b1), 0x85eb_ca6b) >>> 0;
  const rankOfKey = new Map<number, number>();
  rows.forEach((row) => {
    const value = key[row] ?? 0;
    if (!rankOfKey.has(value)) rankOfKey.set(value, rankOfKey.size);
  });
  const run = (row: number) => rankOfKey.get(key[row] ?? 0) ?? 0;
  rows.sort((a, b) => run(a) - run(b) || rank(a) - rank(b));
  return (position) => rows[position - first] ?? 0;
}
