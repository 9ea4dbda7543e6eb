import type { JsonRecord } from '../core/json.ts';
import { type KindOf, ledgerKind } from './kinds.ts';

export interface Gathering {
  add(record: JsonRecord): void;
  rows(): Iterable<JsonRecord>;
  readonly size: number;
}

/** Sums to write to a file instead of the records. */
export interface SumsOf {
  /** The grouping keys, as specified by the user. */
  readonly by: readonly string[];
  /**
   * First day of the fiscal year, `04-06`. Undefined if the sums are by neither year nor quarter, or if the fiscal year is the
   * calendar year.
   */
  readonly yearStart?: string;
  /** Describes each incomplete sum. Call this method after the sums have been written. */
  gaps(): readonly string[];
  begin(): Gathering;
}

const AMOUNT = /^(incoming|outgoing|fee|net|costbasis|proceeds|profit)$/;
const VALUE = /^(incoming|outgoing|fee)Value$/;
const COUNT = /^legs$|Unknown$/;

/**
 * Returns the kind of a column in a file that contains sums. Sums of JSON numbers are text, because such a sum can have more
 * decimals than DECIMAL(38, 18), and a double would round the sum.
 */
export const sumKind: KindOf = (column) => {
  if (AMOUNT.test(column.key)) return 'decimal';
  if (column.key === 'day') return 'day';
  return COUNT.test(column.key) ? 'count' : ledgerKind(column);
};

/**
 * Like {@link sumKind}, but keys with decimals are text. A key that does not fit DECIMAL(38, 18) would otherwise be noticed only
 * after all legs are read.
 */
export const parquetSumKind: KindOf = (column) =>
  ledgerKind(column) === 'decimal' && !AMOUNT.test(column.key) ? 'text' : sumKind(column);

/** Like {@link sumKind}, but sums of JSON numbers are numbers, because XLSX has a second column for the exact text. */
export const xlsxSumKind: KindOf = (column) => (VALUE.test(column.key) ? 'decimal' : sumKind(column));
