// Connected accounts and what becomes of them. How fast a sync or a removal moves is not shown: each look at the list
// moves it a step, unless it is scripted by the clock.

import { createRun, type Run, type Script } from '../script.ts';
import type { Integration, Status } from './entities.ts';

export interface IntegrationStore {
  /** What a caller sees now; it moves what is under way a step on. */
  look(): Integration[];
  /** What there is, without moving anything. */
  list(): Integration[];
  script(walletId: string, script: Script<Status>): boolean;
  /** Starts removals; gives those of the ids that cannot be removed. */
  remove(walletIds: readonly string[]): string[];
  /** Starts a sync of each account, and gives those that cannot be synced; undefined while one is under way. */
  resync(): string[] | undefined;
  reset(): void;
}

export interface IntegrationStoreOptions {
  readonly accounts: readonly Integration[];
  readonly clock: () => number;
}

const UNDER_WAY: readonly Status[] = ['QUEUED', 'SYNCING'];

export function createIntegrationStore({ accounts, clock }: IntegrationStoreOptions): IntegrationStore {
  const runs = new Map<string, Run<Status>>();

  function see(read: (run: Run<Status>) => Status): Integration[] {
    return accounts
      .map((account) => {
        const run = runs.get(account.walletId);
        return run === undefined ? account : withStatus(account, read(run));
      })
      .filter(({ status }) => status !== 'DELETED');
  }
  const list = () => see((run) => run.peek());
  const find = (walletId: string) => list().find((account) => account.walletId === walletId);
  const start = (walletId: string, script: Script<Status>) => runs.set(walletId, createRun(script, clock));

  function script(walletId: string, given: Script<Status>): boolean {
    if (!accounts.some((account) => account.walletId === walletId)) return false;
    start(walletId, given);
    return true;
  }

  function remove(walletIds: readonly string[]): string[] {
    return walletIds.filter((walletId) => {
      const account = find(walletId);
      if (account === undefined || account.status === 'DELETING') return true;
      start(walletId, { states: ['DELETING', 'DELETED'] });
      return false;
    });
  }

  function resync(): string[] | undefined {
    const present = list();
    if (present.some(({ status }) => UNDER_WAY.includes(status))) return undefined;
    // INACTIVE: syncing is disabled. What is kept by hand or being removed has nothing to sync.
    const synced = present.filter(({ isCustomWallet, status }) => !isCustomWallet && status !== 'DELETING');
    const able = synced.filter(({ status }) => status !== 'INACTIVE');
    for (const { walletId } of able) start(walletId, { states: ['QUEUED', 'SYNCING', 'COMPLETED'] });
    return synced.filter((account) => !able.includes(account)).map(({ walletId }) => walletId);
  }

  return {
    look: () => see((run) => run.look()),
    list,
    script,
    remove,
    resync,
    reset: () => runs.clear(),
  };
}

function withStatus({ errorMessage, ...account }: Integration, status: Status): Integration {
  return status === 'FAILED' && errorMessage !== undefined
    ? { ...account, status, errorMessage }
    : { ...account, status };
}
