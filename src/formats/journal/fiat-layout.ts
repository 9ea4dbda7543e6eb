interface FiatLine {
  /** `2025-03-31`. */
  readonly date: string;
  /** Transaction id, or the day or month of a summary entry. All lines of one entry have the same id. */
  readonly id: string;
  readonly description: string;
  readonly details: string;
  readonly account: string;
  /** The amount with the decimals of its currency, and no sign. */
  readonly amount: string;
  readonly isDebit: boolean;
  /** The tax rate or tax code from the account template. */
  readonly tax: string | undefined;
}

/** The layout of the files for an importer. */
export interface FiatLayout {
  readonly columns: readonly string[];
  /** Returns one cell per column. */
  cells(line: FiatLine): readonly string[];
  /** Maximum number of lines per file, including the header. */
  readonly mostLines?: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function dateParts(date: string): { year: string; month: string; day: string; monthName: string } {
  const [year = '', month = '', day = ''] = date.split('-');
  return { year, month, day, monthName: MONTHS[Number(month) - 1] ?? month };
}
