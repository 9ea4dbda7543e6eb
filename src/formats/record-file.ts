import { isJsonNumber, type JsonRecord } from '../core/json.ts';

/**
 * Receives the bytes of a file. The caller must await each write, so that memory use stays limited. After the write, the caller
 * may overwrite the bytes. A {@link RecordFile} may write at any time until `finish` resolves, not only during `add`.
 */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Facts about a file, as pairs of name and text. */
export type About = readonly (readonly [name: string, text: string])[];

/** A file of records, in the order of the calls to `add`. */
export interface RecordFile {
  /** Adds a record. If the method returns a promise, await the promise before you add the next record. */
  add(record: JsonRecord): Promise<void> | void;
  /**
   * Returns the columns of the file, so that a row can be added value by value instead of as a record. Missing if the file
   * accepts only whole records.
   *
   * @param current returns the record of the current row, for messages
   */
  byColumn?(current: () => JsonRecord): ColumnwiseFile;
  /**
   * Writes the remaining bytes. The sink remains open.
   *
   * @param about facts for the sheet "About" of a workbook, or for the comments at the end of a journal
   */
  finish(about?: About): Promise<void>;
  /** Names of the sheets with records, if the file is a workbook. Call this method after `finish`. */
  sheets?(): readonly string[];
  /** Deletes temporary files after an error. May be called at any time. */
  discard?(): Promise<void>;
}

/** A column of a file that is filled row by row. */
export interface ColumnSink {
  /** Whether `addText` may be called. */
  readonly takesText: boolean;
  add(value: unknown): void;
  /** Adds a text or a number from its bytes. The bytes are ASCII without a backslash. */
  addText(source: Buffer, from: number, to: number): void;
}

/** The columns of a file. To add rows, add their values to each column, and then call `endRows`. */
export interface ColumnwiseFile {
  readonly columns: readonly ColumnSink[];
  /** If the method returns a promise, await the promise before you add the next row. */
  endRows(count: number): Promise<void> | void;
}

/** Returns the name of a record for messages: its id, its row number if it has no id, or `without an id`. */
export function recordName(record: JsonRecord, row: number | undefined): string {
  const { id } = record;
  if (typeof id === 'string') return JSON.stringify(id);
  if (isJsonNumber(id)) return String(id);
  return row === undefined ? 'without an id' : `number ${row + 1}`;
}
