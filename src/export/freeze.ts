import { timeOf } from '../api/ledgers.ts';
import type { ListPage } from '../client/envelope.ts';
import type { Span } from '../core/span.ts';
import type { LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { identityOf } from '../read/rows.ts';

/** The range of an export, fixed by the first requests. Rows that arrive later are not exported. */
export interface Frozen {
  /** First and last time; undefined if the rows cannot be split by time and are read as one list. */
  readonly range: Span | undefined;
  /** The service's total for the range, which includes rows up to one millisecond outside the range. */
  readonly total: number | undefined;
  /** Time of the freeze, as ISO 8601. */
  readonly at: string;
  /** Ids of the most recently created rows. The service lists newer rows before these rows. */
  readonly newest: readonly string[];
}

/** Maximum number of attempts to freeze the range. An attempt fails if rows are deleted in the meantime. */
const TRIES = 3;

/** Requests the last row, then the first row, the total, and the most recently created rows. */
export async function freeze(
  source: LedgerSource,
  selection: LedgerSelection,
  now: () => number,
): Promise<Frozen> {
  for (let tries = 1; ; tries++) {
    const { frozen, whole } = await tryToFreeze(source, selection, now);
    if (whole) return frozen;
    // If there are rows after the supposed last row, the service does not filter or sort by time.
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
  // Accept a total of 0 only if the page is also empty.
  if (total === undefined || (total === 0 && rows.length === 0)) return { frozen: list, whole: true };
  if (to === undefined || to < (span.from ?? Number.NEGATIVE_INFINITY)) {
    return { frozen: { ...list, newest: idsOf(await source.newest(undefined, 0)) }, whole: true };
  }
  const upTo = { from: span.from ?? sent.startTime ?? Number.NEGATIVE_INFINITY, to };
  const [oldest, made] = await Promise.all([source.page(upTo, 0, 1), source.newest(upTo, 0)]);
  const first = wholeTimeOf(oldest.rows[0]);
  const from = first === undefined ? undefined : Math.max(first, upTo.from);
  const range = from === undefined || from > to ? undefined : { from, to };
  // Rows that are earlier than the supposed first row show that the service does not order the list by time.
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
