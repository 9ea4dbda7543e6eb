import type { Span } from '../core/span.ts';
import type { RowCount } from '../read/ledger-source.ts';

/** Rows of a window at most, where time can be cut further. */
export const LARGEST_WINDOW = 16_000;
const SMALLEST_WINDOW = 2000;
/** Pieces that a span is cut into at once. */
const MOST_PIECES = 16;

/** Rows of a window: few enough that the windows of a small export can be read side by side. */
export function windowSize(total: number): number {
  return Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, Math.ceil(total / 40)));
}

/** A stretch of time and about how many rows it has; undefined where that was not asked. */
export interface Stretch {
  readonly span: Span;
  readonly count: number | undefined;
  /** Whether a row was seen behind the largest size of a window; undefined if nobody looked. */
  readonly more?: boolean | undefined;
}

export interface Cut {
  /** In the order of time. */
  readonly parts: readonly Stretch[];
  /** Whether the parts have far more rows than the whole was said to have. */
  readonly odd: boolean;
}

export type CountRows = (span: Span) => Promise<RowCount>;

/**
 * Cuts a stretch that has more than `size` rows into smaller ones, by asking how many rows equal parts of its time
 * have; small neighbours are put together again. Counts are about right: the service's bounds may or may not
 * include the neighbouring milliseconds. That is enough for planning, and nothing else is made of it. A total alone
 * never makes a cut: a row must be there behind the size of a window, or an absurd total would cut without end.
 *
 * @returns the stretch alone where it is not to be cut; a part whose count is 0 has no rows by the service's own word
 */
export async function cut({ span, count, more }: Stretch, size: number, countRows: CountRows): Promise<Cut> {
  const length = span.to - span.from + 1;
  const isKnown = count !== undefined && (more !== undefined || count <= size || length === 1);
  const counted = isKnown ? { total: count, more: more === true } : await countRows(span);
  if (counted.total === undefined || !counted.more || length === 1) {
    return { parts: [{ span, count: counted.total }], odd: false };
  }
  // A total may be capped below the rows that are there.
  const whole = Math.max(counted.total, size + 1);
  const pieces = Math.min(MOST_PIECES, Math.max(2, Math.ceil(whole / size)), length);
  const spans = Array.from({ length: pieces }, (_, at) => ({
    from: span.from + Math.floor((length * at) / pieces),
    to: span.from + Math.floor((length * (at + 1)) / pieces) - 1,
  }));
  const counts = await Promise.all(spans.slice(0, -1).map(countRows));
  const known = counts.reduce((sum, { total }) => sum + (total ?? 0), 0);
  // Parts that hold twice the whole: the whole was not counted to its end, or nothing is counted at all.
  const odd = known > 2 * whole + pieces;
  // At least 1: what follows from counts that are about right proves no emptiness.
  const parts = spans.map((part, at) => ({
    span: part,
    count: counts[at]?.total ?? Math.max(1, whole - known),
    more: counts[at]?.more,
  }));
  return { parts: join(parts, size), odd };
}

type Part = Stretch & { readonly count: number };

function join(parts: readonly Part[], size: number): Stretch[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (before && !before.more && !part.more && before.count + part.count <= size) {
      joined[joined.length - 1] = {
        span: { from: before.span.from, to: part.span.to },
        count: before.count + part.count,
      };
    } else joined.push(part);
  }
  return joined;
}

/** What of `range` no span covers; `spans` do not overlap. */
export function gaps(range: Span, spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  let from = range.from;
  for (const span of [...spans].sort((left, right) => left.from - right.from)) {
    if (span.from > from) found.push({ from, to: span.from - 1 });
    from = span.to + 1;
  }
  if (from <= range.to) found.push({ from, to: range.to });
  return found;
}
