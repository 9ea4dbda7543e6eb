import { joinOf } from '../api/endpoint.ts';
import { accountJoin, accountName, maySync } from '../api/integrations.ts';
import { droppedRecords } from '../api/syncs.ts';
import type { Note } from '../cli/outcome.ts';
import type { ServiceClient } from '../client/client.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { CryptodataError, partialError } from '../core/errors.ts';
import { DAY } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { plural, showText, someOf } from '../core/text.ts';
import { withoutKnownId } from './accounts.ts';
import { remarks } from './sync-columns.ts';

/** A sync record from the service, with the added field `syncId`. */
export type LatestSync = JsonRecord & { readonly syncId: string };

/** The latest sync of each account. A sync is found by the `syncId` of its legs, so a sync without legs is missing. */
export interface LatestSyncs {
  readonly byAccount: ReadonlyMap<string, LatestSync>;
  /** Accounts that probably have a newer sync than `sync`. */
  readonly older: readonly { readonly account: JsonRecord; readonly sync: LatestSync }[];
  /** Number of accounts that have synced, but are in neither `byAccount` nor `older`. */
  readonly unknown: number;
  /** The known ids of the accounts in `older` and `unknown`. */
  readonly unknownIds: readonly string[];
  /** Number of accounts in `unknown` whose id occurs in no leg. */
  readonly unjoined: number;
  /** Error message of the first failed request. */
  readonly why: string | undefined;
}

/** Maximum number of pages (of 200 legs) to read for all accounts together. */
const PAGES = 2;
/** Maximum number of further pages to read for a provider, if some of its accounts still have no known sync. */
const PAGES_PER_PROVIDER = 3;
const PARALLEL = 8;

/**
 * Finds the latest sync of each account. An account record does not contain the id of a sync, but the legs of the account do
 * (`syncId`). The number of requests is bounded. If a request fails (missing scope, deleted sync), the affected syncs stay
 * unknown.
 */
export async function latestSyncs(
  client: ServiceClient,
  accounts: readonly JsonRecord[],
  signal: AbortSignal,
): Promise<LatestSyncs> {
  const everSynced = accounts.filter(maySync);
  const synced = everSynced.flatMap((account) => {
    const join = joinOf(account, accountJoin);
    return join === undefined ? [] : { ...join, account };
  });
  const wanted = new Set(synced.map(({ id }) => id));
  /** The accounts that have a leg. */
  const joined = new Set<string>();
  const ids = new Map<string, string>();
  /** For each account, the time (in Unix milliseconds) of the newest leg from the sync in `ids`. */
  const newestLegs = new Map<string, number>();
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
        const { walletId, syncId, timestamp } = isRecord(row) ? row : {};
        if (!isText(walletId) || !wanted.has(walletId)) continue;
        joined.add(walletId);
        if (!isText(syncId)) continue;
        if (!ids.has(walletId)) ids.set(walletId, syncId);
        if (ids.get(walletId) !== syncId || typeof timestamp !== 'number') continue;
        newestLegs.set(walletId, Math.max(newestLegs.get(walletId) ?? 0, timestamp));
      }
      pages -= 1;
      if (pages <= 0 || rows.length === 0 || ids.size === wanted.size) return;
    }
  };
  if (wanted.size > 0) await attempt(() => read(PAGES, {}));
  if (why === undefined) {
    const missing = synced.filter(({ id }) => !ids.has(id));
    const providers = new Set(missing.map(({ account }) => account['providerId']).filter(isText));
    await inParallel([...providers], (id) => attempt(() => read(PAGES_PER_PROVIDER, { providers: [id] })));
  }
  const records = new Map<string, LatestSync>();
  await inParallel([...new Set(ids.values())], (syncId) =>
    attempt(async () => {
      records.set(syncId, { ...(await client.syncs.getAsServed(syncId, { signal })), syncId });
    }),
  );
  const byAccount = new Map<string, LatestSync>();
  const older: LatestSyncs['older'][number][] = [];
  for (const { id, account } of synced) {
    const found = records.get(ids.get(id) ?? '');
    if (found === undefined) continue;
    if (isOlder(found, account, newestLegs.get(id))) older.push({ account, sync: found });
    else byAccount.set(id, found);
  }
  const withoutId = everSynced.length - synced.length;
  const open = synced.flatMap(({ id, isCertain }) => (isCertain || joined.has(id) ? [] : id));
  return {
    ...{ byAccount, older, why },
    unjoined: new Set(open).size + withoutId,
    unknownIds: [...wanted].filter((id) => !byAccount.has(id)),
    unknown: wanted.size - byAccount.size - older.length + withoutId,
  };
}

