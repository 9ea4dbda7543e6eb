import { isExactNumber, type JsonRecord } from '../core/json.ts';

/**
 * Receives the bytes of a file. Callers await each write, which bounds memory. After the write, the caller may reuse the bytes.
 * Until `finish` resolves, a file may write at any time, not only while a record is being added.
 */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Facts about a file: pairs of name and text. */
export type About = readonly (readonly [name: string, text: string])[];

/** A file of records. Records are added in file order. */
export interface RecordFile {
  /** Returns a promise if bytes are written; await it before adding the next record. */
  add(record: JsonRecord): Promise<void> | void;
  /**
   * Writes the remaining bytes. The sink remains open.
   *
   * @param about lines of the "About" sheet in a workbook
   */
  finish(about?: About): Promise<void>;
}

/** Names a record in messages by its id, or by its row number if it has no id. */
export function nameOf(record: JsonRecord, row: number): string {
  const { id } = record;
  if (typeof id === 'string') return JSON.stringify(id);
  return typeof id === 'number' || isExactNumber(id) ? String(id) : `number ${row + 1}`;
}
