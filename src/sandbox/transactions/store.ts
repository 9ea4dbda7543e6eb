// Transactions, newest first: runs of ledger rows, found without an index of their own.

import type { Columns } from '../ledgers/columns.ts';
import type { Ids } from '../ledgers/ids.ts';
import { createRemembered, keyOf } from '../remembered.ts';
import { type FilterContext, type Span, testsFor } from './filter.ts';
import type { TransactionFilters, TransactionQuery } from './query.ts';

export interface TransactionStore {
  readonly ids: Ids;
  page(query: TransactionQuery): { spans: Span[]; total: number };
  find(id: string): Span | undefined;
  /** Unix milliseconds. */
  timeOf(span: Span): number;
}

export interface TransactionStoreOptions extends FilterContext {
  readonly ids: Ids;
  readonly count: number;
}

export function createTransactionStore(options: TransactionStoreOptions): TransactionStore {
  const { columns, ids, count } = options;
  const remembered = createRemembered();

  function page({ filters, limit, offset }: TransactionQuery): { spans: Span[]; total: number } {
    const selected = remembered(keyOf(filters), () => select(filters));
    const total = selected.length;
    const size = Math.max(0, Math.min(limit, total - offset));
    const at = (position: number) => spanOf(selected[total - 1 - position] ?? 0);
    return { spans: Array.from({ length: size }, (_, index) => at(offset + index)), total };
  }

  function select(filters: TransactionFilters): Uint32Array {
    const tests = testsFor(options, filters);
    const found = new Uint32Array(count);
    let size = 0;
    for (let start = 0; start < columns.size; ) {
      const span = spanFrom(columns, start);
      if (tests.every((test) => test(span))) {
        found[size] = span.transaction;
        size += 1;
      }
      start = span.end;
    }
    return size === count ? found : found.slice(0, size);
  }

  /** Transactions are numbered in the order of their rows. */
  function spanOf(transaction: number): Span {
    let low = 0;
    let high = columns.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((columns.transaction[middle] ?? 0) < transaction) low = middle + 1;
      else high = middle;
    }
    return spanFrom(columns, low);
  }

  function find(id: string): Span | undefined {
    const transaction = ids.index(id);
    return transaction !== undefined && transaction < count ? spanOf(transaction) : undefined;
  }

  return { ids, page, find, timeOf: ({ start }) => columns.timestamp[start] ?? 0 };
}

function spanFrom({ transaction, size }: Columns, start: number): Span {
  const number = transaction[start] ?? 0;
  let end = start;
  while (end < size && transaction[end] === number) end += 1;
  return { transaction: number, start, end };
}
