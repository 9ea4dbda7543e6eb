// Finds transactions and lists them, newest first. The time of a transaction is the time of its first leg.

import type { BookContext } from '../../books/context.ts';
import type { LegGroup } from '../../books/legs.ts';
import { createRemembered } from '../../core/remembered.ts';
import { keyOf, type RawQuery } from '../../http/parameters.ts';
import { readTransactionQuery } from './query.ts';

export type TransactionStore = ReturnType<typeof createTransactionStore>;

export function createTransactionStore(context: BookContext) {
  const { book, legs, transactionIds } = context;
  const remembered = book.derive(createRemembered);

  function page(raw: RawQuery) {
    const { tests, limit, offset } = readTransactionQuery(raw, context);
    const isWanted = (transaction: LegGroup | undefined) =>
      transaction === undefined || tests.every((test) => test(transaction));
    const selected = remembered()(keyOf(raw), () => select(isWanted));
    const total = selected.length;
    const newest = selected.subarray(Math.max(0, total - offset - limit), Math.max(0, total - offset));
    const transactions = [...newest].reverse().flatMap((number) => legs().of(number) ?? []);
    return { transactions, total, limit, offset, hasMore: offset + transactions.length < total };
  }

  function select(isWanted: (transaction: LegGroup | undefined) => boolean): Uint32Array {
    const { size, transaction } = book.columns;
    const all = legs();
    const found = new Uint32Array(size);
    let count = 0;
    for (let row = 0; row < size; row += 1) {
      const number = transaction[row] ?? 0;
      if (!all.isFirst(number, row) || !isWanted(all.of(number))) continue;
      found[count] = number;
      count += 1;
    }
    return found.slice(0, count);
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
