import type { CsvRow } from '../core/csv-scan.ts';
import { count, plural } from '../core/text.ts';
import { JudgedColumn, type Kind } from './columns/column.ts';
import { isDataCell, knownName } from './columns/names.ts';
import { CellEvidence, type CsvFinding, CsvFindings, type LineWord, quotedText } from './finding.ts';
import { MOST_COMPARED, RowHashes } from './row-hashes.ts';
import { TotalsJudge } from './totals-judge.ts';

/**
 * Checks the records of a table one by one. Each record is checked when the next record is known. The next record shows whether
 * the record is the header of a second table. Only the last record can be a row of totals without a label.
 */
export class Table {
  header: readonly string[] = [];
  /** Number of rows below the header, without blank lines, totals and repeated headers. */
  rows = 0;
  readonly #word: LineWord;
  readonly #headerLine: number;
  readonly #pointLikely: boolean;
  #columns: JudgedColumn[] = [];
  #headerRow: CsvRow | undefined;
  #held: CsvRow | undefined;
  #isAfterBlank = false;
  #isHeldAfterBlank = false;
  readonly #seen = new RowHashes();
  readonly #preamble = new CellEvidence();
  readonly #ragged = new CellEvidence();
  readonly #trailing = new CellEvidence();
  readonly #headers = new CellEvidence();
  readonly #totals = new CellEvidence();
  /** Rows that are either totals or usual rows. */
  readonly #doubtful = new CellEvidence();
  #judge = new TotalsJudge([]);
  readonly #repeated = new CellEvidence();
  /** Lines of one cell. Below the last row, these lines are a footer. If a row follows, they are rows of the wrong length. */
  #loose = new CellEvidence();
  #second: CsvRow | undefined;
  #unread = 0;

  /**
   * @param headerLine line of the header
   * @param pointLikely whether a single point is a decimal sign if nothing else in the file says so
   */
  constructor(headerLine: number, word: LineWord, pointLikely: boolean) {
    this.#headerLine = headerLine;
    this.#word = word;
    this.#pointLikely = pointLikely;
  }

  add(row: CsvRow): void {
    const isBlank = row.cells.every((cell) => cell.trim() === '');
    if (isBlank) {
      this.#isAfterBlank = true;
    } else if (row.line < this.#headerLine) {
      this.#preamble.add('', 0, row.line);
    } else if (this.header.length === 0) {
      this.header = row.cells.map((cell) => cell.trim());
      this.#columns = this.header.map((name) => new JudgedColumn(name));
      this.#judge = new TotalsJudge(this.#columns);
      this.#headerRow = row;
    } else if (this.#second !== undefined) {
      this.#unread += 1;
    } else {
      this.#next(row);
    }
    if (!isBlank) this.#isAfterBlank = false;
  }

