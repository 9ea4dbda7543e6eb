import { isExactNumber, type JsonRecord } from '../core/json.ts';
import type { Column, View } from './columns.ts';
import { rowReader } from './row-reader.ts';
import { cellText, guardCell, isStrictDecimal } from './text.ts';

export interface CsvOptions {
  readonly view: View;
  /** Guards free text against formulas and terminal escapes; on unless the user says off. */
  readonly guard?: boolean;
  /** `excel` adds a byte-order mark and ends lines with CRLF. */
  readonly dialect?: 'plain' | 'excel';
  /** Parts cells; a comma unless the user says otherwise. */
  readonly separator?: Separator | undefined;
  /** Writes decimals as `1,5`: JSON numbers, and the decimal strings of these columns. Any other text stays as it is. */
  readonly decimalComma?: ((column: Column) => boolean) | undefined;
}

export const SEPARATORS = [',', ';', '\t', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** How records become lines. */
export interface CsvForm {
  /** What stands before the first record; empty where there are no columns. */
  readonly head: string;
  /** One record with the end of its line. */
  line(record: JsonRecord): string;
  /** One value as a cell. */
  cell(value: unknown): string;
  /** The cell of no value. */
  readonly empty: string;
  /** What ends a line. */
  readonly end: string;
}

// Most cells by far: nothing in them that could need a quote or a guard.
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.:/ -]*[A-Za-z0-9]$|^[A-Za-z0-9]?$/;
// A lone CR or LF would end the record for a reader; outer spaces are taken away by some.
const TO_QUOTE: Readonly<Record<Separator, RegExp>> = {
  ',': /[",\r\n]|^\s|\s$/,
  ';': /[";\r\n]|^\s|\s$/,
  '\t': /["\t\r\n]|^\s|\s$/,
  '|': /["|\r\n]|^\s|\s$/,
};

/**
 * CSV (RFC 4180) by our own hand: it is what an export spends its time on, and a library's general way takes
 * several times as long (`npm run bench` shows what it costs now).
 */
export function csvForm(columns: readonly Column[], options: CsvOptions): CsvForm {
  const guard = options.guard === false ? (text: string) => text : guardCell;
  const excel = options.dialect === 'excel';
  const { separator = ',', decimalComma } = options;
  const toQuote = TO_QUOTE[separator];
  const end = excel ? '\r\n' : '\n';
  // A record of one empty cell would be a blank line, which readers skip.
  const empty = columns.length === 1 ? '""' : '';
  const cell = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return empty;
    const text = cellText(value);
    if (PLAIN.test(text)) return text;
    const guarded = guard(text);
    return toQuote.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  // A strict decimal needs no guard with a comma either, and no quotes: the separator is another character.
  const cellAt = decimalComma ? withCommas(columns.map(decimalComma), cell) : cell;
  const read = rowReader(columns, options.view);
  // The row before: in most columns the next one has the same value, and so the same cell.
  const before: unknown[] = columns.map(() => null);
  const cells: string[] = columns.map(() => empty);
  const names = columns.map(({ key }) => cell(key)).join(separator);
  return {
    cell,
    empty,
    end,
    head: columns.length === 0 ? '' : `${excel ? '\ufeff' : ''}${names}${end}`,
    line(record) {
      if (columns.length === 0) return '';
      const values = read(record);
      for (let at = 0; at < cells.length; at++) {
        const value = values[at];
        if (value === before[at] && typeof value !== 'object') continue;
        before[at] = value;
        cells[at] = value === null ? empty : cellAt(value, at);
      }
      return cells.join(separator) + end;
    },
  };
}

function withCommas(
  decimals: readonly boolean[],
  cell: (value: unknown) => string,
): (value: unknown, at: number) => string {
  return (value, at) => {
    const isDecimal = decimals[at] === true || typeof value === 'number' || isExactNumber(value);
    const text = isDecimal ? cellText(value) : '';
    return isStrictDecimal(text) ? text.replace('.', ',') : cell(value);
  };
}

/** Records as CSV, the header first, also where there is no record. */
export async function* csvLines(
  records: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  columns: readonly Column[],
  options: CsvOptions,
): AsyncGenerator<string> {
  // Nothing came, and nobody knows what could have.
  if (columns.length === 0) return;
  const form = csvForm(columns, options);
  let head = form.head;
  // With the first record: what fails before it writes nothing.
  for await (const record of records) {
    yield head + form.line(record);
    head = '';
  }
  if (head !== '') yield head;
}
