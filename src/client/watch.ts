import { accountId } from '../api/integrations.ts';
import { NAMED_SYNC_STATES, sync } from '../api/syncs.ts';
import { CryptodataError, NotFoundError, ServiceError, TimeoutError, UpstreamError } from '../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { unlessAborted } from '../core/network.ts';
import { isTransient } from '../core/retry.ts';
import { LONGEST_TIMER } from '../core/sleep.ts';
import type { Clock } from './gate.ts';
import {
  type CallOptions,
  checkOptions,
  type IntegrationsWatchOptions,
  type StatusChange,
  type SyncWatchOptions,
  type WatchOptions,
} from './options.ts';
import { visible } from './text.ts';

function statusOf({ status }: JsonRecord): string | undefined {
  return typeof status === 'string' ? status : undefined;
}

/**
 * Implements `client.integrations.watch`.
 *
 * @param list returns the connected accounts
 */
export async function* watchIntegrations(
  list: (call: CallOptions) => AsyncIterable<unknown>,
  clock: Clock,
  ids: readonly string[] = [],
  { syncedSince, ...options }: IntegrationsWatchOptions = {},
): AsyncGenerator<StatusChange> {
  const accounts = new WatchedAccounts(ids, syncedSince);
  const look = async (call: CallOptions) => {
    const records: unknown[] = [];
    for await (const row of list(call)) records.push(row);
    const changes = accounts.see(records, clock.now());
    return { value: changes, changed: changes.length > 0 };
  };
  for await (const changes of poll(look, clock, options)) {
    yield* changes;
    if (accounts.settled) return;
  }
}

/**
 * Implements `client.syncs.watch`.
 *
 * @param read returns the record of the sync
 */
