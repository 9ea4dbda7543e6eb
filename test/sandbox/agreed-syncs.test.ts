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

async function syncOf({ url, env }: Sandbox, id: string): Promise<{ readonly status: string }> {
  const headers = { authorization: `Bearer ${env['CRYPTODATA_ACCESS_TOKEN']}` };
  const response = await fetch(`${url}/v1/sync/${id}`, { headers });
  return JSON.parse(await response.text()).data;
}
