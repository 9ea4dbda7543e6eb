import { CellEvidence } from './finding.ts';

/** A record of a CSV file. */
export interface CsvRow {
  readonly cells: string[];
  /** The line where the record begins. Starts at 1. */
  readonly line: number;
  /** The record as text, to compare records. */
  readonly raw: string;
}

/** Where and why a file can no longer be read. For a quote, the line and cell where the quote opens. */
export interface Stop {
  readonly reason: 'open quote' | 'long quote' | 'long';
  readonly line: number;
  /** Number of the cell in its record. */
  readonly column?: number;
}

/** Maximum length of one record, in characters. A longer record probably contains a quote that is not closed. */
const LONGEST_RECORD = 1_000_000;
const [TAB, LF, CR, BLANK, QUOTE] = [9, 10, 13, 32, 34];

/**
 * Splits CSV into records. Quotes follow RFC 4180; a quote inside an unquoted cell is a character like others. A line ends with
 * CRLF, LF or CR, also within one file. Blank lines are records without cells. csv-parse is not used here, because its line
 * numbers count a CRLF inside a cell twice, and because it does not tell where a quote opens.
 */
export class Scanner {
  readonly #delimiter: string;
  readonly #mark: number;
  readonly #onRow: (row: CsvRow) => void;
  #rest = '';
  #line = 1;
  /** Positions of the next quote and CR in the text, so that files without them are searched only once. */
  #nextQuote = 0;
  #nextCr = 0;
  /** The reason why the rest of the file is not read. */
  stop: Stop | undefined;
  /** Quotes that close before the end of a cell. */
  readonly misplaced = new CellEvidence();

  constructor(delimiter: string, onRow: (row: CsvRow) => void) {
    this.#delimiter = delimiter;
    this.#mark = delimiter.charCodeAt(0);
    this.#onRow = onRow;
  }

  /** Reads the next part of the text. */
  push(text: string): void {
    if (this.stop === undefined) this.#read(this.#rest === '' ? text : this.#rest + text, false);
  }

  /** Reads the rest of the text. */
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
    if (this.#rest.length > LONGEST_RECORD) this.stop ??= { reason: 'long', line: this.#line };
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
    const cells = isBlank(raw) ? [] : raw.split(this.#delimiter);
    this.#onRow({ cells, line: this.#line, raw });
  }

  #slowRecord(text: string, start: number, isEnd: boolean): number {
    const { length } = text;
    const mark = this.#mark;
    const cells: string[] = [];
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
          if (isEnd || length - start > LONGEST_RECORD) {
            this.stop = { reason: isEnd ? 'open quote' : 'long quote', ...opened };
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
          this.misplaced.add(inside, 0, opened.line);
          const stop = this.#cellEnd(text, at);
          cells.push(text.slice(begins - 1, stop));
          at = stop;
        }
      } else {
        const stop = this.#cellEnd(text, at);
        cells.push(text.slice(at, stop));
        at = stop;
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
    const raw = text.slice(start, at);
    this.#onRow({ cells: isBlank(raw) ? [] : cells, line: this.#line, raw });
    this.#line = line + 1;
    return at + (text.charCodeAt(at) === CR && text.charCodeAt(at + 1) === LF ? 2 : 1);
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

function isBlank(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== BLANK && code !== TAB) return false;
  }
  return true;
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
