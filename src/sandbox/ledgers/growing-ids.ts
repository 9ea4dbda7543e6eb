// Ids of transactions and of accounts: those of the books can be turned back into numbers, those that came with added
// legs are kept.

import type { Ids } from './ids.ts';

export interface GrowingIds extends Ids {
  /** The number of that one, from now on if there was none; without an id, that of a new one. */
  number(id: string | undefined): number;
  reset(): void;
}

export function createGrowingIds(written: Ids, count: number): GrowingIds {
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
