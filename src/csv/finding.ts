import { plural } from '../core/text.ts';

/**
 * An error means that a file contradicts itself, or that a part of the file cannot be read. Everything else, such as a cell with
 * two possible readings, is a warning.
 */
type Level = 'error' | 'warning';

/** A problem in a file. */
export interface CsvFinding {
  /** The type of problem. Scripts can rely on the code, because it never changes. */
  readonly code: string;
  readonly level: Level;
  /** A sentence that describes the problem, without a final period. */
  readonly says: string;
  /** Line of the file, or row of the sheet. Starts at 1. */
  readonly line?: number;
  /** Row number. The first row below the header is 1. */
  readonly row?: number;
  /** Column name. */
  readonly column?: string;
  /**
   * Whether the finding prevents the upload: the specification excludes the file, or the file exceeds a limit that the user
   * set.
   */
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

/** Counts the cells or rows with a problem. Keeps only the first few, so that memory does not grow with the file. */
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

export function evidenceIn<Key>(map: Map<Key, CellEvidence>, key: Key): CellEvidence {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = new CellEvidence();
  map.set(key, made);
  return made;
}

/** Merges the evidence of several problems, in the order of the file. */
export function merged(...all: readonly CellEvidence[]): CellEvidence {
  const one = new CellEvidence();
  one.count = all.reduce((sum, { count }) => sum + count, 0);
  const first = all.flatMap((each) => each.first).sort((left, right) => left.line - right.line);
  one.first.push(...first.slice(0, SHOWN));
  return one;
}

/** Returns text such as `only a row that looks like totals decides this (line 7 "1,234.5")`. */
export function onlyTotals({ count, example }: CellEvidence, word: LineWord, what: string): string {
  const rows = count === 1 ? 'a row that looks like totals decides' : 'rows that look like totals decide';
  return `only ${rows} ${what} (${word} ${example?.line} ${quotedText(example?.text ?? '')})`;
}

/** The word for a line of the input: `line` in a CSV file, `row` in a sheet. */
export type LineWord = 'line' | 'row';

/**
 * The findings about cells and rows: the level, and the text for one and for several cells or rows. A finding whose text
 * depends on the cells has no text here.
 */
const CELL_FINDINGS = {
  UNREADABLE_AMOUNT: ['error', 'cell is not a number', 'cells are not numbers'],
  MISSING_AMOUNT: ['warning', 'cell has no number', 'cells have no number'],
  MIXED_DECIMALS: ['error'],
  DECIMAL_COMMA: ['warning', 'cell has a decimal comma', 'cells have a decimal comma'],
  AMBIGUOUS_AMOUNT: [
    'warning',
    'cell can be read with a thousands separator or a decimal sign',
    'cells can be read with a thousands separator or a decimal sign',
  ],
  THOUSANDS_SEPARATOR: [
    'warning',
    'cell seems to have a thousands separator',
    'cells seem to have a thousands separator',
  ],
  AMOUNT_UNIT: ['warning', 'cell has a unit or currency', 'cells have a unit or currency'],
  PERCENT: ['warning', 'cell is a percentage', 'cells are percentages'],
  ACCOUNTING_NEGATIVE: [
    'warning',
    'cell has parentheses or a minus sign that not every program reads',
    'cells have parentheses or a minus sign that not every program reads',
  ],
  SHORTENED_NUMBER: ['warning', 'cell has an exponent', 'cells have an exponent'],
  UNREADABLE_DATE: ['error', 'cell is not a date', 'cells are not dates'],
  EMPTY_DATE: ['warning', 'cell has no date', 'cells have no date'],
  SERIAL_DATE: ['warning', 'cell is an Excel serial number', 'cells are Excel serial numbers'],
  TWO_DIGIT_YEAR: ['warning', 'cell has a year of two digits', 'cells have a year of two digits'],
  AM_PM: [
    'warning',
    'cell combines AM or PM with an hour of a 24-hour clock',
    'cells combine AM or PM with an hour of a 24-hour clock',
  ],
  AMBIGUOUS_DATE: ['warning', 'date has several possible readings', 'dates have several possible readings'],
  CONTRADICTORY_DATES: ['error'],
  MIXED_ZONES: ['warning'],
  SHORTENED_ID: ['error', 'id is shortened', 'ids are shortened'],
  ROUNDED_ID: ['warning', 'id ends with zeros', 'ids end with zeros'],
  LOST_DIGITS: ['error', 'cell contains only # signs', 'cells contain only # signs'],
  SPREADSHEET_ERROR: ['error', 'cell is an error of a spreadsheet', 'cells are errors of a spreadsheet'],
  MISPLACED_QUOTE: ['error', 'quote closes before other text', 'quotes close before other text'],
  TRAILING_SEPARATOR: [
    'warning',
    'row ends with more separators than the header',
    'rows end with more separators than the header',
  ],
  REPEATED_HEADER: ['warning', 'row repeats the header', 'rows repeat the header'],
  TOTALS_ROW: ['warning', 'row looks like totals', 'rows look like totals'],
  POSSIBLE_TOTALS: [
    'warning',
    'row looks like totals, but was checked and counted',
    'rows look like totals, but were checked and counted',
  ],
  FOOTER: ['warning'],
  TEXT_NUMBERS: ['warning', 'number is stored as text', 'numbers are stored as text'],
  FORMULA_WITHOUT_VALUE: ['error', 'formula has no stored result', 'formulas have no stored results'],
  MERGED_CELLS: ['warning', 'range of cells is merged', 'ranges of cells are merged'],
  HIDDEN_ROWS: ['warning', 'row is hidden', 'rows are hidden'],
} as const satisfies Readonly<Record<string, readonly [Level, one?: string, many?: string]>>;

/** Collects the findings about a column, or about the rows of a table. */
export class CsvFindings {
  readonly all: CsvFinding[] = [];
  readonly word: LineWord;
  readonly column: string | undefined;

  constructor(word: LineWord, column?: string) {
    this.word = word;
    this.column = column;
  }

  /**
   * Adds a finding if at least one cell has the problem. The message contains the number of cells, and the first cells with
   * their lines.
   *
   * @param more text that follows the list of cells
   * @param words the problem of one and of several cells, if {@link CELL_FINDINGS} does not contain it
   */
  add(
    code: keyof typeof CELL_FINDINGS,
    evidence: CellEvidence,
    more?: string,
    words?: [string, string],
  ): void {
    const { count, first } = evidence;
    if (count === 0) return;
    const [level, ...usual] = CELL_FINDINGS[code];
    const [one = '', many = ''] = words ?? usual;
    const { column } = this;
    const name = column === undefined ? '' : `Column ${quotedText(column)}: `;
    const which = first.map(
      ({ line, text }) => `${this.word} ${line}${text === '' ? '' : ` ${quotedText(text)}`}`,
    );
    const rest = count > first.length ? ', …' : '';
    const says = `${name}${plural(count, one, many)}: ${which.join(', ')}${rest}${more === undefined ? '' : `; ${more}`}`;
    this.all.push({
      ...{ code, level, says, ...evidencePlace(evidence) },
      ...(column === undefined ? {} : { column }),
    });
  }
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
