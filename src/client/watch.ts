import { integrations } from '../api/integrations.ts';
import { NAMED_SYNC_STATES, sync } from '../api/syncs.ts';
import { type CryptodataError, NotFoundError, UpstreamError } from '../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import type { CallOptions, Change, IntegrationsWatchOptions, SyncWatchOptions } from './options.ts';
import { poll } from './poll.ts';
import type { Service } from './service.ts';
import { visible } from './text.ts';

export function statusOf({ status }: JsonRecord): string | undefined {
  return typeof status === 'string' ? status : undefined;
}

/**
 * Yields each change of the accounts with these ids (default: all), starting with the current status. Ends when
 * every account is `COMPLETED`, `FAILED`, `INACTIVE` or deleted. An account that is no longer in the list is reported as
 * `DELETED`.
 *
 * @throws TimeoutError `WAIT_TIMED_OUT`; NotFoundError for an id that is unknown at the start
 */
export async function* watchIntegrations(
  service: Service,
  ids: readonly string[] = [],
  { syncedSince, ...options }: IntegrationsWatchOptions = {},
): AsyncGenerator<Change> {
  const { clock } = service.transport;
  const accounts = new Accounts(ids, syncedSince);
  const look = async (call: CallOptions) => {
    const records: unknown[] = [];
    for await (const row of service.list(integrations, {}, call).asServed()) records.push(row);
    const changes = accounts.see(records, clock.now());
    return { value: changes, changed: changes.length > 0 };
  };
  for await (const changes of poll(look, clock, options)) {
    yield* changes;
    if (accounts.settled) return;
  }
}

/**
 * Yields each change of a sync, starting with its current state, until the sync ends. Sync states and integration statuses are
 * separate sets of values, and are never compared.
 *
 * @throws CryptodataError `WAIT_TIMED_OUT`
 */
export async function* watchSync(
  service: Service,
  id: string,
  { until = [], ...options }: SyncWatchOptions = {},
): AsyncGenerator<Change> {
  const ends = new Set<string | undefined>([...NAMED_SYNC_STATES, ...until]);
  const { clock } = service.transport;
  let shown: string | undefined;
  let previous: string | undefined;
  const look = async (call: CallOptions) => {
    const record = await service.read(sync, [id], call);
    const fields = stringifyJson(Object.keys(sync.record).map((name) => record[name]));
    const changed = fields !== shown;
    shown = fields;
    return { value: { record, changed }, changed };
  };
  for await (const { record, changed } of poll(look, clock, options)) {
    const status = statusOf(record);
    if (changed) yield { time: clock.now(), id, status, previous, record };
    if (ends.has(status)) return;
    previous = status;
  }
}

/** "Integration status": statuses that do not change by themselves. */
export const SETTLED_STATUSES: readonly string[] = ['COMPLETED', 'FAILED', 'INACTIVE', 'DELETED'];

/**
 * Whether the status of an account no longer changes by itself. `COMPLETED` counts only if the account has synced since
 * `syncedSince`, except for uploaded files and custom wallets, which never sync.
 */
export function isSettled(record: JsonRecord, status: string | undefined, syncedSince?: number): boolean {
  if (status === undefined || !SETTLED_STATUSES.includes(status)) return false;
  const { lastSyncedAt, type, isCustomWallet } = record;
  if (syncedSince === undefined || status !== 'COMPLETED' || type === 'csv' || isCustomWallet === true)
    return true;
  return typeof lastSyncedAt === 'number' && lastSyncedAt >= syncedSince;
}

interface Seen {
  readonly status: string | undefined;
  readonly record: JsonRecord;
  /** Number of consecutive polls without this account in the list. */
  readonly missed: number;
}

/** The accounts to wait for. */
export class Accounts {
  readonly #wanted: ReadonlySet<string>;
  readonly #seen = new Map<string, Seen>();

  readonly #syncedSince: number | undefined;

  constructor(ids: readonly string[], syncedSince?: number) {
    this.#wanted = new Set(ids);
    this.#syncedSince = syncedSince;
  }

  get settled(): boolean {
    return [...this.#seen.values()].every(
      ({ status, record, missed }) => missed === 0 && isSettled(record, status, this.#syncedSince),
    );
  }

  see(rows: readonly unknown[], time: number): Change[] {
    const found = new Map<string, JsonRecord>();
    for (const row of rows) {
      const id = isRecord(row) ? idOf(row['walletId']) : undefined;
      // If an account without an id were skipped, the wait might end too early.
      if (!isRecord(row) || id === undefined) throw noId(row);
      if (this.#wanted.size === 0 || this.#wanted.has(id)) found.set(id, row);
    }
    const unknown = [...this.#wanted].filter((id) => !found.has(id) && !this.#seen.has(id));
    if (unknown.length > 0) throw noSuchAccounts(unknown);
    const present = [...found].map(([id, record]) =>
      this.#move(id, { status: statusOf(record), record, missed: 0 }, time),
    );
    const gone = [...this.#seen].flatMap(([id, seen]) =>
      found.has(id) || seen.status === 'DELETED' ? [] : [this.#move(id, absent(seen), time)],
    );
    return [...present, ...gone].filter((change) => change !== undefined);
  }

  #move(id: string, now: Seen, time: number): Change | undefined {
    const before = this.#seen.get(id);
    this.#seen.set(id, now);
    const { status, record } = now;
    const settled = (seen: Seen) => isSettled(seen.record, seen.status, this.#syncedSince);
    if (before && before.status === status && settled(before) === settled(now)) return undefined;
    return { time, id, status, previous: before?.status, record };
  }
}

/**
 * An account that is absent from two lists in a row was deleted. If the last status was `DELETING`, one absence is enough. For
 * any other status, one absence proves nothing: a row may be skipped if another row is removed while the list is read.
 */
function absent({ status, record, missed }: Seen): Seen {
  return status === 'DELETING' || missed > 0
    ? { status: 'DELETED', record, missed: 0 }
    : { status, record, missed: missed + 1 };
}

/** An id as text. The id may be a number of any length. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' ? String(value) : undefined;
}

function noId(row: unknown): CryptodataError {
  return new UpstreamError(
    'BAD_RECORD',
    `A connected account has no walletId: ${visible(stringifyJson(row), 200)}`,
    {
      hint: 'The command cannot wait for an account without an id. To show the records: cryptodata integrations list --json',
    },
  );
}

function noSuchAccounts(ids: readonly string[]): CryptodataError {
  const named = ids.map((id) => JSON.stringify(visible(id, 100))).join(', ');
  return new NotFoundError('NO_SUCH_INTEGRATION', `No connected account has the id ${named}`, {
    hint: 'To list the ids (walletId): cryptodata integrations list. The account may already be deleted.',
  });
}
