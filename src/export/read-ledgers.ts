import { isRecord, type JsonRecord } from '../base/json.ts';
import type { Client } from '../client/client.ts';
import type { LedgerFilters } from '../client/resources/ledgers.ts';

/** What was read, held against what the service says there is. */
export interface Reading {
  /** Different ids that were read. */
  rows: number;
  /** Rows that came again and were left out. */
  repeated: number;
  /** The service's total with the first page, and once more after the last. */
  firstTotal: number | undefined;
  lastTotal: number | undefined;
}

export interface ReadOptions {
  readonly client: Client;
  readonly filters: LedgerFilters;
  readonly onProgress?: (reading: Readonly<Reading>) => void;
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
  const seen = new Set<unknown>();
  const query = { ...filters, sortBy: 'timestamp', sortOrder: 'asc', limit: LARGEST_PAGE } as const;
  for await (const page of client.ledgers.list(query).asServed().pages()) {
    reading.firstTotal ??= page.total;
    for (const row of page.rows) {
      if (!isRecord(row)) continue;
      if (seen.has(row['id'])) {
        reading.repeated += 1;
        continue;
      }
      seen.add(row['id']);
      reading.rows = seen.size;
      yield row;
    }
    onProgress?.(reading);
  }
  reading.lastTotal = (await client.ledgers.list({ ...filters, limit: 1 }).page()).total;
}

/** Why the reading cannot be vouched for; undefined where it can. */
export function doubt({ rows, lastTotal }: Readonly<Reading>): string | undefined {
  if (lastTotal === undefined) return 'the service gives no total to hold the rows against';
  if (rows !== lastTotal) {
    return `the service says there are ${lastTotal.toLocaleString('en')} legs, and ${rows.toLocaleString('en')} different ones were read`;
  }
  return undefined;
}
