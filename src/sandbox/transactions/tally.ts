// Counts transactions while their legs are written, for the truth.

import { isIgnored, type TransactionType, typeOf } from './marks.ts';

export interface TransactionTruth {
  /** Transactions of each type that the spec names; `unnamed` are own transfers and fees that stand alone. */
  readonly transactionTypes: Readonly<Record<TransactionType | 'unnamed', number>>;
  /** Transactions of each label; those without one are not counted. */
  readonly transactionLabels: Readonly<Record<string, number>>;
  /** Transactions with a leg that has no price. */
  readonly transactionsMissingPrice: number;
  /** Transactions with a leg that leaves its balance below zero. */
  readonly transactionsMissingPurchase: number;
  /** What is left to categorize: deposits and withdrawals labelled so, and not ignored. */
  readonly uncategorised: number;
}

export interface TalliedLeg {
  readonly type: number;
  readonly label: string | null;
  readonly unpriced: boolean;
  readonly negative: boolean;
}

export class TransactionTally {
  readonly #types = { deposit: 0, withdrawal: 0, trade: 0, payment: 0, unnamed: 0 };
  readonly #labels: Record<string, number> = {};
  #missingPrice = 0;
  #missingPurchase = 0;
  #uncategorised = 0;
  #transaction = 0;
  #legs: TalliedLeg[] = [];

  begin(transaction: number): void {
    this.end();
    this.#transaction = transaction;
  }

  leg(leg: TalliedLeg): void {
    this.#legs.push(leg);
  }

  end(): void {
    const [first] = this.#legs;
    if (first === undefined) return;
    const type = typeOf(first.label, new Set(this.#legs.map((leg) => leg.type)));
    const { label } = first;
    this.#types[type ?? 'unnamed'] += 1;
    if (label !== null) this.#labels[label] = (this.#labels[label] ?? 0) + 1;
    if (this.#legs.some(({ unpriced }) => unpriced)) this.#missingPrice += 1;
    if (this.#legs.some(({ negative }) => negative)) this.#missingPurchase += 1;
    const plain =
      (type === 'deposit' || type === 'withdrawal') && (label === 'Deposit' || label === 'Withdrawal');
    if (plain && !isIgnored(this.#transaction)) this.#uncategorised += 1;
    this.#legs = [];
  }

  get truth(): TransactionTruth {
    return {
      transactionTypes: { ...this.#types },
      transactionLabels: { ...this.#labels },
      transactionsMissingPrice: this.#missingPrice,
      transactionsMissingPurchase: this.#missingPurchase,
      uncategorised: this.#uncategorised,
    };
  }
}
