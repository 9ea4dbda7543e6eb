// Connected accounts and what becomes of them. Of the moves between states the spec shows those of a removal alone:
// the order in which a sync goes through QUEUED, SYNCING and COMPLETED or FAILED is the sandbox's own choice, and a
// script makes any other. How fast is not shown either: each look at the list moves what is under way a step, and so
// does the clock.

import type { Clock } from '../clock.ts';
import type { EventKind } from '../events/kinds.ts';
import type { Provider } from '../providers/entities.ts';
import { createRun, type Run, type Script } from '../script.ts';
import { type Connection, connectedAccount } from './accounts.ts';
import type { Integration, Status } from './entities.ts';
import { webhookObject } from './entities.ts';

/** A status by its name alone, or with why it failed. */
export type StatusStep = Status | { readonly status: Status; readonly errorMessage?: string };
export type StatusScript = Script<StatusStep>;
/** What a script can lie ready for. */
export type Occasion = 'resync' | 'delete';

export interface IntegrationStore {
  /** What a caller sees now; it moves what is under way a step on. */
  look(): Integration[];
  /** What there is, without moving anything. */
  list(): Integration[];
  /** From now on; false where there is no such account. */
  script(walletId: string, script: StatusScript): boolean;
  /** When it is next synced or removed; false where there is no such account. */
  plan(walletId: string, occasion: Occasion, script: StatusScript): boolean;
  /** A user connects an account: it is told as created, and synced. */
  connect(connection: Connection, script?: StatusScript): Integration;
  /** A sync that is told of apart has come so far. */
  follow(walletId: string, status: Status, errorMessage?: string): void;
  /** Starts removals; gives those of the ids that cannot be removed. */
  remove(walletIds: readonly string[]): string[];
  /** Starts a sync of each account, and gives those that cannot be synced; undefined while one is under way. */
  resync(): string[] | undefined;
  reset(): void;
}

export interface IntegrationStoreOptions {
  readonly accounts: readonly Integration[];
  readonly clock: Clock;
  /** Milliseconds of the clock from one state to the next where no script says otherwise. */
  readonly pace: number;
  readonly provider: (id: string) => Provider | undefined;
  /** The id of the account that is connected as the first, the second… */
  readonly newWalletId: (count: number) => string;
  /** How many transactions the account has more, or fewer, than at the start. */
  readonly cameSince: (walletId: string) => number;
  readonly emit: (event: EventKind, data: object) => void;
  /** The last of the syncs under way has ended, and one at least has brought something. */
  readonly synced: () => void;
}

const UNDER_WAY: readonly Status[] = ['QUEUED', 'SYNCING'];
const UPSTREAM_FAILS = 'The provider does not answer';

interface Account {
  shown: Integration;
  run: Run<StatusStep> | undefined;
}

export function createIntegrationStore(options: IntegrationStoreOptions): IntegrationStore {
  const { clock, pace, provider, newWalletId, cameSince, emit, synced } = options;
  let accounts = new Map<string, Account>();
  let planned = new Map<string, StatusScript>();
  let connected = 0;
  let toRecalculate = false;

  const present = () => [...accounts.values()].filter(({ shown }) => shown.status !== 'DELETED');
  const list = () => present().map(({ shown }) => counted(shown));

  /** Counted when it is looked at: many only ask whose the account is. */
  function counted(shown: Integration): Integration {
    const { walletId, totalTransactions } = shown;
    return {
      ...shown,
      get totalTransactions() {
        return totalTransactions + cameSince(walletId);
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
    const ended = UNDER_WAY.includes(before.status) && !UNDER_WAY.includes(status);
    account.shown = {
      ...before,
      status,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      ...(ended && status === 'COMPLETED' ? { lastSyncedAt: clock.now() } : {}),
    };
    if (before.status !== status) tell(account.shown, before.status);
    if (!ended) return;
    toRecalculate ||= status === 'COMPLETED';
    if (!toRecalculate || list().some((one) => UNDER_WAY.includes(one.status))) return;
    toRecalculate = false;
    synced();
  }

  /** Only ends of syncs are told, and what becomes of a removal. */
  function tell(shown: Integration, before: Status): void {
    const kind = kindOf(shown.status, before);
    if (kind !== undefined) emit(kind, webhookObject(counted(shown)));
  }

  function start(account: Account, script: StatusScript, byLooks?: boolean): void {
    account.run?.stop();
    account.run = createRun(script, {
      clock,
      ...(byLooks === undefined ? {} : { byLooks }),
      entered: (step) => {
        const { status, errorMessage } = typeof step === 'string' ? { status: step } : step;
        enter(account, status, errorMessage);
      },
    });
  }

  /** What lies ready for the occasion, or else what happens by itself. */
  function begin(account: Account, occasion: Occasion, usual: StatusScript['states']): void {
    const key = `${occasion} ${account.shown.walletId}`;
    const script = planned.get(key);
    planned.delete(key);
    if (script === undefined) start(account, { states: usual, every: pace }, true);
    else start(account, script);
  }

  function syncOf({ shown }: Account): StatusScript['states'] {
    // Spec: connecting a provider that is not working is allowed, but syncs will likely fail.
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
    // Accounts that the user gives may have one of these ids.
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
    // However short, it was a sync that ended.
    if (!UNDER_WAY.includes(account.shown.status)) enter(account, 'SYNCING');
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
    if (all.some(({ shown }) => UNDER_WAY.includes(shown.status))) return undefined;
    // INACTIVE: syncing is disabled. What comes from files, is kept by hand or being removed has nothing to sync.
    const toSync = all.filter(({ shown }) => shown.type === 'api' && shown.status !== 'DELETING');
    const able = toSync.filter(({ shown }) => shown.status !== 'INACTIVE');
    for (const account of able) begin(account, 'resync', syncOf(account));
    return toSync.filter((account) => !able.includes(account)).map(({ shown }) => shown.walletId);
  }

  function reset(): void {
    for (const { run } of accounts.values()) run?.stop();
    accounts = new Map(options.accounts.map((shown) => [shown.walletId, { shown, run: undefined }]));
    planned = new Map();
    connected = 0;
    toRecalculate = false;
  }

  reset();
  return { look, list, script, plan, connect, follow, remove, resync, reset };
}

/**
 * Spec: Event kinds, and the moves of a removal. One that failed is told on integration.deleted, whose status is
 * "DELETING then DELETED or FAILED"; integration.failed is for syncs.
 */
function kindOf(status: Status, before: Status): EventKind | undefined {
  if (status === 'DELETING' || status === 'DELETED') return 'integration.deleted';
  if (status === 'FAILED') return before === 'DELETING' ? 'integration.deleted' : 'integration.failed';
  return UNDER_WAY.includes(status) ? undefined : 'integration.updated';
}
