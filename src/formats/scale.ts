import { type Exact, exact } from '../core/decimal.ts';

export const ZERO = exact('0') as Exact;

/**
 * Where a value lies between the lowest (0) and the highest (1) of some values and zero, for shapes alone: it is rounded.
 * 0 for all if every value is zero.
 */
export function scaleOf(values: readonly Exact[]): (value: Exact) => number {
  const top = values.reduce((most, value) => (value.greaterThan(most) ? value : most), ZERO);
  const bottom = values.reduce((least, value) => (value.lessThan(least) ? value : least), ZERO);
  // Numbers of JavaScript hold no more than 308 digits before the point.
  const size = [top, bottom].filter((value) => !value.isZero()).map(({ e }) => e);
  const unit = exact(`1e${-Math.max(...size)}`) ?? ZERO;
  const numberOf = (value: Exact) => value.times(unit).toNumber();
  const [high, low] = [numberOf(top), numberOf(bottom)];
  return (value) => (high === low ? 0 : (numberOf(value) - low) / (high - low));
}
