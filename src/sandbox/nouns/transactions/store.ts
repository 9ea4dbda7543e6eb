// Finds transactions and lists them, newest first. The time of a transaction is the time of its first leg.

import type { Book } from '../../books/book.ts';
import type { LegGroup, Legs } from '../../books/legs.ts';
import type { NumberedIds } from '../../core/ids.ts';
import { createRemembered, keyOf } from '../../core/remembered.ts';
import {
  type FilterContext,
  type LegGroupFilters,
  type TransactionQuery,
  transactionTests,
} from './query.ts';

export type TransactionStore = ReturnType<typeof createTransactionStore>;

interface TransactionStoreOptions extends Omit<FilterContext, 'columns'> {
  readonly book: Book;
  readonly legs: () => Legs;
  readonly transactionIds: NumberedIds;
}

export function createTransactionStore(options: TransactionStoreOptions) {
  const { book, legs, transactionIds } = options;
  const remembered = book.derive(createRemembered);

  function page({ filters, limit, offset }: TransactionQuery) {
    const selected = remembered()(keyOf(filters), () => select(filters));
    const total = selected.length;
    const newest = selected.subarray(Math.max(0, total - offset - limit), Math.max(0, total - offset));
    const transactions = [...newest].reverse().map((number) => legs().of(number));
    return { transactions: transactions.filter((transaction) => transaction !== undefined), total };
  }

  function select(filters: LegGroupFilters): Uint32Array {
    const { columns } = book;
    const all = legs();
    const tests = transactionTests({ ...options, columns }, filters);
    const found = new Uint32Array(columns.size);
    let size = 0;
    for (let row = 0; row < columns.size; row += 1) {
      const number = columns.transaction[row] ?? 0;
      if (!all.isFirst(number, row)) continue;
      const transaction = tests.length === 0 ? undefined : all.of(number);
      if (transaction !== undefined && !tests.every((test) => test(transaction))) continue;
      found[size] = number;
      size += 1;
    }
    return found.slice(0, size);
  }

  return {
    page,
    find(id: string): LegGroup | undefined {
      const number = transactionIds.index(id);
      return number === undefined ? undefined : legs().of(number);
    },
    /** Unix milliseconds. */
    timeOf: ({ rows: [first = 0] }: LegGroup): number => book.columns.timestamp[first] ?? 0,
  };
}