  #next(row: CsvRow): void {
    const held = this.#held;
    if (held !== undefined) {
      if (this.#isSecondHeader(held, row)) {
        this.#held = undefined;
        this.#second = held;
        this.#unread += 1;
        return;
      }
      this.#take(held, this.#isAfterBlank);
    }
    this.#held = row;
    this.#isHeldAfterBlank = this.#isAfterBlank;
  }

  /** Must be called after the last record. */
  end(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    this.#take(held, true);
  }

  /** @param isLast whether the row is the last of the table, or a blank line follows it */
  #take({ cells, line, raw }: CsvRow, isLast: boolean): void {
    const { length } = this.header;
    if (cells.length === length && this.#headerRow?.raw === raw) {
      this.#headers.add('', 0, line);
      return;
    }
    if (cells.length !== length && length > 1 && isLoose(cells)) {
      this.#loose.add(cells[0] ?? '', this.rows, line);
      return;
    }
    const totals = this.#judge.take(cells, this.rows, isLast);
    if (totals?.isCertain) {
      this.#totals.add('', 0, line);
      return;
    }
    this.#strayLines();
    this.rows += 1;
    const { rows } = this;
    if (cells.length !== length) {
      if (cells.length < length || cells.slice(length).some((cell) => cell.trim() !== '')) {
        this.#ragged.add(String(cells.length), rows, line);
        return;
      }
      this.#trailing.add('', rows, line);
    }
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at++)
      columns[at]?.add(cells[at] ?? '', rows, line, totals !== undefined);
    if (totals) this.#doubtful.add(totals.text, rows, line);
    this.#judge.add(cells, totals !== undefined);
    const earlier = this.#seen.add(raw, line);
    if (earlier !== undefined) this.#repeated.add(String(earlier), rows, line);
  }

  /** Counts the lines of one cell as rows of the wrong length, because a row follows them. */
  #strayLines(): void {
    if (this.#loose.count === 0) return;
    const { count: lines, first } = this.#loose;
    this.#ragged.count += lines;
    for (const place of first) {
      if (this.#ragged.first.length < 3) this.#ragged.first.push({ ...place, text: '1' });
    }
    this.rows += lines;
    this.#loose = new CellEvidence();
  }

  #isSecondHeader(row: CsvRow, next: CsvRow): boolean {
    const names = row.cells.map((cell) => cell.trim());
    if (names.length < 2 || names.length !== next.cells.length || names.some((name) => name === ''))
      return false;
    const isOther = names.length !== this.header.length;
    if (!isOther && !this.#isHeldAfterBlank) return false;
    if (new Set(names).size < names.length || names.some(isDataCell) || !next.cells.some(isDataCell))
      return false;
    if (row.raw === this.#headerRow?.raw) return false;
    return isOther || names.some(knownName);
  }

  get kinds(): readonly Kind[] {
    return this.#columns.map(({ kind }) => kind);
  }

  findings(): CsvFinding[] {
    const word = this.#word;
    return [
      ...this.#headerFindings(),
      ...this.#rowFindings(),
      ...this.#columns.flatMap((column, at) => {
        const { kind } = column;
        const others = this.#columns.filter((other) => other !== column && other.kind === kind);
        const settled = others.reduce((bits, { settles }) => bits & settles, -1);
        const isFirst = this.#columns.findIndex((other) => other.kind === kind) === at;
        return column.findings(word, {
          isFirst,
          settled: settled === 0 ? -1 : settled,
          pointLikely: this.#pointLikely,
        });
      }),
    ];
  }

  #headerFindings(): CsvFinding[] {
    const line = this.#headerRow?.line ?? 1;
    const { header } = this;
    const word = this.#word;
    const found: CsvFinding[] = [];
    const say = (code: string, level: CsvFinding['level'], says: string) =>
      found.push({ code, level, says, line });
    if (this.#preamble.count > 0) {
      say('PREAMBLE', 'warning', `The header is in ${word} ${line}, below other text`);
    }
    const places = new Map<string, number[]>();
    for (const [at, name] of header.entries()) places.set(name, [...(places.get(name) ?? []), at + 1]);
    const empty = places.get('') ?? [];
    if (empty.length > 0)
      say('EMPTY_COLUMN_NAME', 'warning', `The header has no name for column ${listed(empty)}`);
    for (const [name, at] of places) {
      if (name === '' || at.length === 1) continue;
      say(
        'DUPLICATE_COLUMN_NAME',
        'error',
        `The header uses the name ${quotedText(name)} for ${at.length} columns: ${listed(at)}`,
      );
    }
    const data = header.find(isDataCell);
    if (data !== undefined)
      say('NO_HEADER', 'error', `The first row looks like data, not like a header: ${quotedText(data)}`);
    return found;
  }

  #rowFindings(): readonly CsvFinding[] {
    const word = this.#word;
    const found = new CsvFindings(word);
    const columns = this.header.length;
    if (this.#ragged.count > 0) {
      const { count: rows, first } = this.#ragged;
      const which = first.map(({ line, text }) => `${word} ${line} has ${text}`).join(', ');
      const subject = plural(rows, 'row has', 'rows have');
      const says = `${subject} a different number of cells than the header (${columns}): ${which}${rows > first.length ? ', …' : ''}; these rows were not checked further`;
      found.all.push({ code: 'RAGGED_ROWS', level: 'error', says, line: first[0]?.line ?? 1 });
    }
    found.add('TRAILING_SEPARATOR', this.#trailing);
    const unchecked = ({ count: number }: CellEvidence) => {
      const them = number === 1 ? 'it' : 'them';
      return `not checked; an upload sends ${them} too, so remove ${them}`;
    };
    found.add('REPEATED_HEADER', this.#headers, unchecked(this.#headers));
    found.add('TOTALS_ROW', this.#totals, unchecked(this.#totals));
    const some =
      this.#doubtful.count === 1 ? 'it contains totals, remove it' : 'some contain totals, remove these rows';
    found.add('POSSIBLE_TOTALS', this.#doubtful, `if ${some}`);
    const footer: [string, string] = [
      `${word} of text is below the table`,
      `${word}s of text are below the table`,
    ];
    found.add('FOOTER', this.#loose, unchecked(this.#loose), footer);
    if (this.#second !== undefined) {
      const { line } = this.#second;
      const rows = plural(this.#unread, 'row below it was', 'rows below it were');
      const says = `A second table begins in ${word} ${line}; the ${rows} not checked; an upload sends both tables, so put each into its own file`;
      found.all.push({ code: 'SECOND_TABLE', level: 'warning', says, line });
    }
    if (this.#repeated.count > 0) {
      const { count: rows, first } = this.#repeated;
      const which = first.map(({ line, text }) => `${word} ${line} repeats ${word} ${text}`).join(', ');
      const says = `${plural(rows, 'row repeats', 'rows repeat')} an earlier row in every column: ${which}${rows > first.length ? ', …' : ''}`;
      found.all.push({
        code: 'REPEATED_ROWS',
        level: 'warning',
        says,
        line: first[0]?.line ?? 1,
        row: first[0]?.row ?? 1,
      });
    }
    if (this.#seen.isFull) {
      const says = `Repeated rows were searched only among the first ${count(MOST_COMPARED)} different rows`;
      found.all.push({ code: 'ROWS_NOT_COMPARED', level: 'warning', says });
    }
    return found.all;
  }
}

function isLoose(cells: readonly string[]): boolean {
  const [first = '', ...others] = cells;
  return !isDataCell(first) && others.every((cell) => cell.trim() === '');
}

function listed(numbers: readonly number[]): string {
  return numbers.length > 10 ? `${numbers.slice(0, 10).join(', ')}, …` : numbers.join(', ');
}
