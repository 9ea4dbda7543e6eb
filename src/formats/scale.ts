import { type Exact, exact, ZERO } from '../core/decimal.ts';

/**
 * Returns a function that maps a value to a position from 0 (lowest value) to 1 (highest value). The scale always includes the
 * value zero. Positions are rounded, so use them only for drawing. If all values are zero, every position is 0.
 */
export function scaleOf(values: readonly Exact[]): (value: Exact) => number {
  const top = values.reduce((most, value) => (value.greaterThan(most) ? value : most), ZERO);
  const bottom = values.reduce((least, value) => (value.lessThan(least) ? value : least), ZERO);
  // Scale the values before converting them to JavaScript numbers, because a value above 1.8e308 would overflow.
  const size = [top, bottom].filter((value) => !value.isZero()).map(({ e }) => e);
  const unit = exact(`1e${-Math.max(...size)}`) ?? ZERO;
  const numberOf = (value: Exact) => value.times(unit).toNumber();
  const [high, low] = [numberOf(top), numberOf(bottom)];
  return (value) => (high === low ? 0 : (numberOf(value) - low) / (high - low));
}
