import type { Client } from '../client/client.ts';
import type { ListPage } from '../client/envelope.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import type { JsonRecord } from '../core/json.ts';
import { LARGEST_PAGE } from './ledger-source.ts';
import { compareTotal, type OnProgress, type Reading, readPages } from './reading.ts';
import { RowCheck } from './row-check.ts';
import { identityOf } from './rows.ts';

export interface ReadOptions {
  readonly client: Client;
  readonly filters: LedgerFilters;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all ledgers of a query, oldest first, so that a leg that arrives meanwhile comes at the end and shifts
 * nothing. Each id is given once. `reading` says in the end whether what was read can be trusted.
 *
 * @throws CryptodataError `FILTER_IGNORED` for a leg that a filter excludes
 */
export async function* readLedgers(
  { client, filters, onProgress }: ReadOptions,
  reading: Reading,
): AsyncGenerator<JsonRecord> {
  yield* readPages(overlappingPages(client, filters, reading), reading, { onProgress });
}

/**
 * The pages of a query, each asked for one row early: that row must be the last one of the page before. Where it is
 * another, rows were put in or taken out before it, and with an offset alone that would lose or double rows unseen.
 * The last page is an empty one: a total may be less than the rows.
 */
async function* overlappingPages(
  client: Client,
  filters: LedgerFilters,
  reading: Reading,
): AsyncGenerator<ListPage> {
  const query = { ...filters, sortBy: 'timestamp', sortOrder: 'asc' } as const;
  const check = new RowCheck(filters);
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
    if (read > 0 && !joins) reading.moved = true;
    const rows = joins ? page.rows.slice(1) : page.rows;
    yield { ...page, rows };
    read += rows.length;
    last = rows.at(-1) ?? last;
    const reached = page.total !== undefined && read >= page.total;
    // A service that repeats its rows has no end.
    if (read > 2 * reading.rows + LARGEST_PAGE) return;
    if (rows.length > 0 && (!reached || page.rows.length >= LARGEST_PAGE)) continue;
    const beyond = await pageAt(read, 1);
    compareTotal(reading, beyond.total);
    if (beyond.rows.length === 0) return;
  }
}
