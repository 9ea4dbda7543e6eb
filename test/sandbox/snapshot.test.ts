// Tests snapshots. A snapshot is a document with the whole state of a sandbox. It can be loaded into any sandbox.

import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { createSandbox, Sandbox, SandboxSnapshot } from '../../src/sandbox/index.ts';
import { runs } from '../runs.ts';
import {
  type Answer,
  bearer,
  call,
  control,
  get,
  list,
  logIn,
  object,
  post,
  refresh,
  start,
  text,
} from './helpers.ts';

const NOW = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;

/** A copy of the snapshot, after a round trip through JSON. */
function copy(snapshot: SandboxSnapshot): unknown {
  return JSON.parse(JSON.stringify(snapshot));
}

function frozen(options: Parameters<typeof createSandbox>[0] = {}): Promise<Sandbox> {
  return start({ rows: 60, clock: () => NOW, registeredScopes: ['contacts:read'], ...options });
}

async function load(sandbox: Sandbox, body: string, method = 'PUT'): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return call(`${sandbox.url}/_sandbox/snapshot`, { method, headers, body });
}

/** Responses of the service and the control endpoints. Some requests change the state, but each call makes the same changes. */
async function answers(sandbox: Sandbox): Promise<string[]> {
  const seen: string[] = [];
  const look = async (path: string) => {
    const { status, raw } = await get(sandbox, path);
    // Ignore the ids of events: each new event gets a new id, because receivers detect duplicates by the id.
    seen.push(`${path} ${status} ${raw.replace(/whd_\w+/g, 'whd')}`);
  };
  const paths = [
    '/v1/ledgers?limit=200',
    '/v1/ledgers?sortBy=createdAt&limit=20',
    '/v1/transactions?limit=200',
    '/v1/integrations?limit=200',
    '/v1/sync/scripted',
    '/v1/users/me',
    '/api/v1/integrations',
    ...['clock', 'faults', 'grants', 'period', 'events', 'api-keys', 'scenario'].map(
      (name) => `/_sandbox/${name}`,
    ),
  ];
  for (const path of paths) await look(path);
  // Move the clock, so that tasks in progress continue, which must happen in the same way in each sandbox.
  for (const later of [1000, 5000, 60 * MINUTE]) {
    sandbox.clock.advance(later);
    for (const path of [
      '/v1/integrations?limit=200',
      '/v1/sync/scripted',
      '/v1/ledgers?limit=5',
      '/_sandbox/events',
    ]) {
      await look(path);
    }
  }
  return seen;
}

/** The first difference between each response and the expected response. Whole responses would be hard to read. */
function differences(seen: readonly string[], expected: readonly string[]): string[] {
  return expected.flatMap((one, index) => {
    const other = seen[index] ?? '';
    if (one === other) return [];
    const at = [...one].findIndex((letter, place) => letter !== other[place]);
    const around = (whole: string) => whole.slice(Math.max(0, at - 150), at + 80);
    return [`${one.slice(0, 40)}: ${around(other)} <> ${around(one)}`];
  });
}

type Action = (sandbox: Sandbox) => Promise<unknown> | unknown;

const walletOf = async (sandbox: Sandbox, at: number) => {
  const all = list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data'] ?? []);
  return text(all[at % Math.max(1, all.length)]?.['walletId'] ?? 'none');
};

