import { Decimal } from 'decimal.js';
import { isDecimal } from './plain.ts';

export { isDecimal };

// Never rounds sums of numbers with 18 decimals, and never writes an exponent.
const Exact = Decimal.clone({ precision: 1000, toExpNeg: -9e15, toExpPos: 9e15 });
export type Exact = Decimal;
export const { ROUND_HALF_UP } = Decimal;

/** The exact value of a decimal string; null for anything else. */
export function exact(text: unknown): Exact | null {
  return typeof text === 'string' && isDecimal(text) ? new Exact(text) : null;
}
