import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  type CallOptions,
  type Client,
  createClient,
  InterruptedError,
  NetworkError,
  TimeoutError,
  UpstreamError,
  UsageError,
} from '../../src/index.ts';
import { failure } from './helpers.ts';
import { http } from './servers.ts';

/** One call for each type of method of the client. */
const CALLS: readonly [name: string, call: (client: Client, options: CallOptions) => Promise<unknown>][] = [
  ['a page of a list', (client, options) => client.ledgers.list({}, options).page()],
  ['a list', (client, options) => client.labels.list({}, options).rows().next()],
  ['the ledgers of a transaction', (client, options) => client.transactions.ledgers('t', {}, options).page()],
  ['one record', (client, options) => client.ledgers.get('l', options)],
  ['an unchecked record', (client, options) => client.syncs.getAsServed('s', options)],
  ['the current user', (client, options) => client.users.me(options)],
  ['an alias check', (client, options) => client.integrations.aliasExists('a', {}, options)],
  ['a legacy list', (client, options) => client.legacy.nfts({}, options).page()],
  [
    'any request',
    (client, options) =>
      client.request({ method: 'GET', api: 'current', path: ['v1', 'x'], auth: false, ...options }),
  ],
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function served(answer: (response: ServerResponse) => unknown, options = {}) {
  let requests = 0;
  const server = await http((_, response) => {
    requests += 1;
    answer(response);
  });
  const client = createClient({
    baseUrl: server.origin,
    legacyBaseUrl: server.origin,
    accessToken: 't',
    ...options,
  });
  // Close the server first, so that aborted requests have ended before the pool closes.
  closing.push(
    () => server.close(),
    () => client.close(),
  );
  return { client, requests: () => requests };
}

describe('call options', () => {
  test.each(CALLS)('the option "timeout" ends a call that receives no response: %s', async (_, call) => {
    const { client, requests } = await served(() => {});
    const error = await failure(call(client, { timeout: 50 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ code: 'CALL_TIMED_OUT', kind: 'network' });
    expect(String(error)).toMatch(/^TimeoutError: GET \/\S+ did not finish within 0\.05 s$/);
    expect(requests()).toBeLessThan(2);
  });

  test.each(CALLS)('the option "timeout" also limits the pauses before retries: %s', async (_, call) => {
    const { client } = await served((response) => response.writeHead(429, { 'retry-after': '60' }).end());
    expect(await failure(call(client, { timeout: 50 }))).toBeInstanceOf(TimeoutError);
  });

  test.each(CALLS)('the option "signal" cancels a request: %s', async (_, call) => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const { client } = await served(() => stop.abort(reason));
    const error = await failure(call(client, { signal: stop.signal }));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error).toMatchObject({ code: 'INTERRUPTED', cause: reason });
  });

  test.each(CALLS)('the option "signal" cancels the pause before a retry: %s', async (_, call) => {
    const stop = new AbortController();
    const { client } = await served((response) => {
      response.writeHead(429, { 'retry-after': '60' }).end();
      setTimeout(() => stop.abort(), 20);
    });
    expect(await failure(call(client, { signal: stop.signal }))).toBeInstanceOf(InterruptedError);
  });

  test.each(CALLS)('no request is sent if the signal is already aborted: %s', async (_, call) => {
    const { client, requests } = await served((response) => response.end('{}'));
    expect(await failure(call(client, { signal: AbortSignal.abort() }))).toBeInstanceOf(InterruptedError);
    expect(requests()).toBe(0);
  });

  test.each(CALLS)('only one request is sent with "retries: 0": %s', async (_, call) => {
    const { client, requests } = await served((response) => response.writeHead(500).end());
    expect(await failure(call(client, { retries: 0 }))).toBeInstanceOf(UpstreamError);
    expect(requests()).toBe(1);
  });

  test('the option "retries" of a call overrides the same option of the client', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    closing.push(async () => vi.restoreAllMocks());
    const { client, requests } = await served((response) => response.writeHead(500).end(), { retries: 0 });
    await failure(client.users.me({ retries: 2 }));
    expect(requests()).toBe(3);
    await failure(client.users.me());
    expect(requests()).toBe(4);
  });

  test('the option "timeout" of the client is the default for its calls', async () => {
    const { client } = await served(() => {}, { timeout: 50 });
    expect(await failure(client.users.me())).toBeInstanceOf(TimeoutError);
  });

  test('a call succeeds if its timeout is longer than the longest timer of Node', async () => {
    const { client } = await served((response) => response.end('{"uid":"u"}'));
    expect(await client.users.me({ timeout: 2 ** 40 })).toEqual({ uid: 'u' });
  });

  test.each<[CallOptions, RegExp]>([
    [{ timeout: 0 }, /^"timeout" must be a positive number/],
    [{ timeout: -1 }, /^"timeout"/],
    [{ timeout: Number.NaN }, /^"timeout"/],
    [{ retries: -1 }, /^"retries" must be 0 or a positive whole number/],
    [{ retries: 1.5 }, /^"retries"/],
  ])('rejects invalid options without sending a request: %o', async (options, message) => {
    const { client, requests } = await served((response) => response.end('{}'));
    const error = await failure(client.users.me(options));
    expect(error).toBeInstanceOf(UsageError);
    expect(error).toMatchObject({ code: 'BAD_OPTION', message: expect.stringMatching(message) });
    expect(() => createClient(options)).toThrow(UsageError);
    expect(requests()).toBe(0);
  });

  test('a watch with "retries: 0" fails after the first failed poll', async () => {
    const { client, requests } = await served((response) => response.writeHead(500).end());
    expect(await failure(client.syncs.watch('s', { retries: 0 }).next())).toBeInstanceOf(UpstreamError);
    expect(requests()).toBe(1);
  });

  test('a watch fails when its signal aborts or its timeout passes', async () => {
    const { client } = await served((response) => response.end('{"status":"running"}'));
    const stop = new AbortController();
    const watch = client.syncs.watch('s', { signal: stop.signal });
    await watch.next();
    stop.abort();
    expect(await failure(watch.next())).toBeInstanceOf(InterruptedError);
    const short = client.syncs.watch('s', { timeout: 1 });
    await short.next();
    expect(await failure(short.next())).toMatchObject({ name: 'TimeoutError', code: 'WAIT_TIMED_OUT' });
  });

  test('"await using" closes the connections, as close() does', async () => {
    const { client } = await served((response) => response.end('{"uid":"u"}'));
    await client.users.me();
    await client[Symbol.asyncDispose]();
    expect(await failure(client.users.me())).toMatchObject({ code: 'CLIENT_CLOSED' });
  });
});
