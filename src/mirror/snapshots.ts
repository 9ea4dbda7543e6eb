import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceClient } from '../client/client.ts';
import { Claim } from '../core/claim.ts';
import { CryptodataError } from '../core/errors.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { newSummary, type OnProgress, type ReadSummary, readPages, whyUnverified } from '../read/pages.ts';
import { readTransactions, verdictOn } from '../read/transactions.ts';
import type { NewFile } from './ledgers.ts';
import type { Snapshot, SnapshotName } from './manifest.ts';

export interface ReadSnapshot {
  readonly client: ServiceClient;
  readonly directory: string;
  readonly now: () => number;
  readonly onProgress?: OnProgress;
}

export interface NewSnapshot {
  readonly snapshot: Snapshot;
  /** The file with the records; undefined if the list is empty. */
  readonly file: NewFile | undefined;
  /** Whether the rows or the totals indicate that the list changed during the read. */
  readonly changed: boolean;
}

/** Number of characters to buffer before a write. */
const CHUNK = 256 * 1024;

/** Reads a whole list and writes its records to a file, unchanged and one per line. */
export async function readSnapshot(name: SnapshotName, options: ReadSnapshot): Promise<NewSnapshot> {
  const { directory, now } = options;
  const readAt = new Date(now()).toISOString();
  const summary = newSummary();
  const path = join(directory, `${name}.jsonl`);
  const { rows, bytes, sha256 } = await writeLines(path, recordsOf(name, options, summary));
  const at = new Date(now()).toISOString();
  const { claim, changed } = verdictFor(name, summary, readAt, at);
  const { verified, why } = claim;
  const file = `${name}/${readAt.slice(0, 10).replaceAll('-', '')}-${sha256.slice(0, 16)}.jsonl`;
  return {
    snapshot: {
      files: rows === 0 ? [] : [{ file, rows, bytes, sha256 }],
      ...{ rows, total: summary.firstTotal ?? null, verified, why: why ?? null, readAt },
      countsVerifiedAt: verified ? at : null,
      idsVerifiedAt: verified ? readAt : null,
      contentsVerifiedAt: verified ? readAt : null,
    },
    file: rows === 0 ? undefined : { path, file },
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

async function writeLines(path: string, records: AsyncIterable<JsonRecord>) {
  const hash = createHash('sha256');
  let [rows, bytes] = [0, 0];
  let pending = '';
  const attempt = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  const file = await attempt(() => open(path, 'w'));
  const flush = async () => {
    const data = Buffer.from(pending);
    pending = '';
    hash.update(data);
    bytes += data.length;
    await attempt(() => file.appendFile(data));
  };
  try {
    for await (const record of records) {
      rows += 1;
      pending += `${stringifyJson(record)}\n`;
      if (pending.length >= CHUNK) await flush();
    }
    await flush();
  } finally {
    await file.close();
  }
  return { rows, bytes, sha256: hash.digest('hex') };
}
