import type { ReadBody } from '../client/transport.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { idOf } from './reading.ts';

/** How a record stands in a segment: a line of the file to be, or the record as served. */
export type Encode = (row: JsonRecord) => string;

/** How rows of answers become rows of segments. */
export interface RowForm {
  readonly encode: Encode;
  /** Names of a row's fields that have no place in the file. */
  readonly fieldsLeftOut?: ((row: JsonRecord) => readonly string[]) | undefined;
  /** Reads a page straight into rows, where it can. */
  readonly read?: ReadBody | undefined;
}

/** A row of an answer, on its way into a segment. */
export interface Row {
  /** What tells it from all others. */
  readonly id: string;
  /** Its moment in milliseconds; undefined where it has none that can be read. */
  readonly time: number | undefined;
  readonly isRecord: boolean;
  /** How it stands in a segment, maybe among others. */
  readonly line: Stretch;
  /** Names of its fields that have no place in the file. */
  readonly leftOut: readonly string[];
}

/** Some of the bytes of a buffer, which rows share: a view of its own for each row would cost more than to copy it. */
export interface Stretch {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A row that was parsed. It is encoded only when it is taken. */
export class RecordRow implements Row {
  readonly id: string;
  readonly time: number | undefined;
  readonly #value: unknown;
  readonly #form: RowForm;

  constructor(value: unknown, form: RowForm) {
    this.id = identityOf(value);
    this.time = timeOf(value);
    this.#value = value;
    this.#form = form;
  }

  get isRecord(): boolean {
    return isRecord(this.#value);
  }

  get line(): Stretch {
    const bytes = Buffer.from(isRecord(this.#value) ? this.#form.encode(this.#value) : '');
    return { bytes, start: 0, end: bytes.length };
  }

  get leftOut(): readonly string[] {
    return (isRecord(this.#value) && this.#form.fieldsLeftOut?.(this.#value)) || [];
  }
}

const NOTHING = Buffer.alloc(0);

/** A row of a page that was scanned, its line already written among those of the page. */
export class ScannedRow implements Row, Stretch {
  readonly id: string;
  readonly time: number;
  readonly isRecord = true;
  readonly leftOut: readonly string[];
  readonly start: number;
  readonly end: number;
  /** The lines of its page. */
  bytes: Buffer = NOTHING;

  constructor(id: string, time: number, start: number, end: number, leftOut: readonly string[]) {
    this.id = id;
    this.time = time;
    this.leftOut = leftOut;
    this.start = start;
    this.end = end;
  }

  get line(): Stretch {
    return this;
  }
}

export function isRow(value: unknown): value is Row {
  return value instanceof ScannedRow || value instanceof RecordRow;
}

/** The moment of a ledger in milliseconds; undefined where it has none that can be read. */
export function timeOf(row: unknown): number | undefined {
  const timestamp = isRecord(row) ? row['timestamp'] : undefined;
  return typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : undefined;
}

/** What tells a row from all others: its id, or where it has none all that it says. */
export function identityOf(row: unknown): string {
  return (isRecord(row) ? idOf(row) : undefined) ?? `json:${stringifyJson(row ?? null)}`;
}
