import { type CryptodataError, OutputError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isDecimal } from '../../core/plain.ts';
import { count } from '../../core/text.ts';
import type { Column, View } from '../columns.ts';
import { type KindOf, ledgerKind } from '../kinds.ts';
import { isoText } from '../moments.ts';
import { recordName } from '../record-file.ts';
import { rowReader } from '../row-reader.ts';
import { cellText, guardCell } from '../text.ts';
import { CELL_STYLE, columnLetters, type SheetColumn } from './parts.ts';
import { amountOf, inlineText, isPlain, LARGEST_CELL, serialOf } from './text.ts';

export interface CellOptions {
  readonly view: View;
  /**
   * Whether text gets a formula guard, as in CSV. A text cell is not a formula, but could become a formula if the sheet is
   * saved as CSV.
   */
  readonly guard: boolean;
  /** Whether the user selected the columns, so that internal columns are visible. */
  readonly showInternal?: boolean;
  /** Returns the kind of a column (default: {@link ledgerKind}). */
  readonly kindOf?: KindOf;
}

/** Writes the XML for the cells of a row (ECMA-376 part 1, 18.3.1.4). */
export interface Cells {
  readonly columns: readonly SheetColumn[];
  header(): string;
  /** @param number row number on the sheet; the header is row 1 */
  row(record: JsonRecord, number: number): string;
  /** @throws CryptodataError if a text of the record is too long for a cell */
  check(record: JsonRecord): void;
  /** Returns notes about missing numbers. */
  notes(): [name: string, text: string][];
}

/**
 * The type of the cells in a column.
 *
 * - `amount`: a number with 15 significant digits, the maximum in a spreadsheet
 * - `time`: a date with a time, in the export's time zone
 * - `day`: a date in the export's time zone
 * - `iso`: the same time in ISO 8601, with milliseconds. A value that is not a whole number of milliseconds keeps its text.
 * - `exact`: the exact text of an amount
 * - `whole`: a whole number; `boolean`: true or false
 */
type Form = 'amount' | 'exact' | 'time' | 'iso' | 'day' | 'whole' | 'boolean' | 'text';

/** The types of cells that can contain an empty text. Empty cells of any other type are omitted. */
const TEXTS: readonly Form[] = ['text', 'exact', 'iso'];

interface SheetCell extends SheetColumn {
  /** Index of the exported column that has the value. */
  readonly at: number;
  readonly form: Form;
}

/** Returns the columns of the sheet. An amount or a time has a second column with its exact text. */
function sheetColumns(columns: readonly Column[], options: CellOptions): SheetCell[] {
  const { kindOf = ledgerKind, view, showInternal } = options;
  const hasTime = columns.some((column) => kindOf(column) === 'time');
  return columns.flatMap((column, at): SheetCell[] => {
    const { key } = column;
    const hidden = column.internal === true && !showInternal;
    const kind = kindOf(column);
    const exact = { at, heading: `${key}_exact`, form: 'text' } as const;
    if (kind === 'decimal' || kind === 'number') {
      return [
        { at, heading: key, form: 'amount', hidden },
        { ...exact, form: 'exact', hidden },
      ];
    }
    // If the sheet has a column `time`, the column `timestamp` remains a number.
    if (kind === 'time' || (kind === 'moment' && !(key === 'timestamp' && hasTime))) {
      return [
        { at, heading: `${key} (${view.timeZone})`, form: 'time', hidden },
        { ...exact, form: 'iso', hidden: true },
      ];
    }
    const form = kind === 'count' || kind === 'moment' ? 'whole' : kind === 'json' ? 'text' : kind;
    return [{ at, heading: key, form, hidden }];
  });
}

