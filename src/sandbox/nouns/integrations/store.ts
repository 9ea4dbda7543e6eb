// Connected accounts and their states. The specification defines only the transitions of a removal. In the sandbox, a sync has
// the state QUEUED, then SYNCING, then COMPLETED or FAILED. A script can set any other order. The specification does not define
// how fast states change. By default, an operation moves to its next state when a client reads the list, or after some time.

import type { SandboxTime } from '../../core/clock.ts';
import { Collection } from '../../core/collection.ts';
import { type Saved, shape } from '../../core/readers.ts';
import {
  createRun,
  type SavedRun,
  type ScriptRun,
  type StateScript,
  savedRunReader,
  scriptReader,
} from '../../core/script.ts';
import type { EmittedKind } from '../../events/kinds.ts';
import type { CatalogueProvider } from '../providers/catalogue.ts';
import { accountOf, type Connection } from './accounts.ts';
import {
  type ConnectedAccount,
  type ConnectionStatus,
  readIntegration,
  readStatusStep,
  type StatusStep,
  webhookObject,
} from './entities.ts';

const { count, flag, listOf, mapOf, nullable, object } = shape;

export type StatusScript = StateScript<StatusStep>;
/** The operation that starts a planned script. */
export type Occasion = 'resync' | 'delete';

export type IntegrationStore = ReturnType<typeof createIntegrationStore>;

export interface IntegrationStoreOptions {
  readonly accounts: readonly ConnectedAccount[];
  readonly clock: SandboxTime;
  /** Default duration of a state, in milliseconds of the sandbox's clock. */
  readonly pace: number;
  readonly provider: (id: string) => CatalogueProvider | undefined;
  /** The id of the nth connected account. */
  readonly newWalletId: (count: number) => string;
  /** Number of transactions that the account has gained since the start; negative if it has lost transactions. */
  readonly addedSince: (walletId: string) => number;
  readonly emit: (event: EmittedKind, data: object) => void;
  /** Called when the last running sync ends, if at least one sync has completed since the previous call. */
  readonly synced: () => void;
}

const SYNC_RUNNING: readonly ConnectionStatus[] = ['QUEUED', 'SYNCING'];
const UPSTREAM_FAILS = 'The provider does not answer';

interface Account {
  shown: ConnectedAccount;
  run: ScriptRun<StatusStep> | undefined;
}

