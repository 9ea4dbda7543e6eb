import { Decimal } from 'decimal.js';
import { isDecimal } from './plain.ts';

export { isDecimal };

// With 1,000 digits, `Exact` can add numbers with 18 decimals without rounding. Results are written without an exponent.
const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });
export type Exact = Decimal;
export const { ROUND_HALF_UP } = Decimal;
export const ZERO: Exact = new Exact(0);

/** Matches a decimal other than 0. If the exponent is below about -9e15, the library parses the decimal as 0. */
const NOT_ZERO = /^[^eE]*[1-9]/;

/** Returns the exact value of a decimal string. Returns null for other values, and for exponents beyond about ±9e15. */
export function exact(text: unknown): Exact | null {
  if (typeof text !== 'string' || !isDecimal(text)) return null;
  const value = new Exact(text);
  return value.isFinite() && !(value.isZero() && NOT_ZERO.test(text)) ? value : null;
}
