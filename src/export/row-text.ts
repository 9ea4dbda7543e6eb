import type { RecordReader } from '../client/listing.ts';
import { textId } from '../core/identity.ts';
import { isRecord, type JsonRecord, jsonText, stringifyJson, tryJson } from '../core/json.ts';
import type { Column } from '../formats/columns.ts';
import { holdsAllFields, type Layout, type RecordCheck } from '../formats/format.ts';
import type { TextForm } from '../formats/text-file.ts';
import { FastRow, PageText, RecordRow, type Row, type RowEncoder } from '../read/rows.ts';
import { BACKSLASH, BRACE, COMMA, END_BRACE, END_BRACKET, QUOTE } from './fast/ascii.ts';
import { checkedWriter, copyVerbatim, csvWriter, type LineWriter, shortNumber } from './fast/line-writers.ts';
import { NUMBER, RowScanner, TEXT, TEXT_WITH_COMMA, UNKNOWN_SHAPE } from './fast/row-scanner.ts';
import { RowShapes } from './fast/row-shapes.ts';

/**
 * If the segments can be copied into the file unchanged, returns their text format. If the segments contain whole records,
 * returns undefined.
 */
export function segmentText(layout: Layout): TextForm | undefined {
  return layout.sums ? undefined : layout.format.file.text?.(layout);
}

/**
 * Returns the encoder for the segments of a file. The encoder uses the fast path if the layout allows it.
 *
 * @param check rejects records that the file cannot store
 */
export function rowEncoder(layout: Layout, check?: RecordCheck): RowEncoder {
  const text = segmentText(layout);
  const encode = text?.row ?? (check ? checkedLine(check) : recordLine);
  const counted = !holdsAllFields(layout) && layout.sums === undefined;
  const fields = layout.known.filter(({ derive }) => !derive);
  const extraFields = counted ? fieldsWithoutColumn(fields) : undefined;
  const writer = lineWriter(layout, text, check);
  if (!writer) return { encode, extraFields };
  const shown = [...(counted ? fields : []), ...layout.columns].map(({ key }) => key);
  const path = new FastPath({ writer, shown, encoder: { encode, extraFields } });
  return { encode, extraFields, newReader: () => path.newReader() };
}

/** Returns an encoder that writes each row as a whole record on one line. */
export function recordEncoder(): RowEncoder {
  const encoder = { encode: recordLine };
  const path = new FastPath({ writer: copyVerbatim(LINE, stringifyJson), shown: [], encoder });
  return { ...encoder, newReader: () => path.newReader() };
}

function recordLine(record: JsonRecord): string {
  return `${stringifyJson(record)}\n`;
}

function checkedLine({ check }: RecordCheck): RowEncoder['encode'] {
  return (record) => {
    check(record);
    return recordLine(record);
  };
}

function lineWriter(
  { columns, view }: Layout,
  text: TextForm | undefined,
  check: RecordCheck | undefined,
): LineWriter | undefined {
  if (!text) {
    const writer = copyVerbatim(LINE, stringifyJson);
    return check ? checkedWriter(writer, check) : writer;
  }
  const { cells, verbatim: json } = text;
  if (cells) return csvWriter(columns, cells, view);
  return json && copyVerbatim(json, jsonText);
}

/** A record on its own line. */
const LINE = { before: '', added: [], after: '\n' };

/**
 * Returns a function that finds the fields of a row that have no column, because the specification does not define these
 * fields. A column for a whole object covers all fields inside the object.
 */
function fieldsWithoutColumn(columns: readonly Column[]): (row: JsonRecord) => readonly string[] {
  const tops = new Map<string, Set<string> | undefined>();
  for (const { key } of columns) {
    const [top = '', ...rest] = key.split('.');
    if (rest.length === 0) tops.set(top, undefined);
    else if (!tops.has(top)) tops.set(top, new Set([rest.join('.')]));
    else tops.get(top)?.add(rest.join('.'));
  }
  return (row) => {
    let found: string[] | undefined;
    for (const name in row) {
      const parts = tops.get(name);
      if (parts === undefined) {
        if (!tops.has(name)) found = [...(found ?? []), name];
        continue;
      }
      const value = row[name];
      if (value === null) continue;
      if (!isRecord(value)) {
        found = [...(found ?? []), name];
        continue;
      }
      for (const part in value) if (!parts.has(part)) found = [...(found ?? []), `${name}.${part}`];
    }
    return found ?? NONE;
  };
}

const NONE: readonly string[] = [];

interface FastPathOptions {
  readonly writer: LineWriter;
  /** Dotted paths of the fields that have a column. */
  readonly shown: readonly string[];
  /** Encodes the rows that cannot take the fast path. */
  readonly encoder: RowEncoder;
}

const OPENING = '"data":[{';
/** Maximum number of bytes before the first row of a page. */
const MAX_BEFORE = 200;

