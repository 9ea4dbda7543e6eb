import { timeOf } from '../api/ledgers.ts';
import type { RecordReader } from '../client/listing.ts';
import type { ByteBuffer } from '../core/byte-buffer.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';

/** Encodes records as rows of a segment. */
export interface RowEncoder {
  /** Returns the text of a record in a segment; empty if the record is not written to the file. */
  readonly encode: (record: JsonRecord) => string;
  /** Returns the names of a record's fields that are not written to the file. */
  readonly extraFields?: ((record: JsonRecord) => readonly string[]) | undefined;
  /** Creates {@link FastRow}s from a page without parsing it. */
  readonly reader?: RecordReader | undefined;
}

/** A row of a page, before it is written to a segment. */
export interface Row {
  /** Identifies the row. */
  readonly id: string;
  /** Unix milliseconds; undefined without a readable time. */
  readonly time: number | undefined;
  readonly isRecord: boolean;
  readonly extraFields: readonly string[];
  /** Appends the text of the row, in the format of a segment, to the buffer. */
  writeTo(buffer: ByteBuffer): void;
}

/** A parsed row, which is encoded only when it is written to a segment. */
export class RecordRow implements Row {
  readonly id: string;
  readonly time: number | undefined;
  readonly #value: unknown;
  readonly #encoder: RowEncoder;

  constructor(value: unknown, encoder: RowEncoder) {
    this.id = identityOf(value);
    this.time = timeOf(value);
    this.#value = value;
    this.#encoder = encoder;
  }

  get isRecord(): boolean {
    return isRecord(this.#value);
  }

  get extraFields(): readonly string[] {
    return (isRecord(this.#value) && this.#encoder.extraFields?.(this.#value)) || [];
  }

  writeTo(buffer: ByteBuffer): void {
    if (isRecord(this.#value)) buffer.text(this.#encoder.encode(this.#value));
  }
}

const NO_BYTES = Buffer.alloc(0);

/** A row that a {@link RecordReader} encoded together with the other rows of its page. */
export class FastRow implements Row {
  readonly id: string;
  readonly time: number;
  readonly isRecord = true;
  readonly extraFields: readonly string[];
  /** UTF-8 text of all rows of the page that contains this row. */
  bytes: Buffer = NO_BYTES;
  readonly #start: number;
  readonly #end: number;

  constructor(id: string, time: number, start: number, end: number, extraFields: readonly string[]) {
    this.id = id;
    this.time = time;
    this.extraFields = extraFields;
    this.#start = start;
    this.#end = end;
  }

  writeTo(buffer: ByteBuffer): void {
    buffer.copy(this.bytes, this.#start, this.#end);
  }
}

/** @param value a row of a page: a parsed record, or a row from a {@link RecordReader} */
export function rowOf(value: unknown, encoder: RowEncoder): Row {
  return value instanceof FastRow || value instanceof RecordRow ? value : new RecordRow(value, encoder);
}

/** Identifies a row by its id, or by its whole text if it has no id. */
export function identityOf(row: unknown): string {
  return (isRecord(row) ? idOf(row) : undefined) ?? `json:${stringifyJson(row ?? null)}`;
}

/** The id of a record as text; a numeric id may have any number of digits. */
export function idOf({ id }: JsonRecord): string | undefined {
  if (typeof id === 'string') return id;
  return typeof id === 'number' || isExactNumber(id) ? `#${id}` : undefined;
}
