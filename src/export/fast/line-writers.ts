import type { ByteBuffer } from '../../core/byte-buffer.ts';
import { type JsonRecord, parseJson } from '../../core/json.ts';
import type { Column, View } from '../../formats/columns.ts';
import type { RecordCheck } from '../../formats/format.ts';
import type { ColumnKind } from '../../formats/kinds.ts';
import type { ColumnSink } from '../../formats/record-file.ts';
import type { AddedField, Between, CsvForm } from '../../formats/text-file.ts';
import { ASCII_ZERO, byteTable, COMMA, END_BRACE, MINUS, POINT, QUOTE, SPACE } from './ascii.ts';
import {
  ABSENT,
  digitsEnd,
  FALSE,
  NULL,
  NUMBER,
  type RowScanner,
  TEXT,
  TEXT_WITH_COMMA,
  TRUE,
  UNUSUAL,
} from './row-scanner.ts';

/** Writes a scanned row as one line of the file. */
export interface LineWriter {
  /** Dotted paths of the values that the writer needs. The slot number of a value is the position of its path in this list. */
  readonly wanted: readonly string[];
  /**
   * Appends the line to `lines`. Returns false if the row must be parsed instead. If the result is false, the caller must
   * remove any bytes that this call appended.
   */
  write(lines: ByteBuffer, page: Buffer, from: number, to: number, row: RowScanner): boolean;
}

/**
 * Returns a writer that puts each unchanged row between two strings, and adds fields after the fields of the row.
 *
 * @param encode writes a value as JSON. If the result differs from the text in the page, the row must be parsed.
 */
export function copyVerbatim(
  { before, added, after }: Between,
  encode: (value: unknown) => string,
): LineWriter {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)];
  const wanted = [...new Set(added.flatMap(({ key, from }) => [key, ...from]))];
  const fields = added.map((field) => {
    const name = `,${encode(field.key)}:`;
    const readFrom = scannedValue(field, wanted);
    let last: unknown;
    let text = `${name}null`;
    return {
      slot: wanted.indexOf(field.key),
      textOf(page: Buffer, row: RowScanner): string {
        const value = readFrom(page, row);
        if (value !== last) text = name + encode(value ?? null);
        last = value;
        return text;
      },
    };
  });
  return {
    wanted,
    write(lines, page, from, to, row) {
      for (const [start, end] of row.unusual) {
        const text = page.toString('utf8', start, end);
        if (encode(parseJson(text)) !== text) return false;
      }
      // The row may already have a field with the same name as an added field.
      if (fields.some(({ slot }) => row.kinds[slot] !== ABSENT)) return false;
      lines.copy(head, 0, head.length);
      if (fields.length === 0) lines.copy(page, from, to);
      else {
        lines.copy(page, from, to - 1);
        for (const { textOf } of fields) lines.text(textOf(page, row));
        lines.byte(END_BRACE);
      }
      lines.copy(tail, 0, tail.length);
      return true;
    },
  };
}

/** Returns a function that computes a value from a scanned row. */
function scannedValue(
  { from, read }: Pick<AddedField, 'from' | 'read'>,
  wanted: readonly string[],
): (page: Buffer, row: RowScanner) => unknown {
  let page: Buffer;
  let row: RowScanner;
  // Most derived values need only some of these fields, so each field is read on demand.
  const part: JsonRecord = {};
  for (const path of from) {
    const slot = wanted.indexOf(path);
    const get = () =>
      servedValue(page, row.starts[slot] as number, row.ends[slot] as number, row.kinds[slot] as number);
    Object.defineProperty(part, path, { enumerable: true, get });
  }
  return (newPage, newRow) => {
    page = newPage;
    row = newRow;
    return read(part);
  };
}

/** Maximum length of a row in bytes. A text in a shorter row is short enough for every file format. */
const MAX_ROW = 32_000;
/** Maximum length of a text that can be the name of a folder, even if each of its characters is percent-encoded. */
const MAX_FOLDER = 80;

