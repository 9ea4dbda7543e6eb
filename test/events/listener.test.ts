import { createHmac } from 'node:crypto';
import { createReadStream, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryEntry } from '../../src/events/entry.ts';
import {
  type DeliveryListener,
  type DeliveryReport,
  type ListenOptions,
  listenForDeliveries,
} from '../../src/events/listen.ts';
import { Pending } from '../../src/events/pending.ts';
import { isInvalid, readSaved } from '../../src/events/saved.ts';
import { openStore, type Store } from '../../src/events/store.ts';
import { bytes, envelope, readStore } from './samples.ts';

let folder = '';
let store: Store;
let reports: DeliveryReport[] = [];
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cryptodata-listener-'));
  store = await openStore(join(folder, 'events.jsonl'));
  reports = [];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(more: Partial<ListenOptions> = {}): Promise<DeliveryListener> {
  const listener = await listenForDeliveries({
    host: '127.0.0.1',
    port: 0,
    limit: 10_000,
    store,
    report: (one) => reports.push(one),
    now: () => 1_735_689_600_000,
    timeouts: { headers: 300, request: 300, interval: 50 },
    ...more,
  });
  closing.push(() => listener.close());
  return listener;
}

async function post(url: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    reset: true,
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

/** Sends `text` over a new connection, and returns the complete response. */
function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    closing.push(() => socket.destroy());
  });
}

async function entries(): Promise<(DeliveryEntry | undefined)[]> {
  return (await readStore(store.path)).map(({ entry }) => entry);
}
const outcomes = () => reports.map(({ outcome, status }) => [outcome, status]);

