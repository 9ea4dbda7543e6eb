import { timeOf } from '../api/ledgers.ts';
import { identityOf } from '../core/identity.ts';
import type { Span } from '../core/span.ts';
import type { LedgerSelection, LedgerSource } from '../read/ledger-source.ts';

/** The time range of an export, fixed by the first requests. Rows outside the range are not exported. */
export interface Frozen {
  /**
   * The requested period, so that rows added during the export before its first row or after its last row are exported too. If
   * the period has no end, or ends in the future, the range ends with the last row. `from` is -Infinity if the period has no
   * start. Undefined if the rows are read as one list, because they cannot be split by time.
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
