import { type Exact, exact } from '../core/decimal.ts';

export const ZERO = exact('0') as Exact;

/**
 * Returns the position of a value between the lowest (0) and highest (1) of all values and zero. The position is rounded, so
 * use it only for drawing. It is always 0 if all values are zero.
 */
export function scaleOf(values: readonly Exact[]): (value: Exact) => number {
  const top = values.reduce((most, value) => (value.greaterThan(most) ? value : most), ZERO);
  const bottom = values.reduce((least, value) => (value.lessThan(least) ? value : least), ZERO);
  // JavaScript numbers have at most 308 digits before the point.
  const size = [top, bottom].filter((value) => !value.isZero()).map(({ e }) => e);
  const unit = exact(`1e${-Math.max(...size)}`) ?? ZERO;
  const numberOf = (value: Exact) => value.times(unit).toNumber();
  const [high, low] = [numberOf(top), numberOf(bottom)];
  return (value) => (high === low ? 0 : (numberOf(value) - low) / (high - low));
}
