import type { JsonRecord } from '../core/json.ts';

/** One column: where its value is in a record, and how people read it. */
export interface Column {
  /** Dotted path into the record as served (`asset.symbol`); the header of the column in CSV. */
  readonly key: string;
  /** Header in a table, if not the key. */
  readonly header?: string;
  /** A number: right-aligned and never cut. */
  readonly figure?: boolean;
  /** Text that is useless in part: never cut either. */
  readonly whole?: boolean;
  /** A moment in Unix milliseconds: tables show it in the user's zone. */
  readonly moment?: boolean;
  /** A value that is ISO 8601 in the zone of the view: a workbook holds it as a date. */
  readonly isTime?: boolean;
  /** A value for programs: a workbook hides it. */
  readonly internal?: boolean;
  /** Computes a value that is not a field of the record. */
  readonly derive?: (record: JsonRecord, view: View) => unknown;
  /** The only field that `derive` reads, if it reads no other: it is then given nothing else. */
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

export function keys(...paths: readonly string[]): Column[] {
  return paths.map((key) => ({ key }));
}
