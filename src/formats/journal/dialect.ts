import type { FittedName } from './names.ts';

/** The top levels of beancount's accounts. */
export const BEANCOUNT_ROOTS = ['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'] as const;

/** An entry with the names and amounts of a format. */
export interface WrittenEntry {
  readonly date: string;
  /** Whether a part of the entry is in suspense. */
  readonly isPending: boolean;
  readonly id: string;
  readonly description: string;
  /** Facts about the entry. */
  readonly facts: Facts;
  readonly lines: readonly WrittenLine[];
}

export interface WrittenLine {
  readonly account: string;
  readonly amount: string;
  readonly commodity: string;
  readonly facts: Facts;
}

export type Facts = readonly (readonly [name: string, text: string])[];

/** How a plain-text accounting program writes a journal. */
export interface Dialect {
  /** Lines before the first entry. */
  readonly head: string;
  /** Whether a name is declared before its first use, or at the end, when its decimals are known. */
  readonly declares: 'first' | 'last';
  /** One part of an account's name. */
  fitSegment(text: string, level: number): FittedName;
  fitCommodity(symbol: string): FittedName;
  /** Adds a hash to a commodity. */
  joinCommodity(name: string, hash: string): string;
  declareAccount(name: string, firstUse: string): string;
  /** @param decimals the most decimals of its amounts */
  declareCommodity(name: string, about: Facts, decimals: number): string;
  entry(entry: WrittenEntry): string;
  /** A line that the program ignores. */
  comment(text: string): string;
  /** Significant digits that the program computes with, if that is few. */
  readonly digits?: number;
}
