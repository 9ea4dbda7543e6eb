// Selects and sorts the ledgers on a page.

import type { Book } from '../../books/book.ts';
import type { LegColumns } from '../../books/columns.ts';
import { createRemembered, keyOf } from '../../core/remembered.ts';
import { type FilterParts, type LegQuery, legTests } from './query.ts';

/**
 * The order of rows with the same sort key. The specification does not define this order. With `unstable`, the order changes
 * with each request, as in a database query without a second sort key.
 */
export type Ties = 'stable' | 'unstable';

export type LedgerStore = ReturnType<typeof createLedgerStore>;

interface StoreOptions extends FilterParts {
  readonly book: Book;
  readonly ties: Ties;
}

type SortBy = LegQuery['sortBy'];

export function createLedgerStore(options: StoreOptions) {
  const { book, ties } = options;
  const remembered = book.derive(createRemembered);
  let pages = 0;

  function page(
    { filters, sortBy, ascending, limit, offset }: LegQuery,
    asked: Ties = ties,
  ): { rows: number[]; total: number } {
    const rows = remembered()(`${sortBy} ${keyOf(filters)}`, () => select(filters, sortBy));
    const total = rows.length;
    pages += 1;
    const end = Math.min(total, offset + limit);
    if (offset >= end) return { rows: [], total };
    const at = (position: number) => rows[ascending ? position : total - 1 - position] ?? 0;
    const keys = book.columns[sortBy];
    const order =
      asked === 'stable' ? at : shuffledTies(at, (row) => keys[row] ?? 0, offset, end, total, pages);
    return { rows: Array.from({ length: end - offset }, (_, index) => order(offset + index)), total };
  }

  /** Selects rows in ascending order of the sort key. Rows with the same key are in the order in which they were added. */
  function select(filters: LegQuery['filters'], sortBy: SortBy): Uint32Array {
    const { columns } = book;
    const tests = legTests(columns, filters, options);
    const rows = new Uint32Array(columns.size);
    let count = 0;
    for (let row = 0; row < columns.size; row += 1) {
      if (tests.every((test) => test(row))) {
        rows[count] = row;
        count += 1;
      }
    }
    const selected = count === columns.size ? rows : rows.slice(0, count);
    // The columns are already sorted by timestamp.
    return sortBy === 'timestamp' ? selected : selected.sort(byCreation(columns));
  }

  return {
    page,
    /** Number of pages served so far. With `unstable`, this number decides the order of rows with the same sort key. */
    pages: (): number => pages,
    /** Restores the number of served pages from a snapshot. */
    restore(saved: number): void {
      pages = saved;
    },
  };
}

function byCreation({ createdAt, number }: LegColumns): (a: number, b: number) => number {
  return (a, b) => (createdAt[a] ?? 0) - (createdAt[b] ?? 0) || (number[a] ?? 0) - (number[b] ?? 0);
}

/** Shuffles rows with the same sort key. All other rows stay in place. */
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
