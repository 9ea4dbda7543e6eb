import { type CsvRow, namedSeparator, Scanner } from '../core/csv-scan.ts';
import { isDataCell, knownName } from './columns/names.ts';

/** The separator and the header, detected in the first lines of the file. */
export interface Structure {
  /** The separator; undefined if the file has only one column. */
  readonly delimiter: string | undefined;
  /** The line where the header begins, or undefined if the file has no rows. */
  readonly headerLine: number | undefined;
  /** Whether the first line is `sep=…`. */
  readonly hasSepLine: boolean;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Number of records in which the header is searched. Few records precede a header. */
const PREAMBLE = 60;

/**
 * Finds the separator and the header.
 *
 * @param head beginning of the file
 * @param isWhole whether `head` is the whole file
 */
export function structureOf(head: string, isWhole: boolean): Structure {
  const sep = namedSeparator(head);
  if (sep !== undefined) {
    const rows = rowsOf(head, sep, isWhole).slice(1);
    return { delimiter: sep, headerLine: rows[headerOf(rows)]?.line, hasSepLine: true };
  }
  const readings = DELIMITERS.map((delimiter) => {
    const rows = rowsOf(head, delimiter, isWhole);
    const at = headerOf(rows);
    return { delimiter, rows, at, score: scoreOf(rows, at) };
  });
  const best = readings.reduce((one, other) => (other.score > one.score ? other : one));
  return {
    delimiter: best.score > 0 ? best.delimiter : undefined,
    headerLine: best.rows[best.at]?.line,
    hasSepLine: false,
  };
}

/** Records of the head with at least one cell that is not empty. */
function rowsOf(head: string, delimiter: string, isWhole: boolean): CsvRow[] {
  const rows: CsvRow[] = [];
  const take = (row: CsvRow) => {
    if (row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
  };
  const scanner = new Scanner(delimiter, take, { onMisplaced: () => {} });
  scanner.push(head);
  if (isWhole) scanner.end();
  return rows;
}

/**
 * Rates a separator: the score counts the rows that are as wide as the header, and the rows that have the most frequent width.
 */
function scoreOf(rows: readonly CsvRow[], at: number): number {
  const width = rows[at]?.cells.length ?? 0;
  const body = rows.slice(at);
  const asWide = width < 2 ? 0 : body.filter(({ cells }) => cells.length === width).length;
  return 2 * asWide + (modalWidth(rows) < 2 ? 0 : countOf(rows, modalWidth(rows)));
}

/** The most frequent number of cells in a record. Records of one cell count only if there are no others. */
function modalWidth(rows: readonly CsvRow[]): number {
  const widths = [...new Set(rows.map(({ cells }) => cells.length))];
  return widths.reduce((best, width) => {
    const isMore = countOf(rows, width) > countOf(rows, best);
    return (best === 1 && width > 1) || (isMore && width > 1) ? width : best;
  }, 1);
}

const PARTS = new RegExp(`[${DELIMITERS.join('')}]`);

/**
 * Whether a cell contains a date or a number. With a wrong separator, the cell may be a whole row, so its parts are checked.
 */
function hasData(cell: string): boolean {
  return cell.split(PARTS).some(isDataCell);
}

function countOf(rows: readonly CsvRow[], width: number): number {
  return rows.filter(({ cells }) => cells.length === width).length;
}

/**
 * Finds the header: a record of names among the first records, as wide as most records, and the first of its block. Usual
 * header names count more than the position in the block. If no record has names, the header is the first record that is as
 * wide as most records.
 */
export function headerOf(rows: readonly CsvRow[]): number {
  const modal = modalWidth(rows);
  const scores = rows.slice(0, PREAMBLE).map(({ cells, line }, at) => {
    const names = cells.filter((cell) => cell.trim() !== '');
    if (names.length * 2 <= cells.length || cells.some(hasData)) return 0;
    const [before, after] = [rows[at - 1], rows[at + 1]];
    const isBlockStart =
      before === undefined || before.line + 1 < line || before.cells.length !== cells.length;
    const known = names.filter(knownName).length;
    // Inside a block, a row of text with a few usual header names may be data, because the header above may be in an unknown
    // language.
    const isHeader =
      (known >= 2 && (isBlockStart || known === names.length)) || (isBlockStart && known * 2 >= names.length);
    const leads =
      isBlockStart && (after?.cells.some(isDataCell) ?? false) && after?.cells.length === cells.length;
    return (
      1 + (cells.length === modal ? 8 : 0) + (isHeader ? 6 : 0) + (leads ? 4 : 0) + (isBlockStart ? 2 : 0)
    );
  });
  const best = Math.max(0, ...scores);
  if (best > 0) return scores.indexOf(best);
  const first = rows.findIndex(({ cells }) => cells.length === modal);
  return Math.max(0, first);
}
