import { Decimal } from 'decimal.js';
import { isDecimal } from './plain.ts';

export { isDecimal };

// Precise enough to add numbers with 18 decimals without rounding. Never writes an exponent.
const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });
export type Exact = Decimal;
export const { ROUND_HALF_UP } = Decimal;

/** Matches a decimal other than 0. The library parses even a nonzero decimal as 0 if the exponent is too far below zero. */
const NOT_ZERO = /^[^eE]*[1-9]/;

/** The exact value of a decimal string; null for anything else, and for exponents of 17 digits or more. */
export function exact(text: unknown): Exact | null {
  if (typeof text !== 'string' || !isDecimal(text)) return null;
  const value = new Exact(text);
  return value.isFinite() && !(value.isZero() && NOT_ZERO.test(text)) ? value : null;
}