describe('the listener with a valid request', () => {
  test('stores a delivery byte for byte, and reports each deviation from the specification', async () => {
    const { url } = await listening();
    const body = bytes(` ${JSON.stringify(envelope('new.kind', { n: 1 }, { extra: '\u202e' }))}\n`);
    expect(await post(`${url}/any/path?x=1`, body, { 'user-agent': 'sender/1', 'x-other': 'x' })).toEqual({
      status: 200,
      text: '',
    });
    const problems = [
      'extra is not in the specification',
      'event "new.kind": the specification has no such category',
    ];
    expect(await entries()).toEqual([
      {
        received: '2025-01-01T00:00:00.000Z',
        id: 'whd_1',
        event: 'new.kind',
        headers: { 'content-type': 'application/json', 'user-agent': 'sender/1' },
        body,
        problems,
      },
    ]);
    expect(reports).toMatchObject([{ outcome: 'stored', status: 200, entry: { problems } }]);
  });

  test('stores the exact bytes of a delivery that is not UTF-8', async () => {
    const { url } = await listening();
    const body = Buffer.concat([Buffer.from('{"id":"whd_'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    expect((await post(url, body)).status).toBe(200);
    expect(Buffer.from((await entries())[0]?.body ?? [])).toEqual(body);
    expect(readFileSync(store.path, 'utf8')).toContain(body.toString('base64'));
  });

  test('stores only one delivery per id, but every delivery without an id', async () => {
    const { url } = await listening();
    for (const body of [envelope(), envelope(), envelope('costbasis.started'), [1], [1]]) {
      expect((await post(url, bytes(body))).status).toBe(200);
    }
    expect(outcomes()).toEqual([
      ['stored', 200],
      ['repeat', 200],
      ['repeat', 200],
      ['stored', 200],
      ['stored', 200],
    ]);
    // A delivery with a known id but a different body is not a retry. The listener must report it.
    expect(reports.slice(1, 3).map(({ why }) => why)).toEqual([
      undefined,
      expect.stringContaining('differs from the stored body'),
    ]);
    expect((await entries()).map((entry) => entry?.id)).toEqual(['whd_1', null, null]);
  });

  test('stores deliveries of the selected types and deliveries without a type, and skips all other deliveries', async () => {
    const { url } = await listening({ types: ['costbasis.*', 'integration.failed'] });
    for (const [at, event] of [
      'costbasis.failed',
      'integration.failed',
      'integration.updated',
      'costbasisx.a',
      7,
    ].entries()) {
      await post(url, bytes({ ...envelope(), id: `whd_${at}`, event }));
    }
    expect(reports.map(({ outcome }) => outcome)).toEqual([
      'stored',
      'stored',
      'skipped',
      'skipped',
      'stored',
    ]);
    expect(await entries()).toHaveLength(3);
  });
});

describe('the listener with an invalid request', () => {
  test.each([
    ['a body that is not JSON', { body: 'hello' }, 400],
    ['an empty body', { body: '' }, 400],
    ['a body that is too large', { body: `"${'x'.repeat(10_000)}"` }, 413],
    ['a request from a web page', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    [
      'a request from a web page with its own host name',
      { headers: { origin: 'http://evil.test:8978' } },
      403,
    ],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }, 415],
    ['a request to another path', { path: '/other' }, 404],
  ])(
    'refuses %s',
    async (_, {
      body = '{}',
      headers = {},
      path = '/hook',
    }: { body?: string; headers?: Record<string, string>; path?: string }, status) => {
      const { url } = await listening({ path: '/hook' });
      expect((await post(`${url}${path}`, body, headers)).status).toBe(status);
      expect(outcomes()).toEqual([['refused', status]]);
      expect(await entries()).toEqual([]);
      expect((await post(`${url}/hook?a=b`, bytes(envelope()))).status).toBe(200);
    },
  );

  test('responds with 413 to a chunked body that is too large', async () => {
    const { url } = await listening();
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const answer = await raw(
      url,
      `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(200)}0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
  });

  test.each(['GET', 'DELETE'])('refuses the method %s', async (method) => {
    const { url } = await listening();
    expect((await request(url, { method, reset: true })).statusCode).toBe(405);
  });

  test.each([
    ['a request that is not HTTP', 'hello\r\n\r\n', 400],
    ['endless headers', `POST / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`, 431],
    ['slow headers', 'POST / HTTP/1.1\r\n', 408],
    ['a slow body', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{', 408],
  ])('refuses %s', async (_, text, status) => {
    const { url } = await listening();
    expect(await raw(url, text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(reports).toMatchObject([{ outcome: 'refused', status }]);
    expect((await post(url, bytes(envelope()))).status).toBe(200);
  });

  test('does not store an incomplete request if the sender disconnects', async () => {
    const { url } = await listening();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"id":"whd_1"', () =>
      socket.destroy(),
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect((await post(url, bytes(envelope()))).status).toBe(200);
    expect((await entries()).map((entry) => entry?.id)).toEqual(['whd_1']);
  });
});

describe('a signature', () => {
  const body = bytes(envelope());
  const digest = (encoding: 'hex' | 'base64', secret = 's3cret-of-this-test') =>
    createHmac('sha256', secret).update(body).digest(encoding);

  test.each([
    ['hex', digest('hex'), 200],
    ['hex', digest('hex').toUpperCase(), 200],
    ['hex', digest('hex', 'another'), 401],
    ['hex', digest('base64'), 401],
    ['hex', digest('hex').slice(0, 62), 401],
    ['hex', `${digest('hex')}00`, 401],
    ['hex', '', 401],
    ['hex', undefined, 401],
    ['base64', digest('base64'), 200],
    ['base64', digest('hex'), 401],
    ['base64', `${digest('base64')}x`, 401],
  ] as const)('for the %s signature %s, responds with status %i', async (encoding, value, status) => {
    const { url } = await listening({
      signature: { secret: 's3cret-of-this-test', header: 'X-Sig', encoding },
    });
    expect((await post(url, body, value === undefined ? {} : { 'x-SIG': value })).status).toBe(status);
    const kept = status === 200 ? [{ 'content-type': 'application/json', 'x-sig': value }] : [];
    expect((await entries()).map((entry) => entry?.headers)).toEqual(kept);
    expect(reports).toHaveLength(1);
  });

  test('a signature is computed over the exact bytes of the body, including whitespace', async () => {
    const { url } = await listening({
      signature: { secret: 's3cret-of-this-test', header: 'X-Sig', encoding: 'hex' },
    });
    expect((await post(url, ` ${body}`, { 'x-sig': digest('hex') })).status).toBe(401);
  });
});

test('the listener responds with 503 if it cannot store a delivery, and accepts a later retry', async () => {
  let full = true;
  const { url } = await listening({
    store: {
      ...store,
      path: store.path,
      close: async () => {},
      keep: async (entry) => {
        if (full) throw new Error('Cannot write: the disk is full');
        return store.keep(entry);
      },
    },
  });
  const first = await post(url, bytes(envelope()));
  expect(first.status).toBe(503);
  expect(first.text).not.toContain('disk');
  full = false;
  expect((await post(url, bytes(envelope()))).status).toBe(200);
  expect(reports).toMatchObject([
    { outcome: 'failed', status: 503, why: 'Cannot write: the disk is full' },
    { outcome: 'stored', status: 200 },
  ]);
});

test('a closing listener completes the requests in progress and refuses new requests', async () => {
  let keep = () => {};
  const gate = new Promise<void>((resolve) => {
    keep = resolve;
  });
  let arrived = () => {};
  const there = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const listener = await listening({
    store: {
      ...store,
      path: store.path,
      close: async () => {},
      keep: async (entry) => {
        arrived();
        await gate;
        return store.keep(entry);
      },
    },
  });
  const answer = post(listener.url, bytes(envelope()));
  await there;
  const closed = listener.close();
  await expect(post(listener.url, bytes(envelope()))).rejects.toThrow();
  keep();
  expect((await answer).status).toBe(200);
  await closed;
  expect(await entries()).toHaveLength(1);
});

describe('a forwarding listener', () => {
  interface Got {
    readonly body: string;
    readonly headers: Record<string, unknown>;
  }

  /** Starts an application that responds to request number n with the status code `status(n)`. */
  async function application(status: (at: number) => number, hold?: Promise<void>) {
    const got: Got[] = [];
    const server = createServer(async (incoming, response) => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part);
      got.push({ body: Buffer.concat(parts).toString(), headers: incoming.headers });
      const answer = status(got.length - 1);
      await hold;
      response.writeHead(answer).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?key=1` };
  }
  const dispatcher = new Agent();
  const forwarding = async (url: string, attempts = 3, resume = false) => ({
    ...{ url, dispatcher, attempts, resume, random: () => 0 },
    pending: await Pending.open(store.path),
  });
  /** Returns the ids of the deliveries that a new listener would consider pending. */
  const pendingIds = async () => {
    const pending = await Pending.open(store.path);
    const ids: (string | null)[] = [];
    for await (const item of readSaved(createReadStream(store.path), store.path)) {
      if (!isInvalid(item) && item.at && item.entry && pending.has(item.at)) ids.push(item.entry.id);
    }
    return ids;
  };
  const send = async (url: string, ...ids: number[]) => {
    for (const at of ids) await post(url, bytes(envelope(undefined, undefined, { id: `whd_${at}` })));
  };
  const idOf = ({ body }: Got) => String(JSON.parse(body).id);

  test('forwards deliveries in order, with identical bytes and signatures, and retries failed requests', async () => {
    const app = await application((at) => (at === 0 ? 503 : at === 1 ? 429 : 204));
    const secret = 's3cret-of-this-test';
    const listener = await listening({
      forward: await forwarding(app.url),
      signature: { secret, header: 'X-Sig', encoding: 'hex' },
    });
    const bodies = [1, 2, 3].map(
      (at) => ` ${JSON.stringify(envelope(undefined, undefined, { id: `whd_${at}` }))}`,
    );
    const signed = (body: string) => createHmac('sha256', secret).update(body).digest('hex');
    for (const body of bodies)
      await post(listener.url, body, { 'x-sig': signed(body), authorization: 'x', cookie: 'y' });
    // Wait for the retries, because `close` cancels them.
    await expect.poll(() => reports.filter(({ outcome }) => outcome === 'forwarded')).toHaveLength(3);
    await listener.close();
    expect(app.got.map(({ body }) => body)).toEqual([bodies[0], bodies[0], ...bodies]);
    expect(app.got.at(-1)?.headers).toMatchObject({
      'content-type': 'application/json',
      'x-sig': signed(String(bodies[2])),
    });
    expect(app.got.some(({ headers }) => 'cookie' in headers || 'authorization' in headers)).toBe(false);
    const forwarded = reports.filter(({ outcome }) => outcome === 'forwarded');
    expect(forwarded.map(({ status, attempts }) => [status, attempts])).toEqual([
      [204, 3],
      [204, 1],
      [204, 1],
    ]);
  });

  test('forwards deliveries of one workspace in order, and deliveries of different workspaces in parallel', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const app = await application(() => 200, gate);
    const listener = await listening({ forward: await forwarding(app.url) });
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const more = { id: `whd_${at}`, workspace_id: `ws_${at % 2}` };
      await post(listener.url, bytes(envelope(undefined, undefined, more)));
    }
    await expect.poll(() => app.got.map(idOf)).toEqual(['whd_1', 'whd_2']);
    open();
    await listener.close();
    const order = app.got.map(idOf);
    expect(order.filter((id) => ['whd_1', 'whd_3', 'whd_5'].includes(id))).toEqual([
      'whd_1',
      'whd_3',
      'whd_5',
    ]);
    expect(order.filter((id) => ['whd_2', 'whd_4', 'whd_6'].includes(id))).toEqual([
      'whd_2',
      'whd_4',
      'whd_6',
    ]);
  });

  test('keeps failed deliveries pending, and tries each delivery only once while the target is down', async () => {
    const app = await application((at) => (at < 4 ? 500 : at === 4 ? 404 : 200));
    const listener = await listening({ forward: await forwarding(app.url) });
    for (const at of [1, 2, 3, 4])
      await post(listener.url, bytes(envelope(undefined, undefined, { id: `whd_${at}` })));
    await expect.poll(() => app.got.length).toBe(6);
    await listener.close();
    expect(await pendingIds()).toEqual(['whd_1', 'whd_2', 'whd_3']);
    const undelivered = reports.filter(({ outcome }) => outcome === 'undelivered');
    expect(undelivered.map(({ entry, attempts, status }) => [entry?.id, attempts, status])).toEqual([
      ['whd_1', 3, 500],
      ['whd_2', 1, 500],
      ['whd_3', 1, 404],
    ]);
  });

  test('reports a delivery as undelivered after a refused connection or a redirect', async () => {
    const app = await application(() => 307);
    const gone = await listening({ forward: await forwarding('http://127.0.0.1:1/', 2) });
    await post(gone.url, bytes(envelope()));
    await expect
      .poll(() => reports.at(-1))
      .toMatchObject({ outcome: 'undelivered', attempts: 2, why: expect.stringContaining('ECONNREFUSED') });
    const redirected = await listening({ forward: await forwarding(app.url) });
    await post(redirected.url, bytes(envelope(undefined, undefined, { id: 'whd_2' })));
    await expect
      .poll(() => reports.at(-1))
      .toMatchObject({ outcome: 'undelivered', attempts: 1, status: 307 });
  });

  test('a closing listener reports each delivery that was not forwarded, with the number of attempts', async () => {
    const app = await application(() => 200, new Promise<void>(() => {}));
    const listener = await listening({ forward: await forwarding(app.url) });
    for (const at of [1, 2])
      await post(listener.url, bytes(envelope(undefined, undefined, { id: `whd_${at}` })));
    await expect.poll(() => app.got.length).toBe(1);
    await listener.close();
    const undelivered = reports.filter(({ outcome }) => outcome === 'undelivered');
    expect(undelivered.map(({ attempts }) => attempts)).toEqual([1, 0]);
    expect(await pendingIds()).toEqual(['whd_1', 'whd_2']);
  });

  test('failed deliveries are still pending after the listener is closed', async () => {
    const app = await application(() => 503);
    const listener = await listening({ forward: await forwarding(app.url, 50) });
    for (const at of [1, 2, 3])
      await post(listener.url, bytes(envelope(undefined, undefined, { id: `whd_${at}` })));
    await expect.poll(() => app.got.length).toBeGreaterThan(0);
    await listener.close();
    expect(await pendingIds()).toEqual(['whd_1', 'whd_2', 'whd_3']);
  });

  test('with `resume`, pending deliveries are forwarded first and in order, before new deliveries', async () => {
    const down = await application(() => 500);
    const first = await listening({ forward: await forwarding(down.url, 1) });
    await send(first.url, 1, 2);
    await first.close();
    const alone = await listening();
    await send(alone.url, 3);
    await alone.close();

    const app = await application(() => 200);
    const resumed = await listening({ forward: await forwarding(app.url, 1, true) });
    await send(resumed.url, 4);
    await resumed.close();
    expect(app.got.map(idOf)).toEqual(['whd_1', 'whd_2', 'whd_3', 'whd_4']);
    expect(await pendingIds()).toEqual([]);
  });

  test('without `resume`, forwards new deliveries but no pending deliveries', async () => {
    const before = await listening();
    await send(before.url, 1, 2);
    await before.close();
    const app = await application(() => 200);
    const listener = await listening({ forward: await forwarding(app.url) });
    await send(listener.url, 3);
    await listener.close();
    expect(app.got.map(idOf)).toEqual(['whd_3']);
    expect(await pendingIds()).toEqual(['whd_1', 'whd_2']);
  });

  test('with `resume` and `types`, forwards only pending deliveries of the given types', async () => {
    const before = await listening();
    await post(before.url, bytes(envelope('costbasis.started', {}, { id: 'whd_1' })));
    await send(before.url, 2);
    await before.close();
    const app = await application(() => 200);
    const only = { types: ['integration.*'], forward: await forwarding(app.url, 1, true) };
    await (await listening(only)).close();
    expect(app.got.map(idOf)).toEqual(['whd_2']);
    expect(await pendingIds()).toEqual(['whd_1']);
  });

  test('continues to forward deliveries after the store file is moved', async () => {
    const app = await application(() => 200);
    const listener = await listening({ forward: await forwarding(app.url) });
    await send(listener.url, 1, 2);
    renameSync(store.path, `${store.path}.1`);
    await send(listener.url, 3, 4);
    await listener.close();
    expect(app.got.map(idOf)).toEqual(['whd_1', 'whd_2', 'whd_3', 'whd_4']);
    expect(await pendingIds()).toEqual([]);
  });

  test('treats all deliveries as pending if the store was deleted and created again', async () => {
    const app = await application(() => 200);
    const listener = await listening({ forward: await forwarding(app.url) });
    await send(listener.url, 1, 2);
    await listener.close();
    expect(await pendingIds()).toEqual([]);
    await store.close();
    rmSync(store.path);
    store = await openStore(store.path);
    const alone = await listening();
    await send(alone.url, 3, 4, 5);
    await alone.close();
    expect(await pendingIds()).toEqual(['whd_3', 'whd_4', 'whd_5']);
  });
});
