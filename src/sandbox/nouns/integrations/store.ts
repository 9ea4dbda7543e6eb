// Connected accounts and their states. The specification defines only the transitions of a removal. In the sandbox, a sync has
// the state QUEUED, then SYNCING, then COMPLETED or FAILED. A script can set any other order. The specification does not define
// how fast states change. By default, an operation moves to its next state when a client reads the list, or after some time.

import type { Clock } from '../../core/clock.ts';
import type { EventKind } from '../../events/kinds.ts';
import type { Provider } from '../providers/entities.ts';
import { createRun, type Run, readScript, type SavedRun, type Script, savedRunReader } from '../../core/script.ts';
import { checked, count, flag, listOf, mapOf, nullable, object, type Saved } from '../../core/readers.ts';
import { type Connection, connectedAccount } from './accounts.ts';
import { type Integration, readIntegration, readStatusStep, type Status, webhookObject } from './entities.ts';

/** A status, or a status with an error message. */
export type StatusStep = Status | { readonly status: Status; readonly errorMessage?: string };
export type StatusScript = Script<StatusStep>;
/** The operation that starts a planned script. */
export type Occasion = 'resync' | 'delete';

export interface IntegrationStore {
  /** Reads the accounts for a client. The read may move running operations to their next state. */
  look(): Integration[];
  /** Reads the accounts without moving any operation to its next state. */
  list(): Integration[];
  /** Starts a script. Returns false if the account does not exist. */
  script(walletId: string, script: StatusScript): boolean;
  /** Plans a script for the next sync or removal. Returns false if the account does not exist. */
  plan(walletId: string, occasion: Occasion, script: StatusScript): boolean;
  /**
   * Connects an account and sends integration.created. Then starts `script`. If `script` is omitted, starts the first sync,
   * but only for an `api` account.
   */
  connect(connection: Connection, script?: StatusScript): Integration;
  /** Sets the status of an account to the status of its scripted sync. */
  follow(walletId: string, status: Status, errorMessage?: string): void;
  /** Starts the removal of accounts. Returns the ids of accounts that cannot be removed. */
  remove(walletIds: readonly string[]): string[];
  /** Syncs all accounts. Returns the ids of accounts that cannot be synced, or undefined if a sync is already running. */
  resync(): string[] | undefined;
  reset(): void;
  save(): SavedIntegrations;
  restore(saved: SavedIntegrations): void;
}

export interface IntegrationStoreOptions {
  readonly accounts: readonly Integration[];
  readonly clock: Clock;
  /** Default duration of a state, in milliseconds of the sandbox's clock. */
  readonly pace: number;
  readonly provider: (id: string) => Provider | undefined;
  /** The id of the nth connected account. */
  readonly newWalletId: (count: number) => string;
  /** Number of transactions that the account has gained since the start; negative if it has lost transactions. */
  readonly addedSince: (walletId: string) => number;
  readonly emit: (event: EventKind, data: object) => void;
  /** Called when the last running sync ends, if at least one sync has completed since the previous call. */
  readonly synced: () => void;
}

const SYNC_RUNNING: readonly Status[] = ['QUEUED', 'SYNCING'];
const UPSTREAM_FAILS = 'The provider does not answer';

interface Account {
  shown: Integration;
  run: Run<StatusStep> | undefined;
}