/** Returns a writer that accepts only rows that the file can certainly store. All other rows must be parsed and checked. */
export function checkedWriter(writer: LineWriter, { kinds }: RecordCheck): LineWriter {
  const wanted = [...new Set([...writer.wanted, ...kinds.keys()])];
  const checks = [...kinds].map(([path, kind]) => [wanted.indexOf(path), kind] as const);
  return {
    wanted,
    write(lines, page, from, to, row) {
      if (to - from > MAX_ROW) return false;
      for (const [slot, kind] of checks) {
        const found = row.kinds[slot] as number;
        if (found > NULL && !fits(kind, found, page, row.starts[slot] as number, row.ends[slot] as number))
          return false;
      }
      return writer.write(lines, page, from, to, row);
    },
  };
}

/**
 * Whether every file format can store the value in a column of this kind; false also if only the parsed value can decide this.
 */
function fits(kind: ColumnKind, found: number, page: Buffer, start: number, end: number): boolean {
  if (kind === 'boolean') return found >= TRUE;
  if (found === NUMBER && kind === 'number') return end - start <= 15;
  if (found === NUMBER && kind === 'moment') return end - start <= 15 && digitsEnd(page, start) === end;
  if (kind === 'text') return found <= TEXT_WITH_COMMA && end - start <= MAX_FOLDER;
  return kind === 'decimal' && (found === NUMBER || found <= TEXT_WITH_COMMA) && isShort(page, start, end);
}

/** Whether the bytes are a decimal with at most 20 digits before the point and 18 after it. */
function isShort(page: Buffer, start: number, end: number): boolean {
  const from = page[start] === MINUS ? start + 1 : start;
  const point = pointOf(page, from, end);
  return point >= 0 && point - from <= 20 && end - point <= 19;
}

/** The bytes `'`, `=`, `+`, `@`, `-` and space. Strings that begin with these bytes may need a formula guard or quotes. */
const NEEDS_CARE = byteTable((byte) => Number("'=+@- ".includes(String.fromCharCode(byte))));

/** How the values of columns are read from scanned rows. */
interface ColumnSlots {
  /** See {@link LineWriter}. */
  readonly wanted: readonly string[];
  /** For each column: the slot number of its value. */
  readonly slots: Int32Array;
  /** For each derived column: a function that computes its value. */
  readonly derived: readonly (ReturnType<typeof scannedValue> | undefined)[];
}

/** Returns undefined if a column needs the whole record. */
function slotsOf(columns: readonly Column[], view: View): ColumnSlots | undefined {
  if (columns.length === 0 || columns.some(({ derive, from }) => derive && from === undefined))
    return undefined;
  const wanted = [...new Set(columns.flatMap(({ key, from }) => from ?? [key]))];
  return {
    wanted,
    slots: Int32Array.from(columns, ({ key }) => wanted.indexOf(key)),
    derived: columns.map(
      ({ from = [], derive }) => derive && scannedValue({ from, read: (part) => derive(part, view) }, wanted),
    ),
  };
}

/** Adds the values of a scanned row to the columns of a file. */
export interface ColumnWriter {
  /** See {@link LineWriter}. */
  readonly wanted: readonly string[];
  write(page: Buffer, row: RowScanner): void;
}

/** Returns a writer for the columns of a file; undefined if a column needs the whole record. */
export function columnWriter(
  columns: readonly Column[],
  view: View,
  file: readonly ColumnSink[],
): ColumnWriter | undefined {
  const found = slotsOf(columns, view);
  if (!found) return undefined;
  const { wanted, slots, derived } = found;
  const targets = file.map((column) => ({ column, takesText: column.takesText }));
  return {
    wanted,
    write(page, row) {
      const { kinds, starts, ends } = row;
      for (let at = 0; at < targets.length; at++) {
        const { column, takesText } = targets[at] as (typeof targets)[number];
        const read = derived[at];
        if (read) {
          column.add(read(page, row));
          continue;
        }
        const slot = slots[at] as number;
        const kind = kinds[slot] as number;
        const from = starts[slot] as number;
        const to = ends[slot] as number;
        const isText = takesText && (kind === NUMBER || kind === TEXT || kind === TEXT_WITH_COMMA);
        if (isText) column.addText(page, from, to);
        else column.add(servedValue(page, from, to, kind));
      }
    },
  };
}

