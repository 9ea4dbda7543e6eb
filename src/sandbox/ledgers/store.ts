// Pages of ledgers: which rows, in which order.

import { createRemembered, keyOf } from '../remembered.ts';
import { amend, placeOf } from './amend.ts';
import type { Columns } from './columns.ts';
import { type FilterParts, testsFor } from './filter.ts';
import type { Ids } from './ids.ts';
import type { Overlay } from './overlay.ts';
import { type LedgerQuery, NO_FILTERS } from './query.ts';

/**
 * In which order rows come that have the same sort key, which is not shown in the spec: `stable` is always the
 * same; `unstable` changes from one request to the next, as a database without a second sort key may do.
 */
export type Ties = 'stable' | 'unstable';

export interface LedgerStore {
  page(query: LedgerQuery, ties?: Ties): { rows: number[]; total: number };
  find(id: string): number | undefined;
  /** Every row, the oldest first. */
  all(): Uint32Array;
}

export interface StoreOptions extends FilterParts {
  readonly ids: Ids;
  readonly overlay: Overlay;
  readonly ties: Ties;
}

export function createLedgerStore(options: StoreOptions): LedgerStore {
  const { ids, overlay, ties } = options;
  const columns = overlay.books;
  const remembered = createRemembered();
  const changed = createRemembered();
  let requests = 0;

  function page(
    { filters, sortBy, ascending, limit, offset }: LedgerQuery,
    asked: Ties = ties,
  ): {
    rows: number[];
    total: number;
  } {
    const rows = ordered(filters, sortBy);
    requests += 1;
    const at = (position: number) => rows[ascending ? position : rows.length - 1 - position] ?? 0;
    const end = Math.min(rows.length, offset + limit);
    if (offset >= end) return { rows: [], total: rows.length };
    const order =
      asked === 'stable' ? at : shuffledTies(at, keyOfRow(sortBy), offset, end, rows.length, requests);
    return {
      rows: Array.from({ length: end - offset }, (_, index) => order(offset + index)),
      total: rows.length,
    };
  }

  /** Ascending row numbers by the sort key; equal keys by row. */
  function ordered(filters: LedgerQuery['filters'], sortBy: LedgerQuery['sortBy']): Uint32Array {
    const key = `${sortBy} ${keyOf(filters)}`;
    const { version } = overlay;
    if (version === 0) return remembered(key, () => select(filters, sortBy));
    // Of the rows of the books, those that a balance filter finds are others after each change.
    const byBalance = filters.lessThan !== undefined || filters.greaterThan !== undefined;
    const found = () => remembered(byBalance ? `${version} ${key}` : key, () => select(filters, sortBy));
    return changed(`${version} ${key}`, () => withChanges(found(), filters, sortBy));
  }

  function keyOfRow(sortBy: LedgerQuery['sortBy']): (row: number) => number {
    const keys = ({ timestamp, createdAt }: Columns) => (sortBy === 'timestamp' ? timestamp : createdAt);
    const [ofBooks, added] = [keys(columns), keys(overlay.added)];
    return (row) => (row < columns.size ? ofBooks[row] : added[row - columns.size]) ?? 0;
  }

  function withChanges(
    found: Uint32Array,
    filters: LedgerQuery['filters'],
    sortBy: LedgerQuery['sortBy'],
  ): Uint32Array {
    const keyAt = keyOfRow(sortBy);
    const compare = (a: number, b: number) => keyAt(a) - keyAt(b) || a - b;
    const place = (row: number) => placeOf(found, (other) => compare(other, row) < 0);
    const cuts = [...overlay.removed].flatMap((row) => {
      const at = place(row);
      return found[at] === row ? [at] : [];
    });
    const tests = testsFor(overlay.added, filters, options);
    const puts = overlay
      .present()
      .filter((row) => tests.every((test) => test(row - columns.size)))
      .sort(compare)
      .map((row) => ({ at: place(row), value: row }));
    return amend(found, cuts, puts);
  }

  function select(filters: LedgerQuery['filters'], sortBy: LedgerQuery['sortBy']): Uint32Array {
    const tests = testsFor(columns, filters, options);
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
    const written = ids.index(id);
    const ofBooks = written !== undefined && written < columns.size && !overlay.removed.has(written);
    const row = ofBooks ? written : overlay.row(id);
    return row === undefined || overlay.removed.has(row) ? undefined : row;
  }

  return { page, find, all: () => ordered(NO_FILTERS, 'timestamp') };
}

/** The same order, with each run of equal keys that the page touches dealt anew. */
function shuffledTies(
  at: (position: number) => number,
  keyOfRow: (row: number) => number,
  start: number,
  end: number,
  total: number,
  salt: number,
): (position: number) => number {
  const keyAt = (position: number) => keyOfRow(at(position));
  let first = start;
  while (first > 0 && keyAt(first - 1) === keyAt(start)) first -= 1;
  let last = end;
  while (last < total && keyAt(last) === keyAt(end - 1)) last += 1;
  const rows = Array.from({ length: last - first }, (_, index) => at(first + index));
  const rank = (row: number) => Math.imul(row ^ Math.imul(salt, 0x9e37_79b1), 0x85eb_ca6b) >>> 0;
  const rankOfKey = new Map<number, number>();
  rows.forEach((row) => {
    const value = keyOfRow(row);
    if (!rankOfKey.has(value)) rankOfKey.set(value, rankOfKey.size);
  });
  const run = (row: number) => rankOfKey.get(keyOfRow(row)) ?? 0;
  rows.sort((a, b) => run(a) - run(b) || rank(a) - rank(b));
  return (position) => rows[position - first] ?? 0;
}
