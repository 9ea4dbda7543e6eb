// Tests the bodies of the control endpoints.

import { beforeEach, expect, it } from 'vitest';
import { allLedgers, call, get, object, start, text } from './helpers.ts';

const sandbox = await start({ rows: 100 });
beforeEach(() => sandbox.reset());

const [leg] = await allLedgers(sandbox);
const id = text(object(leg)['id']);
const [account] = (await get(sandbox, '/v1/integrations')).body['data'] as unknown[];
const walletId = text(object(account)['walletId'] ?? object(account)['id']);

/** A valid body for each control endpoint that reads JSON. */
const BODIES: Readonly<Record<string, unknown>> = {
  clock: { advance: 1000 },
  faults: { kind: 'reset', path: '/v1/ledgers' },
  ledgers: { type: 'outgoing', quantity: '0.5', timestamp: Date.UTC(2025, 5, 1) },
  [`ledgers/${id}`]: { quantity: '0.5' },
  period: { lockedUntil: 0 },
  events: { event: 'costbasis.started' },
  receivers: { url: 'http://127.0.0.1:9/hook' },
  [`integrations/${walletId}`]: { states: ['FAILED'] },
  'api-keys': {},
};

/** Content types that HTTP clients send if none is given. `curl -d` sends that of a form. */
const TYPES = [
  'application/x-www-form-urlencoded',
  'text/plain;charset=UTF-8',
  'application/octet-stream',
  '',
];

function send(path: string, body: unknown, type: string) {
  const content = new TextEncoder().encode(JSON.stringify(body));
  const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
  return call(`${sandbox.url}/_sandbox/${path}`, { method: 'POST', headers, body: content });
}

it.each(Object.entries(BODIES))(
  'POST %s reads its body as JSON, whatever the content type',
  async (path, body) => {
    const { status } = await send(path, body, 'application/json');
    expect(status).toBeLessThan(300);
    for (const type of TYPES) {
      await sandbox.reset();
      const answer = await send(path, body, type);
      expect([type, answer.status, answer.raw]).toEqual([type, status, expect.any(String)]);
    }
  },
);

it('a request with a form content type can edit a leg, and its body can be empty', async () => {
  const [type = ''] = TYPES;
  await send(`ledgers/${id}`, { quantity: '0.5' }, type);
  expect(object((await get(sandbox, `/v1/ledgers/${id}`)).body['data'])['quantity']).toBe('0.5');
  const headers = { 'content-type': type };
  expect((await call(`${sandbox.url}/_sandbox/reset`, { method: 'POST', headers, body: '' })).status).toBe(
    204,
  );
});
