import { isJsonNumber } from '../core/json.ts';
import { isDecimal } from '../core/plain.ts';
import type { Column, View } from './columns.ts';
import type { Layout } from './format.ts';
import { type ColumnKind, ledgerKind, openKind } from './kinds.ts';
import { rowReader } from './row-reader.ts';
import type { Separator } from './separators.ts';
import { xlsxSumKind } from './summed-file.ts';
import { cellText, guardCell } from './text.ts';
import type { CsvForm, TextForm } from './text-file.ts';

export interface CsvOptions {
  readonly view: View;
  /** Guard free text against formulas and terminal escapes (default: true). */
  readonly guard?: boolean;
  /** `excel` adds a byte-order mark and uses CRLF. */
  readonly dialect?: 'plain' | 'excel';
  /** Cell separator (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether a column contains amounts (default: the columns whose field is an amount of a ledger). See {@link csvCell}. */
  readonly isAmount?: ((column: Column) => boolean) | undefined;
  /** Write amounts and JSON numbers with a decimal comma, as in `1,5`. */
  readonly decimalComma?: boolean | undefined;
}

export function csvText(layout: Layout): TextForm {
  const { columns, view, guard, dialect, separator, decimalComma } = layout;
  const isAmount = amountColumns(layout);
  const form = csvForm(columns, { view, guard, dialect, separator, decimalComma, isAmount });
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
 * Names of undeclared fields that are not amounts. All other undeclared fields count as amounts. In a field that counts as an
 * amount, only the decimals are affected.
 */
const NO_AMOUNT = /(id|hash|code)$/i;

function amountColumns({ sums, openFields, known }: Layout): (column: Column) => boolean {
  if (sums) return (column) => isAmountKind(xlsxSumKind(column));
  // A leg inside a transaction has the same fields as a ledger.
  if (openFields)
    return (column) => isLegAmount(column) || column.numbers === true || isAmountKind(openKind(column));
  return exportedAmounts(known);
}

/** Returns whether a column of an exported list of ledgers is an amount. */
export function exportedAmounts(known: readonly Column[]): (column: Column) => boolean {
  const declared = new Set(known.map(({ key }) => key));
  return (column) =>
    declared.has(column.key)
      ? isAmountKind(ledgerKind(column))
      : !column.derive && !NO_AMOUNT.test(column.key);
}

/** Whether a field of a ledger, or of a leg inside another record, is an amount. */
export function isLegAmount({ key }: Column): boolean {
  const parts = key.split('.');
  return parts.some((_, at) => isAmountKind(ledgerKind({ key: parts.slice(at).join('.') })));
}

function isAmountKind(kind: ColumnKind): boolean {
  return kind === 'decimal' || kind === 'number';
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
 * csv-stringify. CSV exports spend most of their CPU time in this writer, so a separate writer pays off (measurements:
 * decisions/0004-csv.md).
 */
export function csvForm(columns: readonly Column[], options: CsvOptions): CsvForm {
  const excel = options.dialect === 'excel';
  const { separator = ',', decimalComma = false, isAmount = isLegAmount } = options;
  const toQuote = TO_QUOTE[separator];
  const end = excel ? '\r\n' : '\n';
  // A record with one empty cell would be a blank line, which readers skip.
  const empty = columns.length === 1 ? '""' : '';
  const cell = (value: unknown, amount = false): string => {
    if (value === null || value === undefined || value === '') return empty;
    const text = cellText(value);
    if (PLAIN.test(text) && !(decimalComma && text.includes('.'))) return text;
    const shown = csvCell(value, amount, options);
    return toQuote.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };
  const amounts = columns.map(isAmount);
  const read = rowReader(columns, options.view);
  // The previous row. Most values repeat from row to row, so their cells are reused.
  const before: unknown[] = columns.map(() => null);
  const cells: string[] = columns.map(() => empty);
  const names = columns.map(({ key }) => cell(key)).join(separator);
  return {
    cell,
    amounts,
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
        cells[at] = cell(value, amounts[at]);
      }
      return cells.join(separator) + end;
    },
  };
}

/** Whether a text is an amount with a decimal comma, after any leading apostrophes. */
function isWithComma(text: string): boolean {
  return text.includes(',') && isDecimal(text.replace(/^'+/, '').replace(',', '.'));
}

/** Reverses the decimal comma of an amount. See {@link csvCell}. */
export function withPoint(cell: string): string {
  if (!isWithComma(cell)) return cell;
  return cell.startsWith("'") ? cell.slice(1) : cell.replace(',', '.');
}

/**
 * Returns the text of a cell, without quotes. A decimal in a column of amounts is never guarded, whatever its notation: `+1`,
 * `.5` and `-1e-18` are amounts, not formulas. If `decimalComma` is set, all amounts and all JSON numbers have a decimal comma.
 * A text such as `1,000` in a column of amounts then gets a leading apostrophe, so that it is not read as an amount.
 */
export function csvCell(
  value: unknown,
  amount: boolean,
  { guard, decimalComma }: Pick<CsvOptions, 'guard' | 'decimalComma'>,
): string {
  const text = cellText(value);
  if ((amount || isJsonNumber(value)) && isDecimal(text)) {
    return decimalComma ? text.replace('.', ',') : text;
  }
  const marked = decimalComma && amount && isWithComma(text) ? `'${text}` : text;
  return guard === false ? marked : guardCell(marked);
}
