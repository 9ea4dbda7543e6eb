// What the data set says about itself, counted while it is written and never through the filters of the routes:
// tests hold the one against the other.

import { TransactionTally, type TransactionTruth } from '../transactions/tally.ts';

/** A wallet and asset whose recorded balance goes below zero: purchases are missing. */
export interface NegativePair {
  readonly walletId: string;
  readonly providerId: string;
  readonly assetId: string;
  readonly symbol: string;
  readonly firstLedgerId: string;
  /** Unix milliseconds. */
  readonly firstTimestamp: number;
  /** Legs that leave the balance below zero. */
  readonly legs: number;
  /** Decimal string. */
  readonly deepest: string;
}

export interface LedgerTruth extends TransactionTruth {
  readonly ledgers: number;
  readonly transactions: number;
  readonly incoming: number;
  readonly outgoing: number;
  readonly fee: number;
  /** Legs with an `afterBalance` below zero. */
  readonly negative: number;
  readonly withoutBalance: number;
  readonly missingPrice: number;
  readonly missingAsset: number;
  readonly edited: number;
  /** Legs whose accounting figures are null. */
  readonly unprocessed: number;
  /** Legs that came to be long after their time. */
  readonly backdated: number;
  /** Legs of tokens with a name made to harm its reader. */
  readonly hostile: number;
  /** Legs with `debitCoaCode` and no `creditCoaCode`. */
  readonly halfPosted: number;
  /** Legs whose `profit` is not `proceeds` less `costbasis`. */
  readonly profitOff: number;
  /** Legs imported a second time, under other ids. */
  readonly duplicates: number;
  /** Legs that share their timestamp with the leg before. */
  readonly ties: number;
  readonly firstTimestamp: number | null;
  readonly lastTimestamp: number | null;
  readonly negativePairs: readonly NegativePair[];
}

export type Count = Exclude<
  keyof LedgerTruth,
  keyof TransactionTruth | 'ledgers' | 'transactions' | 'firstTimestamp' | 'lastTimestamp' | 'negativePairs'
>;

export interface PairTally {
  readonly wallet: number;
  readonly asset: number;
  readonly firstRow: number;
  legs: number;
  deepest: bigint;
}

/** Counts while the rows are written. */
export class Tally {
  readonly counts: Record<Count, number> = {
    incoming: 0,
    outgoing: 0,
    fee: 0,
    negative: 0,
    withoutBalance: 0,
    missingPrice: 0,
    missingAsset: 0,
    edited: 0,
    unprocessed: 0,
    backdated: 0,
    hostile: 0,
    halfPosted: 0,
    profitOff: 0,
    duplicates: 0,
    ties: 0,
  };
  readonly transactions = new TransactionTally();
  readonly pairs = new Map<number, PairTally>();
  /** Those of the count of duplicates. */
  readonly duplicateRows: number[] = [];

  add(count: Count, when: boolean): void {
    if (when) this.counts[count] += 1;
  }

  below(key: number, wallet: number, asset: number, row: number, balance: bigint): void {
    this.counts.negative += 1;
    const pair = this.pairs.get(key);
    if (pair === undefined) {
      this.pairs.set(key, { wallet, asset, firstRow: row, legs: 1, deepest: balance });
      return;
    }
    pair.legs += 1;
    if (balance < pair.deepest) pair.deepest = balance;
  }
}
