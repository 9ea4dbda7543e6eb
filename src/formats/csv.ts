import { isExactNumber } from '../core/json.ts';
import type { Column, View } from './columns.ts';
import type { Layout } from './format.ts';
import { ledgerKind } from './kinds.ts';
import { rowReader } from './row-reader.ts';
import type { Separator } from './separators.ts';
import { isSummedAmount } from './summed-file.ts';
import { cellText, guardCell, isStrictDecimal } from './text.ts';
import type { CsvForm, TextForm } from './text-file.ts';

export interface CsvOptions {
  readonly view: View;
  /** Guard free text against formulas and terminal escapes (default: true). */
  readonly guard?: boolean;
  /** `excel` adds a byte-order mark and uses CRLF. */
  readonly dialect?: 'plain' | 'excel';
  /** Cell separator (default: comma). */
  readonly separator?: Separator | undefined;
  /**
   * Selects the columns in which decimal strings have a decimal comma, as in `1,5`. If set, JSON numbers have a decimal comma
   * in every column.
   */
  readonly decimalComma?: ((column: Column) => boolean) | undefined;
}

/** Returns the text format of an exported CSV file. */
export function csvText(layout: Layout): TextForm {
  const { columns, view, guard, dialect, separator, decimalComma } = layout;
  const decimals = decimalComma ? decimalColumns(layout) : undefined;
  const form = csvForm(columns, { view, guard, dialect, separator, decimalComma: decimals });
  const isUsual = decimalComma !== true && (separator ?? ',') === ',';
  return {
    head: form.head,
    row: form.line,
    separatorLength: 0,
    tail: '',
    empty: form.head,
    cells: isUsual ? form : undefined,
  };
}

/**
 * Returns a function that tells whether a column contains decimals. A leg inside a transaction has the same fields as a ledger.
 */
function decimalColumns({ sums, openFields }: Layout): (column: Column) => boolean {
  if (sums) return isSummedAmount;
  return (column) => {
    const { key } = column;
    const own = openFields ? { key: key.slice(key.lastIndexOf('.') + 1) } : column;
    return ledgerKind(own) === 'decimal';
  };
}

// Matches cells that need neither quotes nor a guard. Most cells match.
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9_.:/ -]*[A-Za-z0-9]$|^[A-Za-z0-9]?$/;
// Some readers treat any CR or LF as the end of a record, and some remove spaces at the ends of a cell.
const TO_QUOTE: Readonly<Record<Separator, RegExp>> = {
  ',': /[",\r\n]|^\s|\s$/,
  ';': /[";\r\n]|^\s|\s$/,
  '\t': /["\t\r\n]|^\s|\s$/,
  '|': /["|\r\n]|^\s|\s$/,
};

/**
 * Returns the fast writer for CSV exports (RFC 4180). The writer produces the same bytes as `csvLines`, which uses
 * csv-stringify. Exports spend most of their CPU time here, so a separate writer pays off (measurements:
 * decisions/0004-csv.md).
 */
export function csvForm(columns: readonly Column[], options: CsvOptions): CsvForm {
  const guard = options.guard === false ? (text: string) => text : guardCell;
  const excel = options.dialect === 'excel';
  const { separator = ',', decimalComma } = options;
  const toQuote = TO_QUOTE[separator];
  const end = excel ? '\r\n' : '\n';
  // A record with one empty cell would be a blank line, which readers skip.
  const empty = columns.length === 1 ? '""' : '';
  const cell = (value: unknown): string => {
    if (value === null || value === undefined || value === '') return empty;
    const text = cellText(value);
    if (PLAIN.test(text)) return text;
    const guarded = guard(text);
    return toQuote.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  };
  const decimals = decimalComma ? columns.map(decimalComma) : undefined;
  // A decimal needs neither a guard nor quotes. With a decimal comma, the separator is never a comma.
  const cellAt = (value: unknown, at: number): string =>
    (decimals && decimalWithComma(value, decimals[at] === true)) ?? cell(value);
  const read = rowReader(columns, options.view);
  // The previous row. Most values repeat from row to row, so their cells are reused.
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

/**
 * Returns a number as text with a decimal comma, such as `1,5`. The value must be a JSON number, or a decimal string in a
 * decimal column. For any other value, returns undefined.
 */
export function decimalWithComma(value: unknown, isDecimalColumn: boolean): string | undefined {
  if (!isDecimalColumn && typeof value !== 'number' && !isExactNumber(value)) return undefined;
  const text = cellText(value);
  return isStrictDecimal(text) ? text.replace('.', ',') : undefined;
}