export function xlsxCells(columns: readonly Column[], options: CellOptions): Cells {
  const { view } = options;
  const read = rowReader(columns, view);
  const plan = sheetColumns(columns, options);
  const letters = plan.map((_, at) => columnLetters(at));
  const guard = options.guard ? guardCell : (text: string) => text;
  const filled = plan.map(() => 0);
  let rows = 0;
  let emptied = 0;

  /** Returns the XML of a text cell, or undefined if the text is too long for a cell. */
  const textCell = (reference: string, text: string, style: number, isSafe = false): string | undefined => {
    if (text.length > LARGEST_CELL) return undefined;
    const start = `<c r="${reference}" s="${style}" t="inlineStr">`;
    if (isPlain(text)) return `${start}<is><t>${text}</t></is></c>`;
    const guarded = isSafe ? text : guard(text);
    return guarded.length > LARGEST_CELL ? undefined : `${start}${inlineText(guarded)}</c>`;
  };
  const numberCell = (reference: string, number: number | undefined, style: number): string => {
    // The cell can stay empty, because the next column has the exact text.
    if (number === undefined) emptied += 1;
    return number === undefined ? '' : `<c r="${reference}" s="${style}"><v>${number}</v></c>`;
  };
  const cell = (value: unknown, reference: string, form: Form): string | undefined => {
    if (value === null || value === undefined || (value === '' && !TEXTS.includes(form))) return '';
    switch (form) {
      case 'amount':
        return numberCell(reference, amountOf(value), CELL_STYLE.amount);
      case 'time': {
        const iso = typeof value === 'number' ? isoText(value, view.timeZone) : cellText(value);
        return numberCell(reference, serialOf(iso), CELL_STYLE.time);
      }
      case 'iso': {
        const iso = Number.isInteger(value) ? isoText(value, view.timeZone) : '';
        if (iso !== '') return textCell(reference, iso, CELL_STYLE.text);
        break;
      }
      case 'day': {
        const serial = serialOf(`${cellText(value)}T00:00:00.000`);
        if (serial !== undefined) return numberCell(reference, serial, CELL_STYLE.day);
        break;
      }
      case 'whole':
        // A spreadsheet replaces the digits after the fifteenth with zeros.
        if (Number.isInteger(value) && Math.abs(Number(value)) < 1e15)
          return numberCell(reference, Number(value), CELL_STYLE.whole);
        break;
      case 'boolean':
        if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
        break;
      case 'exact':
      case 'text':
    }
    const text = cellText(value);
    return textCell(reference, text, CELL_STYLE.text, form === 'exact' && isDecimal(text));
  };

  /** @param before number of rows before the record; undefined if the record is only checked */
  const cellsOf = (record: JsonRecord, number: number, before: number | undefined): string => {
    const values = read(record);
    let cells = '';
    for (let index = 0; index < plan.length; index += 1) {
      const { at = 0, form = 'text' } = plan[index] ?? {};
      const made = cell(values[at], `${letters[index]}${number}`, form);
      if (made === undefined)
        throw tooLong(record, before, columns[at]?.key ?? '', cellText(values[at]).length);
      if (made !== '' && before !== undefined) filled[index] = (filled[index] ?? 0) + 1;
      cells += made;
    }
    return cells;
  };

  return {
    columns: plan,
    header: () =>
      plan.map(({ heading }, at) => textCell(`${letters[at]}1`, heading, CELL_STYLE.bold) ?? '').join(''),
    row(record, number) {
      const cells = cellsOf(record, number, rows);
      rows += 1;
      return cells;
    },
    check(record) {
      cellsOf(record, 0, undefined);
    },
    notes() {
      const partial = plan.flatMap(({ heading, form }, index): [string, string][] => {
        const known = filled[index] ?? 0;
        return form === 'amount' && known < rows ? [[heading, `${known} of ${rows} rows have a number`]] : [];
      });
      const lost: [string, string][] =
        emptied === 0
          ? []
          : [
              [
                'No number',
                `${emptied} values are not numbers or dates that a cell can store; their text is in the _exact column`,
              ],
            ];
      return [...lost, ...partial];
    },
  };
}

function tooLong(record: JsonRecord, row: number | undefined, key: string, length: number): CryptodataError {
  return new OutputError(
    'XLSX_CELL',
    `Row ${recordName(record, row)}: ${key} has ${count(length)} characters; an XLSX cell can contain at most ${count(LARGEST_CELL)}, including those added by the guard against formulas`,
    { hint: 'Omit the column with `columns`, or export to CSV, JSON Lines or Parquet.' },
  );
}