const JUDGED: readonly unknown[] = ['QUEUED', 'SYNCING', 'COMPLETED', 'FAILED'];

/**
 * Whether the account has probably synced again after the sync that was found. A sync record contains no time. There are two
 * signs of a later sync, and one of them is enough. The status of the account contradicts the sync that was found
 * ("partially_synced maps to COMPLETED, cancelled maps to FAILED"). Or the newest leg of that sync is more than a day older
 * than `lastSyncedAt`.
 */
function isOlder(found: LatestSync, { status, lastSyncedAt }: JsonRecord, newestLeg: number | undefined) {
  const expected = { partially_synced: 'COMPLETED', cancelled: 'FAILED' }[String(found['status'])];
  if (expected !== undefined && JUDGED.includes(status) && status !== expected) return true;
  return newestLeg !== undefined && typeof lastSyncedAt === 'number' && lastSyncedAt - newestLeg > DAY;
}

/** Kinds of errors after which no more requests are sent: the login is missing or invalid, or the user pressed Ctrl-C. */
const ENDING: ReadonlySet<string> = new Set(['auth', 'interrupted']);

/** Lists legs by the time of their import, newest first. A leg from a new sync may have an old `timestamp`. */
function newest(client: ServiceClient, filters: LedgerFilters, signal: AbortSignal) {
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

/** Warns about accounts whose latest sync is unknown. Without the warning, such accounts would look complete. */
export function unknownNotes({ older, unknown, unjoined, why }: LatestSyncs): Note[] {
  const all = older.length + unknown;
  if (all === 0) return [];
  const because = (number: number, text: string) =>
    number === all ? text : `for ${accounts(number)}, ${text}`;
  const reasons = [
    ...(older.length > 0 ? [because(older.length, 'only an older sync is known')] : []),
    ...(unjoined > 0 && why === undefined ? [withoutKnownId(unjoined)] : []),
    ...(unknown > (why === undefined ? unjoined : 0)
      ? [why ?? because(unknown - unjoined, 'no recent leg contains a sync id')]
      : []),
  ];
  const dropped = older.filter(({ sync }) => droppedRecords(sync));
  const notes = [
    `The latest sync of ${accounts(all)} is unknown: ${reasons.join('; ')}. These accounts may have dropped records even if their status is COMPLETED.`,
    ...(dropped.length > 0
      ? [
          `${accounts(dropped.length)} dropped records in an older sync: ${someOf(dropped.map(olderDrop), { by: '; ' })}.`,
        ]
      : []),
  ];
  return notes.map((text) => ({ text: showText(text) }));
}

function accounts(number: number): string {
  return plural(number, 'account', 'accounts');
}

function olderDrop({ account, sync }: LatestSyncs['older'][number]): string {
  const name = [accountName(account), `(${sync.syncId})`].join(' ').trim();
  return `${name}: ${remarks(sync).join('; ') || 'partially synced'}`;
}

/**
 * The error for a sync that was cancelled or that dropped records (exit 11). The caller also prints the sync record, because of
 * "Partial success is not an error" in the specification.
 *
 * @param flags flags to append to a suggested command, see `legFlags`
 */
export function syncError(record: JsonRecord, flags: string): CryptodataError | undefined {
  if (record['status'] === 'cancelled') {
    const hint = `Start a new sync of every account with: cryptodata sync resync-all${flags}`;
    return partialError(withRemarks('The sync was cancelled', record), { hint }, 'SYNC_CANCELLED');
  }
  if (!droppedRecords(record)) return undefined;
  const hint =
    record['limitReached'] === true
      ? 'The remaining records are missing from the books, because the workspace has reached its transaction limit.'
      : 'The failed records are missing from the books, even if the status of the account is COMPLETED.';
  return partialError(withRemarks('The sync is partial', record), { hint }, 'PARTIALLY_SYNCED');
}

function withRemarks(what: string, record: JsonRecord): string {
  const more = remarks(record);
  return more.length === 0 ? what : `${what}: ${more.join('; ')}`;
}
