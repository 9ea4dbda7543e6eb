import type { Span } from '../core/span.ts';
import type { RowCount } from '../read/ledger-source.ts';

/** Maximum number of rows per window. A window that cannot be split may exceed this limit. */
const LARGEST_WINDOW = 16_000;
const SMALLEST_WINDOW = 2000;
/** Maximum number of parts per split. */
const MOST_PIECES = 16;

/**
 * Returns the maximum number of rows per window. A small export has small windows, so that several of them can be read in
 * parallel.
 */
export function windowSize(total: number): number {
  return Math.min(LARGEST_WINDOW, Math.max(SMALLEST_WINDOW, Math.ceil(total / 30)));
}

export interface Stretch {
  readonly span: Span;
  /** Approximate number of rows, if known. */
  readonly count: number | undefined;
  /** Whether the span has more rows than fit in a window; undefined if this was not checked. */
  readonly more?: boolean | undefined;
}

export interface Cut {
  /** Ordered by time. */
  readonly parts: readonly Stretch[];
  /** Whether the counts of the parts add up to far more rows than the whole span has. */
  readonly inconsistent: boolean;
}

export type CountRows = (span: Span) => Promise<RowCount>;

/**
 * Splits a span with more than `size` rows into parts of equal duration, counts the rows of each part, and joins small
 * neighbouring parts. The counts are approximate, because the service may also count rows just outside a span. A span is
 * split only if the service also returns a row at the offset `size`. Relying only on the total could cause endless splits,
 * because the total may be wrong.
 *
 * @returns the parts, or the whole span if it is not split. A count of 0 means that the service reports no rows.
 */
export async function splitSpan(
  { span, count, more }: Stretch,
  size: number,
  countRows: CountRows,
): Promise<Cut> {
  const length = span.to - span.from + 1;
  const isKnown = count !== undefined && (more !== undefined || count <= size || length === 1);
  const counted = isKnown ? { total: count, more: more === true } : await countRows(span);
  if (counted.total === undefined || !counted.more || length === 1) {
    return { parts: [{ span, count: counted.total }], inconsistent: false };
  }
  // The service may cap the total, so the real number of rows may be higher.
  const whole = Math.max(counted.total, size + 1);
  const pieces = Math.min(MOST_PIECES, Math.max(2, Math.ceil(whole / size)), length);
  const spans = Array.from({ length: pieces }, (_, at) => ({
    from: span.from + Math.floor((length * at) / pieces),
    to: span.from + Math.floor((length * (at + 1)) / pieces) - 1,
  }));
  const counts = await Promise.all(spans.slice(0, -1).map(countRows));
  const known = counts.reduce((sum, { total }) => sum + (total ?? 0), 0);
  // If the counts of the parts add up to more than twice the total, the total is capped or meaningless.
  const inconsistent = known > 2 * whole + pieces;
  // The last part is not counted, so assume that it has at least one row.
  const parts = spans.map((part, at) => ({
    span: part,
    count: counts[at]?.total ?? Math.max(1, whole - known),
    more: counts[at]?.more,
  }));
  return { parts: join(parts, size), inconsistent };
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

/** Returns the parts of `range` that no span covers. The spans must not overlap. */
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
