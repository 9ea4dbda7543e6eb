import { exact } from '../../core/decimal.ts';

/** Places after the point, as the service's figures have at most ("Ledger": up to 18 places). */
export const SCALE = 18;
/** Digits that 16 bytes hold whatever they are. */
export const PRECISION = 38;
/** Bytes of one figure: the fewest that hold 38 digits with a sign. */
export const WIDTH = 16;

const LARGEST_WHOLE = PRECISION - SCALE;

/**
 * Writes a decimal as DECIMAL(38, 18): the figure times 10^18, two's complement, the highest byte first
 * (parquet-format, LogicalTypes.md, "DECIMAL"). Every step is in whole numbers that a double holds exactly; bigints
 * would take several times as long.
 *
 * @returns false where the text is no decimal, or has more digits than that; then nothing is written
 */
export function writeDecimal(text: string, target: Uint8Array, at: number): boolean {
  if (writePlain(text, target, at)) return true;
  // Other ways to write one: 1e-18, .5, +3.
  const figure = exact(text);
  if (figure === null || figure.decimalPlaces() > SCALE || figure.e >= LARGEST_WHOLE) return false;
  return writePlain(figure.toFixed(), target, at);
}

const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;

/** Takes `-?[0-9]+(\.[0-9]+)?` that fits; false for any other text. */
function writePlain(text: string, target: Uint8Array, at: number): boolean {
  const { length } = text;
  const negative = text.charCodeAt(0) === MINUS;
  const start = negative ? 1 : 0;
  let place = start;
  let low = 0;
  let high = 0;
  for (; place < length; place += 1) {
    const digit = text.charCodeAt(place) - ZERO;
    if (digit < 0 || digit > 9) break;
    if (low < 1e14 && high === 0) {
      low = low * 10 + digit;
      continue;
    }
    // The sixteenth digit and those behind it move the first one into the upper part, which has room for five.
    const top = Math.floor(low / 1e14);
    low = (low - top * 1e14) * 10 + digit;
    high = high * 10 + top;
    if (high >= 1e5) return false;
  }
  if (place === start) return false;
  let places = 0;
  let last = 0;
  if (place < length) {
    if (text.charCodeAt(place) !== DOT || place === length - 1) return false;
    const first = place + 1;
    for (place = first; place < length; place += 1) {
      const digit = text.charCodeAt(place) - ZERO;
      if (digit < 0 || digit > 9) return false;
      if (place < first + 9) places = places * 10 + digit;
      else if (place < first + SCALE) last = last * 10 + digit;
      else if (digit > 0) return false;
    }
    const count = length - first;
    if (count < 9) places *= POWERS[9 - count] ?? 1;
    else if (count < SCALE) last *= POWERS[SCALE - count] ?? 1;
  }
  multiply(high, low, places, last);
  put(negative, target, at);
  return true;
}

const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

// A figure of 128 bits stands in limbs of three bytes, the lowest first, each in a double: a product of two of them stays
// below 2^48, so that several add up without loss.
const LIMB = 2 ** 24;
const limbs = new Float64Array(5);

/** limbs = (high × 10^15 + low) × 10^18 + places × 10^9 + last. No `%`: of large doubles it is a slow call. */
function multiply(high: number, low: number, places: number, last: number): void {
  const low1 = Math.floor(low / LIMB);
  const low2 = Math.floor(low1 / LIMB);
  const sum0 = low - low1 * LIMB + high * 0xc68000;
  const carry0 = Math.floor(sum0 / LIMB);
  const w0 = sum0 - carry0 * LIMB;
  const sum1 = low1 - low2 * LIMB + high * 0x8d7ea4 + carry0;
  const carry1 = Math.floor(sum1 / LIMB);
  const w1 = sum1 - carry1 * LIMB;
  const w2 = low2 + high * 0x3 + carry1;
  const p1 = Math.floor(places / LIMB);
  const p0 = places - p1 * LIMB;
  limbs[0] = w0 * 0x640000 + p0 * 0x9aca00 + last;
  limbs[1] = w0 * 0xb6b3a7 + w1 * 0x640000 + p0 * 0x3b + p1 * 0x9aca00;
  limbs[2] = w0 * 0xde0 + w1 * 0xb6b3a7 + w2 * 0x640000 + p1 * 0x3b;
  limbs[3] = w1 * 0xde0 + w2 * 0xb6b3a7;
  limbs[4] = w2 * 0xde0;
}

/** Writes the limbs, carried over and, for a negative figure, with every bit turned and one added. */
function put(negative: boolean, target: Uint8Array, at: number): void {
  let carry = 0;
  let one = negative ? 1 : 0;
  let byte = at + WIDTH - 1;
  for (let limb = 0; limb < 5; limb += 1) {
    const sum = (limbs[limb] ?? 0) + carry;
    carry = Math.floor(sum / LIMB);
    let bits = sum - carry * LIMB;
    if (negative) {
      bits = (bits ^ 0xffffff) + one;
      one = bits >>> 24;
    }
    target[byte] = bits;
    target[byte - 1] = bits >>> 8;
    target[byte - 2] = bits >>> 16;
    byte -= 3;
  }
  target[byte] = negative ? (carry ^ 0xff) + one : carry;
}