export function createIntegrationStore(options: IntegrationStoreOptions): IntegrationStore {
  const { clock, pace, provider, newWalletId, addedSince, emit, synced } = options;
  let accounts = new Map<string, Account>();
  let planned = new Map<string, StatusScript>();
  let connected = 0;
  let toRecalculate = false;

  const present = () => [...accounts.values()].filter(({ shown }) => shown.status !== 'DELETED');
  const list = () => present().map(({ shown }) => counted(shown));

  /** Counts the transactions on demand, because most callers do not need the number. */
  function counted(shown: Integration): Integration {
    const { walletId, totalTransactions } = shown;
    return {
      ...shown,
      get totalTransactions() {
        return totalTransactions + addedSince(walletId);
      },
    };
  }

  function look(): Integration[] {
    for (const { run } of present()) run?.look();
    return list();
  }

  function enter(account: Account, status: Status, message?: string): void {
    const { errorMessage: known, ...before } = account.shown;
    const errorMessage = status === 'FAILED' ? (message ?? known) : undefined;
    const ended = SYNC_RUNNING.includes(before.status) && !SYNC_RUNNING.includes(status);
    account.shown = {
      ...before,
      status,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      ...(ended && status === 'COMPLETED' ? { lastSyncedAt: clock.now() } : {}),
    };
    if (before.status !== status) notify(account.shown, before.status);
    if (!ended) return;
    toRecalculate ||= status === 'COMPLETED';
    if (!toRecalculate || list().some((one) => SYNC_RUNNING.includes(one.status))) return;
    toRecalculate = false;
    synced();
  }

  /** Sends an event when a sync ends, and at each step of a removal. */
  function notify(shown: Integration, before: Status): void {
    const kind = kindOf(shown.status, before);
    if (kind !== undefined) emit(kind, webhookObject(counted(shown)));
  }

  function start(
    account: Account,
    script: StatusScript,
    byLooks?: boolean,
    saved?: SavedRun<StatusStep>,
  ): void {
    account.run?.stop();
    account.run = createRun(script, {
      clock,
      ...(byLooks === undefined ? {} : { byLooks }),
      ...(saved === undefined ? {} : { saved }),
      entered: (step) => {
        const { status, errorMessage } = typeof step === 'string' ? { status: step } : step;
        enter(account, status, errorMessage);
      },
    });
  }

  /** Starts the script that is planned for the operation. Without a script, the operation has the default states. */
  function begin(account: Account, occasion: Occasion, usual: StatusScript['states']): void {
    const key = `${occasion} ${account.shown.walletId}`;
    const script = planned.get(key);
    planned.delete(key);
    if (script === undefined) start(account, { states: usual, every: pace }, true);
    else start(account, script);
  }

  function syncOf({ shown }: Account): StatusScript['states'] {
    // Spec: a provider that is not working can be connected, but its syncs will likely fail.
    return provider(shown.providerId)?.isWorking === false
      ? ['QUEUED', 'SYNCING', { status: 'FAILED', errorMessage: UPSTREAM_FAILS }]
      : ['QUEUED', 'SYNCING', 'COMPLETED'];
  }

  function script(walletId: string, given: StatusScript): boolean {
    const account = accounts.get(walletId);
    if (account !== undefined) start(account, given);
    return account !== undefined;
  }

  function plan(walletId: string, occasion: Occasion, given: StatusScript): boolean {
    if (accounts.has(walletId)) planned.set(`${occasion} ${walletId}`, given);
    return accounts.has(walletId);
  }

  function connect(connection: Connection, given?: StatusScript): Integration {
    // Skip the ids of accounts in the user's data.
    while (accounts.has(newWalletId(connected))) connected += 1;
    const shown = connectedAccount(connection, {
      walletId: newWalletId(connected),
      provider: provider(connection.providerId),
      now: clock.now(),
    });
    connected += 1;
    const account: Account = { shown, run: undefined };
    const [first] = given?.states ?? [shown.status];
    account.shown = { ...shown, status: typeof first === 'string' ? first : first.status };
    accounts.set(shown.walletId, account);
    emit('integration.created', webhookObject(account.shown));
    if (given !== undefined) start(account, given);
    else if (shown.type === 'api') start(account, { states: syncOf(account), every: pace }, true);
    return account.shown;
  }

  function follow(walletId: string, status: Status, errorMessage?: string): void {
    const account = accounts.get(walletId);
    if (account === undefined) return;
    account.run?.stop();
    account.run = undefined;
    // A sync that ends immediately still passes through SYNCING.
    if (!SYNC_RUNNING.includes(account.shown.status)) enter(account, 'SYNCING');
    enter(account, status, errorMessage);
  }

  function remove(walletIds: readonly string[]): string[] {
    return walletIds.filter((walletId) => {
      const account = accounts.get(walletId);
      const status = account?.shown.status;
      if (account === undefined || status === 'DELETED' || status === 'DELETING') return true;
      begin(account, 'delete', ['DELETING', 'DELETED']);
      return false;
    });
  }

  function resync(): string[] | undefined {
    const all = present();
    if (all.some(({ shown }) => SYNC_RUNNING.includes(shown.status))) return undefined;
    // Syncing is disabled for INACTIVE accounts. Uploaded, manual and DELETING accounts have nothing to sync.
    const toSync = all.filter(({ shown }) => shown.type === 'api' && shown.status !== 'DELETING');
    const able = toSync.filter(({ shown }) => shown.status !== 'INACTIVE');
    for (const account of able) begin(account, 'resync', syncOf(account));
    return toSync.filter((account) => !able.includes(account)).map(({ shown }) => shown.walletId);
  }

  function clear(): void {
    for (const { run } of accounts.values()) run?.stop();
  }

  function reset(): void {
    clear();
    accounts = new Map(options.accounts.map((shown) => [shown.walletId, { shown, run: undefined }]));
    planned = new Map();
    connected = 0;
    toRecalculate = false;
  }

  reset();
  function save(): SavedIntegrations {
    return {
      accounts: [...accounts.values()].map(({ shown, run }) => ({ shown, run: run?.save() ?? null })),
      planned: Object.fromEntries(planned),
      connected,
      toRecalculate,
    };
  }

  function restore(saved: SavedIntegrations): void {
    clear();
    accounts = new Map(saved.accounts.map(({ shown }) => [shown.walletId, { shown, run: undefined }]));
    for (const { shown, run } of saved.accounts) {
      const account = accounts.get(shown.walletId);
      if (run !== null && account !== undefined) start(account, run.script, run.byLooks, run);
    }
    planned = new Map(Object.entries(saved.planned));
    ({ connected, toRecalculate } = saved);
  }

  return { look, list, script, plan, connect, follow, remove, resync, reset, save, restore };
}

export const readSavedIntegrations = object({
  accounts: listOf(object({ shown: readIntegration, run: nullable(savedRunReader(readStatusStep)) })),
  /** Planned scripts. The key is the operation and the account. */
  planned: mapOf(checked((given) => readScript(given, readStatusStep))),
  connected: count,
  toRecalculate: flag,
});
export type SavedIntegrations = Saved<typeof readSavedIntegrations>;

/**
 * A failed removal sends integration.deleted, because the specification (Event kinds) lists the status of this event as
 * "DELETING then DELETED or FAILED". Only a failed sync sends integration.failed.
 */
function kindOf(status: Status, before: Status): EventKind | undefined {
  if (status === 'DELETING' || status === 'DELETED') return 'integration.deleted';
  if (status === 'FAILED') return before === 'DELETING' ? 'integration.deleted' : 'integration.failed';
  return SYNC_RUNNING.includes(status) ? undefined : 'integration.updated';
}
