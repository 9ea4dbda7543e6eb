/** A span of time, both ends inclusive, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span that may be open at either end. */
export type OpenSpan = Partial<Span>;

/** Whether a moment lies in a span. A row whose time cannot be read is not ours to leave out. */
export function isWithin(time: number | undefined, { from, to }: OpenSpan): boolean {
  if (time === undefined) return true;
  // A part of a millisecond belongs to the millisecond that it is a part of.
  const whole = Math.floor(time);
  return (from === undefined || whole >= from) && (to === undefined || whole <= to);
}
