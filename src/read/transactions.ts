import { createHash, type Hash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ListPage } from '../client/envelope.ts';
import type { TransactionFilters } from '../client/nouns.ts';
import type { JsonRecord } from '../core/json.ts';
import { compareTotal, doubt, type OnProgress, type Reading, readPages } from './reading.ts';
import { identityOf } from './rows.ts';

export interface ReadTransactions {
  readonly client: Client;
  readonly filters: TransactionFilters;
  readonly onProgress?: OnProgress;
}

/**
 * Reads all transactions of a query. The specification shows no order to ask for, so that one which arrives meanwhile
 * may shift the others: each id is given once, and all is read a second time (`moved` where it is not the same again).
 * Two reads that are alike, of as many rows as the total says, hold what there was between them. A total may be capped,
 * so that each read goes on to an empty page.
 */
export async function* readTransactions(
  { client, filters, onProgress }: ReadTransactions,
  reading: Reading,
): AsyncGenerator<JsonRecord> {
  const listing = client.transactions.list(filters).asServed();
  const first = createHash('sha256');
  async function* pages(): AsyncGenerator<ListPage> {
    for await (const page of listing.pages(undefined, true)) {
      take(first, page);
      yield page;
    }
  }
  yield* readPages(pages(), reading, { onProgress });
  const second = createHash('sha256');
  for await (const page of listing.pages(undefined, true)) {
    compareTotal(reading, page.total);
    take(second, page);
  }
  reading.moved = first.digest('hex') !== second.digest('hex');
}

function take(hash: Hash, { rows }: ListPage): void {
  for (const row of rows) hash.update(`${JSON.stringify(identityOf(row))}\n`);
}

/**
 * What can be said of the reading. Without a total of the service nothing proves that rows are not missing; that rows
 * came twice, or that the second read was another, shows that the list moved while it was read.
 *
 * @param undecided why rows may be missing although all were read
 */
export function verdictOn(
  reading: Readonly<Reading>,
  undecided?: string,
): {
  readonly verified: boolean;
  /** Why it is not verified. */
  readonly why?: string;
  /** Whether something shows that the list moved. */
  readonly moved: boolean;
} {
  const why = doubt(reading, 'transactions');
  if (undecided !== undefined && (why === undefined || reading.firstTotal === undefined))
    return { verified: false, why: undecided, moved: false };
  if (why === undefined) return { verified: true, moved: false };
  if (reading.firstTotal !== undefined) return { verified: false, why, moved: true };
  const seen = [
    ...(reading.repeated > 0 ? [`${reading.repeated.toLocaleString('en')} rows came twice`] : []),
    ...(reading.moved ? ['other rows came when it was read again'] : []),
  ];
  return seen.length > 0
    ? { verified: false, why: `the list moved while it was read (${seen.join('; ')})`, moved: true }
    : { verified: false, why, moved: false };
}
