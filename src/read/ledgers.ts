import { ledgers, timeOf } from '../api/ledgers.ts';
import type { ServiceClient } from '../client/client.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { isRefusedPage, type WalkedPage } from '../client/paging.ts';
import type { JsonRecord } from '../core/json.ts';
import type { OpenSpan } from '../core/span.ts';
import { plural } from '../core/text.ts';
import { type OnProgress, type ReadSummary, RowCheck, readPages } from './pages.ts';

/**
 * Adds time bounds to filters. The specification does not define whether `startTime` and `endTime` are inclusive, so the
 * requested span is one millisecond longer at each end. The caller must drop rows outside the original span.
 */
export function withSpan<F extends LedgerFilters>(
  filters: F,
  span: OpenSpan,
  { startTime, endTime }: Pick<LedgerFilters, 'startTime' | 'endTime'>,
) {
  return {
    ...filters,
    startTime: span.from === undefined ? startTime : span.from - 1,
    endTime: span.to === undefined ? endTime : span.to + 1,
  };
}

export interface ReadOptions {
  readonly client: ServiceClient;
  readonly filters: LedgerFilters;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all ledgers that match a query, oldest first. In this order, new legs appear at the end and do not shift pages. Each id
 * is returned once. `summary` is complete after the last ledger.
 *
 * @throws CryptodataError `FILTER_IGNORED` if the service returns a leg that a filter excludes
 */
export function readLedgerList(
  { client, filters, onProgress }: ReadOptions,
  summary: ReadSummary,
): AsyncGenerator<JsonRecord> {
  const check = new RowCheck(ledgers, filters);
  const listing = client.ledgers.list({ ...filters, sortBy: 'timestamp', sortOrder: 'asc' }).asServed();
  // The service's total may be too small, so read to the end.
  const pages = listing.pages({ toTheEnd: true, overlap: timeOf });
  let latest = Number.NEGATIVE_INFINITY;
  const onPage = ({ fresh }: WalkedPage) => {
    for (const time of fresh.map(timeOf)) {
      if (time === undefined) continue;
      if (time < latest) summary.unsorted = true;
      latest = time;
    }
  };
  return readPages(pages, summary, { check, onPage, onProgress });
}

/** The latest time that a date can have, in Unix milliseconds. */
const LATEST = 8.64e15;

/**
 * Returns a sentence, without the full stop, if the service counts some legs only in requests without time bounds. Such legs
 * have no time.
 *
 * @param to the end of the legs that were read
 */
export async function untimedOmitted(client: ServiceClient, to: number): Promise<string | undefined> {
  const total = async (endTime?: number) =>
    (await client.ledgers.list({ endTime }).asServed().page({ limit: 1 })).total ?? 0;
  let timed = 0;
  try {
    timed = await total(LATEST);
  } catch (error) {
    if (isRefusedPage(error)) return undefined;
    throw error;
  }
  const all = await total();
  // Legs may have been added after the first request.
  const omitted = all > timed ? all - (await total(LATEST)) : 0;
  // If a later end selects fewer legs, the service does not support such a late end.
  if (omitted <= 0 || timed < (await total(to))) return undefined;
  return `the service omits ${plural(omitted, 'leg', 'legs')} without a time from every period`;
}
