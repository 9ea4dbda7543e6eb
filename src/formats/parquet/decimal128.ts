import { ByteBuffer } from '../../core/byte-buffer.ts';
import { exact } from '../../core/decimal.ts';
import { appendText } from './text.ts';

/** Decimal places. The service sends at most 18 decimal places ("Ledger"). */
export const SCALE = 18;
/** Digits. Any 38 digits fit in 16 bytes. */
export const PRECISION = 38;
/** Bytes of one value: the minimum for 38 digits and a sign. */
export const WIDTH = 16;

const WHOLE_DIGITS = PRECISION - SCALE;
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** The digits are added in groups. The product of a group and a 32-bit part of the value is still an exact number. */
const GROUP = 6;
const UNIT = 10 ** GROUP;
const PART = 2 ** 32;
/** A smaller number times {@link UNIT} is still an exact number. */
const LONGEST_HEAD = 10 ** 9;
/** The value while it is read, in parts of 32 bits. The most significant part is the first. */
const parts = new Float64Array(4);

/**
 * Writes a decimal as DECIMAL(38, 18). The stored integer is the value times 10^18, in big-endian two's complement
 * (parquet-format, LogicalTypes.md, "DECIMAL").
 *
 * @param source ASCII; the decimal begins at index `from` and ends before index `to`
 * @returns false if the text is not a plain decimal or has too many digits; in this case, `target` is not changed
 */
export function writeDigits(
  source: Uint8Array,
  from: number,
  to: number,
  target: Uint8Array,
  at: number,
): boolean {
  const isNegative = source[from] === MINUS;
  let first = isNegative ? from + 1 : from;
  const point = digitsEnd(source, first, to);
  if (point === first) return false;
  while (point - first > WHOLE_DIGITS && source[first] === ZERO) first += 1;
  let end = to;
  if (point < to) {
    if (source[point] !== POINT || point + 1 === to || digitsEnd(source, point + 1, to) < to) return false;
    while (end - point - 1 > SCALE && source[end - 1] === ZERO) end -= 1;
  }
  if (point - first > WHOLE_DIGITS || end - point - 1 > SCALE) return false;
  // The groups end at the decimal point, because there are whole groups after it.
  let groupEnd = first + ((point - first) % GROUP || GROUP);
  /** The value so far, until it is too long for an exact number. */
  let head = 0;
  /** Index of the first part that is not 0; 4 while the value is in `head`. */
  let top = 4;
  for (let digit = first; digit <= point + SCALE; groupEnd = digit + GROUP) {
    let group = 0;
    for (; digit < groupEnd; digit++)
      group = 10 * group + (digit < end ? (source[digit] as number) - ZERO : 0);
    if (digit === point) digit += 1;
    if (top === 4 && head < LONGEST_HEAD) {
      head = UNIT * head + group;
      continue;
    }
    if (top === 4) top = split(head);
    for (let part = 3; part >= top || group > 0; part--) {
      const sum = UNIT * (parts[part] as number) + group;
      group = Math.floor(sum / PART);
      parts[part] = sum - group * PART;
      if (part < top) top = part;
    }
  }
  if (top === 4) split(head);
  let carry = 1;
  for (let part = 3; part >= 0; part--) {
    let bits = parts[part] as number;
    if (isNegative) {
      bits = PART - 1 - bits + carry;
      carry = bits === PART ? 1 : 0;
    }
    const start = at + 4 * part;
    target[start] = bits >>> 24;
    target[start + 1] = bits >>> 16;
    target[start + 2] = bits >>> 8;
    target[start + 3] = bits;
  }
  return true;
}

/** Sets the parts of the value. Returns the index of the first part that is not 0. */
function split(value: number): number {
  parts[0] = parts[1] = 0;
  parts[2] = Math.floor(value / PART);
  parts[3] = value - (parts[2] as number) * PART;
  return 2;
}

function digitsEnd(source: Uint8Array, from: number, to: number): number {
  let end = from;
  while (end < to && (source[end] as number) >= ZERO && (source[end] as number) <= NINE) end += 1;
  return end;
}

/** Like {@link writeDigits}, for a text. Also writes decimals in other notations, such as 1e-18, .5 and +3. */
export function writeDecimal(text: string, target: Uint8Array, at: number): boolean {
  if (writePlain(text, target, at)) return true;
  const value = exact(text);
  if (value === null || value.decimalPlaces() > SCALE || value.e >= WHOLE_DIGITS) return false;
  return writePlain(value.toFixed(), target, at);
}

const bytes = new ByteBuffer(256);

function writePlain(text: string, target: Uint8Array, at: number): boolean {
  bytes.length = 0;
  appendText(bytes, text, true);
  return writeDigits(bytes.bytes, 0, bytes.length, target, at);
}

/**
 * Reads a decimal that {@link writeDecimal} wrote. Returns the shortest form without an exponent.
 *
 * @param bytes the 16 bytes of a DECIMAL(38, 18)
 */
export function readDecimal(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, WIDTH);
  const value = (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
  const digits = String(value < 0n ? -value : value).padStart(SCALE + 1, '0');
  const whole = digits.slice(0, -SCALE);
  const places = digits.slice(-SCALE).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${places === '' ? '' : `.${places}`}`;
}

/** Whether the string is the same after {@link writeDecimal} and {@link readDecimal}. */
export function isShortest(text: string): boolean {
  return SHORTEST.test(text) && text !== '-0';
}

const SHORTEST = /^-?(?:0|[1-9][0-9]{0,19})(?:\.[0-9]{0,17}[1-9])?$/;

/** Whether a string is a decimal that DECIMAL(38, 18) can store. */
export function fitsDecimal(text: string): boolean {
  return writeDecimal(text, new Uint8Array(WIDTH), 0);
}