const small = fc.nat({ max: 30 });
const ACTIONS: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ quantity: fc.integer({ min: 1, max: 1_000_000 }), days: small, at: small }).map(
    ({ quantity, days, at }): Action =>
      async (sandbox) =>
        sandbox.ledgers.insert({
          quantity: `${quantity}.000000000000000001`,
          type: ['incoming', 'outgoing', 'fee'][at % 3] ?? 'fee',
          asset: ['ETH', 'BTC', 'NEWCOIN', 'OTHER'][at % 4] ?? 'ETH',
          timestamp: NOW - days * 3_600_000 * 24 * 9,
          walletId: await walletOf(sandbox, at),
          ...(at % 2 === 0 ? {} : { transactionId: `mine-${at % 5}`, price: null, label: 'Trade' }),
        }),
  ),
  small.map(
    (at): Action =>
      async (sandbox) => {
        const { body } = await get(sandbox, '/v1/ledgers', { limit: 1, offset: at });
        const [leg] = list(body['data'] ?? []);
        if (leg !== undefined) sandbox.ledgers.remove(text(leg['id']));
      },
  ),
  small.map(
    (at): Action =>
      (sandbox) =>
        sandbox.clock.advance(at * 1500),
  ),
  fc
    .constantFrom(
      '429:/v1/ledgers:rate=0.5',
      'drift:rows=backdate:times=3',
      '500:/v1/users/me:times=2',
      'ties:every=2',
    )
    .map(
      (fault): Action =>
        (sandbox) =>
          control(sandbox, 'faults', fault),
    ),
  small.map(
    (at): Action =>
      (sandbox) =>
        control(sandbox, 'integrations', {
          providerId: ['kraken', 'ledger'][at % 2],
          alias: `account ${at}`,
        }),
  ),
  small.map(
    (at): Action =>
      async (sandbox) => {
        const states = ['QUEUED', 'SYNCING', { status: 'FAILED', errorMessage: 'no' }, 'COMPLETED'];
        const when = ['resync', 'delete', undefined][at % 3];
        await control(sandbox, `integrations/${await walletOf(sandbox, at)}`, { states, every: 2000, when });
      },
  ),
  small.map(
    (at): Action =>
      async (sandbox) => {
        const states = ['running', { status: 'cancelled', message: 'stopped' }, 'partially_synced'];
        const walletId = at % 2 === 0 ? await walletOf(sandbox, at) : undefined;
        await control(sandbox, 'syncs/scripted', {
          states,
          walletId,
          ...(at % 3 === 0 ? { every: 4000 } : {}),
        });
      },
  ),
  fc.constant<Action>((sandbox) => post(sandbox, '/v1/integrations/resync-all')),
  small.map(
    (at): Action =>
      async (sandbox) =>
        post(sandbox, '/v1/integrations/batch-delete', [await walletOf(sandbox, at)]),
  ),
  small.map(
    (at): Action =>
      (sandbox) =>
        control(sandbox, 'period', { lockedUntil: at === 0 ? null : NOW - at }),
  ),
  small.map(
    (at): Action =>
      (sandbox) =>
        control(sandbox, 'api-keys', { name: `key ${at}`, ips: ['127.0.0.1'] }),
  ),
  fc.constantFrom({}, { fail: 'costbasis', next: true }).map(
    (run): Action =>
      (sandbox) =>
        control(sandbox, 'runs', run),
  ),
  fc.constant<Action>((sandbox) => logIn(sandbox)),
);

