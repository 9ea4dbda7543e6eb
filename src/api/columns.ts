import type { JsonRecord } from '../core/json.ts';

export interface Column {
  /** Dotted path of the value in a record, such as `asset.symbol`. CSV files use the path as the header. */
  readonly key: string;
  /** Header in tables (default: `key`). */
  readonly header?: string;
  /** Whether the value is a number. Tables align numbers at the decimal point and never truncate them. */
  readonly figure?: boolean;
  /** Whether at least one value is a JSON number. Set only for columns that are derived from records. */
  readonly numbers?: boolean;
  /** Key of the column with the currency or the asset of the amount. Tables show the amount only with this column. */
  readonly unit?: string;
  /** Maximum number of decimal places in a table (default: 8). See `roundFigure`. */
  readonly places?: number;
  /** Whether tables show every digit of the number. */
  readonly exact?: boolean;
  /** Whether the value is a state. Tables show states in colour. */
  readonly state?: boolean;
  /** Order in which tables drop columns on a narrow terminal: lowest number first. A column without `drop` is never dropped. */
  readonly drop?: number;
  /** Whether tables must not truncate the text. Tables never truncate ids, numbers or times. */
  readonly whole?: boolean;
  /** Whether the value is a sentence. If the table is too wide for the terminal, the whole sentence is shown below its row. */
  readonly sentence?: boolean;
  /**
   * Whether the value is a command line. If the table is too wide for the terminal, the command line is shown below its row, on
   * one line.
   */
  readonly command?: boolean;
  /** Whether the value is a time in Unix milliseconds. Tables show the time in the user's time zone. */
  readonly moment?: boolean;
  /** Whether the value is an ISO 8601 time in the time zone of the {@link View}. Workbooks store the time as a date. */
  readonly isTime?: boolean;
  /** Whether only programs need the value. If so, workbooks hide the column. */
  readonly internal?: boolean;
  /** Computes a value that is not a field of the record. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /**
   * Dotted paths of all fields that `derive` reads. The record that `derive` receives has these paths as its keys, and may
   * lack all other fields.
   */
  readonly from?: readonly string[];
  /**
   * Set if the value is the name of an account or of an asset. Files contain such a column for people, beside the id.
   * Comparisons ignore the column, because names are not part of the books.
   */
  readonly names?: 'account' | 'asset';
}

/** Settings for showing values. */
export interface View {
  /** IANA name of the time zone in which days and times are shown. */
  readonly timeZone: string;
  /** Returns the view of one record. Absent if all records have this view. */
  readonly of?: (record: JsonRecord) => View;
}

export interface Columns {
  readonly table: readonly Column[];
  readonly csv: readonly Column[];
}

/** Creates a column for an amount of money. Tables round the amount to two decimal places. */
export function money(key: string, more: Omit<Column, 'key'> = {}): Column {
  return { key, figure: true, places: 2, ...more };
}

export function keys(...paths: readonly string[]): Column[] {
  return paths.map((key) => ({ key }));
}
