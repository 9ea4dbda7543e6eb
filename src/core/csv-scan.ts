import { count } from './text.ts';

export interface CsvRow {
  readonly cells: string[];
  /** The line where the record begins. Starts at 1. */
  readonly line: number;
  /** The record as text, to compare records. */
  readonly raw: string;
}

/** Where and why the scan of a file stopped. If a quote is the cause, the line and cell where the quote opens. */
export interface Stop {
  readonly reason: 'open quote' | 'long quote' | 'long' | 'misplaced quote';
  readonly line: number;
  /** Number of the cell in its record. */
  readonly column?: number;
  /** Maximum length of one record, in characters. */
  readonly longest: number;
}

interface ScanOptions {
  /** Maximum length of one record, in characters. A longer record probably contains a quote that is not closed. */
  readonly longest?: number;
  /**
   * Receives each quote that closes before the end of its cell, with the text inside. The scan then continues. Without this
   * function, a quote in the wrong place ends the scan.
   */
  readonly onMisplaced?: ((text: string, line: number) => void) | undefined;
}

const LONGEST_RECORD = 1_000_000;
const [LF, CR, QUOTE] = [10, 13, 34];

/**
 * Splits CSV into records. Quotes follow RFC 4180. A line ends with CRLF, LF or CR, also within one file. A blank line is a
 * record with one empty cell. csv-parse is not used: its line numbers count a CRLF inside a cell twice, and it does not report
 * where a quote opens.
 */
export class Scanner {
  readonly #delimiter: string;
  readonly #mark: number;
  readonly #onRow: (row: CsvRow) => void;
  readonly #longest: number;
  readonly #onMisplaced: ScanOptions['onMisplaced'];
  #rest = '';
  #line = 1;
  /** Positions of the next quote and CR in the text, so that a text without quotes or CRs is searched only once. */
  #nextQuote = 0;
  #nextCr = 0;
  /** The reason why the rest of the file is not read. */
  stop: Stop | undefined;

  constructor(
    delimiter: string,
    onRow: (row: CsvRow) => void,
    { longest = LONGEST_RECORD, onMisplaced }: ScanOptions = {},
  ) {
    this.#longest = longest;
    this.#onMisplaced = onMisplaced;
    this.#delimiter = delimiter;
    this.#mark = delimiter.charCodeAt(0);
    this.#onRow = onRow;
  }

  push(text: string): void {
    if (this.stop === undefined) this.#read(this.#rest === '' ? text : this.#rest + text, false);
  }

  end(): void {
    if (this.stop === undefined) this.#read(this.#rest, true);
  }

  #read(text: string, isEnd: boolean): void {
    let at = 0;
    this.#nextQuote = -1;
    this.#nextCr = -1;
    while (at < text.length) {
      const next = this.#record(text, at, isEnd);
      if (next < 0) break;
      at = next;
    }
    this.#rest = text.slice(at);
    if (this.#rest.length > this.#longest) this.#stopAt({ reason: 'long', line: this.#line });
  }

  /** Reads one record. Returns the position after it, or -1 if its end is not in the text. */
  #record(text: string, at: number, isEnd: boolean): number {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    if (this.#nextQuote < at) this.#nextQuote = found(text.indexOf('"', at));
    if (this.#nextCr < at) this.#nextCr = found(text.indexOf('\r', at));
    const isCrLf = feed >= 0 && this.#nextCr === feed - 1;
    if (this.#nextQuote < end || (this.#nextCr < end && !isCrLf)) return this.#slowRecord(text, at, isEnd);
    if (feed < 0 && !isEnd) return -1;
    this.#give(text.slice(at, isCrLf ? feed - 1 : end));
    this.#line += 1;
    return end + 1;
  }

  #give(raw: string): void {
    this.#onRow({ cells: raw.split(this.#delimiter), line: this.#line, raw });
  }

  #slowRecord(text: string, start: number, isEnd: boolean): number {
    const { length } = text;
    const mark = this.#mark;
    const cells: string[] = [];
    const misplaced: [text: string, place: { line: number; column: number }][] = [];
    let line = this.#line;
    let at = start;
    for (;;) {
      if (text.charCodeAt(at) === QUOTE) {
        const opened = { line, column: cells.length + 1 };
        const begins = at + 1;
        let from = begins;
        let close = text.indexOf('"', from);
        while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) {
          from = close + 2;
          close = text.indexOf('"', from);
        }
        if (close < 0 || (close + 1 >= length && !isEnd)) {
          if (isEnd || length - start > this.#longest) {
            this.#stopAt({ reason: isEnd ? 'open quote' : 'long quote', ...opened });
          }
          return -1;
        }
        const inside = text.slice(begins, close);
        line += breaksIn(inside);
        at = close + 1;
        const after = text.charCodeAt(at);
        if (at >= length || after === mark || after === LF || after === CR) {
          cells.push(from === begins ? inside : inside.replaceAll('""', '"'));
        } else {
          misplaced.push([inside, opened]);
          const end = this.#cellEnd(text, at);
          cells.push(text.slice(begins - 1, end));
          at = end;
        }
      } else {
        const end = this.#cellEnd(text, at);
        const cell = text.slice(at, end);
        if (this.#onMisplaced === undefined && cell.includes('"'))
          misplaced.push([cell, { line, column: cells.length + 1 }]);
        cells.push(cell);
        at = end;
      }
      if (at >= length) {
        if (!isEnd) return -1;
        break;
      }
      const code = text.charCodeAt(at);
      if (code !== mark) {
        // The LF of this CRLF may be in the next part of the text.
        if (code === CR && at + 1 >= length && !isEnd) return -1;
        break;
      }
      at += 1;
    }
    for (const [inside, place] of misplaced) {
      if (this.#onMisplaced === undefined) {
        this.#stopAt({ reason: 'misplaced quote', ...place });
        return -1;
      }
      this.#onMisplaced(inside, place.line);
    }
    const raw = text.slice(start, at);
    this.#onRow({ cells, line: this.#line, raw });
    this.#line = line + 1;
    return at + (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1);
  }

  #stopAt(stop: Omit<Stop, 'longest'>): void {
    this.stop ??= { ...stop, longest: this.#longest };
  }

  #cellEnd(text: string, from: number): number {
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === this.#mark || code === LF || code === CR) break;
    }
    return at;
  }
}

function breaksIn(text: string): number {
  let found = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) found += 1;
  }
  return found;
}

function found(position: number): number {
  return position < 0 ? Number.POSITIVE_INFINITY : position;
}

/** The separator that a first line such as `sep=;` names. Excel reads and writes this line. */
export function namedSeparator(text: string): string | undefined {
  return /^\ufeff?sep=(.)\r?$/i.exec(text.slice(0, 8).split('\n')[0] ?? '')?.[1];
}

/** Returns the reason why a scan ended, worded for the middle of a sentence. */
export function stopText({ reason, line, column, longest }: Stop): string {
  const quote = `the quote that opens in line ${line} (cell ${column})`;
  return {
    'open quote': `${quote} is never closed`,
    'long quote': `${quote} is not closed within ${count(longest)} characters`,
    long: `line ${line} has more than ${count(longest)} characters`,
    'misplaced quote': `a quote in line ${line} (cell ${column}) is in the wrong place`,
  }[reason];
}
