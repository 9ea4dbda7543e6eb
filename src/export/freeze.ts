import type { ListPage } from '../client/envelope.ts';
import type { Span } from '../core/span.ts';
import type { LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { identityOf, timeOf } from '../read/rows.ts';

/** What an export is of, from its first question on: what arrives later is no part of it. */
export interface Frozen {
  /** First and last moment; undefined where the rows cannot be cut by time, and are read as one list. */
  readonly range: Span | undefined;
  /** The service's total of it, neighbours of the range included. */
  readonly total: number | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Ids of the rows that the service had made last: rows that are made later come before these. */
  readonly newest: readonly string[];
}

/** Tries to freeze: one may be spoilt by rows that go meanwhile. */
const TRIES = 3;

/** Asks for the last row, then for the first one, the total, and the rows that were made last. */
export async function freeze(
  source: LedgerSource,
  selection: LedgerSelection,
  now: () => number,
): Promise<Frozen> {
  for (let tries = 1; ; tries++) {
    const { frozen, whole } = await tryToFreeze(source, selection, now);
    if (whole) return frozen;
    // Not all rows are up to what should be the last one: this service cannot be asked by time.
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
  // A total alone says nothing: 0 may stand beside rows.
  if (total === undefined || (total === 0 && rows.length === 0)) return { frozen: list, whole: true };
  if (to === undefined || to < (span.from ?? Number.NEGATIVE_INFINITY)) {
    return { frozen: { ...list, newest: idsOf(await source.newest(undefined, 0)) }, whole: true };
  }
  const upTo = { from: span.from ?? sent.startTime ?? Number.NEGATIVE_INFINITY, to };
  const [oldest, made] = await Promise.all([source.page(upTo, 0, 1), source.newest(upTo, 0)]);
  const first = wholeTimeOf(oldest.rows[0]);
  const from = first === undefined ? undefined : Math.max(first, upTo.from);
  const range = from === undefined || from > to ? undefined : { from, to };
  // From the first row on there must be as many as there are at all: else they did not come in the order of time.
  const counted = range === undefined ? undefined : await source.total(range);
  return {
    frozen: { ...list, range, total: counted ?? oldest.total, newest: idsOf(made) },
    whole: (oldest.total ?? 0) >= total && (counted === undefined || counted >= (oldest.total ?? 0)),
  };
}

function wholeTimeOf(row: unknown): number | undefined {
  const time = timeOf(row);
  return time === undefined ? undefined : Math.floor(time);
}

function idsOf({ rows }: ListPage): string[] {
  return rows.map(identityOf);
}
