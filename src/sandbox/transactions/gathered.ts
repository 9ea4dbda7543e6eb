// Transactions that legs came to or went from. The legs of the others stand one after another in the books; theirs are
// gathered here in the same form, so that whatever reads a transaction reads both alike.

import { type Columns, createColumns } from '../ledgers/columns.ts';
import type { Overlay } from '../ledgers/overlay.ts';

/** Where legs stand one after another. */
export interface Legs {
  readonly columns: Columns;
  /** The row of the ledger. */
  rowOf(index: number): number;
}

/** The legs of one transaction, `end` left out. */
export interface Span {
  readonly transaction: number;
  readonly start: number;
  readonly end: number;
  readonly legs: Legs;
}

export interface Gathered {
  readonly legs: Legs;
  /** By number; undefined for one of which no leg is left. */
  readonly spans: ReadonlyMap<number, Span | undefined>;
}

export function createGathered(overlay: Overlay): () => Gathered {
  let version: number | undefined;
  let current: Gathered | undefined;
  return () => {
    if (current === undefined || version !== overlay.version) {
      version = overlay.version;
      current = gather(overlay);
    }
    return current;
  };
}

function gather(overlay: Overlay): Gathered {
  const touched = overlay.touched();
  const timeOf = (row: number) => {
    const { columns, index } = overlay.locate(row);
    return columns.timestamp[index] ?? 0;
  };
  const groups = new Map<number, number[]>([...touched].map((transaction) => [transaction, []]));
  for (const transaction of touched) {
    const left = rowsInBooks(overlay, transaction).filter((row) => !overlay.removed.has(row));
    groups.get(transaction)?.push(...left);
  }
  for (const row of overlay.present()) {
    const { columns, index } = overlay.locate(row);
    groups.get(columns.transaction[index] ?? 0)?.push(row);
  }
  const rows: number[] = [];
  const bounds = [...groups].map(([transaction, own]) => {
    const start = rows.length;
    rows.push(...own.sort((a, b) => timeOf(a) - timeOf(b) || a - b));
    return { transaction, start, end: rows.length };
  });
  const legs: Legs = { columns: copied(overlay, rows), rowOf: (index) => rows[index] ?? 0 };
  const spans = bounds.map(({ transaction, start, end }): [number, Span | undefined] => [
    transaction,
    start === end ? undefined : { transaction, start, end, legs },
  ]);
  return { legs, spans: new Map(spans) };
}

/** Those that went since among them. */
export function rowsInBooks(overlay: Overlay, transaction: number): readonly number[] {
  const { books, places } = overlay;
  const scattered = places.scattered?.get(transaction);
  if (scattered !== undefined) return scattered;
  const rows: number[] = [];
  for (
    let row = firstRow(overlay, transaction);
    row < books.size && books.transaction[row] === transaction;
    row += 1
  ) {
    rows.push(row);
  }
  return rows;
}

export function firstRow({ books: { transaction, size }, places }: Overlay, number: number): number {
  if (places.starts !== undefined) return places.starts[number] ?? size;
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((transaction[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function copied(overlay: Overlay, rows: readonly number[]): Columns {
  const columns = createColumns(rows.length);
  const places = rows.map((row) => overlay.locate(row));
  places.forEach(({ columns: from, index }, to) => {
    columns.transaction[to] = from.transaction[index] ?? 0;
    columns.type[to] = from.type[index] ?? 0;
    columns.asset[to] = from.asset[index] ?? 0;
    columns.wallet[to] = from.wallet[index] ?? 0;
    columns.other[to] = from.other[index] ?? -1;
    columns.kind[to] = from.kind[index] ?? 0;
    columns.flags[to] = from.flags[index] ?? 0;
    columns.timestamp[to] = from.timestamp[index] ?? 0;
    columns.createdAt[to] = from.createdAt[index] ?? 0;
    columns.price[to] = from.price[index] ?? Number.NaN;
    columns.unitCost[to] = from.unitCost[index] ?? 0;
  });
  const at = (name: 'quantity' | 'after') => (to: number) => {
    const place = places[to];
    return place === undefined ? 0n : place.columns[name].get(place.index);
  };
  const gathered = { ...columns, quantity: { get: at('quantity') }, after: { get: at('after') } };
  if (overlay.books.profit === undefined) return gathered;
  const profit = (to: number) => {
    const place = places[to];
    return place?.columns.profit?.(place.index);
  };
  return { ...gathered, profit };
}
