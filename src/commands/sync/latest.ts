import type { Note } from '../../cli/outcome.ts';
import type { Client } from '../../client/client.ts';
import type { LedgerFilters } from '../../client/nouns.ts';
import { CryptodataError, partialError } from '../../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import { remarks } from './columns.ts';

/** The unchanged record of a sync, and its id. */
export type LatestSync = JsonRecord & { readonly syncId: string };

/** The latest known sync of each account. A newer sync is not found if it produced no leg. */
export interface LatestSyncs {
  readonly byAccount: ReadonlyMap<string, LatestSync>;
  /** Accounts that have synced, but whose latest sync is unknown. */
  readonly unknown: number;
  /** The reason of the first failed request. */
  readonly why: string | undefined;
}

/** Pages of 200 legs to read across all accounts, and then for each provider with accounts still missing. */
const PAGES = 2;
const PAGES_PER_PROVIDER = 3;
const PARALLEL = 8;

/**
 * Finds the latest known sync of each account: accounts do not name their syncs, but legs do (`syncId`). The work is
 * bounded. After a failed request (missing scope, deleted sync), the syncs of its accounts stay unknown.
 */
export async function latestSyncs(
  client: Client,
  accounts: readonly JsonRecord[],
  signal: AbortSignal,
): Promise<LatestSyncs> {
  // If `lastSyncedAt` is 0, the account never synced, so it has no sync to look for.
  const synced = accounts.filter(({ walletId, lastSyncedAt }) => isText(walletId) && lastSyncedAt !== 0);
  const wanted = new Set(synced.map(({ walletId }) => String(walletId)));
  const ids = new Map<string, string>();
  let why: string | undefined;
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CryptodataError) || ENDING.has(error.kind)) throw error;
      why ??= error.message;
    }
  };
  const read = async (pages: number, filters: LedgerFilters) => {
    for await (const { rows } of newest(client, filters, signal)) {
      for (const row of rows) {
        const { walletId, syncId } = isRecord(row) ? row : {};
        if (!isText(walletId) || !isText(syncId) || !wanted.has(walletId) || ids.has(walletId)) continue;
        ids.set(walletId, syncId);
      }
      pages -= 1;
      if (pages <= 0 || rows.length === 0 || ids.size === wanted.size) return;
    }
  };
  if (wanted.size > 0) await attempt(() => read(PAGES, {}));
  if (why === undefined) {
    const missing = synced.filter(({ walletId }) => !ids.has(String(walletId)));
    const providers = new Set(missing.map(({ providerId }) => providerId).filter(isText));
    await inParallel([...providers], (id) => attempt(() => read(PAGES_PER_PROVIDER, { providers: [id] })));
  }
  const records = new Map<string, LatestSync>();
  await inParallel([...new Set(ids.values())], (syncId) =>
    attempt(async () => {
      records.set(syncId, { syncId, ...(await client.syncs.getAsServed(syncId, { signal })) });
    }),
  );
  const byAccount = new Map(
    [...ids].flatMap(([walletId, syncId]): [string, LatestSync][] => {
      const record = records.get(syncId);
      return record === undefined ? [] : [[walletId, record]];
    }),
  );
  return { byAccount, unknown: wanted.size - byAccount.size, why };
}

/** Errors after which no more requests are sent: a missing login, and Ctrl-C. */
const ENDING: ReadonlySet<string> = new Set(['auth', 'interrupted']);

/** Sorted by the time of storage, newest first, because a new sync may import old transactions. */
function newest(client: Client, filters: LedgerFilters, signal: AbortSignal) {
  const order = { sortBy: 'createdAt', sortOrder: 'desc', limit: 200 } as const;
  return client.ledgers
    .list({ ...filters, ...order }, { signal })
    .asServed()
    .pages();
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const workers = Array.from({ length: Math.min(PARALLEL, queue.length) }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  });
  await Promise.all(workers);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether a sync dropped records: they failed, or the sync reached the workspace limit. */
export function droppedRecords({ status, recordsFailed, limitReached }: JsonRecord): boolean {
  const failed = isExactNumber(recordsFailed) ? recordsFailed.value : (recordsFailed ?? 0);
  return status === 'partially_synced' || Number(failed) > 0 || limitReached === true;
}

/** Warns about accounts whose latest sync is unknown, so that they are not mistaken for complete. */
export function unknownNotes({ unknown, why }: LatestSyncs): Note[] {
  if (unknown === 0) return [];
  const of = unknown === 1 ? '1 account' : `${unknown.toLocaleString('en')} accounts`;
  const reason = why === undefined ? 'no recent leg names it' : why;
  const text = `The latest sync of ${of} is unknown: ${reason}. These accounts may have dropped records even if COMPLETED.`;
  return [{ text: showText(text) }];
}

/** `partially_synced` is a success with failed records ("Partial success is not an error"). */
export function partialSyncError(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'partially_synced') return undefined;
  const hint =
    record['limitReached'] === true
      ? 'The remaining records are missing from the books: the workspace accepts no more transactions.'
      : 'The failed records are missing from the books, although the account shows COMPLETED.';
  return partialError(withRemarks('The sync is partial', record), { hint }, 'PARTIALLY_SYNCED');
}

export function cancelledSyncError(record: JsonRecord): CryptodataError | undefined {
  if (record['status'] !== 'cancelled') return undefined;
  const hint = 'Start a new sync of every account: cryptodata sync resync-all.';
  return partialError(withRemarks('The sync was cancelled', record), { hint }, 'SYNC_CANCELLED');
}

function withRemarks(what: string, record: JsonRecord): string {
  const more = remarks(record);
  return more.length === 0 ? what : `${what}: ${more.join('; ')}`;
}
