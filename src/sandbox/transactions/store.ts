// Transactions, newest first: runs of ledger rows, found without an index of their own.

import { amend, placeOf } from '../ledgers/amend.ts';
import type { Catalogue } from '../ledgers/catalogue.ts';
import type { TimeBounds } from '../ledgers/filter.ts';
import type { Ids } from '../ledgers/ids.ts';
import type { Overlay } from '../ledgers/overlay.ts';
import { createRemembered, keyOf } from '../remembered.ts';
import { testsFor } from './filter.ts';
import { createGathered, firstRow, type Legs, type Span } from './gathered.ts';
import type { TransactionFilters, TransactionQuery } from './query.ts';

export interface TransactionStore {
  readonly ids: Ids;
  page(query: TransactionQuery): { spans: Span[]; total: number };
  find(id: string): Span | undefined;
  /** Unix milliseconds. */
  timeOf(span: Span): number;
}

export interface TransactionStoreOptions {
  readonly overlay: Overlay;
  readonly catalogue: Catalogue;
  readonly walletIds: Ids;
  readonly bounds: TimeBounds;
  readonly ids: Ids;
  /** Transactions of the books. */
  readonly count: number;
}

export function createTransactionStore(options: TransactionStoreOptions): TransactionStore {
  const { overlay, ids, count } = options;
  const columns = overlay.books;
  const legs: Legs = { columns, rowOf: (row) => row };
  const gathered = createGathered(overlay);
  const remembered = createRemembered();
  const changed = createRemembered();

  function page({ filters, limit, offset }: TransactionQuery): { spans: Span[]; total: number } {
    const selected = ordered(filters);
    const total = selected.length;
    const size = Math.max(0, Math.min(limit, total - offset));
    const at = (position: number) => spanOf(selected[total - 1 - position] ?? 0);
    const spans = Array.from({ length: size }, (_, index) => at(offset + index));
    return { spans: spans.filter((span) => span !== undefined), total };
  }

  function ordered(filters: TransactionFilters): Uint32Array {
    const key = keyOf(filters);
    const { version } = overlay;
    if (!overlay.gathers) return remembered(key, () => select(filters));
    // Balances below zero are others after each change.
    const byBalance = filters.isMissingTransaction !== undefined;
    const found = () => remembered(byBalance ? `${version} ${key}` : key, () => select(filters));
    return changed(`${version} ${key}`, () => withChanges(found(), filters));
  }

  function select(filters: TransactionFilters): Uint32Array {
    const tests = testsFor({ ...options, columns }, filters);
    const found = new Uint32Array(count);
    let size = 0;
    const apart = overlay.places.scattered;
    for (let start = 0; start < columns.size; ) {
      const span = spanFrom(legs, start);
      if (apart?.has(span.transaction) !== true && tests.every((test) => test(span))) {
        found[size] = span.transaction;
        size += 1;
      }
      start = span.end;
    }
    return size === count ? found : found.slice(0, size);
  }

  function withChanges(found: Uint32Array, filters: TransactionFilters): Uint32Array {
    const { spans, legs: changedLegs } = gathered();
    const cuts = [...spans.keys()].flatMap((transaction) => {
      const at = placeOf(found, (other) => other < transaction);
      return found[at] === transaction ? [at] : [];
    });
    const tests = testsFor({ ...options, columns: changedLegs.columns }, filters);
    const writtenTime = (transaction: number) => columns.timestamp[firstRow(overlay, transaction)] ?? 0;
    const puts = [...spans.values()]
      .filter((span) => span !== undefined)
      .filter((span) => tests.every((test) => test(span)))
      .sort((a, b) => timeOf(a) - timeOf(b) || a.transaction - b.transaction)
      .map((span) => {
        const time = timeOf(span);
        const isBefore = (other: number) =>
          writtenTime(other) < time || (writtenTime(other) === time && other < span.transaction);
        return { at: placeOf(found, isBefore), value: span.transaction };
      });
    return amend(found, cuts, puts);
  }

  function spanOf(transaction: number): Span | undefined {
    if (overlay.gathers) {
      const { spans } = gathered();
      if (spans.has(transaction)) return spans.get(transaction);
    }
    return transaction < count ? spanFrom(legs, firstRow(overlay, transaction)) : undefined;
  }

  function find(id: string): Span | undefined {
    const transaction = ids.index(id);
    return transaction === undefined ? undefined : spanOf(transaction);
  }

  return { ids, page, find, timeOf };
}

function timeOf({ start, legs }: Span): number {
  return legs.columns.timestamp[start] ?? 0;
}

function spanFrom(legs: Legs, start: number): Span {
  const { transaction, size } = legs.columns;
  const number = transaction[start] ?? 0;
  let end = start;
  while (end < size && transaction[end] === number) end += 1;
  return { transaction: number, start, end, legs };
}
