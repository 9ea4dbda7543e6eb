import { Decimal } from 'decimal.js';

// Never rounds sums of numbers with 18 decimals, and never writes an exponent.
const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });
export type Exact = Decimal;

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whether the text is a decimal that the service's filters accept: `0`, `-1.5`, `1E3`, `-1e-18`. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** The exact value of a decimal string; null for anything else. */
export function exact(text: unknown): Exact | null {
  return typeof text === 'string' && isDecimal(text) ? new Exact(text) : null;
}

/**
 * The shortest text that parses to the same number, without an exponent: `0.0000001` for `1e-7`.
 * Used wherever a number becomes a cell.
 */
export function plainNumber(value: number): string {
  const size = Math.abs(value);
  const short = String(value);
  // JavaScript writes no exponent in this range.
  if (size < 1e21 && size >= 1e-6) return short;
  return short.includes('e') ? new Exact(short).toFixed() : short;
}

/**
 * The text of a JSON number without an exponent, with every digit. A number that would become thousands of
 * digits long is left unchanged: `1e999999999` would become a gigabyte.
 */
export function plainDigits(text: string): string {
  const exponent = /[eE]([+-]?\d+)$/.exec(text)?.[1];
  return exponent === undefined || Math.abs(Number(exponent)) > 1000 ? text : new Exact(text).toFixed();
}
