/** A span of time in Unix milliseconds, including both ends. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span that may be open at either end. */
export type OpenSpan = Partial<Span>;

/** Whether a time lies in a span. A row without a readable time is never excluded. */
export function isWithin(time: number | undefined, { from, to }: OpenSpan): boolean {
  if (time === undefined) return true;
  // A fractional time belongs to the millisecond that contains the time.
  const whole = Math.floor(time);
  return (from === undefined || whole >= from) && (to === undefined || whole <= to);
}
