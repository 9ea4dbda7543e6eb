import { timeOf } from '../api/ledgers.ts';
import { identityOf } from '../core/identity.ts';
import type { Span } from '../core/span.ts';
import type { LedgerSelection, LedgerSource, RowCount } from '../read/ledger-source.ts';

/** The time range of an export, fixed by the first requests. Rows outside the range are not exported. */
export interface Frozen {
  /**
   * The requested period, not only the part that has rows. Rows that are added before the first row, or after the last row,
   * during the export are also exported. If the period has no end, or ends in the future, the range ends with the last row.
   * `from` is -Infinity if the period has no start. Undefined if the rows are not split by time, because a time is missing or
   * wrong.
   */
  readonly range: Span | undefined;
  /** The part of the range that has rows. */
  readonly filled: Span | undefined;
  /** The service's total for the range. The total may include rows up to one millisecond outside the range. */
  readonly total: number | undefined;
  /** Time of the freeze, as ISO 8601. */
  readonly at: string;
  /** Ids of the most recently created rows. Rows that are created later come before these rows in the service's list. */
  readonly newest: readonly string[];
}

/** Maximum number of attempts to freeze the range. An attempt fails if rows are deleted during the attempt. */
const TRIES = 3;

/** Requests the last row, the first row, the most recently created rows and the total. */
export async function freeze(
  source: LedgerSource,
  selection: LedgerSelection,
  now: () => number,
): Promise<Frozen> {
  for (let tries = 1; ; tries++) {
    const { frozen, whole } = await tryToFreeze(source, selection, now);
    if (whole) return frozen;
    // If the totals still contradict each other, the service does not filter or sort by time.
    if (tries >= TRIES) return { ...frozen, range: undefined, filled: undefined };
  }
}

async function tryToFreeze(
  source: LedgerSource,
  { span, sent }: LedgerSelection,
  now: () => number,
): Promise<{ frozen: Frozen; whole: boolean }> {
  const time = now();
  const { rows, total } = await source.latest();
  const list = { range: undefined, filled: undefined, total, at: new Date(time).toISOString(), newest: [] };
  const last = wholeTimeOf(rows[0]);
  // Trust a total of 0 only if the page has no rows.
  if (total === undefined || (total === 0 && rows.length === 0)) return { frozen: list, whole: true };
  const asked = {
    from: span.from ?? sent.startTime ?? Number.NEGATIVE_INFINITY,
    to: span.to ?? sent.endTime,
  };
  const end = last === undefined ? undefined : Math.min(last, asked.to ?? last);
  if (end === undefined || end < asked.from) {
    return { frozen: { ...list, newest: await newestIds(source, undefined) }, whole: true };
  }
  const range = { from: asked.from, to: asked.to !== undefined && asked.to < time ? asked.to : end };
  const [oldest, newest] = await Promise.all([source.page(range, 0, 1), newestIds(source, range)]);
  const first = wholeTimeOf(oldest.rows[0]);
  const filled =
    first === undefined || first > end ? undefined : { from: Math.max(range.from, first), to: end };
  // A total of `filled` below the total of `range` shows that the service does not sort by time.
  const counted = filled && (await source.total(filled));
  const { total: all } = oldest;
  return {
    frozen: { ...list, range: filled && range, filled, total: all, newest },
    whole: all !== undefined && all >= total && (counted === undefined || counted >= all),
  };
}

function wholeTimeOf(row: unknown): number | undefined {
  const time = timeOf(row);
  return time === undefined ? undefined : Math.floor(time);
}

/** Returns the ids of the first page of the most recently created rows. */
async function newestIds(source: LedgerSource, range: Span | undefined): Promise<string[]> {
  for await (const { rows } of source.newest(range)) return rows.map(identityOf);
  return [];
}

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
