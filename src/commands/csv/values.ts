import { createHash } from 'node:crypto';
import { isDecimal } from '../../core/decimal.ts';
import { plural } from '../../core/text.ts';

/** A problem in a file. */
export interface CsvFinding {
  /** The type of problem. Scripts can rely on the code, because it never changes. */
  readonly code: string;
  /** The finding as a sentence without a final period. */
  readonly says: string;
  /** Starts at 1. */
  readonly line?: number;
  /** Row number. The first row below the header is 1. */
  readonly row?: number;
  /** Column name. */
  readonly column?: string;
  /**
   * True if the finding prevents the upload: the service would reject the file, or the file exceeds a limit set by the user.
   */
  readonly refused?: true;
}

type Kind = 'number' | 'comma' | 'thousands' | 'date' | 'order' | 'text';

interface Cell {
  readonly row: number;
  readonly line: number;
  readonly text: string;
}

/** The number of cells of one kind in a column, and the first of these cells. */
interface Cells {
  count: number;
  readonly first: Cell[];
}

const SHOWN = 3;
const LONGEST = 40;

/**
 * Checks a table row by row for unreadable dates and amounts, decimal commas, and duplicate rows. The specification does not
 * describe the columns of an import, so the kind of a column is inferred from its name and cells.
 */
export class CellValues {
  readonly #columns: { readonly name: string; readonly cells: Map<Kind, Cells> }[];
  readonly #rows = new Map<string, number>();
  readonly #repeated: Cells = { count: 0, first: [] };

  constructor(header: readonly string[]) {
    this.#columns = header.map((name) => ({ name: name.trim(), cells: new Map() }));
  }

