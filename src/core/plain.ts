import type { JsonNumber } from './json.ts';

// Functions for decimals as text. Most commands need only these functions, and not the arithmetic library that decimal.ts
// loads.

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whether the text is a decimal in a form that the filters of the service accept: `0`, `-1.5`, `1E3`, `-1e-18`. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** The shortest decimal that has no exponent and parses to the same number: `0.0000001` for `1e-7`. */
export function plainNumber(value: number): string {
  const short = String(value);
  return short.includes('e') ? plainDigits(short) : short;
}

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/**
 * Writes a JSON number without an exponent, and without losing a digit: `1.5e3` becomes `1500`. A number with an exponent above
 * 1,000 or below -1,000 stays unchanged, because `1e999999999` would become a gigabyte of text.
 */
export function plainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = WITH_EXPONENT.exec(text) ?? [];
  if (exponent === undefined || Math.abs(Number(exponent)) > 1000) return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0');
  const [before, after] =
    point > 0 ? [digits.slice(0, point), digits.slice(point)] : ['0', '0'.repeat(-point) + digits];
  const places = after.replace(/0+$/, '');
  // Zero has no sign.
  return `${/[1-9]/.test(digits) ? sign : ''}${before.replace(/^0+(?=\d)/, '')}${places && '.'}${places}`;
}

/** Returns a JSON number without an exponent, and with all its digits. */
export function numberDigits(value: JsonNumber): string {
  return typeof value === 'number' ? plainNumber(value) : plainDigits(value.value);
}
