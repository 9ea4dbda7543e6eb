import type { ExportFormat } from '../formats/registry.ts';

/** Counts the rows of a file chunk by chunk, without keeping rows in memory. */
export interface RowCounter {
  take(bytes: Buffer): void;
  /** Returns undefined if the bytes are not a complete file. */
  end(): number | undefined;
}

/** Returns undefined if rows cannot be counted in this format. */
export function rowCounter(format: ExportFormat | undefined): RowCounter | undefined {
  if (format === 'csv') return csvCounter();
  if (format === 'jsonl') return lineCounter();
  return format === 'json' ? arrayCounter() : undefined;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];

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
  let lines = 0;
  let filled = false;
  return {
    take(bytes) {
      for (let at = 0; at < bytes.length; ) {
        const found = bytes.indexOf(NEWLINE, at);
        const end = found < 0 ? bytes.length : found;
        for (; !filled && at < end; at++) filled = (bytes[at] ?? SPACE) > SPACE;
        if (found < 0) return;
        if (filled) lines += 1;
        filled = false;
        at = found + 1;
      }
    },
    end: () => lines + (filled ? 1 : 0),
  };
}

const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the elements of a JSON array. The elements are not parsed, because the hash of the file already covers their content.
 */
function arrayCounter(): RowCounter {
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Whether a value that begins now is a new element of the array. */
  let fresh = false;
  let members = 0;
  let arrays = 0;
  let stray = false;
  const value = () => {
    if (depth === 0) stray = true;
    if (depth !== 1 || !fresh) return;
    members += 1;
    fresh = false;
  };
  return {
    take(bytes) {
      // For large files, an index loop is several times as fast as an iterator.
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] ?? SPACE;
        if (inString) {
          if (escaped) escaped = false;
          else if (byte === BACKSLASH) escaped = true;
          else if (byte === QUOTE) inString = false;
          continue;
        }
        if (byte <= SPACE) continue;
        if (byte === COMMA) fresh ||= depth === 1;
        else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1;
        else if (byte === OPEN_ARRAY && depth === 0) {
          arrays += 1;
          depth = 1;
          fresh = true;
        } else {
          value();
          if (byte === QUOTE) inString = true;
          else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth += 1;
        }
      }
    },
    end: () => (depth === 0 && !inString && arrays === 1 && !stray ? members : undefined),
  };
}
