/** A line of a journal for an importer of general-ledger journals. */
export interface FiatLine {
  /** `2025-03-31`. */
  readonly date: string;
  /** Transaction, day or month: equal for the lines of one entry. */
  readonly id: string;
  readonly description: string;
  readonly details: string;
  /** Code or name of the account. */
  readonly account: string;
  /** Two decimals, without a sign. */
  readonly amount: string;
  readonly isDebit: boolean;
  /** The tax rate or tax code that the template names. */
  readonly tax: string | undefined;
}

/** The file that an importer reads: the same cells for every line. */
export interface FiatLayout {
  readonly columns: readonly string[];
  cells(line: FiatLine): readonly string[];
  /** Maximum lines per file, including the header. */
  readonly mostLines?: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Year, month and day of an ISO date; the month also by name. */
export function partsOf(date: string): { year: string; month: string; day: string; monthName: string } {
  const [year = '', month = '', day = ''] = date.split('-');
  return { year, month, day, monthName: MONTHS[Number(month) - 1] ?? month };
}
