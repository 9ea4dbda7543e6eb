import { isExactNumber, type JsonRecord } from '../core/json.ts';

/**
 * Where the bytes of a file go; awaited, so that memory stays bounded. The bytes are lent until it resolves. A file may
 * write between two records too, until `finish` has resolved.
 */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Lines of a name and a text. */
export type About = readonly (readonly [name: string, text: string])[];

/** A file that is made of records, taken in the order of the file. */
export interface RecordFile {
  /** A promise where something had to be written: await it before the next record. */
  add(record: JsonRecord): Promise<void> | void;
  /**
   * Writes what is left. The sink stays open: it is its owner's.
   *
   * @param about what a workbook says of itself on a sheet of its own
   */
  finish(about?: About): Promise<void>;
}

/** How messages name a record: by its id, or by its place where it has none. */
export function nameOf(record: JsonRecord, row: number): string {
  const { id } = record;
  if (typeof id === 'string') return JSON.stringify(id);
  return typeof id === 'number' || isExactNumber(id) ? String(id) : `number ${row + 1}`;
}
