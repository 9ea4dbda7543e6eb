// The legs of each transaction, and functions that classify transactions.

import { INCOMING, type LegColumns, OUTGOING } from './columns.ts';

/** A transaction with at least one leg. */
export interface LegGroup {
  readonly number: number;
  /** The rows of the legs, oldest first. */
  readonly rows: Uint32Array;
}

export class Legs {
  readonly #rows: Uint32Array;
  /** Maps each transaction number to the position of the transaction's first leg in `#rows`. */
  readonly #starts: Uint32Array;

  /** Number of transactions that have legs. */
  get transactions(): number {
    return this.#starts.reduce(
      (sum, start, at) => sum + (at > 0 && start > (this.#starts[at - 1] ?? 0) ? 1 : 0),
      0,
    );
  }

  /** @param count number of transactions, including transactions without legs */
  constructor({ size, transaction }: LegColumns, count: number) {
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

  /** Returns undefined for a transaction without legs. */
  of(number: number): LegGroup | undefined {
    const rows = this.#rows.subarray(this.#starts[number] ?? 0, this.#starts[number + 1] ?? 0);
    return rows.length === 0 ? undefined : { number, rows };
  }

  /** Whether the row is the first leg of the transaction. The first leg determines the position of the transaction in lists. */
  isFirst(number: number, row: number): boolean {
    return this.#rows[this.#starts[number] ?? 0] === row;
  }

  /**
   * Returns the number of transactions for each key. A transaction counts once per key, whatever the number of its legs with
   * that key.
   *
   * @param keyOf the key of each row, such as its wallet or asset
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
 * Returns the type of a transaction. The specification has no type for transfers between the user's own wallets, or for
 * transactions that consist only of fees. Therefore, no value of the filter `types` matches these two kinds of transactions.
 */
export function transactionTypeOf(
  label: string | null,
  legTypes: ReadonlySet<number>,
): TransactionType | undefined {
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

/** Whether a user has reviewed the profit of the transaction. */
export function isReviewed(number: number): boolean {
  return number % 5 === 3;
}
