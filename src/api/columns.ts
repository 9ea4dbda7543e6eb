import type { JsonRecord } from '../core/json.ts';

/** One column: the path of its value in a record, and how it is displayed. */
export interface Column {
  /** Dotted path into the unchanged record (`asset.symbol`); also the header of the column in CSV. */
  readonly key: string;
  /** Header in a table (default: the key). */
  readonly header?: string;
  /** Whether the value is a number. Tables align numbers at the decimal point and never cut them. */
  readonly figure?: boolean;
  /** Digits after the decimal point of a number in a table (default: 8). See `roundFigure`. */
  readonly places?: number;
  /** Whether a table shows every digit of a number. */
  readonly exact?: boolean;
  /** Whether the value is a state, which tables colour. */
  readonly state?: boolean;
  /** Set for columns that a table can omit. On a narrow terminal, the column with the lowest number is dropped first. */
  readonly drop?: number;
  /** Whether the text is never cut, because it would be useless if cut. */
  readonly whole?: boolean;
  /** Whether the value is a sentence. If the table is too wide for the terminal, the sentence is shown uncut below its row. */
  readonly sentence?: boolean;
  /** Whether the value is a time in Unix milliseconds, which tables show in the user's time zone. */
  readonly moment?: boolean;
  /** Whether the value is an ISO 8601 time in the view's time zone, which workbooks store as a date. */
  readonly isTime?: boolean;
  /** Whether only programs need the value. Workbooks hide its column. */
  readonly internal?: boolean;
  /** Computes a value that is not a field of the record. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /** The only field that `derive` reads. If set, `derive` receives a record with only this field. */
  readonly from?: string;
}

/** How values are shown. */
export interface View {
  /** IANA name of the time zone for days and times. */
  readonly timeZone: string;
}

/** The columns of one kind of record, for tables and for files. */
export interface Columns {
  readonly table: readonly Column[];
  readonly csv: readonly Column[];
}

/** A column for an amount of money, which a table shows with two decimals. */
export function money(key: string, more: Omit<Column, 'key'> = {}): Column {
  return { key, figure: true, places: 2, ...more };
}

export function keys(...paths: readonly string[]): Column[] {
  return paths.map((key) => ({ key }));
}
