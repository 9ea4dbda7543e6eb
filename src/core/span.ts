/** A span of time in Unix milliseconds. Both ends are inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span that may be open at either end. */
export type OpenSpan = Partial<Span>;

/** Whether a time is within a span. Returns true for an undefined time, so that rows without a readable time are included. */
export function isWithin(time: number | undefined, { from, to }: OpenSpan): boolean {
  if (time === undefined) return true;
  // Ignore fractions of a millisecond, because a span includes its whole last millisecond.
  const whole = Math.floor(time);
  return (from === undefined || whole >= from) && (to === undefined || whole <= to);
}