/** Returns a writer that builds lines of CSV from the bytes of rows; undefined if a column needs the whole record. */
export function csvWriter(columns: readonly Column[], form: CsvForm, view: View): LineWriter | undefined {
  const found = slotsOf(columns, view);
  if (!found) return undefined;
  const { wanted, slots, derived } = found;
  const [empty, end] = [Buffer.from(form.empty), Buffer.from(form.end)];
  return {
    wanted,
    write(lines, page, _from, _to, row) {
      const { kinds, starts, ends } = row;
      for (let at = 0; at < slots.length; at++) {
        if (at > 0) lines.byte(COMMA);
        const read = derived[at];
        if (read) {
          lines.text(form.cell(read(page, row)));
          continue;
        }
        const slot = slots[at] as number;
        const kind = kinds[slot] as number;
        const from = starts[slot] as number;
        const to = ends[slot] as number;
        if (kind <= NULL || from === to) lines.copy(empty, 0, empty.length);
        else if (kind === UNUSUAL || (kind <= TEXT_WITH_COMMA && !isSafe(page, from, to))) {
          lines.text(form.cell(servedValue(page, from, to, kind), form.amounts[at]));
        } else if (kind === TEXT_WITH_COMMA) {
          lines.byte(QUOTE);
          lines.copy(page, from, to);
          lines.byte(QUOTE);
        } else lines.copy(page, from, to);
      }
      lines.copy(end, 0, end.length);
      return true;
    },
  };
}

/**
 * Returns false if the string may need a formula guard or quotes because of its first or last character. A negative number does
 * not need a guard or quotes.
 */
function isSafe(page: Buffer, start: number, end: number): boolean {
  const first = page[start] as number;
  if (page[end - 1] === SPACE) return false;
  return !NEEDS_CARE[first] || (first === MINUS && pointOf(page, start + 1, end) >= 0);
}

/** The position after the whole digits of a decimal without a sign; -1 if the bytes are not such a decimal. */
function pointOf(page: Buffer, start: number, end: number): number {
  const point = digitsEnd(page, start);
  const hasPlaces = page[point] === POINT && point + 1 < end && digitsEnd(page, point + 1) === end;
  return point > start && (point === end || hasPlaces) ? point : -1;
}

/** Returns the same value as the parser, for a value that a scan found. */
export function servedValue(page: Buffer, start: number, end: number, kind: number): unknown {
  if (kind === ABSENT) return undefined;
  if (kind === NULL) return null;
  if (kind === TRUE || kind === FALSE) return kind === TRUE;
  if (kind === NUMBER && end - start <= 15) return shortNumber(page, start, end);
  if (kind !== NUMBER && kind !== UNUSUAL) return page.toString('latin1', start, end);
  return parseJson(page.toString('utf8', start, end));
}

/**
 * Returns the value of a {@link NUMBER} of at most 15 characters. A JavaScript number stores 15 digits and powers of ten up to
 * 10^22 exactly. The quotient of the two is therefore the nearest number, as for the parser.
 */
export function shortNumber(page: Buffer, start: number, end: number): number {
  const isNegative = page[start] === MINUS;
  let digits = 0;
  let divisor = 0;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const byte = page[at] as number;
    if (byte === POINT) divisor = 1;
    else {
      digits = 10 * digits + byte - ASCII_ZERO;
      divisor *= 10;
    }
  }
  const value = divisor === 0 ? digits : digits / divisor;
  return isNegative ? -value : value;
}
