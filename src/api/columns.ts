import type { JsonRecord } from '../core/json.ts';

/** One column: the path of its value in a record, and how it is displayed. */
export interface Column {
  /** Dotted path into the unchanged record (`asset.symbol`); also the header of the column in CSV. */
  readonly key: string;
  /** Header in a table; by default the key. */
  readonly header?: string;
  /** A number: aligned at its decimal point and never cut. */
  readonly figure?: boolean;
  /** Digits after the decimal point of a number in a table; by default 8. See `roundFigure`. */
  readonly places?: number;
  /** Show every digit of a number in a table. */
  readonly exact?: boolean;
  /** A state: tables colour it. */
  readonly state?: boolean;
  /** Set if a table can do without the column: on a narrow terminal the column with the lowest number is dropped first. */
  readonly drop?: number;
  /** Text that is useless if cut, so it is never cut. */
  readonly whole?: boolean;
  /** A sentence: in a table that is too wide for the terminal, it is on lines of its own below the row, never cut. */
  readonly sentence?: boolean;
  /** A time in Unix milliseconds: tables show it in the user's time zone. */
  readonly moment?: boolean;
  /** A value in ISO 8601, in the time zone of the view: workbooks store it as a date. */
  readonly isTime?: boolean;
  /** A value for programs: workbooks hide it. */
  readonly internal?: boolean;
  /** Computes a value that is not a field of the record. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /** Set if `derive` reads only this field; it then receives only this field. */
  readonly from?: string;
}

/** How values are shown. */
export interface View {
  /** IANA name of the zone of days and times. */
  readonly timeZone: string;
}

/** The columns of a kind of record: those of a table, and those of a file. */
export interface Columns {
  readonly table: readonly Column[];
  readonly csv: readonly Column[];
}

/** An amount in a currency, which a table shows with two decimals. */
export function money(key: string, more: Omit<Column, 'key'> = {}): Column {
  return { key, figure: true, places: 2, ...more };
}

export function keys(...paths: readonly string[]): Column[] {
  return paths.map((key) => ({ key }));
}
