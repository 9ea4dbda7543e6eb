import { isRecord, type JsonRecord, stringifyJson } from '../base/json.ts';
import type { Client } from '../client/client.ts';
import type { ListPage } from '../client/envelope.ts';
import type { TransactionFilters } from '../client/resources/transactions.ts';
import { compareTotal, doubt, idOf, type OnProgress, type Reading, readPages } from './reading.ts';

export interface ReadTransactions {
  readonly client: Client;
  readonly filters: TransactionFilters;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all transactions of a query. The specification shows no order to ask for, so that one which arrives meanwhile
 * may shift the others: each id is given once, and the first page is read again at the end (`moved` where it changed).
 */
export async function* readTransactions(
  { client, filters, onProgress }: ReadTransactions,
  reading: Reading,
): AsyncGenerator<JsonRecord> {
  const listing = client.transactions.list(filters).asServed();
  let first: string | undefined;
  async function* pages(): AsyncGenerator<ListPage> {
    for await (const page of listing.pages()) {
      first ??= fingerprint(page);
      yield page;
    }
  }
  yield* readPages(pages(), reading, { onProgress });
  const again = await listing.page();
  compareTotal(reading, again.total);
  reading.moved = fingerprint(again) !== first;
}

function fingerprint({ rows }: ListPage): string {
  return rows.map((row) => (isRecord(row) ? idOf(row) : undefined) ?? stringifyJson(row)).join('\n');
}

/**
 * What can be said of the reading. Without a total of the service nothing proves that rows are not missing; that rows
 * came twice, or that the first page changed, shows that the list moved while it was read.
 */
export function verdictOn(reading: Readonly<Reading>): {
  readonly verified: boolean;
  /** Why it is not verified. */
  readonly why?: string;
  /** Whether something shows that the list moved. */
  readonly moved: boolean;
} {
  const why = doubt(reading, 'transactions');
  if (why === undefined) return { verified: true, moved: false };
  if (reading.firstTotal !== undefined) return { verified: false, why, moved: true };
  const seen = [
    ...(reading.repeated > 0 ? [`${reading.repeated.toLocaleString('en')} rows came twice`] : []),
    ...(reading.moved ? ['the first page held other rows at the end'] : []),
  ];
  return seen.length > 0
    ? { verified: false, why: `the list moved while it was read (${seen.join('; ')})`, moved: true }
    : { verified: false, why, moved: false };
}
