/** A span of time, both ends inclusive, in Unix milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A span that may be open at either end. */
export type OpenSpan = Partial<Span>;
