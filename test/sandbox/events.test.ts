// Spec: Events. Tests the deliveries of the sandbox, the list of receivers, and receivers that fail.

import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { call, control, get, type Json, list, logIn, object, start, text } from './helpers.ts';
import { receiver, status } from './receiver.ts';

const time = Date.UTC(2026, 5, 1, 12);
const hook = await receiver();
const sandbox = await start({
  rows: 50,
  clock: () => time,
  receivers: [hook.url],
  retries: [1000, 60_000],
  receiverTimeout: 2000,
});
beforeEach(async () => {
  await sandbox.reset();
  hook.got.length = 0;
  hook.answers.length = 0;
});

const url = (path: string) => `${sandbox.url}/_sandbox/${path}`;
function trigger(body: unknown, target = sandbox) {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return call(`${target.url}/_sandbox/events`, init);
}
async function emitted(target = sandbox): Promise<Json[]> {
  const answer = await fetch(`${target.url}/_sandbox/events`);
  return list(await answer.json());
}
async function attempts(at = 0): Promise<unknown[]> {
  const [delivery] = list((await emitted())[at]?.['deliveries']);
  return [delivery?.['state'], ...list(delivery?.['attempts']).map((one) => one['status'] ?? one['error'])];
}

const RUN_KINDS = ['transfer_detection', 'costbasis'].flatMap((category) =>
  ['started', 'completed', 'failed'].map((action) => `${category}.${action}`),
);
const KINDS = [
  ...['created', 'updated', 'deleted', 'failed'].map((action) => `integration.${action}`),
  ...RUN_KINDS,
];

describe('an event', () => {
  it('an event contains the specified envelope in its body, not in headers [envelope.id, envelope.event, envelope.timestamp, envelope.grant_id, envelope.workspace_id, envelope.body-only]', async () => {
    const answer = await trigger({ event: 'integration.updated' });
    await sandbox.events.settled();
    expect(answer.status).toBe(200);
    expect(hook.got).toHaveLength(1);
    const { body = {}, headers = {}, method } = hook.got[0] ?? {};
    expect(body).toEqual(answer.body);
    expect(method).toBe('POST');
    expect(Object.keys(body)).toEqual(['id', 'event', 'timestamp', 'grant_id', 'workspace_id', 'data']);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^whd_\w+$/),
      event: 'integration.updated',
      timestamp: '2026-06-01T12:00:00.000Z',
      grant_id: sandbox.truth.grants()[0]?.grantId,
      workspace_id: sandbox.workspaceId,
    });
    expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
    expect(headers['content-type']).toBe('application/json');
  });

  it.each(KINDS)('an event of the kind %s contains the specified data', async (event) => {
    const { body } = await trigger({ event });
    const data = object(body['data']);
    if (event.startsWith('integration.')) {
      const served = list((await get(sandbox, '/v1/integrations')).body['data']);
      const { errorMessage, status, ...account } = data;
      const { providerId: _, isCustomWallet: __, status: ___, ...first } = served[0] ?? {};
      expect(account).toEqual(first);
      expect(errorMessage === undefined).toBe(event !== 'integration.failed');
      const statuses = { created: 'QUEUED', updated: 'COMPLETED', deleted: 'DELETED', failed: 'FAILED' };
      expect(status).toBe(Object.entries(statuses).find(([action]) => event.endsWith(action))?.[1]);
    } else {
      const [category, action] = event.split('.');
      expect(data).toEqual({
        action: category === 'costbasis' ? 'ACCOUNT_MANAGER' : 'DETECT_TRANSFER',
        status: action,
        reason: action === 'failed' ? expect.any(String) : null,
        timestamp: time,
      });
    }
    expect(JSON.stringify(body)).not.toContain(sandbox.truth.uid);
  });

  it('an event contains the id of the newest grant of the workspace [envelope.grant_id]', async () => {
    await logIn(sandbox);
    const grants = sandbox.truth.grants();
    expect(grants.length).toBeGreaterThan(1);
    expect((await trigger({ event: 'costbasis.started' })).body['grant_id']).toBe(grants.at(-1)?.grantId);
  });

  it('a request can replace the data of an event, and set single fields by path', async () => {
    const data = { action: 'MINE', nested: { deep: 1 } };
    const own = await trigger({ event: 'costbasis.failed', data, set: { 'data.nested.deep': 2 } });
    expect(own.body['data']).toEqual({ action: 'MINE', nested: { deep: 2 } });
    const set = {
      id: 'whd_mine',
      event: 'tax.filed',
      workspace_id: null,
      'data.status': 'FAILED',
      'data.errorMessage': 'x',
    };
    const changed = await trigger({ event: 'integration.updated', set });
    expect(changed.body).toMatchObject({
      id: 'whd_mine',
      event: 'tax.filed',
      workspace_id: null,
      data: { status: 'FAILED', errorMessage: 'x' },
    });
    await sandbox.events.settled();
    expect(hook.got.map(({ body }) => body)).toEqual([own.body, changed.body]);
  });

  it('an event with an invalid kind, field or type is rejected', async () => {
    const event = 'costbasis.started';
    for (const body of [
      {},
      [],
      null,
      { event: 'tax.filed' },
      { event: 3 },
      { event, data: [] },
      { event, data: 'x' },
      { event, set: [] },
      { event, set: { 'data.walletId': 'wal_1' } },
      { event, set: { 'data.errorMessage': 'x' } },
      { event, set: { 'data.status.x': 1 } },
      { event, set: { '': 1 } },
      { event, set: { constructor: 1 } },
      { event, set: { event: 3 } },
      { event, set: { grant_id: null } },
      { event, set: { data: null } },
    ]) {
      const answer = await trigger(body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    const unknown = await trigger({ event, set: { 'data.reson': 'x' } });
    expect(text(unknown.body['error_description'])).toContain('data.reason');
    expect(await emitted()).toEqual([]);
    expect(hook.got).toEqual([]);
  });
});

