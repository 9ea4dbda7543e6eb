import type { RecordReader } from '../../client/listing.ts';
import { isRecord, type JsonRecord, parseJson } from '../../core/json.ts';
import { FastRow, RecordRow, type Row, type RowEncoder } from '../../read/rows.ts';
import type { LineWriter } from './line-writers.ts';
import { objectEnd, RowScanner, UNKNOWN_SHAPE } from './row-scanner.ts';

export interface FastReaderOptions {
  readonly writer: LineWriter;
  /** Dotted paths that columns show. */
  readonly shown: readonly string[];
  readonly encoder: RowEncoder;
}

const COMMA = 0x2c;
const END_BRACKET = 0x5d;
const BRACE = 0x7b;
const OPENING = '"data":[{';
/** Bytes before the rows, at most. */
const MAX_BEFORE = 200;

/**
 * The fast path of exports (decisions/0001). A row of a known shape goes from the text of its page to its line without
 * becoming an object. Every other row is parsed, and teaches its shape.
 */
export class FastReader implements RecordReader {
  readonly #writer: LineWriter;
  readonly #encoder: RowEncoder;
  readonly #scanner: RowScanner;
  readonly #id: number;
  readonly #time: number;

  constructor({ writer, shown, encoder }: FastReaderOptions) {
    const wanted = [...new Set([...writer.wanted, 'id', 'timestamp'])];
    const parents = new Set(shown.flatMap(parentsOf));
    this.#writer = writer;
    this.#encoder = encoder;
    this.#scanner = new RowScanner({ wanted, parents, extraFields: encoder.extraFields });
    this.#id = wanted.indexOf('id');
    this.#time = wanted.indexOf('timestamp');
  }

  read(page: Buffer): JsonRecord | undefined {
    const opening = page.subarray(0, MAX_BEFORE).indexOf(OPENING, 0, 'latin1');
    if (opening < 0) return undefined;
    const begin = opening + OPENING.length - 1;
    const rows: Row[] = [];
    let at = begin;
    for (;;) {
      at = this.#readRow(page, at, rows);
      if (at < 0) return undefined;
      if (page[at] === END_BRACKET) break;
      if (page[at] !== COMMA || page[at + 1] !== BRACE) return undefined;
      at += 1;
    }
    const envelope = envelopeOf(page.toString('utf8', 0, begin), page.toString('utf8', at));
    return envelope && { ...envelope, data: rows };
  }

  /** Adds a row; returns where it ends, or -1 if there is none. */
  #readRow(page: Buffer, from: number, rows: Row[]): number {
    const scanned = this.#scanner.scan(page, from);
    const row = scanned < 0 ? undefined : this.#write(page, from, scanned);
    if (row) {
      rows.push(row);
      return scanned;
    }
    const end = objectEnd(page, from);
    const record = end < 0 ? undefined : parsed(page.toString('utf8', from, end));
    if (!record) return -1;
    if (scanned === UNKNOWN_SHAPE) this.#scanner.learn(record);
    rows.push(new RecordRow(record, this.#encoder));
    return end;
  }

  #write(page: Buffer, from: number, end: number): FastRow | undefined {
    const { values, unusual, extraFields } = this.#scanner;
    const id = values[this.#id] ?? '';
    const time = values[this.#time] ?? '';
    if (!PLAIN_ID.test(id) || !WHOLE_TIME.test(time)) return undefined;
    const line = this.#writer.write(() => page.toString('utf8', from, end), values, unusual);
    return line === undefined ? undefined : new FastRow(id.slice(1, -1), Number(time), line, extraFields);
  }
}

const PLAIN_ID = /^"[\x20\x21\x23-\x5b\x5d-\x7e]+"$/;
const WHOLE_TIME = /^(?:-?[1-9]\d{0,14}|0)$/;

/**
 * The envelope without its rows; undefined if the rows may be something else than its `data`. Without a backslash
 * `data` can be written in no other way, so that no second one can take the place of the first.
 */
function envelopeOf(before: string, after: string): JsonRecord | undefined {
  const text = before + after;
  if (text.includes('\\') || text.indexOf('"data"') !== text.lastIndexOf('"data"')) return undefined;
  const envelope = parsed(text);
  return Array.isArray(envelope?.['data']) ? envelope : undefined;
}

function parsed(text: string): JsonRecord | undefined {
  try {
    const value = parseJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `a` and `a.b` of `a.b.c`. */
function parentsOf(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
