// Represents exact decimals as integers in units of 10^-18, the smallest unit of decimal strings in the specification.

const DECIMAL_PLACES = 18;
/** The largest integer of 256 bits has 78 digits. */
const WHOLE_DIGITS = 78;
/** The limits of the amounts that the sandbox accepts. */
export const AMOUNT_LIMITS = `at most ${WHOLE_DIGITS} digits before the decimal point and ${DECIMAL_PLACES} after it`;
const MAX_DIGITS = 400;
/** The decimals that filters accept. */
export const BALANCE_FORM = `a decimal string of at most ${MAX_DIGITS} characters`;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

const powersOfTen: readonly bigint[] = Array.from({ length: 64 }, (_, power) => 10n ** BigInt(power));

export function powerOfTen(power: number): bigint {
  return powersOfTen[power] ?? 10n ** BigInt(power);
}

/** A decimal with the value `digits` × 10^`exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Parses a decimal, such as `0`, `-1.5`, `.5`, `1e-18` or `1E3`; returns undefined for any other text. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = FORM.exec(text);
  if (match === null || text.length > MAX_DIGITS) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

const BEYOND_POWER = 120;
/** Greater than any balance in the sandbox, in units of 10^-18. */
const BEYOND = 10n ** BigInt(BEYOND_POWER);

/**
 * Converts a decimal to whole units of 10^-18. `floor` is rounded down, and `ceiling` is rounded up. `floor` and `ceiling` are
 * equal if no rounding is needed. All balances below `ceiling` are less than the decimal, and all balances above `floor` are
 * greater than the decimal.
 */
export function bracket({ digits, exponent }: Decimal): { floor: bigint; ceiling: bigint } {
  if (digits === 0n) return { floor: 0n, ceiling: 0n };
  const shift = exponent + DECIMAL_PLACES;
  if (shift >= 0) {
    // A huge exponent would produce thousands of digits, so return a value greater than any balance instead.
    const scaled = shift > BEYOND_POWER ? (digits < 0n ? -BEYOND : BEYOND) : digits * powerOfTen(shift);
    return { floor: scaled, ceiling: scaled };
  }
  if (-shift > MAX_DIGITS) return digits < 0n ? { floor: -1n, ceiling: 0n } : { floor: 0n, ceiling: 1n };
  const divisor = powerOfTen(-shift);
  const quotient = digits / divisor;
  if (quotient * divisor === digits) return { floor: quotient, ceiling: quotient };
  return digits < 0n
    ? { floor: quotient - 1n, ceiling: quotient }
    : { floor: quotient, ceiling: quotient + 1n };
}

/** Formats an integer in units of 10^-`places`, without an exponent or trailing zeros. Never returns `-0`. */
export function formatUnits(value: bigint, places: number = DECIMAL_PLACES): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  let end = digits.length;
  while (end > whole.length && digits.charCodeAt(end - 1) === 48) end -= 1;
  const fraction = digits.slice(whole.length, end);
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Multiplies `value`, in units of 10^-18, by `factor`. Truncates the product to an integer in units of 10^-`places`. */
export function multiply(value: bigint, factor: number, places: number): bigint {
  const { digits, exponent } = parseDecimal(String(factor)) ?? { digits: 0n, exponent: 0 };
  const product = value * digits;
  const shift = exponent - DECIMAL_PLACES + places;
  return shift >= 0 ? product * powerOfTen(shift) : product / powerOfTen(-shift);
}

/** Amounts must be smaller than this, in units of 10^-18. */
const LARGEST = powerOfTen(WHOLE_DIGITS + DECIMAL_PLACES);

/** Converts a decimal to units of 10^-18. Returns undefined if the decimal is invalid, too large, or too precise. */
export function unitsOf(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { floor, ceiling } = bracket(decimal);
  return floor === ceiling && floor < LARGEST && floor > -LARGEST ? floor : undefined;
}
