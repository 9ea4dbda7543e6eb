/** A span of time in Unix milliseconds. Both ends are inclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span that may be open at either end. */
export type OpenSpan = Partial<Span>;

/** Whether a time is within a span. Returns true for an undefined time, so that rows without a readable time are included. */
export function isWithin(time: number | undefined, span: OpenSpan): boolean {
  return !isBeforeSpan(time, span) && !isAfterSpan(time, span);
}

/**
 * Whether a time belongs to a period. Without a period, every time belongs to it. With a period, an undefined time does not
 * belong to it.
 */
export function isInPeriod(time: number | undefined, period: OpenSpan): boolean {
  return (time !== undefined || isUnlimited(period)) && isWithin(time, period);
}

export function isUnlimited({ from, to }: OpenSpan): boolean {
  return from === undefined && to === undefined;
}

/** Whether a time is earlier than a span. Returns false for an undefined time. */
export function isBeforeSpan(time: number | undefined, { from }: OpenSpan): boolean {
  return time !== undefined && from !== undefined && Math.floor(time) < from;
}

/** Whether a time is later than a span, which includes its whole last millisecond. Returns false for an undefined time. */
export function isAfterSpan(time: number | undefined, { to }: OpenSpan): boolean {
  return time !== undefined && to !== undefined && Math.floor(time) > to;
}
