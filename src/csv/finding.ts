import { plural } from '../core/text.ts';

/**
 * An error means that a file contradicts itself, or that a part of the file cannot be read. Everything else, such as a cell with
 * two
 * possible readings, is a warning.
 */
type Level = 'error' | 'warning';

/** A problem in a file. */
export interface CsvFinding {
  /** The type of problem. Scripts can rely on the code, because it never changes. */
  readonly code: string;
  readonly level: Level;
  /** The finding as a sentence without a final period. */
  readonly says: string;
  /** Line of the file, or row of the sheet. Starts at 1. */
  readonly line?: number;
  /** Row number. The first row below the header is 1. */
  readonly row?: number;
  /** Column name. */
  readonly column?: string;
  /** True if the finding prevents the upload: the specification excludes the file, or the file exceeds a limit set by the user. */
  readonly blocks?: true;
}

/** A cell or row of the file. */
export interface CellPlace {
  readonly line: number;
  readonly row: number;
  readonly text: string;
}

const SHOWN = 3;
const LONGEST = 40;

/** Counts the cells or rows with a problem, and keeps only the first of them, so that memory does not grow with the file. */
export class CellEvidence {
  count = 0;
  readonly first: CellPlace[] = [];

  add(text: string, row: number, line: number): void {
    this.count += 1;
    // A slice of a chunk would keep the whole chunk in memory, so the text is copied.
    if (this.first.length < SHOWN) this.first.push({ text: Buffer.from(clip(text)).toString(), row, line });
  }

  /** The first cell. */
  get example(): CellPlace | undefined {
    return this.first[0];
  }
}

/** Merges the evidence of several problems, in the order of the file. */
export function merged(...all: readonly CellEvidence[]): CellEvidence {
  const one = new CellEvidence();
  one.count = all.reduce((sum, { count }) => sum + count, 0);
  const first = all.flatMap((each) => each.first).sort((left, right) => left.line - right.line);
  one.first.push(...first.slice(0, SHOWN));
  return one;
}

/** Says that only cells of rows that may be totals decide something. */
export function onlyTotals({ count, example }: CellEvidence, word: LineWord, what: string): string {
  const rows = count === 1 ? 'a row that looks like totals decides' : 'rows that look like totals decide';
  return `only ${rows} ${what} (${word} ${example?.line} ${quotedText(example?.text ?? '')})`;
}

/** The word for a line of the input: `line` in a CSV file, `row` in a sheet. */
export type LineWord = 'line' | 'row';

export interface Wording {
  readonly code: string;
  readonly level: Level;
  /** For one cell or row, such as `cell is not a date`. */
  readonly one: string;
  /** For several cells or rows, such as `cells are not dates`. */
  readonly many: string;
  /** Follows the list of cells. */
  readonly more?: string | undefined;
}

/** Makes a finding from evidence: the number of cells, then the first cells with their lines. */
export function findingOf(
  { code, level, one, many, more }: Wording,
  evidence: CellEvidence,
  word: LineWord,
  column?: string,
): CsvFinding {
  const { count, first } = evidence;
  const name = column === undefined ? '' : `Column ${quotedText(column)}: `;
  const which = first.map(({ line, text }) => `${word} ${line}${text === '' ? '' : ` ${quotedText(text)}`}`);
  const rest = count > first.length ? ', …' : '';
  const says = `${name}${plural(count, one, many)}: ${which.join(', ')}${rest}${more === undefined ? '' : `; ${more}`}`;
  return { code, level, says, ...evidencePlace(evidence), ...(column === undefined ? {} : { column }) };
}

export function evidencePlace({ example }: CellEvidence): { line?: number; row?: number } {
  return example === undefined
    ? {}
    : { line: example.line, ...(example.row > 0 ? { row: example.row } : {}) };
}

export function quotedText(text: string): string {
  return JSON.stringify(clip(text));
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
