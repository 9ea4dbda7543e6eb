import { timeOf } from '../api/ledgers.ts';
import type { RecordReader } from '../client/listing.ts';
import { ByteBuffer } from '../core/byte-buffer.ts';
import { identityOf, idOf } from '../core/identity.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';

export interface RowEncoder {
  /** Returns the text of a record for a segment. The text is empty if the output omits the record. */
  readonly encode: (record: JsonRecord) => string;
  /** Returns the names of the fields that the output omits. */
  readonly extraFields?: ((record: JsonRecord) => readonly string[]) | undefined;
  /**
   * Returns a reader that creates {@link FastRow}s from a page without parsing it. Call {@link Row.writeTo} or {@link Row.keep}
   * for each row before the reader reads its next page. Windows that are read in parallel therefore need separate readers.
   */
  readonly newReader?: (() => RecordReader) | undefined;
}

export interface Row {
  readonly id: string;
  /** Unix milliseconds; undefined if the row has no readable time. */
  readonly time: number | undefined;
  readonly isRecord: boolean;
  /** The parsed row, if it has no id; otherwise, undefined. */
  readonly content: unknown;
  readonly extraFields: readonly string[];
  /** Appends the row to the buffer, in the format of a segment. */
  writeTo(buffer: ByteBuffer): void;
  /** Ensures that the row can still be written after the next page has been read. */
  keep(): void;
}

/** A parsed row, which is encoded only when it is written to a segment. */
export class RecordRow implements Row {
  readonly id: string;
  readonly time: number | undefined;
  readonly #value: unknown;
  readonly #encoder: RowEncoder;
  #text: string | undefined;

  constructor(value: unknown, encoder: RowEncoder) {
    this.id = identityOf(value);
    this.time = timeOf(value);
    this.#value = value;
    this.#encoder = encoder;
  }

  get isRecord(): boolean {
    return isRecord(this.#value);
  }

  get content(): unknown {
    return isRecord(this.#value) && idOf(this.#value) !== undefined ? undefined : this.#value;
  }

  get extraFields(): readonly string[] {
    return (isRecord(this.#value) && this.#encoder.extraFields?.(this.#value)) || [];
  }

  writeTo(buffer: ByteBuffer): void {
    this.keep();
    if (this.#text !== undefined) buffer.text(this.#text);
  }

  /** Encodes the row, so that a row that cannot be encoded is reported before the next page is requested. */
  keep(): void {
    if (isRecord(this.#value)) this.#text ??= this.#encoder.encode(this.#value);
  }
}

/** The text of all rows of a page. When a {@link RecordReader} reads its next page, it overwrites this text. */
export class PageText {
  readonly text = new ByteBuffer();
  page = 0;

  begin(): void {
    this.text.length = 0;
    this.page += 1;
  }
}

/** A row that a {@link RecordReader} encoded together with the other rows of its page. */
export class FastRow implements Row {
  readonly id: string;
  readonly time: number;
  readonly extraFields: readonly string[];
  readonly #source: PageText;
  readonly #page: number;
  readonly #start: number;
  readonly #end: number;
  #kept: Buffer | undefined;

  /** @param start position in `source` where the text of the row begins; the text ends at the end of `source` */
  constructor(id: string, time: number, extraFields: readonly string[], source: PageText, start: number) {
    this.id = id;
    this.time = time;
    this.extraFields = extraFields;
    this.#source = source;
    this.#page = source.page;
    this.#start = start;
    this.#end = source.text.length;
  }

  get isRecord(): boolean {
    return true;
  }

  get content(): undefined {
    return undefined;
  }

  writeTo(buffer: ByteBuffer): void {
    if (this.#kept) buffer.copy(this.#kept, 0, this.#kept.length);
    else buffer.copy(this.#bytes(), this.#start, this.#end);
  }

  keep(): void {
    this.#kept ??= Buffer.from(this.#bytes().subarray(this.#start, this.#end));
  }

  #bytes(): Buffer {
    // Without this check, the file would silently contain the text of another row.
    if (this.#source.page !== this.#page)
      throw new Error('the text of the row was overwritten by a later page');
    return this.#source.text.bytes;
  }
}

/** @param value a row of a page: a parsed record, or a row from a {@link RecordReader} */
export function rowOf(value: unknown, encoder: RowEncoder): Row {
  return value instanceof FastRow || value instanceof RecordRow ? value : new RecordRow(value, encoder);
}
