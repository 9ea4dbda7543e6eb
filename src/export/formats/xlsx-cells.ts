import { CryptodataError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { Column, View } from '../../output/columns.ts';
import { rowReader } from '../../output/row-reader.ts';
import { cellText, guardCell } from '../../output/text.ts';
import { type KindOf, ledgerKind } from './kinds.ts';
import { nameOf } from './record-file.ts';
import { columnLetters, STYLE } from './xlsx-parts.ts';
import { fitsExcel, inlineText, isPlain, LARGEST_CELL } from './xlsx-text.ts';

export interface CellOptions {
  readonly view: View;
  /** Guards free text as in CSV: a text cell is no formula, but becomes one where the sheet is saved as CSV. */
  readonly guard: boolean;
  /** Decimals as numbers, where Excel keeps every digit of them; the others stay text. */
  readonly numbers: boolean;
  /** What the columns hold; those of a ledger, where not given. */
  readonly kindOf?: KindOf;
}

/** Makes the XML of the cells of a row (ECMA-376 part 1, 18.3.1.4). */
export interface Cells {
  header(): string;
  /** @param number of the row on its sheet, the header being 1 */
  row(record: JsonRecord, number: number): string;
}

/** From here on, Excel shows zeros for the last digits of a whole number. */
const TOO_LONG = 1e15;

/**
 * Text, decimals and numbers that a double cannot hold are text cells, character for character. JSON numbers and
 * booleans are cells of their kinds, but a whole number of sixteen digits or more is text. What is null or missing is an
 * empty cell.
 */
export function xlsxCells(columns: readonly Column[], options: CellOptions): Cells {
  const { kindOf = ledgerKind, numbers, view } = options;
  const read = rowReader(columns, view);
  const letters = columns.map((_, at) => columnLetters(at));
  const isFigure = columns.map((column) => numbers && kindOf(column) === 'decimal');
  const guard = options.guard ? guardCell : (text: string) => text;
  let rows = 0;

  /** Undefined where no cell holds it. */
  const textCell = (reference: string, text: string, style: number): string | undefined => {
    if (text.length > LARGEST_CELL) return undefined;
    const start = `<c r="${reference}" s="${style}" t="inlineStr">`;
    if (isPlain(text)) return `${start}<is><t>${text}</t></is></c>`;
    const guarded = guard(text);
    return guarded.length > LARGEST_CELL ? undefined : `${start}${inlineText(guarded)}</c>`;
  };
  const cell = (value: unknown, reference: string, at: number): string | undefined => {
    if (value === null || value === undefined) return '';
    if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
    if (typeof value === 'number') {
      if (!Number.isInteger(value)) return `<c r="${reference}"><v>${value}</v></c>`;
      if (Math.abs(value) < TOO_LONG) return `<c r="${reference}" s="${STYLE.whole}"><v>${value}</v></c>`;
    }
    if (isFigure[at] && typeof value === 'string' && fitsExcel(value)) {
      return `<c r="${reference}"><v>${value}</v></c>`;
    }
    return textCell(reference, cellText(value), STYLE.text);
  };

  return {
    header: () => columns.map(({ key }, at) => textCell(`${letters[at]}1`, key, STYLE.bold) ?? '').join(''),
    row(record, number) {
      const values = read(record);
      let cells = '';
      for (let at = 0; at < values.length; at += 1) {
        const made = cell(values[at], `${letters[at]}${number}`, at);
        if (made === undefined)
          throw tooLong(record, rows, columns[at]?.key ?? '', cellText(values[at]).length);
        cells += made;
      }
      rows += 1;
      return cells;
    },
  };
}

function tooLong(record: JsonRecord, row: number, key: string, length: number): CryptodataError {
  return new CryptodataError(
    'output',
    'XLSX_CELL',
    `Row ${nameOf(record, row)}: ${key} has ${length.toLocaleString('en')} characters; a cell of XLSX holds ${LARGEST_CELL.toLocaleString('en')}, its guard included`,
    { hint: 'Leave the column out with --columns, or write csv, jsonl or parquet.' },
  );
}