describe('snapshots', () => {
  it('loading a snapshot restores the earlier responses, whatever has changed since', async () => {
    const sandbox = await frozen({
      scenario: { steps: [{ at: 3000, times: 4, every: 2500, post: 'runs' }] },
    });
    const actions = fc.array(ACTIONS, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(actions, actions, async (before, after) => {
        await sandbox.reset();
        for (const act of before) await act(sandbox);
        const document = JSON.stringify(await sandbox.snapshot());
        const expected = await answers(sandbox);
        for (const act of after) await act(sandbox);
        expect((await load(sandbox, document)).status).toBe(204);
        expect(await sandbox.snapshot()).toEqual(JSON.parse(document));
        expect(differences(await answers(sandbox), expected)).toEqual([]);
      }),
      { numRuns: runs(25) },
    );
  });

  it('after a snapshot is loaded, scheduled changes with the same time keep their order', async () => {
    const pace = 2000;
    const sandbox = await frozen({ pace });
    const [first = '', second = ''] = [await walletOf(sandbox, 0), await walletOf(sandbox, 1)];
    const remove = (walletId: string) =>
      control(sandbox, `integrations/${walletId}`, { states: ['DELETING', 'DELETED'], every: pace });
    // The removal of the second account of the list starts first.
    await remove(second);
    await control(sandbox, 'runs', {});
    await remove(first);
    const document = JSON.stringify(await sandbox.snapshot());
    const events = async () => {
      sandbox.clock.advance(pace);
      const { raw } = await get(sandbox, '/_sandbox/events');
      return list(JSON.parse(raw))
        .map((event) => object(event['envelope']))
        .map(
          (envelope) => `${text(envelope['event'])} ${String(object(envelope['data'])['walletId'] ?? '')}`,
        );
    };
    const due = [
      `integration.deleted ${second}`,
      'transfer_detection.completed ',
      'costbasis.started ',
      `integration.deleted ${first}`,
    ];
    expect((await events()).slice(-due.length)).toEqual(due);
    await load(sandbox, document);
    expect((await events()).slice(-due.length)).toEqual(due);
  });

  it('loading a snapshot from a second sandbox replaces the data, clock and faults of the first', async () => {
    const [from, to] = [
      await frozen({ rows: 25, seed: 'first' }),
      await frozen({ rows: 10, seed: 'second' }),
    ];
    from.ledgers.insert({ quantity: '0.5', asset: 'NEWCOIN' });
    from.clock.advance(MINUTE);
    await control(from, 'faults', '500:/v1/holdings');
    const own = (await get(to, '/v1/ledgers', { limit: 200 })).raw;
    await to.load(copy(await from.snapshot()));
    for (const path of [
      '/v1/ledgers?limit=200',
      '/v1/transactions',
      '/v1/integrations',
      '/_sandbox/faults',
      '/_sandbox/clock',
      '/v1/holdings',
    ]) {
      expect(differences([(await get(to, path)).raw], [(await get(from, path)).raw])).toEqual([]);
    }
    expect(to.truth.ledgers).toBe(26);
    expect(to.ledgers.insert({}).length).toBe(1);
    await to.reset();
    expect((await get(to, '/v1/ledgers', { limit: 200 })).raw).toBe(own);
  });

  it('a snapshot restores user-supplied records byte for byte', async () => {
    const ledger =
      '{ "id": "a", "transactionId":"t", "walletId":"w", "type":"incoming", "quantity":"1.10", "timestamp": 1.0e12, "value": 1.000000000000000000001 }';
    const from = await frozen({
      data: { ledgers: [ledger], labels: [{ name: 'Rent', transactionTypes: ['payment'] }] },
    });
    const to = await frozen();
    await to.load(copy(await from.snapshot()));
    expect((await get(to, '/v1/ledgers')).raw).toContain(ledger);
    expect((await get(to, '/v1/labels')).raw).toBe((await get(from, '/v1/labels')).raw);
  });

  it('a sandbox can start from a snapshot, and a reset then restores the snapshot', async () => {
    const from = await frozen({ rows: 7, faults: ['500:/v1/labels:times=2'] });
    from.ledgers.insert({ id: 'led_of_mine' });
    const to = await frozen({ snapshot: copy(await from.snapshot()), faults: ['502:/v1/spam'] });
    const state = async () => [
      (await get(to, '/v1/ledgers/led_of_mine')).status,
      to.truth.ledgers,
      (await get(to, '/v1/spam')).status,
      (await get(to, '/v1/labels')).status,
    ];
    expect(await state()).toEqual([200, 8, 502, 500]);
    to.ledgers.remove('led_of_mine');
    await to.reset();
    expect(await state()).toEqual([200, 8, 502, 500]);
  });

  it('loading a snapshot undoes later logins and later uses of refresh tokens', async () => {
    const sandbox = await frozen();
    const tokens = await logIn(sandbox);
    const saved = copy(await sandbox.snapshot());
    expect((await refresh(sandbox, text(tokens['refresh_token']))).status).toBe(200);
    const later = await logIn(sandbox);
    await sandbox.load(saved);
    const me = (token: unknown) => call(`${sandbox.url}/v1/users/me`, bearer(text(token)));
    expect((await me(later['access_token'])).status).toBe(401);
    expect((await me(tokens['access_token'])).status).toBe(200);
    expect((await refresh(sandbox, text(tokens['refresh_token']))).status).toBe(200);
    const other = await frozen();
    await other.load(saved);
    expect((await get(other, '/v1/users/me')).status).toBe(200);
    expect((await refresh(other, text(tokens['refresh_token']))).status).toBe(200);
  });

  it('a snapshot includes the changes in a second workspace', async () => {
    const sandbox = await frozen();
    const second =
      sandbox.truth.members.find(({ workspaceId }) => workspaceId !== sandbox.workspaceId)?.workspaceId ?? '';
    const [first] = list(
      object((await call(`${sandbox.url}/_sandbox/period?wid=${second}`)).body)['none'] ?? [],
    );
    expect(first).toBeUndefined();
    const insert = await call(`${sandbox.url}/_sandbox/ledgers?wid=${second}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'led_second' }),
    });
    expect(insert.status).toBe(201);
    const other = await frozen();
    await other.load(copy(await sandbox.snapshot()));
    const removed = await call(`${other.url}/_sandbox/ledgers/led_second?wid=${second}`, {
      method: 'DELETE',
    });
    expect(removed.status).toBe(204);
  });

  it('after a snapshot is loaded, pending deliveries are retried, but only to registered receivers', async () => {
    const received: string[] = [];
    let status = 500;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        received.push(text(object(JSON.parse(body))['id']));
        response.writeHead(status).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = object(server.address());
    const url = `http://127.0.0.1:${port}/`;
    const sandbox = await frozen({ receivers: [url] });
    await control(sandbox, 'runs', {});
    await sandbox.events.settled();
    expect(received).toHaveLength(1);
    const saved = copy(await sandbox.snapshot());
    status = 200;
    sandbox.clock.advance(1000);
    await sandbox.events.settled();
    expect(sandbox.events.list()[0]?.deliveries[0]).toMatchObject({ state: 'delivered' });
    await sandbox.load(saved);
    expect(sandbox.events.list()[0]?.deliveries[0]).toMatchObject({ state: 'pending' });
    sandbox.clock.advance(1000);
    await sandbox.events.settled();
    expect(new Set(received).size).toBe(1);
    expect(sandbox.events.list()[0]?.deliveries[0]).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 500 }, { status: 200, time: NOW + 1000 }],
    });
    const other = await frozen();
    await other.load(saved);
    expect(other.events.receivers()).toEqual([]);
    expect(other.events.list()[0]?.deliveries[0]).toMatchObject({ state: 'failed' });
    server.close();
    server.closeAllConnections();
  });

  it('a snapshot of any age restores the remaining time of each task', async () => {
    let now = NOW;
    const sandbox = await start({ rows: 5, clock: () => now });
    await control(sandbox, 'syncs/one', { states: ['first', 'second'], every: 10_000 });
    now += 4000;
    const saved = copy(await sandbox.snapshot());
    now += 3_600_000;
    const status = async () => object((await get(sandbox, '/v1/sync/one')).body['data'])['status'];
    expect(await status()).toBe('second');
    await sandbox.load(saved);
    now += 5999;
    expect(await status()).toBe('first');
    now += 1;
    expect(await status()).toBe('second');
  });
});

