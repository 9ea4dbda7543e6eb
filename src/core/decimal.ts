import { Decimal } from 'decimal.js';

// Sums of numbers with 18 decimals are never rounded, and no exponent is written.
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
 * A number in its shortest form that reads back equal, without an exponent: `1e-7` is `0.0000001`.
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
 * The text of a JSON number without an exponent, every digit kept. One whose exponent would make it thousands of
 * digits long stays as it came: `1e999999999` is ten characters on the wire, and would be a gigabyte here.
 */
export function plainDigits(text: string): string {
  const exponent = /[eE]([+-]?\d+)$/.exec(text)?.[1];
  return exponent === undefined || Math.abs(Number(exponent)) > 1000 ? text : new Exact(text).toFixed();
}
