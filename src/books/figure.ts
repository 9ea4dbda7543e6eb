import { type Exact, exact, isDecimal } from '../core/decimal.ts';

/** Limit for the digits before and after the decimal point in exact sums (see core/decimal.ts). */
const MOST_DIGITS = 400;
/** Matches a decimal that is not zero. Digits of the exponent are ignored. */
const NONZERO = /^[^eE]*[1-9]/;
const [MINUS, POINT, ZERO_CODE] = [0x2d, 0x2e, 0x30];

/** Returns the exact value of a decimal string; null if the value cannot be summed exactly. */
export function figureOf(value: unknown): Exact | null {
  const figure = exact(value);
  if (figure === null || typeof value !== 'string') return null;
  if (value.length < MOST_DIGITS && !/e/i.test(value)) return figure;
  return Math.abs(figure.e) < MOST_DIGITS && figure.decimalPlaces() < MOST_DIGITS ? figure : null;
}

/**
 * Returns the number in a text as a double, for comparisons that need no exact value. Returns NaN for any other value. Reads
 * usual decimals in parts, because `Number` is several times slower for more than 15 digits.
 */
export function doubleOf(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN;
  if (readParts(value, 0)) return (partAt(0) * BILLION + partAt(1) + partAt(2) / BILLION) / BILLION;
  return Number(value);
}

/** Whether {@link figureOf} returns an exact value. */
export function isFigure(value: unknown): value is string {
  return isPlain(value) || figureOf(value) !== null;
}

/**
 * Returns a decimal in its shortest form, for example `1.5` for `1.50`. Does not change decimals that cannot be summed exactly.
 * Returns undefined if the value is not a decimal string.
 */
export function canonicalDecimal(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (isPlain(value) && isShortest(value)) return value;
  return isDecimal(value) ? (figureOf(value)?.toFixed() ?? value) : undefined;
}

/** Reads the sign from the text without parsing the number. */
export function isBelowZero(decimal: string | null): boolean {
  return decimal?.startsWith('-') === true && NONZERO.test(decimal);
}

export function isZero(value: unknown): boolean {
  return typeof value === 'string' && !NONZERO.test(value) && isDecimal(value);
}

/**
 * Whether `left` plus `right` is exactly `sum`; null if any of the values is unknown. For plain decimals, which nearly all
 * values are, this function is several times as fast as adding the results of {@link figureOf}.
 */
export function addsUp(left: unknown, right: unknown, sum: unknown): boolean | null {
  if (typeof left !== 'string' || typeof right !== 'string' || typeof sum !== 'string') return null;
  if (partsAddUp(left, right, sum)) return true;
  if (isPlain(left) && isPlain(right) && isPlain(sum)) {
    const places = Math.max(placesOf(left), placesOf(right), placesOf(sum));
    return unitsOf(left, places) + unitsOf(right, places) === unitsOf(sum, places);
  }
  const [one, other, all] = [figureOf(left), figureOf(right), figureOf(sum)];
  return one && other && all && one.plus(other).equals(all);
}

/**
 * Whether a value is a decimal without an exponent, such as `-1.50`. Such decimals can be added as scaled integers. Reads the
 * characters one by one, because a regular expression takes several times as long.
 */
function isPlain(value: unknown): value is string {
  if (!isText(value)) return false;
  const whole = value.charCodeAt(0) === MINUS ? 1 : 0;
  const point = endOfDigits(value, whole);
  if (point === whole || point === value.length) return point > whole;
  const end = endOfDigits(value, point + 1);
  return value.charCodeAt(point) === POINT && end > point + 1 && end === value.length;
}

/** Returns the index of the first character that is not a digit, starting at `from`. */
function endOfDigits(text: string, from: number): number {
  let at = from;
  while (at < text.length && isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** Whether a plain decimal has no superfluous zeros at its start or end. */
function isShortest(plain: string): boolean {
  const first = plain.charCodeAt(0) === MINUS ? 1 : 0;
  if (plain.charCodeAt(first) === ZERO_CODE && plain.charCodeAt(first + 1) !== POINT) return plain === '0';
  return plain.charCodeAt(plain.length - 1) !== ZERO_CODE || !plain.includes('.');
}

function isDigit(code: number): boolean {
  return code >= ZERO_CODE && code <= ZERO_CODE + 9;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length < MOST_DIGITS;
}

/** The whole part, the first nine decimals and the next nine decimals of three numbers: see {@link readParts}. */
const PARTS = new Float64Array(9);
const [MOST_WHOLE, NINE, BILLION] = [15, 9, 1e9];
const POWERS = Array.from({ length: NINE + 1 }, (_, places) => 10 ** places);

/**
 * Whether `left` + `right` = `sum`, if all three strings are plain unsigned decimals of a usual length. Returns false for any
 * other strings. Reads each character once, and allocates no memory.
 */
function partsAddUp(left: string, right: string, sum: string): boolean {
  if (!readParts(left, 0) || !readParts(right, 3) || !readParts(sum, 6)) return false;
  let carry = 0;
  for (let part = 2; part > 0; part--) {
    const total = carry + partAt(part) + partAt(3 + part);
    carry = total >= BILLION ? 1 : 0;
    if (total - carry * BILLION !== partAt(6 + part)) return false;
  }
  return carry + partAt(0) + partAt(3) === partAt(6);
}

function partAt(place: number): number {
  return PARTS[place] as number;
}

/**
 * Reads a plain unsigned decimal with at most 15 digits before the point and at most 18 digits after it. Each part is then an
 * exact number. Returns false for any other text.
 */
function readParts(decimal: string, place: number): boolean {
  const { length } = decimal;
  let at = 0;
  for (let part = 0; part < 3; part++) {
    const [start, most] = [at, part === 0 ? MOST_WHOLE : NINE];
    let value = 0;
    for (; at < length && at < start + most; at++) {
      const digit = decimal.charCodeAt(at) - ZERO_CODE;
      if (digit < 0 || digit > 9) break;
      value = 10 * value + digit;
    }
    PARTS[place + part] = part === 0 ? value : value * (POWERS[start + most - at] as number);
    if (part > 0) continue;
    if (at === 0) return false;
    // After the whole part, require a point and at least one digit.
    if (at < length && (decimal.charCodeAt(at++) !== POINT || at === length)) return false;
  }
  return at === length;
}

function placesOf(decimal: string): number {
  const point = decimal.indexOf('.');
  return point === -1 ? 0 : decimal.length - point - 1;
}

/** Multiplies a plain decimal by 10 to the power of `places`. */
function unitsOf(decimal: string, places: number): bigint {
  const point = decimal.indexOf('.');
  if (point === -1) return BigInt(decimal + '0'.repeat(places));
  return BigInt(decimal.slice(0, point) + decimal.slice(point + 1).padEnd(places, '0'));
}
