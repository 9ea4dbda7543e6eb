import { type Exact, exact } from '../core/decimal.ts';
import { isExactNumber } from '../core/json.ts';

export const ZERO = exact('0') as Exact;
/** Maximum digits before and after the point for exact sums (see core/decimal.ts). */
const MOST_DIGITS = 400;

/** The exact value of a decimal string or JSON number; null if there is none that can be summed exactly. */
export function figureOf(value: unknown): Exact | null {
  const text = typeof value === 'number' ? String(value) : isExactNumber(value) ? value.value : value;
  const figure = exact(text);
  if (figure === null || typeof text !== 'string') return null;
  if (text.length < MOST_DIGITS && !/e/i.test(text)) return figure;
  return Math.abs(figure.e) < MOST_DIGITS && figure.decimalPlaces() < MOST_DIGITS ? figure : null;
}