/**
 * The fast path of exports (decisions/0001). Rows with a known shape are converted directly from page bytes to line bytes,
 * without creating objects. Rows with an unknown shape are parsed, and the reader learns their shapes.
 */
class FastPath {
  readonly #options: FastPathOptions;
  readonly #shapes: RowShapes;
  readonly #scanner: RowScanner;
  readonly #id: number;
  readonly #time: number;

  constructor(options: FastPathOptions) {
    const { writer, shown, encoder } = options;
    const wanted = [...new Set([...writer.wanted, 'id', 'timestamp'])];
    const parents = new Set(shown.flatMap(parentsOf));
    this.#options = options;
    this.#shapes = new RowShapes({ wanted, parents, extraFields: encoder.extraFields });
    this.#scanner = new RowScanner(this.#shapes, wanted.length);
    this.#id = wanted.indexOf('id');
    this.#time = wanted.indexOf('timestamp');
  }

  /** Returns a reader that reuses one buffer for the lines of all its pages. */
  newReader(): RecordReader {
    const lines = new PageText();
    return { read: (page) => this.#readPage(page, lines) };
  }

  /**
   * @param page valid UTF-8
   * @returns the envelope, with a {@link Row} for each record in `data`; undefined if the page must be parsed
   */
  #readPage(page: Buffer, lines: PageText): JsonRecord | undefined {
    const opening = page.subarray(0, MAX_BEFORE).indexOf(OPENING, 0, 'latin1');
    if (opening < 0) return undefined;
    const begin = opening + OPENING.length - 1;
    const rows: Row[] = [];
    lines.begin();
    let at = begin;
    for (;;) {
      at = this.#readRow(page, at, rows, lines);
      if (at < 0) return undefined;
      if (page[at] === END_BRACKET) break;
      if (page[at] !== COMMA || page[at + 1] !== BRACE) return undefined;
      at += 1;
    }
    const envelope = envelopeOf(page.toString('utf8', 0, begin), page.toString('utf8', at));
    if (!envelope) return undefined;
    return { ...envelope, data: rows };
  }

  /** Adds a row to `rows`. Returns the position after the row, or -1 if no valid row begins at `from`. */
  #readRow(page: Buffer, from: number, rows: Row[], source: PageText): number {
    const lines = source.text;
    const scanner = this.#scanner;
    const start = lines.length;
    let end = scanner.scan(page, from);
    if (end >= 0 && this.#isIdentified() && this.#options.writer.write(lines, page, from, end, scanner)) {
      rows.push(this.#fastRow(page, source, start));
      return end;
    }
    lines.length = start;
    const isNew = end === UNKNOWN_SHAPE;
    end = objectEnd(page, from);
    const record = end < 0 ? undefined : parsed(page.toString('utf8', from, end));
    if (!record) return -1;
    if (isNew) this.#shapes.learn(record);
    rows.push(new RecordRow(record, this.#options.encoder));
    return end;
  }

  /** Whether the id is plain text and the time is a short number, so that both can be read directly from the bytes. */
  #isIdentified(): boolean {
    const { kinds } = this.#scanner;
    const id = kinds[this.#id];
    if ((id !== TEXT && id !== TEXT_WITH_COMMA) || kinds[this.#time] !== NUMBER) return false;
    return this.#lengthOf(this.#id) > 0 && this.#lengthOf(this.#time) <= 15;
  }

  #lengthOf(slot: number): number {
    const { starts, ends } = this.#scanner;
    return (ends[slot] ?? 0) - (starts[slot] ?? 0);
  }

  #fastRow(page: Buffer, source: PageText, start: number): FastRow {
    const { starts, ends, extraFields } = this.#scanner;
    const id = page.toString('latin1', starts[this.#id], ends[this.#id]);
    const time = shortNumber(page, starts[this.#time] as number, ends[this.#time] as number);
    return new FastRow(textId(id), time, extraFields, source, start);
  }
}

/**
 * Parses the envelope without its rows. Returns undefined if the rows might belong to a field other than `data`. Rejects
 * text with a backslash, because an escape could hide a second `data`.
 */
function envelopeOf(before: string, after: string): JsonRecord | undefined {
  const text = before + after;
  if (text.includes('\\') || text.indexOf('"data"') !== text.lastIndexOf('"data"')) return undefined;
  const envelope = parsed(text);
  return Array.isArray(envelope?.['data']) ? envelope : undefined;
}

function parsed(text: string): JsonRecord | undefined {
  const value = tryJson(text);
  return isRecord(value) ? value : undefined;
}

/** The position after the object that begins at `from`; -1 if the page ends inside the object. */
function objectEnd(page: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < page.length; at++) {
    const byte = page[at];
    if (byte === QUOTE) {
      for (at++; at < page.length && page[at] !== QUOTE; at++) if (page[at] === BACKSLASH) at++;
    } else if (byte === BRACE) depth += 1;
    else if (byte === END_BRACE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Returns the paths of the enclosing objects, such as `a` and `a.b` for `a.b.c`. */
function parentsOf(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('.'));
}