export async function* watchSync(
  read: (call: CallOptions) => Promise<JsonRecord>,
  clock: Clock,
  id: string,
  { until = [], ...options }: SyncWatchOptions = {},
): AsyncGenerator<StatusChange> {
  const ends = new Set<string | undefined>([...NAMED_SYNC_STATES, ...until]);
  let shown: string | undefined;
  let previous: string | undefined;
  const look = async (call: CallOptions) => {
    const record = await read(call);
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

/** The terminal statuses in section "Integration status" of the specification. */
export const SETTLED_STATUSES: readonly string[] = ['COMPLETED', 'FAILED', 'INACTIVE', 'DELETED'];

/**
 * Whether an account has reached a terminal status. An account that is `COMPLETED` must also have synced since `syncedSince`.
 * Uploaded files and custom wallets never sync, so for them `COMPLETED` is enough.
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
  /** Number of consecutive polls in which this account was missing from the list. */
  readonly missed: number;
}

export class WatchedAccounts {
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

  see(rows: readonly unknown[], time: number): StatusChange[] {
    const found = new Map<string, JsonRecord>();
    for (const row of rows) {
      const id = isRecord(row) ? accountId(row) : undefined;
      // Reject an account without an id. If this account were skipped, the wait could end too early.
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

  #move(id: string, now: Seen, time: number): StatusChange | undefined {
    const before = this.#seen.get(id);
    this.#seen.set(id, now);
    const { status, record } = now;
    const settled = (seen: Seen) => isSettled(seen.record, seen.status, this.#syncedSince);
    if (before && before.status === status && settled(before) === settled(now)) return undefined;
    return { time, id, status, previous: before?.status, record };
  }
}

/**
 * Treats an account as deleted if two polls in a row do not find it. After the status `DELETING`, one poll is enough. Any other
 * status needs two polls: a poll can miss an existing row if rows are removed while the list is being read.
 */
function absent({ status, record, missed }: Seen): Seen {
  return status === 'DELETING' || missed > 0
    ? { status: 'DELETED', record, missed: 0 }
    : { status, record, missed: missed + 1 };
}

function noId(row: unknown): CryptodataError {
  return new UpstreamError(
    'BAD_RECORD',
    `A connected account has no id: ${visible(stringifyJson(row), 200)}`,
    {
      hint: 'An account without an id cannot be watched. To show the records, use `integrations.list()`.',
    },
  );
}

function noSuchAccounts(ids: readonly string[]): CryptodataError {
  const named = ids.map((id) => JSON.stringify(visible(id, 100))).join(', ');
  return new NotFoundError('NO_SUCH_INTEGRATION', `No connected account has the id ${named}`, {
    hint: 'To list the ids (walletId or id), use `integrations.list()`. The account may have been deleted.',
  });
}

interface Poll<T> {
  readonly value: T;
  /** Whether anything has changed since the last poll. After a change, the next poll follows soon. */
  readonly changed: boolean;
}

/** Milliseconds between polls at the start and after a change. The interval grows after each poll that finds no change. */
const FIRST_PAUSE = 1000;
const GROWTH = 1.5;
const LONGEST_PAUSE = 30_000;
/** Number of consecutive failed polls after which waiting fails. The transport retries each poll before it counts as failed. */
const PATIENCE = 5;
/** Milliseconds by which the last poll may exceed the timeout. */
const GRACE = 5000;

/**
 * Polls until the caller leaves the loop. The interval is short after a change, and grows while nothing changes. Respects rate
 * limits, and retries after temporary failures. When `timeout` ends, polls once more.
 *
 * @throws TimeoutError `WAIT_TIMED_OUT` if the caller does not leave the loop after this last poll
 * @throws the error of a poll, if this error is permanent or if too many polls in a row have failed
 */
export async function* poll<T>(
  look: (call: CallOptions) => Promise<Poll<T>>,
  clock: Clock,
  options: WatchOptions = {},
): AsyncGenerator<T> {
  checkOptions({ retries: options.retries });
  const { timeout, signal, retries, headers, onHiccup } = options;
  const patience = retries === undefined ? PATIENCE : retries + 1;
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeout;
  let pause = FIRST_PAUSE;
  let failures = 0;
  let reached = false;
  for (let last = timeout === 0; ; ) {
    const limit = limited(deadline - clock.now(), signal);
    let wait: number;
    try {
      const { value, changed } = await look({
        signal: limit,
        headers,
        retries: retries === undefined ? undefined : 0,
      });
      yield value;
      reached = true;
      failures = 0;
      wait = changed ? FIRST_PAUSE : pause;
    } catch (error) {
      if (!(error instanceof CryptodataError) || signal?.aborted) throw error;
      if (limit !== signal && limit?.aborted) throw timedOut(timeout, error);
      failures += 1;
      if (!isTransient(error, reached) || failures >= patience) throw error;
      const asked = (error instanceof ServiceError && error.retryAfter) || 0;
      wait = Math.min(Math.max(pause, asked * 1000), LONGEST_TIMER);
      onHiccup?.(error, Math.max(0, Math.min(wait, deadline - clock.now())));
    }
    if (last) throw timedOut(timeout);
    pause = Math.min(LONGEST_PAUSE, wait * GROWTH);
    const left = deadline - clock.now();
    last = wait >= left;
    await unlessAborted(clock.sleep(Math.max(0, Math.min(wait, left)), signal), signal);
  }
}

/** Returns a signal that aborts {@link GRACE} milliseconds after the remaining time ends, or earlier if `signal` aborts. */
function limited(left: number, signal: AbortSignal | undefined): AbortSignal | undefined {
  const ms = Math.max(0, Math.ceil(left)) + GRACE;
  if (ms > LONGEST_TIMER) return signal;
  const limit = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

function timedOut(timeout = 0, cause?: unknown): CryptodataError {
  return new TimeoutError('WAIT_TIMED_OUT', `Timed out after ${timeout / 1000} s of waiting`, {
    hint: 'Nothing was cancelled. Wait again, or use a longer timeout.',
    cause,
  });
}
