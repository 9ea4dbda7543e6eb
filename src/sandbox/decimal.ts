// Exact decimals as integers of 10^-18, the finest that the spec's decimal strings go.

export const PLACES = 18;
const MAX_DIGITS = 400;
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

export const powersOfTen: readonly bigint[] = Array.from({ length: 64 }, (_, power) => 10n ** BigInt(power));

export function powerOfTen(power: number): bigint {
  return powersOfTen[power] ?? 10n ** BigInt(power);
}

/** A decimal as digits × 10^exponent. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Reads `0`, `-1.5`, `.5`, `1e-18`, `1E3`; undefined for what is no decimal number. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = FORM.exec(text);
  if (match === null || text.length > MAX_DIGITS) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length };
}

/** No balance of the sandbox has more digits than this, at 10^-18. */
const BEYOND = 10n ** 60n;

/**
 * The integers of 10^-18 on either side of a decimal: equal when it is one of them. A balance is less than the
 * decimal exactly when it is less than `ceiling`, and greater exactly when it is greater than `floor`.
 */
export function bracket({ digits, exponent }: Decimal): { floor: bigint; ceiling: bigint } {
  if (digits === 0n) return { floor: 0n, ceiling: 0n };
  const shift = exponent + PLACES;
  if (shift >= 0) {
    // An exponent of thousands would be a number of thousands of digits; beyond every balance is enough.
    const scaled = shift > 60 ? (digits < 0n ? -BEYOND : BEYOND) : digits * powerOfTen(shift);
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

/** An integer of 10^-places as plain digits: no exponent, no trailing zeros, `-0` never. */
export function formatUnits(value: bigint, places: number = PLACES): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  let end = digits.length;
  while (end > whole.length && digits.charCodeAt(end - 1) === 48) end -= 1;
  const fraction = digits.slice(whole.length, end);
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** value (10^-18) × factor, cut after `places` places, as an integer of 10^-places. */
export function multiply(value: bigint, factor: number, places: number): bigint {
  const { digits, exponent } = parseDecimal(String(factor)) ?? { digits: 0n, exponent: 0 };
  const product = value * digits;
  const shift = exponent - PLACES + places;
  return shift >= 0 ? product * powerOfTen(shift) : product / powerOfTen(-shift);
}
