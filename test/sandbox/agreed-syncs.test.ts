// Compares the initial `status` and `lastSyncedAt` of each account with the sync that imported the account's newest leg.

import { expect, it } from 'vitest';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { runHere } from '../commands/in-process.ts';

const DAY = 86_400_000;

interface Leg {
  readonly walletId: string;
  readonly syncId: string | null;
  readonly timestamp: number;
}

interface Account {
  readonly walletId: string;
  readonly status: string;
  readonly lastSyncedAt: number;
}

it.each([300, 1500, 6000])('accounts are consistent with their latest syncs (%d legs)', async (rows) => {
  const sandbox = await createSandbox({ rows });
  const read = async (...line: string[]) =>
    JSON.parse((await runHere([...line, '--json'], sandbox.env)).stdout);
  const legs: Leg[] = await read('ledgers', '--all');
  const accounts: Account[] = await read('integrations', '--all');
  const known = new Set<string>();
  for (const { walletId, status, lastSyncedAt } of accounts) {
    // Newest first.
    const [newest] = legs.filter((leg) => leg.walletId === walletId && leg.syncId !== null);
    if (newest === undefined) continue;
    const sync = await syncOf(sandbox, newest.syncId ?? '');
    const isNamed = Math.floor(newest.timestamp / DAY) === Math.floor(lastSyncedAt / DAY);
    if (status === 'FAILED') expect([sync.status, isNamed]).toEqual(['cancelled', false]);
    else if (isNamed) expect(sync.status).toBe('partially_synced');
    else expect(lastSyncedAt, 'a later sync brought no legs').toBeGreaterThan(newest.timestamp);
    if (status === 'FAILED') expect(lastSyncedAt).toBeLessThan(newest.timestamp);
    if (isNamed) known.add(status);
  }
  expect([...known]).toContain('COMPLETED');
  await sandbox.close();
});

it('by default, at most four accounts have a sync; with syncStates, most of the latest syncs are finished', async () => {
  const latest = async (syncStates: string[]) => {
    const sandbox = await createSandbox({ rows: 1500, syncStates });
    const { stdout } = await runHere(['ledgers', '--all', '--json'], sandbox.env);
    const legs: Leg[] = JSON.parse(stdout);
    // Newest first.
    const newest = new Map<string, string>();
    for (const { walletId, syncId } of legs)
      if (syncId !== null && !newest.has(walletId)) newest.set(walletId, syncId);
    const states = await Promise.all([...newest.values()].map((id) => syncOf(sandbox, id)));
    await sandbox.close();
    return {
      wallets: new Set(legs.map(({ walletId }) => walletId)).size,
      states: states.map((one) => one.status),
    };
  };
  const usual = await latest([]);
  expect(usual.wallets).toBeGreaterThan(15);
  expect(usual.states.length).toBeLessThanOrEqual(4);
  expect([...new Set(usual.states)].sort()).toEqual(['cancelled', 'partially_synced']);
  const named = await latest(['running', 'done']);
  expect(named.states.length).toBeGreaterThan(12);
  expect(named.states.filter((state) => state === 'done').length).toBeGreaterThan(named.states.length / 2);
  expect([...new Set(named.states)].sort()).toEqual(['cancelled', 'done', 'partially_synced']);
});

async function syncOf({ url, env }: Sandbox, id: string): Promise<{ readonly status: string }> {
  const headers = { authorization: `Bearer ${env['CRYPTODATA_ACCESS_TOKEN']}` };
  const response = await fetch(`${url}/v1/sync/${id}`, { headers });
  return JSON.parse(await response.text()).data;
}