describe('receivers', () => {
  it('receivers can be added and removed at run time, and a reset restores the initial receivers', async () => {
    const other = await receiver();
    expect(await control(sandbox, 'receivers', { url: other.url })).toBe(204);
    expect(await control(sandbox, 'receivers', { url: other.url })).toBe(204);
    expect(await (await fetch(url('receivers'))).json()).toEqual([{ url: hook.url }, { url: other.url }]);
    await trigger({ event: 'costbasis.started' });
    const remove = (body: unknown) =>
      call(url('receivers'), {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await sandbox.events.settled();
    expect((await remove({ url: hook.url })).status).toBe(204);
    expect((await remove({ url: hook.url })).status).toBe(404);
    expect((await remove({})).status).toBe(400);
    await trigger({ event: 'costbasis.completed' });
    await sandbox.events.settled();
    expect(hook.kinds()).toEqual(['costbasis.started']);
    expect(other.kinds()).toEqual(['costbasis.started', 'costbasis.completed']);
    expect(other.ids()[0]).toBe(hook.ids()[0]);
    await sandbox.reset();
    expect(sandbox.events.receivers()).toEqual([hook.url]);
  });

  it('receivers must be http or https addresses outside the sandbox', async () => {
    const { port } = new URL(sandbox.url);
    for (const bad of [
      'ftp://127.0.0.1/x',
      'file:///etc/passwd',
      'x',
      '',
      3,
      null,
      'http://user:secret@127.0.0.1:1/',
      `${sandbox.url}/_sandbox/events`,
      `http://localhost:${port}/`,
      `http://[::1]:${port}/`,
      `http://0x7f.1:${port}/`,
    ]) {
      expect([bad, await control(sandbox, 'receivers', { url: bad })]).toEqual([bad, 400]);
    }
    expect(sandbox.events.receivers()).toEqual([hook.url]);
    await expect(start({ receivers: ['gopher://x'] })).rejects.toThrow(RangeError);
  });

  it('cross-site requests cannot add receivers or send events', async () => {
    for (const path of ['receivers', 'events']) {
      const answer = await call(url(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
        body: JSON.stringify({ url: 'http://127.0.0.1:9/', event: 'costbasis.started' }),
      });
      expect([path, answer.status]).toEqual([path, 403]);
    }
  });
});

describe('a delivery that fails', () => {
  it('a failed delivery is retried at scheduled times, with the same bytes, until no retries are left [envelope.id, silent.delivery-time]', async () => {
    hook.answers.push(status(500), status(302), status(404));
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['pending', 500]);
    sandbox.clock.advance(999);
    await sandbox.events.settled();
    expect(hook.got).toHaveLength(1);
    sandbox.clock.advance(1);
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['pending', 500, 302]);
    sandbox.clock.advance(60_000);
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['failed', 500, 302, 404]);
    sandbox.clock.advance(1e9);
    await sandbox.events.settled();
    expect(hook.got).toHaveLength(3);
    expect(new Set(hook.got.map(({ raw }) => raw)).size).toBe(1);
    const [record] = await emitted();
    const [delivery] = list(record?.['deliveries']);
    expect(delivery?.['receiver']).toBe(hook.url);
    expect(list(delivery?.['attempts']).map((one) => Number(one['time']) - time)).toEqual([0, 1000, 61_000]);
  });

  it('a failed delivery is retried until the first 2xx response after the clock jumps far ahead', async () => {
    hook.answers.push(status(500), status(503), status(204));
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    sandbox.clock.advance(1e9);
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['delivered', 500, 503, 204]);
  });

  it('a failed delivery does not delay the first attempts of later deliveries', async () => {
    hook.answers.push(status(500));
    const kinds = ['costbasis.started', 'costbasis.completed', 'transfer_detection.started'];
    for (const event of kinds) await trigger({ event });
    await sandbox.events.settled();
    expect(hook.kinds()).toEqual(kinds);
    sandbox.clock.advance(1000);
    await sandbox.events.settled();
    expect(hook.kinds()).toEqual([...kinds, kinds[0]]);
    expect(hook.ids()[3]).toBe(hook.ids()[0]);
  });

  it('the attempts of a delivery show that the connection was refused or aborted', async () => {
    const gone = await receiver();
    await gone.stop();
    sandbox.events.removeReceiver(hook.url);
    sandbox.events.addReceiver(gone.url);
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['pending', 'ECONNREFUSED']);
    sandbox.events.removeReceiver(gone.url);
    expect((await attempts())[0]).toBe('failed');
    sandbox.events.addReceiver(hook.url);
    hook.answers.push((response) => response.destroy());
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    expect(await attempts(1)).toEqual(['pending', 'ECONNRESET']);
  });

  it('an event counts as delivered after a 2xx response whose body never ends', async () => {
    hook.answers.push((response) => {
      const chunk = Buffer.alloc(16_384);
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    expect(await attempts()).toEqual(['delivered', 200]);
  });
});