export function createIntegrationStore(options: IntegrationStoreOptions) {
  const { clock, pace, provider, newWalletId, addedSince, emit, synced } = options;
  const fresh = (shown: ConnectedAccount) => [shown.walletId, { shown, run: undefined }] as const;
  const accounts = new Collection<Account>();
  /** Planned scripts, by operation and account. */
  const planned = new Collection<StatusScript>();
  let connected = 0;
  let toRecalculate = false;

  const present = () => accounts.values().filter(({ shown }) => shown.status !== 'DELETED');
  /** Reads the accounts without moving any operation to its next state. */
  const list = () => present().map(({ shown }) => counted(shown));

  /** Counts the transactions on demand, because most callers do not need the number. */
  function counted(shown: ConnectedAccount): ConnectedAccount {
    const { walletId, totalTransactions } = shown;
    return {
      ...shown,
      get totalTransactions() {
        return totalTransactions + addedSince(walletId);
      },
    };
  }

  /** Reads the accounts for a client. The read may move running operations to their next state. */
  function look(): ConnectedAccount[] {
    for (const { run } of present()) run?.look();
    return list();
  }

  function enter(account: Account, status: ConnectionStatus, message?: string): void {
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
  function notify(shown: ConnectedAccount, before: ConnectionStatus): void {
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
      ...{ clock, byLooks, saved },
      entered: (step) => {
        const { status, errorMessage } = typeof step === 'string' ? { status: step } : step;
        enter(account, status, errorMessage);
      },
    });
  }

  /** Starts the script that is planned for the operation. Without a script, the operation has the default states. */
  function begin(account: Account, occasion: Occasion, usual: StatusScript['states']): void {
    const key = `${occasion} ${account.shown.walletId}`;
    const script = planned.take(key);
    if (script === undefined) start(account, { states: usual, every: pace }, true);
    else start(account, script);
  }

  function syncOf({ shown }: Account): StatusScript['states'] {
    // Spec: a provider that is not working can be connected, but its syncs will likely fail.
    return provider(shown.providerId)?.isWorking === false
      ? ['QUEUED', 'SYNCING', { status: 'FAILED', errorMessage: UPSTREAM_FAILS }]
      : ['QUEUED', 'SYNCING', 'COMPLETED'];
  }

  /** Starts a script. Returns false if the account does not exist. */
  function script(walletId: string, given: StatusScript): boolean {
    const account = accounts.get(walletId);
    if (account !== undefined) start(account, given);
    return account !== undefined;
  }

  /** Plans a script for the next sync or removal. Returns false if the account does not exist. */
  function plan(walletId: string, occasion: Occasion, given: StatusScript): boolean {
    if (accounts.has(walletId)) planned.put(`${occasion} ${walletId}`, given);
    return accounts.has(walletId);
  }

  /**
   * Connects an account and sends integration.created. Then starts `script`. If `script` is omitted, starts the first sync,
   * but only for an `api` account.
   */
  function connect(connection: Connection, given?: StatusScript): ConnectedAccount {
    // Skip the ids of accounts in the user's data.
    while (accounts.has(newWalletId(connected))) connected += 1;
    const { providerId, alias = '', publicAddress = '', type = 'api' } = connection;
    const shown: ConnectedAccount = {
      ...accountOf(providerId, newWalletId(connected), provider(providerId)),
      ...{ isCustomWallet: false, publicAddress, alias, addedOn: clock.now(), type },
      status: type === 'api' ? 'QUEUED' : 'COMPLETED',
    };
    connected += 1;
    const account: Account = { shown, run: undefined };
    const [first] = given?.states ?? [shown.status];
    account.shown = { ...shown, status: typeof first === 'string' ? first : first.status };
    accounts.put(shown.walletId, account);
    emit('integration.created', webhookObject(account.shown));
    if (given !== undefined) start(account, given);
    else if (shown.type === 'api') start(account, { states: syncOf(account), every: pace }, true);
    return account.shown;
  }

  /** Sets the status of an account to the status of its scripted sync. */
  function follow(walletId: string, status: ConnectionStatus, errorMessage?: string): void {
    const account = accounts.get(walletId);
    if (account === undefined) return;
    account.run?.stop();
    account.run = undefined;
    // A sync that ends immediately still passes through SYNCING.
    if (!SYNC_RUNNING.includes(account.shown.status)) enter(account, 'SYNCING');
    enter(account, status, errorMessage);
  }

  /** Starts the removal of accounts. Returns the ids of accounts that cannot be removed. */
  function remove(walletIds: readonly string[]): string[] {
    return walletIds.filter((walletId) => {
      const account = accounts.get(walletId);
      const status = account?.shown.status;
      if (account === undefined || status === 'DELETED' || status === 'DELETING') return true;
      begin(account, 'delete', ['DELETING', 'DELETED']);
      return false;
    });
  }

  /** Syncs all accounts. Returns the ids of accounts that cannot be synced, or undefined if a sync is already running. */
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
    accounts.restore(options.accounts.map(fresh));
    planned.reset();
    connected = 0;
    toRecalculate = false;
  }

  reset();
  function save(): SavedIntegrations {
    return {
      accounts: accounts.values().map(({ shown, run }) => ({ shown, run: run?.save() ?? null })),
      planned: Object.fromEntries(planned.entries()),
      connected,
      toRecalculate,
    };
  }

  function restore(saved: SavedIntegrations): void {
    clear();
    accounts.restore(saved.accounts.map(({ shown }) => fresh(shown)));
    for (const { shown, run } of saved.accounts) {
      const account = accounts.get(shown.walletId);
      if (run !== null && account !== undefined) start(account, run.script, run.byLooks, run);
    }
    planned.restore(Object.entries(saved.planned));
    ({ connected, toRecalculate } = saved);
  }

  return { look, list, provider, script, plan, connect, follow, remove, resync, reset, save, restore };
}

export const readSavedIntegrations = object({
  accounts: listOf(object({ shown: readIntegration, run: nullable(savedRunReader(readStatusStep)) })),
  /** Planned scripts. The key is the operation and the account. */
  planned: mapOf(scriptReader(readStatusStep)),
  connected: count,
  toRecalculate: flag,
});
export type SavedIntegrations = Saved<typeof readSavedIntegrations>;

/**
 * A failed removal sends integration.deleted, because the specification (Event kinds) lists the status of this event as
 * "DELETING then DELETED or FAILED". Only a failed sync sends integration.failed.
 */
function kindOf(status: ConnectionStatus, before: ConnectionStatus): EmittedKind | undefined {
  if (status === 'DELETING' || status === 'DELETED') return 'integration.deleted';
  if (status === 'FAILED') return before === 'DELETING' ? 'integration.deleted' : 'integration.failed';
  return SYNC_RUNNING.includes(status) ? undefined : 'integration.updated';
}