  /** @param row row number; the first row below the header is 1 */
  add(record: readonly string[], row: number, line: number): void {
    for (const [at, { cells }] of this.#columns.entries()) {
      const text = record[at]?.trim() ?? '';
      if (text !== '') addCell(cells, kindOf(text), { row, line, text });
    }
    const key = createHash('sha1').update(JSON.stringify(record)).digest('base64').slice(0, 14);
    const before = this.#rows.get(key);
    if (before === undefined) this.#rows.set(key, row);
    else push(this.#repeated, { row, line, text: String(before) });
  }

  findings(): CsvFinding[] {
    const found = this.#columns.flatMap(({ name, cells }) => columnFindings(name, cells));
    const { count, first } = this.#repeated;
    if (count === 0) return found;
    const which = first.map(({ row, text }) => `row ${row} repeats row ${text}`).join(', ');
    const says = `${rowsOf(count, 'repeats', 'repeat')} an earlier row in every column: ${which}${more(count)}`;
    return [...found, { code: 'REPEATED_ROWS', says, ...placeOf(first) }];
  }
}

function addCell(cells: Map<Kind, Cells>, kind: Kind, cell: Cell): void {
  const own = cells.get(kind) ?? { count: 0, first: [] };
  cells.set(kind, own);
  push(own, cell);
}

function push(cells: Cells, cell: Cell): void {
  cells.count += 1;
  if (cells.first.length < SHOWN) cells.first.push(cell);
}

const COMMA = /^[+-]?(\d+|\d{1,3}([.' \u00a0\u202f]\d{3})+),\d+$/;
const THOUSANDS = /^[+-]?\d{1,3}([,' \u00a0\u202f]\d{3})+(\.\d+)?$/;
const ISO =
  /^(\d{4})[-/.](\d{2})[-/.](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)? ?(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i;
const OTHER =
  /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:,? (\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?: ?[AP]M)?)?$/i;

function kindOf(text: string): Kind {
  if (isDecimal(text)) return 'number';
  if (THOUSANDS.test(text)) return 'thousands';
  if (COMMA.test(text)) return 'comma';
  return dateKind(text) ?? 'text';
}

/** Returns `date` for a date, or `order` if day and month could be swapped, as in `03/04/2025`. */
function dateKind(text: string): 'date' | 'order' | undefined {
  const [, year, month, day, ...time] = ISO.exec(text) ?? [];
  if (year !== undefined) return exists(year, month, day) && isTime(time) ? 'date' : undefined;
  const [, first, mark, second, shortYear = '', ...clock] = OTHER.exec(text) ?? [];
  if (first === undefined || !isTime(clock)) return undefined;
  const full = shortYear.length === 2 ? `20${shortYear}` : shortYear;
  const [dayFirst, monthFirst] = [exists(full, second, first), exists(full, first, second)];
  if (mark === '.' || dayFirst !== monthFirst)
    return dayFirst || (mark !== '.' && monthFirst) ? 'date' : undefined;
  return dayFirst ? (first === second ? 'date' : 'order') : undefined;
}

function exists(year: string, month = '', day = ''): boolean {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isTime([hour = '0', minute = '0', second = '0']: readonly (string | undefined)[]): boolean {
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61;
}

const DATES = new Set('date time timestamp datetime datum zeit'.split(' '));
const AMOUNTS = new Set(
  'amount quantity qty price fee value total balance volume cost proceeds betrag menge preis gebühr wert'.split(
    ' ',
  ),
);
/** A column whose name contains one of these words has no amounts, even if the name is `fee currency` or `price id`. */
const OTHERS = new Set(
  'currency symbol asset coin unit type id label name hash address note zone währung einheit typ'.split(' '),
);

/** Splits `feeAmount (USD)` into `fee`, `amount` and `usd`. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
}

function columnFindings(name: string, cells: ReadonlyMap<Kind, Cells>): CsvFinding[] {
  const of = (kind: Kind) => cells.get(kind)?.count ?? 0;
  const words = wordsOf(name);
  const all = [...cells.values()].reduce((sum, { count }) => sum + count, 0);
  const dates = of('date') + of('order');
  const other = words.some((word) => OTHERS.has(word));
  // If at least 80% of the cells (and at least 3) are dates, the column contains dates, regardless of its name.
  const isDate = dates >= 3 && dates >= all * 0.8 ? true : !other && words.some((word) => DATES.has(word));
  const isAmount = !isDate && !other && words.some((word) => AMOUNTS.has(word));
  const numbers = of('number') + of('comma') + of('thousands');
  const found: (CsvFinding | undefined)[] = [];
  if (isDate) {
    const bad = [...(['text', 'comma', 'thousands'] as const), ...(dates > 0 ? (['number'] as const) : [])];
    found.push(finding('UNREADABLE_DATE', name, bad, cells, 'is not a date', 'are not dates'));
    if (of('order') > 0 && of('order') === dates) {
      const orders = ['could be day/month or month/day', 'could be day/month or month/day'] as const;
      found.push(finding('AMBIGUOUS_DATE', name, ['order'], cells, ...orders));
    }
  }
  if (isAmount) {
    const bad = ['text', 'date', 'order'] as const;
    found.push(finding('UNREADABLE_AMOUNT', name, bad, cells, 'is not a number', 'are not numbers'));
  }
  if (isAmount || (!isDate && numbers >= 3 && numbers >= all * 0.8)) {
    const commas = ['has a decimal comma', 'have a decimal comma'] as const;
    found.push(finding('DECIMAL_COMMA', name, ['comma'], cells, ...commas));
    const mark = 'a thousands separator or a decimal comma';
    const marks = [`has ${mark}`, `have ${mark}`] as const;
    found.push(finding('THOUSANDS_SEPARATOR', name, ['thousands'], cells, ...marks));
  }
  return found.filter((one) => one !== undefined);
}

function finding(
  code: string,
  name: string,
  kinds: readonly Kind[],
  cells: ReadonlyMap<Kind, Cells>,
  one: string,
  many: string,
): CsvFinding | undefined {
  const own = kinds.flatMap((kind) => cells.get(kind) ?? []);
  const count = own.reduce((sum, cell) => sum + cell.count, 0);
  if (count === 0) return undefined;
  const first = own
    .flatMap((cell) => cell.first)
    .sort((left, right) => left.row - right.row)
    .slice(0, SHOWN);
  const which = first.map(({ row, text }) => `row ${row} ${JSON.stringify(clip(text))}`).join(', ');
  const cellsOf = plural(count, `cell ${one}`, `cells ${many}`);
  const says = `Column ${JSON.stringify(clip(name))}: ${cellsOf}: ${which}${more(count)}`;
  return { code, says, ...placeOf(first), column: name };
}

function placeOf([first]: readonly Cell[]): { row: number; line: number } | object {
  return first === undefined ? {} : { line: first.line, row: first.row };
}

function rowsOf(count: number, one: string, many: string): string {
  return plural(count, `row ${one}`, `rows ${many}`);
}

function more(count: number): string {
  return count > SHOWN ? ', …' : '';
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
