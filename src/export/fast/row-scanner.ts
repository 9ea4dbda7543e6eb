import {
  ASCII_ZERO,
  BACKSLASH,
  BRACE,
  byteTable,
  COMMA,
  hasBytes,
  LETTER_F,
  LETTER_N,
  MINUS,
  NINE,
  POINT,
  QUOTE,
} from './ascii.ts';
import { NULL_ONLY, type RowShapes, type ShapeStep, WORD } from './row-shapes.ts';

// The kinds of values that a scan distinguishes.
export const ABSENT = 0;
export const NULL = 1;
/** Text whose inner characters need no CSV quotes or formula guard. The CSV writer checks the first and last characters. */
export const TEXT = 2;
export const TEXT_WITH_COMMA = 3;
/** Text that contains an escape or a non-ASCII character, or a number that may change when it is parsed and written again. */
export const UNUSUAL = 4;
/** A number that keeps its characters when it is parsed and written again. */
export const NUMBER = 5;
export const TRUE = 6;
export const FALSE = 7;

/**
 * Maps a comma to {@link TEXT_WITH_COMMA}, and all other usual bytes of a string to {@link TEXT}. Quotes and unusual bytes are
 * mapped to 0.
 */
const IN_TEXT = byteTable((byte) => {
  if (byte < 0x20 || byte > 0x7e || byte === QUOTE || byte === BACKSLASH) return 0;
  return byte === COMMA ? TEXT_WITH_COMMA : TEXT;
});
const IN_NUMBER = byteTable((byte) => Number(/[\d.eE+-]/.test(String.fromCharCode(byte))));
const NULL_TEXT = Buffer.from('null');
const TRUE_TEXT = Buffer.from('true');
const FALSE_TEXT = Buffer.from('false');

/** Result of a scan that found an unexpected value. */
export const MUST_PARSE = -1;
/** Result of a scan of a row whose shape is unknown. */
export const UNKNOWN_SHAPE = -2;

/** Finds the values of a row in the bytes of a page, if the shape of the row is known. Accepts only valid JSON. */
export class RowScanner {
  readonly #shapes: RowShapes;
  #page: Buffer | undefined;
  /** The bytes of `#page`. A view reads four or eight bytes at a time. */
  #view: DataView = new DataView(new ArrayBuffer(0));
  /**
   * The start, the end and the kind of the value in each slot, for the last scanned row. Start and end exclude the quotes of a
   * string, unless its kind is {@link UNUSUAL}.
   */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly kinds: Uint8Array;
  /** Names of the fields without a column in the last scanned row. */
  extraFields: readonly string[] = [];
  /** Last step of the shape of the last scanned row. */
  shape: ShapeStep | undefined;
  /** For the last scanned row: start and end of each unusual value, whether or not the value has a slot. */
  readonly unusual: [start: number, end: number][] = [];

  constructor(shapes: RowShapes, slots: number) {
    this.#shapes = shapes;
    this.starts = new Int32Array(slots);
    this.ends = new Int32Array(slots);
    this.kinds = new Uint8Array(slots);
  }

  /**
   * @param from start of the row
   * @returns the position after the row; {@link MUST_PARSE} or {@link UNKNOWN_SHAPE} if the row must be parsed
   */
  scan(page: Buffer, from: number): number {
    const { starts, ends, kinds } = this;
    if (page !== this.#page) {
      this.#page = page;
      this.#view = new DataView(page.buffer, page.byteOffset, page.length);
    }
    const view = this.#view;
    kinds.fill(ABSENT);
    if (this.unusual.length > 0) this.unusual.length = 0;
    let at = from;
    let step: ShapeStep | undefined = this.#shapes.first;
    for (;;) {
      while (step !== undefined && !hasText(page, view, step, at)) step = step.other;
      if (step === undefined) return UNKNOWN_SHAPE;
      at += step.bytes.length;
      if (step.extraFields !== undefined) {
        this.extraFields = step.extraFields;
        this.shape = step;
        return at;
      }
      const byte = page[at];
      if (byte === undefined) return MUST_PARSE;
      if (byte === BRACE) {
        step = step.inside;
        continue;
      }
      let start = at;
      let end: number;
      let kind: number;
      if (byte === QUOTE) {
        kind = TEXT;
        start = ++at;
        while (at + 4 <= page.length && isUsual(view.getInt32(at, true))) at += 4;
        for (let is = IN_TEXT[page[at] ?? QUOTE]; is; is = IN_TEXT[page[++at] ?? QUOTE]) kind |= is;
        end = at++;
        if (page[end] !== QUOTE) {
          kind = UNUSUAL;
          start -= 1;
          end = at = textEnd(page, end);
        }
      } else if (byte <= NINE) {
        end = writtenEnd(page, at);
        kind = end < 0 || IN_NUMBER[page[end] ?? 0] ? UNUSUAL : NUMBER;
        if (kind === UNUSUAL) end = numberEnd(page, at);
        at = end;
      } else {
        kind = byte === LETTER_N ? NULL : byte === LETTER_F ? FALSE : TRUE;
        const text = kind === NULL ? NULL_TEXT : kind === FALSE ? FALSE_TEXT : TRUE_TEXT;
        if (!hasBytes(page, text, at)) return MUST_PARSE;
        end = at += text.length;
      }
      if (kind === UNUSUAL) {
        if (!isJson(page, start, end)) return MUST_PARSE;
        this.unusual.push([start, end]);
      }
      const { slot } = step;
      if (slot >= 0) {
        starts[slot] = start;
        ends[slot] = end;
        kinds[slot] = kind;
      } else if (slot === NULL_ONLY && kind !== NULL) return MUST_PARSE;
      step = step.after;
    }
  }
}

