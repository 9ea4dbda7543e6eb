import { BACKSLASH, BRACE, COMMA, LETTER_F, LETTER_N, MINUS, NINE, POINT, QUOTE, ZERO } from './ascii.ts';
import { Pattern } from './pattern.ts';
import { ONLY_NULL, type RowShapes, type Step } from './row-shapes.ts';

/** What stands in a slot. */
export const ABSENT = 0;
export const NULL = 1;
/** Text without anything that would need a quote in CSV but its ends. */
export const TEXT = 2;
export const TEXT_WITH_COMMA = 3;
/** Text with an escape or with other characters than those of ASCII, or a number that would be written otherwise. */
export const ODD = 4;
/** A number in the form in which JavaScript writes it. */
export const NUMBER = 5;
export const TRUE = 6;
export const FALSE = 7;

/** Of each byte, what it means inside a string: 0 where it is odd or the end, else the kind of text that it makes. */
const IN_TEXT = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20 || byte > 0x7e || byte === QUOTE || byte === BACKSLASH) return 0;
  return byte === COMMA ? TEXT_WITH_COMMA : TEXT;
});
const IN_NUMBER = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[\d.eE+-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);
const NULL_TEXT = new Pattern('null');
const TRUE_TEXT = new Pattern('true');
const FALSE_TEXT = new Pattern('false');

/** Of a row that must be read the general way: a value is not what was expected, or its shape is not known. */
export const ODD_VALUE = -1;
export const UNKNOWN_SHAPE = -2;

/**
 * Finds the values of one row in the bytes of a page, where the row has a known shape. It takes nothing that is not
 * JSON.
 */
export class RowScanner {
  readonly #shapes: RowShapes;
  /** Of each slot of the last row: where its value begins and ends, text without its quotes unless odd, and what it is. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly kinds: Uint8Array;
  /** Fields of the last row that no column shows. */
  leftOut: readonly string[] = [];
  /** Where its odd values begin and end, whether or not they have a slot. */
  readonly odd: [start: number, end: number][] = [];

  /** The page of the last row, and its bytes as words. */
  #page: Buffer | undefined;
  #view: DataView = new DataView(new ArrayBuffer(0));

  constructor(shapes: RowShapes, slots: number) {
    this.#shapes = shapes;
    this.starts = new Int32Array(slots);
    this.ends = new Int32Array(slots);
    this.kinds = new Uint8Array(slots);
  }

  /**
   * @param from where the row begins
   * @returns where it ends; {@link ODD_VALUE} or {@link UNKNOWN_SHAPE} where it must be read the general way
   */
  scan(page: Buffer, from: number): number {
    const { starts, ends, kinds } = this;
    const view = this.#viewOf(page);
    kinds.fill(ABSENT);
    if (this.odd.length > 0) this.odd.length = 0;
    let at = from;
    let step: Step | undefined = this.#shapes.first;
    for (;;) {
      while (step !== undefined && !step.pattern.standsAt(view, at)) step = step.other;
      if (step === undefined) return UNKNOWN_SHAPE;
      at += step.pattern.length;
      if (step.leftOut !== undefined) {
        this.leftOut = step.leftOut;
        return at;
      }
      const byte = page[at] ?? 0;
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
        for (let is = IN_TEXT[page[at] ?? 0] ?? 0; is !== 0; is = IN_TEXT[page[++at] ?? 0] ?? 0) kind |= is;
        end = at++;
        if (page[end] !== QUOTE) {
          kind = ODD;
          start -= 1;
          end = at = textEnd(page, end);
        }
      } else if (byte <= NINE) {
        end = at = numberEnd(page, at);
        kind = isWritten(page, start, end) ? NUMBER : ODD;
      } else {
        kind = byte === LETTER_N ? NULL : byte === LETTER_F ? FALSE : TRUE;
        const text = kind === NULL ? NULL_TEXT : kind === FALSE ? FALSE_TEXT : TRUE_TEXT;
        if (!text.standsAt(view, at)) return ODD_VALUE;
        end = at += text.length;
      }
      if (kind === ODD) {
        if (!isJson(page, start, end)) return ODD_VALUE;
        this.odd.push([start, end]);
      }
      const { slot } = step;
      if (slot >= 0) {
        starts[slot] = start;
        ends[slot] = end;
        kinds[slot] = kind;
      } else if (slot === ONLY_NULL && kind !== NULL) return ODD_VALUE;
      step = step.after;
    }
  }

  #viewOf(page: Buffer): DataView {
    if (page !== this.#page) {
      this.#page = page;
      this.#view = new DataView(page.buffer, page.byteOffset, page.byteLength);
    }
    return this.#view;
  }
}

/** Where the digits end that begin at `at`. */
export function digitsEnd(page: Buffer, at: number): number {
  let end = at;
  for (let byte = page[end] ?? 0; byte >= ZERO && byte <= NINE; byte = page[end] ?? 0) end += 1;
  return end;
}

/** Where the characters end that a number can have. */
function numberEnd(page: Buffer, from: number): number {
  let end = from;
  for (let byte = page[end]; byte !== undefined && IN_NUMBER[byte] === 1; byte = page[end]) end += 1;
  return end;
}

/** Digits before the point that JavaScript writes without an exponent, and zeros behind it before the first digit. */
const MOST_WHOLE = 20;
const MOST_ZEROS = 5;

/**
 * Whether a number is surely written as it stands here: what a double holds by JavaScript, which writes such a number
 * without an exponent and with no digit to spare, and any other with the digits that it came with.
 */
function isWritten(page: Buffer, from: number, end: number): boolean {
  const start = page[from] === MINUS ? from + 1 : from;
  const point = digitsEnd(page, start);
  const isBelowOne = page[start] === ZERO;
  if (point === start || point - start > MOST_WHOLE || (isBelowOne && point > start + 1)) return false;
  // `-0` becomes 0.
  if (point === end) return !isBelowOne || start === from;
  if (page[point] !== POINT || digitsEnd(page, point + 1) !== end) return false;
  if (page[end - 1] === ZERO || end === point + 1) return false;
  if (!isBelowOne) return true;
  let digit = point + 1;
  while (page[digit] === ZERO) digit += 1;
  return digit - point - 1 <= MOST_ZEROS;
}

/** Where a text ends, behind its quote. */
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
