import type { ExportFormat } from '../formats/registry.ts';
import { ArrayScanner } from './array-scanner.ts';

/** Counts the rows of a file chunk by chunk, without keeping rows in memory. */
export interface RowCounter {
  take(bytes: Buffer): void;
  /** Returns the number of rows; undefined if the bytes are not a complete file. */
  end(): number | undefined;
}

/** Returns a counter for a format; undefined if rows cannot be counted in this format. */
export function rowCounter(format: ExportFormat | undefined): RowCounter | undefined {
  if (format === 'csv') return csvCounter();
  if (format === 'jsonl') return lineCounter();
  return format === 'json' ? arrayCounter() : undefined;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;

/** Counts line feeds outside quotes (RFC 4180). A quote inside a quoted cell is doubled, so it toggles `isQuoted` twice. */
function csvCounter(): RowCounter {
  let lines = 0;
  let isQuoted = false;
  let last: number | undefined;
  return {
    take(bytes) {
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at];
        if (byte === QUOTE) isQuoted = !isQuoted;
        else if (byte === NEWLINE && !isQuoted) lines += 1;
      }
      last = bytes.at(-1) ?? last;
    },
    end() {
      if (isQuoted || last === undefined) return undefined;
      // The first row is the header.
      return last === NEWLINE ? lines - 1 : lines;
    },
  };
}

function lineCounter(): RowCounter {
  const counter = new FilledParts();
  return {
    take(bytes) {
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        counter.take(bytes, start, end, true);
        start = end + 1;
      }
      counter.take(bytes, start, bytes.length, false);
    },
    end: () => counter.count + (counter.isFilled ? 1 : 0),
  };
}

/** Count the elements without parsing them, because the hash of the file covers their content. */
function arrayCounter(): RowCounter {
  const counter = new FilledParts();
  const scanner = new ArrayScanner();
  return {
    take: (bytes) => scanner.scan(bytes, (...part) => counter.take(bytes, ...part)),
    end: () => (scanner.isWhole ? counter.count : undefined),
  };
}

/** Counts lines or elements that do not consist of white space. */
class FilledParts {
  count = 0;
  /** Whether the part that has not ended yet contains anything other than white space. */
  isFilled = false;

  take(bytes: Buffer, start: number, end: number, isEnd: boolean): void {
    for (let at = start; !this.isFilled && at < end; at++) this.isFilled = (bytes[at] ?? SPACE) > SPACE;
    if (!isEnd) return;
    if (this.isFilled) this.count += 1;
    this.isFilled = false;
  }
}