/** Whether four bytes are usual bytes of a string: no comma, no quote, and nothing else that {@link IN_TEXT} maps to 0. */
function isUsual(word: number): boolean {
  const below = word - 0x2d2d2d2d;
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
  return ((below | backslash | (word + 0x01010101) | word) & 0x80808080) === 0;
}

/** Whether the page contains the text of the step at this position. */
function hasText(page: Buffer, view: DataView, { bytes, words }: ShapeStep, at: number): boolean {
  if (words.length === 0) return hasBytes(page, bytes, at);
  const last = at + bytes.length - WORD;
  if (last + WORD > page.length) return false;
  for (let index = 0, next = at; next < last; index++, next += WORD)
    if (view.getFloat64(next, true) !== words[index]) return false;
  return view.getFloat64(last, true) === words[words.length - 1];
}

/** The position after the digits that begin at `at`. */
export function digitsEnd(page: Buffer, at: number): number {
  let end = at;
  for (let byte = page[end]; byte !== undefined && byte >= ASCII_ZERO && byte <= NINE; byte = page[end])
    end += 1;
  return end;
}

/** The position after all characters that can be part of a number. */
function numberEnd(page: Buffer, from: number): number {
  let end = from;
  for (let byte = page[end]; byte !== undefined && IN_NUMBER[byte]; byte = page[end]) end += 1;
  return end;
}

/** Maximum number of digits before the decimal point. JavaScript may write a longer number in exponent form. */
const MAX_WHOLE = 20;
/** Maximum number of zeros directly after `0.`. With more zeros, JavaScript writes the number in exponent form. */
const MAX_ZEROS = 5;

/** The position after a number that has the same characters after it is parsed and written again; otherwise -1. */
function writtenEnd(page: Buffer, from: number): number {
  const end = shortestEnd(page, from);
  const start = page[from] === MINUS ? from + 1 : from;
  if (end < 0 || page[start] !== ASCII_ZERO || start + 1 === end) return end;
  let digit = start + 2;
  while (page[digit] === ASCII_ZERO) digit += 1;
  return digit - start - 2 <= MAX_ZEROS ? end : -1;
}

/** Whether a decimal has no exponent, no extra leading zeros, and no trailing zeros after the decimal point. */
export function hasShortestForm(page: Buffer, from: number, end: number): boolean {
  return shortestEnd(page, from) === end;
}

/** The position after the decimal that begins at `from`; -1 if the decimal has unnecessary zeros or too many digits. */
function shortestEnd(page: Buffer, from: number): number {
  const start = page[from] === MINUS ? from + 1 : from;
  const point = digitsEnd(page, start);
  const isBelowOne = page[start] === ASCII_ZERO;
  if (point === start || point - start > MAX_WHOLE || (isBelowOne && point > start + 1)) return -1;
  // `-0` becomes 0.
  if (page[point] !== POINT) return isBelowOne && start > from ? -1 : point;
  const end = digitsEnd(page, point + 1);
  return page[end - 1] === ASCII_ZERO || end === point + 1 ? -1 : end;
}

/** The position after the closing quote of a string. */
function textEnd(page: Buffer, from: number): number {
  let end = from;
  while (end < page.length && page[end] !== QUOTE) end += page[end] === BACKSLASH ? 2 : 1;
  return end + 1;
}

function isJson(page: Buffer, from: number, end: number): boolean {
  try {
    JSON.parse(page.toString('utf8', from, end));
    return true;
  } catch {
    return false;
  }
}
