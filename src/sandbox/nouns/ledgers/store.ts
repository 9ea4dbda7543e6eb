// Selects and sorts the ledgers on a page.

import type { LegColumns } from '../../books/columns.ts';
import type { BookContext } from '../../books/context.ts';
import { createRemembered } from '../../core/remembered.ts';
import { keyOf, type RawQuery } from '../../http/parameters.ts';
import { readLedgerQuery } from './query.ts';

/**
 * The order of rows with the same sort key, which the specification does not define. With `unstable`, the order changes with
 * each request, as in a database query without a second sort key.
 */
export type Ties = 'stable' | 'unstable';

export function createLedgerStore(context: BookContext, ties: Ties) {
  const { book } = context;
  const remembered = book.derive(createRemembered);
  let pages = 0;

  function page(raw: RawQuery, asked: Ties = ties) {
    const { columns } = book;
    const { tests, sortBy, ascending, limit, offset } = readLedgerQuery(raw, context);
    const rows = remembered()(keyOf(raw), () => select(columns, tests, sortBy));
    const total = rows.length;
    pages += 1;
    const meta = { total, limit, offset };
    const end = Math.min(total, offset + limit);
    if (offset >= end) return { rows: [], meta };
    const at = (position: number) => rows[ascending ? position : total - 1 - position] ?? 0;
    const keyOfRow = (row: number) => (ascending ? 1 : -1) * (columns[sortBy][row] ?? 0);
    const order = asked === 'stable' ? at : shuffledTies(at, keyOfRow, { offset, end, total, salt: pages });
    return { rows: Array.from({ length: end - offset }, (_, index) => order(offset + index)), meta };
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

/** Selects rows in ascending order of the sort key. Rows with the same key are in the order in which they were added. */
function select(
  columns: LegColumns,
  tests: readonly ((row: number) => boolean)[],
  sortBy: 'timestamp' | 'createdAt',
): Uint32Array {
  const { size, createdAt, number } = columns;
  const rows = new Uint32Array(size);
  let count = 0;
  for (let row = 0; row < size; row += 1) {
    if (tests.every((test) => test(row))) {
      rows[count] = row;
      count += 1;
    }
  }
  const selected = count === size ? rows : rows.slice(0, count);
  // The columns are already sorted by timestamp.
  if (sortBy === 'timestamp') return selected;
  return selected.sort(
    (a, b) => (createdAt[a] ?? 0) - (createdAt[b] ?? 0) || (number[a] ?? 0) - (number[b] ?? 0),
  );
}

/** Shuffles rows with the same sort key. All other rows stay in place. */
function shuffledTies(
  at: (position: number) => number,
  keyOfRow: (row: number) => number,
  { offset, end, total, salt }: { offset: number; end: number; total: number; salt: number },
): (position: number) => number {
  const keyAt = (position: number) => keyOfRow(at(position));
  let first = offset;
  while (first > 0 && keyAt(first - 1) === keyAt(offset)) first -= 1;
  let last = end;
  while (last < total && keyAt(last) === keyAt(end - 1)) last += 1;
  const rank = (row: number) => Math.imul(row ^ Math.imul(salt, 0x9e37_79b1), 0x85eb_ca6b) >>> 0;
  const rows = Array.from({ length: last - first }, (_, index) => at(first + index)).sort(
    (a, b) => keyOfRow(a) - keyOfRow(b) || rank(a) - rank(b),
  );
  return (position) => rows[position - first] ?? 0;
}
