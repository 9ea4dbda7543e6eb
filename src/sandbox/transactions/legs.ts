// The ledgers of each transaction, and facts derived only from them.

import { type Columns, INCOMING, OUTGOING } from '../ledgers/columns.ts';

/** A transaction that has legs. */
export interface Transaction {
  readonly number: number;
  /** The rows of the legs, oldest first. */
  readonly rows: Uint32Array;
}

/** The legs of all transactions. */
export class Legs {
  readonly #rows: Uint32Array;
  /** The start of each transaction's rows in `#rows`, by transaction number. */
  readonly #starts: Uint32Array;

  /** Number of transactions that have legs. */
  get transactions(): number {
    return this.#starts.reduce(
      (sum, start, at) => sum + (at > 0 && start > (this.#starts[at - 1] ?? 0) ? 1 : 0),
      0,
    );
  }

  /** @param count transactions, with or without legs */
  constructor({ size, transaction }: Columns, count: number) {
    const starts = new Uint32Array(count + 1);
    for (let row = 0; row < size; row += 1)
      starts[at(transaction, row) + 1] = at(starts, at(transaction, row) + 1) + 1;
    for (let number = 0; number < count; number += 1)
      starts[number + 1] = at(starts, number + 1) + at(starts, number);
    const next = starts.slice();
    const rows = new Uint32Array(size);
    for (let row = 0; row < size; row += 1) {
      const number = at(transaction, row);
      rows[at(next, number)] = row;
      next[number] = at(next, number) + 1;
    }
    this.#rows = rows;
    this.#starts = starts;
  }

  /** Undefined for a transaction without legs. */
  of(number: number): Transaction | undefined {
    const rows = this.#rows.subarray(this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0);
    return rows.length === 0 ? undefined : { number, rows };
  }

  /** Whether the row is the first of the transaction. The first row determines the transaction's position in lists. */
  isFirst(number: number, row: number): boolean {
    return this.#rows[this.#starts[number] ?? 0] === row;
  }

  /**
   * The number of transactions by key. A transaction counts once per key, even if several of its legs have the key.
   *
   * @param keyOf wallets or assets, by row
   */
  countBy(keyOf: Uint16Array, keys: number): number[] {
    const counts = new Array<number>(keys).fill(0);
    const counted = new Array<number>(keys).fill(-1);
    for (let number = 0; number + 1 < this.#starts.length; number += 1) {
      for (let index = at(this.#starts, number); index < at(this.#starts, number + 1); index += 1) {
        const key = keyOf[at(this.#rows, index)] ?? 0;
        if (counted[key] === number) continue;
        counted[key] = number;
        counts[key] = (counts[key] ?? 0) + 1;
      }
    }
    return counts;
  }
}

function at(array: Uint32Array, index: number): number {
  return array[index] ?? 0;
}

/** The transaction types in the specification. */
export const TRANSACTION_TYPES = ['deposit', 'withdrawal', 'trade', 'payment'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/**
 * Undefined for transfers between own wallets and for fees without another leg. The specification names no type for such
 * transactions, so no value of `types` matches them.
 */
export function typeOf(label: string | null, legTypes: ReadonlySet<number>): TransactionType | undefined {
  if (label === 'Payment') return 'payment';
  if (label === 'Transfer') return undefined;
  const [incoming, outgoing] = [legTypes.has(INCOMING), legTypes.has(OUTGOING)];
  if (incoming && outgoing) return 'trade';
  if (incoming) return 'deposit';
  return outgoing ? 'withdrawal' : undefined;
}

/** Whether a user removed the transaction from the list of uncategorised transactions. */
export function isIgnored(number: number): boolean {
  return number % 9 === 4;
}

/** Whether a user has checked the profit. */
export function isReviewed(number: number): boolean {
  return number % 5 === 3;
}
