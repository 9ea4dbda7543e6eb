import { ledgers } from '../api/ledgers.ts';
import type { Client } from '../client/client.ts';
import type { ListPage } from '../client/envelope.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import type { JsonRecord } from '../core/json.ts';
import type { OpenSpan } from '../core/span.ts';
import { LARGEST_PAGE } from './ledger-source.ts';
import { addTotal, type OnProgress, type ReadSummary, readPages } from './pages.ts';
import { RowCheck } from './row-check.ts';
import { identityOf } from './rows.ts';

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
  readonly client: Client;
  readonly filters: LedgerFilters;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all ledgers that match a query, oldest first. In this order, new legs appear at the end and do not shift pages. Each id
 * is returned once. `summary` is complete after the last ledger.
 *
 * @throws CryptodataError `FILTER_IGNORED` if the service returns a leg that a filter excludes
 */
export async function* readLedgers(
  { client, filters, onProgress }: ReadOptions,
  summary: ReadSummary,
): AsyncGenerator<JsonRecord> {
  yield* readPages(overlappingPages(client, filters, summary), summary, { onProgress });
}

/**
 * Reads the pages of a query. Each page should start with the last row of the previous page. If a page starts with a different
 * row, rows were inserted or deleted, so rows may be missing or repeated. Only an empty page ends the list, because the
 * service's total may be too small.
 */
async function* overlappingPages(
  client: Client,
  filters: LedgerFilters,
  summary: ReadSummary,
): AsyncGenerator<ListPage> {
  const query = { ...filters, sortBy: 'timestamp', sortOrder: 'asc' } as const;
  const check = new RowCheck(ledgers, filters);
  const pageAt = async (offset: number, limit: number) => {
    const page = await client.ledgers
      .list({ ...query, offset, limit })
      .asServed()
      .page();
    check.check(page.rows);
    return page;
  };
  let read = 0;
  let last: unknown;
  for (;;) {
    const page = await pageAt(Math.max(0, read - 1), LARGEST_PAGE);
    const [first] = page.rows;
    const joins = read > 0 && identityOf(first) === identityOf(last);
    if (read > 0 && !joins) summary.reordered = true;
    const rows = joins ? page.rows.slice(1) : page.rows;
    yield { ...page, rows };
    read += rows.length;
    last = rows.at(-1) ?? last;
    const reached = page.total !== undefined && read >= page.total;
    // Without this check, reading would never end if the service kept repeating rows.
    if (read > 2 * summary.rows + LARGEST_PAGE) return;
    if (rows.length > 0 && (!reached || page.rows.length >= LARGEST_PAGE)) continue;
    const beyond = await pageAt(read, 1);
    addTotal(summary, beyond.total);
    if (beyond.rows.length === 0) return;
  }
}
