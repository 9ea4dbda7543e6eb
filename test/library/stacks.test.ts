import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Client, createClient } from '../../src/index.ts';
import { atEnd } from '../at-end.ts';
import { temporary } from '../e2e/harness.ts';

/** A program that calls the library. Its frames must be in the stack of each error. */
const PROGRAM: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  async getsRecord(client) {
    return await client.ledgers.get('1');
  },
  async getsRecordInTime(client) {
    return await client.users.me({ timeout: 10_000 });
  },
  async readsPage(client) {
    return await client.ledgers.list().page();
  },
  async readsRows(client) {
    for await (const _ of client.ledgers.list()) break;
  },
  async readsPages(client) {
    for await (const _ of client.holdings.list().pages()) break;
  },
  async sendsBatch(client) {
    return await client.transactions.batch({});
  },
  async sendsAnyRequest(client) {
    return await client.request({ method: 'GET', api: 'current', path: ['v1', 'x'], auth: true });
  },
  async readsAnyList(client) {
    for await (const _ of client.list({ api: 'current', path: ['v1', 'x'], auth: true })) break;
  },
  async readsLegacy(client) {
    return await client.legacy.userinfo();
  },
  async watchesAccounts(client) {
    for await (const _ of client.integrations.watch([], { retries: 0 })) break;
  },
  async watchesSync(client) {
    for await (const _ of client.syncs.watch('1', { retries: 0 })) break;
  },
  async findsNegative(client) {
    return await client.negative();
  },
  async exportsLedgers(client) {
    return await client.exportLedgers({ out: join(temporary(), 'ledgers.csv') });
  },
};

/** @param status 0: the connection is closed without a response */
async function clientOf(status: number): Promise<Client> {
  const server = createServer((_, response) => {
    if (status === 0) response.destroy();
    else response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"broken"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return createClient({ baseUrl, legacyBaseUrl: baseUrl, accessToken: 'token', retries: 0 });
}

test.each(Object.keys(PROGRAM).flatMap((name) => [401, 403, 500, 0].map((status) => ({ name, status }))))(
  'the stack trace of an error contains the function that called the library: $name, status $status',
  async ({ name, status }) => {
    await using client = await clientOf(status);
    const error = await PROGRAM[name]?.(client).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    const { stack = '', message } = error as Error;
    expect(stack).toContain(message);
    expect(stack).toMatch(new RegExp(`at .*\\b${name}\\b.*stacks\\.test`));
  },
);
