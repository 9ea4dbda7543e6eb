// Ids of transactions: those of the books can be turned back into numbers, those that came with added legs are kept.

import type { Ids } from './ids.ts';

export interface TransactionIds extends Ids {
  /** The number of that transaction, from now on if there was none; without an id, that of a new one. */
  number(id: string | undefined): number;
  reset(): void;
}

export function createTransactionIds(written: Ids, count: number): TransactionIds {
  const numbers = new Map<string, number>();
  const added: string[] = [];

  const of = (number: number) => (number < count ? written.of(number) : (added[number - count] ?? ''));
  function index(id: string): number | undefined {
    const number = written.index(id);
    return number !== undefined && number < count ? number : numbers.get(id);
  }
  function number(id: string | undefined): number {
    const next = count + added.length;
    const wanted = id ?? written.of(next);
    const known = index(wanted);
    if (known !== undefined) return known;
    numbers.set(wanted, next);
    added.push(wanted);
    return next;
  }
  return {
    of,
    index,
    number,
    reset() {
      numbers.clear();
      added.length = 0;
    },
  };
}
