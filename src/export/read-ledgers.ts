import type { JsonRecord } from '../base/json.ts';
import type { Client } from '../client/client.ts';
import type { LedgerFilters } from '../client/resources/ledgers.ts';
import { compareTotal, type OnProgress, type Reading, readPages } from './reading.ts';

export interface ReadOptions {
  readonly client: Client;
  readonly filters: LedgerFilters;
  readonly onProgress?: OnProgress;
}

/** The largest page that GET /v1/ledgers gives ("Paging and size bounds"). */
const LARGEST_PAGE = 200;

/**
 * Reads all ledgers of a query, oldest first, so that a leg that arrives meanwhile comes at the end and shifts
 * nothing. Each id is given once. `reading` says in the end whether what was read can be vouched for.
 */
export async function* readLedgers(
  { client, filters, onProgress }: ReadOptions,
  reading: Reading,
): AsyncGenerator<JsonRecord> {
  const query = { ...filters, sortBy: 'timestamp', sortOrder: 'asc', limit: LARGEST_PAGE } as const;
  yield* readPages(client.ledgers.list(query).asServed().pages(), reading, onProgress);
  compareTotal(reading, (await client.ledgers.list({ ...filters, limit: 1 }).page()).total);
}