describe('a receiver that hangs', () => {
  const hung: ServerResponse[] = [];
  const hang = (response: ServerResponse) => void hung.push(response);
  const asked = async (count: number) => {
    while (hung.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  afterEach(() => {
    for (const response of hung.splice(0)) response.destroy();
  });
  async function hanging(receiverTimeout: number): Promise<Sandbox> {
    hook.answers.push(hang);
    return start({ rows: 10, receivers: [hook.url], receiverTimeout, retries: [3_600_000] });
  }

  it('a hanging receiver times out, and does not block the sandbox or other receivers', async () => {
    const other = await receiver();
    const own = await hanging(100);
    own.events.addReceiver(other.url);
    expect((await trigger({ event: 'costbasis.started' }, own)).status).toBe(200);
    await asked(1);
    expect((await get(own, '/v1/ledgers')).status).toBe(200);
    await own.events.settled();
    expect(other.got).toHaveLength(1);
    const [delivery] = own.events.list()[0]?.deliveries ?? [];
    expect(delivery).toMatchObject({ state: 'pending', attempts: [{ error: 'no response within 100 ms' }] });
    // Close this sandbox. Otherwise, its next delivery attempt would affect another test.
    await own.close();
  });

  it('a hanging delivery is cancelled if the sandbox is reset or closed', async () => {
    const own = await hanging(1e9);
    own.events.emit('costbasis.started', {});
    await asked(1);
    hook.answers.push(hang);
    await own.reset();
    expect(own.events.list()).toEqual([]);
    await own.events.settled();
    own.events.emit('costbasis.started', {});
    await asked(2);
    await own.close();
    await own.events.settled();
    expect(own.events.list()[0]?.deliveries[0]?.state).toBe('failed');
  });
});

describe('a signature', () => {
  it('deliveries are not signed by default [not-shown.deliveries]', async () => {
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    const names = Object.keys(hook.got[0]?.headers ?? {});
    expect(names).toContain('content-type');
    expect(names.join()).not.toMatch(/sign/i);
  });

  it.each(['hex', 'base64'] as const)(
    'a signature covers the exact bytes of the body (encoding: %s)',
    async (encoding) => {
      const signature = { header: 'X-My-Signature', secret: 'sécret', encoding };
      const own = await start({ rows: 10, receivers: [hook.url], signature });
      own.events.emit('integration.updated', { alias: '“Ünïcode”' });
      await own.events.settled();
      const [{ raw = '', headers = {} } = {}] = hook.got;
      expect(raw).toContain('“Ünïcode”');
      expect(headers['x-my-signature']).toBe(createHmac('sha256', 'sécret').update(raw).digest(encoding));
    },
  );

  it('a signature needs a valid, unused header name, a secret and a known encoding', async () => {
    const good = { header: 'x-signature', secret: 's', encoding: 'hex' as const };
    for (const wrong of [
      { header: '' },
      { header: 'a b' },
      { header: 'Content-Type' },
      { secret: '' },
      { encoding: 'x' as 'hex' },
    ]) {
      await expect(start({ signature: { ...good, ...wrong } })).rejects.toThrow(/^"signature\./);
    }
  });
});

describe('delivery faults', () => {
  const fault = (body: unknown) => control(sandbox, 'faults', body);
  const KIND = ['costbasis.started', 'costbasis.completed', 'costbasis.failed'];
  const sendAll = async () => {
    for (const event of KIND) await trigger({ event });
    await sandbox.events.settled();
  };

  it('a delivery fault can send a delivery twice, with the same id', async () => {
    expect(await fault({ kind: 'duplicate', nth: [2] })).toBe(204);
    await sendAll();
    expect(hook.kinds()).toEqual([KIND[0], KIND[1], KIND[1], KIND[2]]);
    expect(new Set(hook.got.map(({ raw }) => raw)).size).toBe(3);
  });

  it('a delivery fault can swap two consecutive deliveries', async () => {
    expect(await fault({ kind: 'reorder', nth: [1] })).toBe(204);
    await sendAll();
    expect(hook.kinds()).toEqual([KIND[1], KIND[0], KIND[2]]);
  });

  it('a reordered delivery is sent after a delay if no other delivery follows', async () => {
    await fault({ kind: 'reorder', nth: [1] });
    await trigger({ event: 'costbasis.started' });
    await sandbox.events.settled();
    expect(hook.got).toEqual([]);
    sandbox.clock.advance(1000);
    await sandbox.events.settled();
    expect(hook.kinds()).toEqual(['costbasis.started']);
  });
});

it('an event contains the id of its workspace', async () => {
  const [own = '', further = ''] = [...new Set(sandbox.truth.members.map(({ workspaceId }) => workspaceId))];
  expect(own).toBe(sandbox.workspaceId);
  const wid = `?wid=${further}`;
  expect(await control(sandbox, `integrations${wid}`, { providerId: 'kraken' })).toBe(201);
  expect(await control(sandbox, `events${wid}`, { event: 'costbasis.started' })).toBe(200);
  await trigger({ event: 'costbasis.started' });
  await sandbox.events.settled();
  const seen = hook.got.map(({ body }) => body['workspace_id']);
  expect(seen).toEqual([further, further, own]);
  const [first, second, third] = hook.got.map(({ body }) => body['grant_id']);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

it('delivery ids do not repeat after a restart or a reset', async () => {
  const ids = new Set<string>();
  for (const own of [sandbox, await start({ rows: 10 })]) {
    for (let round = 0; round < 2; round += 1) {
      for (let event = 0; event < 50; event += 1) ids.add(own.events.emit('costbasis.started', {}).id);
      await own.reset();
    }
  }
  expect(ids.size).toBe(200);
});
