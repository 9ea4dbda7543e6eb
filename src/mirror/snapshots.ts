import { join } from 'node:path';
import type { ServiceClient } from '../client/client.ts';
import { Claim } from '../core/claim.ts';
import { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { newSummary, type OnProgress, type ReadSummary, readPages, whyUnverified } from '../read/pages.ts';
import { readTransactions, verdictOn } from '../read/transactions.ts';
import type { NewFile } from './leg-packer.ts';
import { writeListFile } from './list-rows.ts';
import type { Snapshot, SnapshotName } from './manifest.ts';

export interface ReadSnapshot {
  readonly client: ServiceClient;
  readonly directory: string;
  /** Returns the path in the mirror for a file of the list. */
  readonly nameOf: (table: SnapshotName) => string;
  readonly now: () => number;
  readonly onProgress?: OnProgress;
  readonly onRecord?: ((record: JsonRecord) => void) | undefined;
}

export interface NewSnapshot {
  readonly snapshot: Snapshot;
  /** The file with the records; undefined if the list is empty. */
  readonly file: NewFile | undefined;
  /** Whether the rows or the totals indicate that the list changed during the read. */
  readonly changed: boolean;
}

/** Reads a whole list and writes its records to a file. */
export async function readSnapshot(name: SnapshotName, options: ReadSnapshot): Promise<NewSnapshot> {
  const { directory, nameOf, now } = options;
  const readAt = new Date(now()).toISOString();
  const summary = newSummary();
  const path = join(directory, `${name}.parquet`);
  const names: unknown[] = [];
  async function* records() {
    for await (const record of recordsOf(name, options, summary)) {
      if (name === 'integrations') names.push(record['alias'] || record['walletId'] || record['id']);
      options.onRecord?.(record);
      yield record;
    }
  }
  const content = await writeListFile(path, name, records());
  const tags = name === 'integrations' ? { accounts: JSON.stringify(names) } : {};
  const written = { file: nameOf(name), ...content, tags };
  const { rows } = content;
  const at = new Date(now()).toISOString();
  const { claim, changed } = verdictFor(name, summary, readAt, at);
  const { verified, why } = claim;
  return {
    snapshot: {
      ...{ rows, total: summary.firstTotal ?? null, verified, why: why ?? null, readAt },
      countsVerifiedAt: verified ? at : null,
      idsVerifiedAt: verified ? readAt : null,
      contentsVerifiedAt: verified ? readAt : null,
    },
    file: rows === 0 ? undefined : { path, written },
    changed,
  };
}

/**
 * Whether the service's number of transactions still equals the total in the snapshot. Sends one request. Returns false after an
 * error, because a read of the list reports the error.
 */
export async function hasSameTotal(client: ServiceClient, { total }: Snapshot): Promise<boolean> {
  if (total === null) return false;
  // Also check that the page after the last transaction is empty, because the total may be capped.
  const query = { extra: { limit: '1', offset: String(total) } };
  try {
    const page = await client.transactions.list(query).asServed().page();
    return page.total === total && page.rows.length === 0;
  } catch (error) {
    if (error instanceof CryptodataError) return false;
    throw error;
  }
}

function recordsOf(
  name: SnapshotName,
  { client, onProgress }: ReadSnapshot,
  summary: ReadSummary,
): AsyncGenerator<JsonRecord> {
  const progress = onProgress && { onProgress };
  if (name === 'transactions') return readTransactions({ client, filters: {}, ...progress }, summary);
  return readPages(client[name].list().asServed().pages({ toTheEnd: true }), summary, { ...progress });
}

function verdictFor(name: SnapshotName, summary: Readonly<ReadSummary>, readAt: string, at: string) {
  if (name === 'transactions') return verdictOn(summary, { by: 'two reads', t0: readAt, t1: at });
  const why = whyUnverified(summary, name);
  return {
    claim: why === undefined ? Claim.verified({ by: 'count', readAt }) : Claim.not(why),
    changed: why !== undefined && summary.firstTotal !== undefined,
  };
}