describe('documents that are not snapshots', () => {
  it('a rejected snapshot changes nothing, and the error contains the problem', async () => {
    const sandbox = await frozen({ rows: 20, faults: ['429:/v1/spam:rate=0.3'] });
    sandbox.ledgers.insert({ quantity: '3' });
    await control(sandbox, 'integrations', { providerId: 'kraken', alias: 'new' });
    const good = JSON.stringify(await sandbox.snapshot());
    const id = sandbox.workspaceId;
    const broken = (change: (document: Record<string, unknown>) => unknown) => {
      const document = object(JSON.parse(good));
      change(document);
      return JSON.stringify(document);
    };
    const workspace = (document: Record<string, unknown>) => object(object(document['workspaces'])[id]);
    const leg = (document: Record<string, unknown>) =>
      object(list(object(list(object(workspace(document)['ledgers'])['changes'])[0])['insert'])[0]);
    const cases: [string, string][] = [
      ['', 'not valid JSON'],
      ['[1]', 'must be an object'],
      ['{"format":"other"}', 'format must be "cryptodata-sandbox-snapshot"'],
      [broken((document) => Object.assign(document, { version: 2 })), 'Unsupported snapshot version: 2'],
      [good.slice(0, -10), 'not valid JSON'],
      [broken((document) => Reflect.deleteProperty(document, 'faults')), '"faults" must be an object'],
      [broken((document) => Object.assign(document, { more: 1 })), 'Unknown field "more"'],
      [
        broken((document) => Object.assign(workspace(document), { lockedUntil: '2020' })),
        `"workspaces.${id}.lockedUntil" must be a number`,
      ],
      [
        broken((document) => Object.assign(leg(document), { quantity: 'much' })),
        '"quantity" must be a decimal string',
      ],
      [broken((document) => Object.assign(leg(document), { walletId: 'nobody' })), 'Unknown walletId nobody'],
      [
        broken((document) => Object.assign(document, { workspaces: { ws_other: workspace(document) } })),
        'unknown workspace ws_other',
      ],
      [
        broken((document) => Object.assign(object(document['settings']), { rows: 5_000_000 })),
        '"settings.rows" must be',
      ],
      [
        broken((document) =>
          Object(document['faults']).armed.push({
            fault: { kind: 'none' },
            index: 0,
            seen: 0,
            left: 1,
            age: 0,
          }),
        ),
        'faults.armed[1].fault: kind "none" is unknown',
      ],
      [
        broken((document) => Object(workspace(document)['ledgers']).changes.push({ remove: 'led_none' })),
        'unknown ledger led_none',
      ],
    ];
    for (const [document, message] of cases) {
      const answer = await load(sandbox, document);
      expect([answer.status, answer.body['error_description']]).toEqual([
        400,
        expect.stringContaining(message),
      ]);
      expect(JSON.stringify(await sandbox.snapshot())).toBe(good);
    }
  });

  it('a page of another site can neither save nor load a snapshot', async () => {
    const sandbox = await frozen({ rows: 3 });
    const good = JSON.stringify(await sandbox.snapshot());
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ]) {
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = await call(`${sandbox.url}/_sandbox/snapshot`, {
          method,
          headers,
          ...(method === 'GET' ? {} : { body: good }),
        });
        expect([method, answer.status]).toEqual([method, 403]);
      }
    }
  });
});
