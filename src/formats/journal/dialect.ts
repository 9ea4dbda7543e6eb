import type { FittedName } from './names.ts';

export const BEANCOUNT_ROOTS = ['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'] as const;

/** An entry whose names and amounts are already formatted for the accounting program. */
export interface WrittenEntry {
  readonly date: string;
  /** Whether any leg of the entry is in suspense. */
  readonly isPending: boolean;
  readonly id: string;
  readonly description: string;
  readonly facts: Facts;
  readonly lines: readonly WrittenLine[];
}

interface WrittenLine {
  readonly account: string;
  readonly amount: string;
  readonly commodity: string;
  readonly facts: Facts;
}

export type Facts = readonly (readonly [name: string, text: string])[];

/** The journal syntax of a plain-text accounting program. */
export interface Dialect {
  /** Lines before the first entry. */
  readonly head: string;
  /**
   * With `first`, each name is declared before its first use. With `last`, all names are declared at the end, when the number
   * of decimals is known.
   */
  readonly declares: 'first' | 'last';
  /** Converts one level of an account name to a valid name. */
  fitSegment(text: string, level: number): FittedName;
  fitCommodity(symbol: string): FittedName;
  /** Adds a hash to a commodity name. */
  joinCommodity(name: string, hash: string): string;
  declareAccount(name: string, firstUse: string): string;
  /** @param decimals maximum number of decimals in the amounts of the commodity */
  declareCommodity(name: string, about: Facts, decimals: number): string;
  entry(entry: WrittenEntry): string;
  /** A line that the program ignores. */
  comment(text: string): string;
  /** Maximum number of significant digits in the program's arithmetic; undefined if the limit does not matter. */
  readonly digits?: number;
}
