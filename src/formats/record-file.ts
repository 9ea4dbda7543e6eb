import { isExactNumber, type JsonRecord } from '../core/json.ts';

/**
 * Receives the bytes of a file. Callers await each write, so that memory is bounded, and may reuse the bytes after it. A file
 * may also write between two records, until `finish` has resolved.
 */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Lines with a name and a string. */
export type About = readonly (readonly [name: string, text: string])[];

/** A file of records, which are added in the order of the file. */
export interface RecordFile {
  /** Returns a promise if bytes are written; await it before adding the next record. */
  add(record: JsonRecord): Promise<void> | void;
  /**
   * Writes the remaining bytes. The sink remains open.
   *
   * @param about lines of the sheet "About" of a workbook
   */
  finish(about?: About): Promise<void>;
}

/** Names a record in messages: by its id, or by its number if it has none. */
export function nameOf(record: JsonRecord, row: number): string {
  const { id } = record;
  if (typeof id === 'string') return JSON.stringify(id);
  return typeof id === 'number' || isExactNumber(id) ? String(id) : `number ${row + 1}`;
}
