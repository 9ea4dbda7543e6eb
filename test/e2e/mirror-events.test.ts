// The totals of the service do not show whether rows were edited. When a delivery announces edits, the listener therefore
// marks windows of the mirror for rereading.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { atEnd, run, sandboxed, start, temporary } from './harness.ts';

const sandbox = await sandboxed({ rows: 400 });
const { env } = sandbox;
const directory = temporary();
const books = join(directory, 'books');

beforeAll(async () => {
  expect((await run(['mirror', books], { env })).code).toBe(0);
});

async function listening(...more: string[]) {
  const port = await freePort();
  const store = join(directory, `${port}.jsonl`);
  const listener = start(
    ['events', 'listen', '--port', String(port), '--store', store, '--mirror', books, ...more],
    { env },
  );
  await listener.said(/Press Ctrl-C to stop/);
  const url = `http://127.0.0.1:${port}/`;
  sandbox.events.addReceiver(url);
  atEnd(() => sandbox.events.removeReceiver(url));
  return {
    async stop() {
      await sandbox.events.settled();
      sandbox.events.removeReceiver(url);
      listener.child.kill('SIGINT');
      expect((await listener.ended).code).toBe(130);
    },
  };
}

async function mirrored() {
  const { code, stdout, stderr } = await run(['mirror', books, '--json'], { env });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

test('after the event integration.updated, the next update of the mirror rereads the windows of the account', async () => {
  expect(await mirrored()).toMatchObject({ legsRead: 0, rereadBecause: [] });
  const [{ walletId }] = JSON.parse(
    (await run(['ledgers', 'list', '--limit', '1', '--json'], { env })).stdout,
  );

  const listener = await listening();
  sandbox.events.emit('integration.updated', { ...ACCOUNT, walletId });
  sandbox.events.emit('integration.failed', { ...ACCOUNT, walletId: 'other', status: 'FAILED' });
  await listener.stop();
  const status = JSON.parse((await run(['mirror', 'status', books, '--json'])).stdout);
  expect(status.reread).toEqual([{ why: 'integration.updated', at: expect.any(String), walletId }]);

  const second = await mirrored();
  expect(second.legsRead).toBeGreaterThan(0);
  expect(second.rereadBecause.join()).toContain('integration.updated');
  expect(await mirrored()).toMatchObject({ legsRead: 0, rereadBecause: [] });
});

test('an event costbasis.completed that --types excludes still causes all windows to be reread', async () => {
  const listener = await listening('--types', 'integration.failed');
  sandbox.events.emit('costbasis.completed', RUN);
  sandbox.events.emit('costbasis.started', RUN);
  await listener.stop();
  expect(readdirSync(join(books, 'reread'))).toHaveLength(1);
  expect(await mirrored()).toMatchObject({ added: 0, removed: 0, legs: 400, legsRead: 400 });
});

test('the listener responds with 503 to a delivery if it cannot record the windows to reread', async () => {
  const listener = await listening();
  rmSync(join(books, 'reread'), { recursive: true, force: true });
  writeFileSync(join(books, 'reread'), 'a file in place of the folder');
  const [url = ''] = sandbox.events.receivers();
  const post = () =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'whd_x', event: 'costbasis.completed', data: RUN }),
    });
  expect((await post()).status).toBe(503);
  rmSync(join(books, 'reread'));
  mkdirSync(join(books, 'reread'));
  expect((await post()).status).toBe(200);
  await listener.stop();
  expect(readdirSync(join(books, 'reread'))).toHaveLength(1);
});

test('exits with 2 if the folder in --mirror is not a mirror', async () => {
  const { code, stderr } = await run(['events', 'listen', '--port', '0', '--mirror', directory], { env });
  expect(code).toBe(2);
  expect(stderr).toContain('is not a mirror');
});

const RUN = { action: 'ACCOUNT_MANAGER', status: 'completed', reason: null, timestamp: 1_735_689_600_000 };
const ACCOUNT = {
  ...{ provider: 'kraken', providerPublicName: 'Kraken', publicAddress: '', logoUrl: '', isContract: false },
  ...{ alias: '', status: 'COMPLETED', addedOn: 1_735_689_600_000, lastSyncedAt: 0, category: 'exchange' },
  ...{ type: 'api', totalTransactions: 12 },
};
