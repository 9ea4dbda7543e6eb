import { isRecord, type JsonRecord } from '../base/json.ts';
import type { Client } from '../client/client.ts';
import type { LedgerFilters } from '../client/resources/ledgers.ts';

/** What was read, held against what the service says there is. */
export interface Reading {
  /** Different legs that were read. */
  rows: number;
  /** Rows that came again and were left out. */
  repeated: number;
  /** The service's total with the first page. */
  firstTotal: number | undefined;
  /** The first total that was another than that, on a later page or once more after the last. */
  otherTotal: number | undefined;
}

export function startReading(): Reading {
  return { rows: 0, repeated: 0, firstTotal: undefined, otherTotal: undefined };
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
  const seen = new Set<string>();
  const query = { ...filters, sortBy: 'timestamp', sortOrder: 'asc', limit: LARGEST_PAGE } as const;
  for await (const page of client.ledgers.list(query).asServed().pages()) {
    compareTotal(reading, page.total);
    for (const row of page.rows) {
      if (!isRecord(row)) continue;
      const { id } = row;
      if (typeof id === 'string') {
        if (seen.has(id)) {
          reading.repeated += 1;
          continue;
        }
        seen.add(id);
      }
      reading.rows += 1;
      yield row;
    }
    onProgress?.(reading);
  }
  compareTotal(reading, (await client.ledgers.list({ ...filters, limit: 1 }).page()).total);
}

function compareTotal(reading: Reading, total: number | undefined): void {
  reading.firstTotal ??= total;
  if (total !== reading.firstTotal) reading.otherTotal ??= total;
}

/**
 * Why the reading cannot be vouched for; undefined where it can. A total that moved is enough: a leg that went
 * and one that was passed over for it would leave the count as it was.
 */
export function doubt({ rows, firstTotal, otherTotal }: Readonly<Reading>): string | undefined {
  if (firstTotal === undefined) return 'the service gives no total to hold the rows against';
  const count = (number: number) => number.toLocaleString('en');
  if (otherTotal !== undefined)
    return `the service's total went from ${count(firstTotal)} to ${count(otherTotal)} meanwhile`;
  if (rows === firstTotal) return undefined;
  return `the service says there are ${count(firstTotal)} legs, and ${count(rows)} different ones were read`;
}
