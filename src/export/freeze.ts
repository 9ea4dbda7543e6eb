import { timeOf } from '../api/ledgers.ts';
import type { ListPage } from '../client/envelope.ts';
import type { Span } from '../core/span.ts';
import type { LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { identityOf } from '../read/rows.ts';

/** The time range of an export. The first requests determine the range. Rows outside the range are not exported. */
export interface Frozen {
  /** First and last time; undefined if the rows are read as one list, because they cannot be split by time. */
  readonly range: Span | undefined;
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
    if (tries >= TRIES) return { ...frozen, range: undefined };
  }
}

async function tryToFreeze(
  source: LedgerSource,
  { span, sent }: LedgerSelection,
  now: () => number,
): Promise<{ frozen: Frozen; whole: boolean }> {
  const at = new Date(now()).toISOString();
  const { rows, total } = await source.latest();
  const list = { range: undefined, total, at, newest: [] };
  const last = wholeTimeOf(rows[0]);
  const to = last === undefined ? undefined : Math.min(last, span.to ?? last);
  // Trust a total of 0 only if the page has no rows.
  if (total === undefined || (total === 0 && rows.length === 0)) return { frozen: list, whole: true };
  if (to === undefined || to < (span.from ?? Number.NEGATIVE_INFINITY)) {
    return { frozen: { ...list, newest: idsOf(await source.newest(undefined, 0)) }, whole: true };
  }
  const upTo = { from: span.from ?? sent.startTime ?? Number.NEGATIVE_INFINITY, to };
  const [oldest, made] = await Promise.all([source.page(upTo, 0, 1), source.newest(upTo, 0)]);
  const first = wholeTimeOf(oldest.rows[0]);
  const from = first === undefined ? undefined : Math.max(first, upTo.from);
  const range = from === undefined || from > to ? undefined : { from, to };
  // A total of `range` below the total of `upTo` shows that the service does not sort by time.
  const counted = range === undefined ? undefined : await source.total(range);
  const before = oldest.total;
  return {
    frozen: { ...list, range, total: counted ?? before, newest: idsOf(made) },
    whole: before !== undefined && before >= total && (counted === undefined || counted >= before),
  };
}

function wholeTimeOf(row: unknown): number | undefined {
  const time = timeOf(row);
  return time === undefined ? undefined : Math.floor(time);
}

function idsOf({ rows }: ListPage): string[] {
  return rows.map(identityOf);
}
