// Tests the four addresses of the service: each serves only its own paths. Also tests strict options.

import { expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { bearer, call, list, object, start, text } from './helpers.ts';

const sandbox = await start({ oneOrigin: false, rows: 20 });
const { env } = sandbox;
const token = bearer(env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
const at = (name: string) => text(env[`CRYPTODATA_${name}_URL`]);
const NAMES = ['AUTH', 'BASE', 'LEGACY_BASE', 'LEGACY_PUBLIC'];

it('the four addresses are different origins on 127.0.0.1, and sandbox.url is the address of the current data API', () => {
  expect(new Set(NAMES.map(at)).size).toBe(4);
  for (const name of NAMES) expect(at(name)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(sandbox.url).toBe(at('BASE'));
});

it.each([
  ['/oidc/jwks', 'AUTH'],
  ['/v1/providers?limit=1', 'BASE'],
  ['/api/v1/userinfo', 'LEGACY_BASE'],
  ['/v0/defi-holdings', 'LEGACY_BASE'],
  ['/integrations/public/list', 'LEGACY_PUBLIC'],
])('only one of the four addresses serves %s', async (path, home) => {
  const client = { 'x-client-id': sandbox.clientId, 'x-client-secret': sandbox.clientSecret };
  for (const name of NAMES) {
    const { status } = await call(`${at(name)}${path}`, { headers: { ...token.headers, ...client } });
    expect([name, status]).toEqual([name, name === home ? 200 : 404]);
  }
});

it('the control endpoints and the page are available at every address', async () => {
  for (const name of NAMES) {
    expect((await call(`${at(name)}/_sandbox/clock`)).status).toBe(200);
    expect((await call(`${at(name)}/_sandbox`)).raw).toContain('<h1>Sandbox</h1>');
  }
});

it('the request log and the page show that an application uses a wrong address', async () => {
  await sandbox.reset();
  await call(`${at('BASE')}/v0/wallets`, token);
  const remark = `wrong address: /v0/wallets is at legacy_base_url (${at('LEGACY_BASE')}), not at base_url`;
  const [request] = sandbox.truth.requests();
  expect(request).toMatchObject({ address: 'base_url', status: 404, remarks: [remark] });
  expect((await call(`${sandbox.url}/_sandbox?show=remarks`)).raw).toContain(remark);
});

it('the request log reports needless client credentials in a request to the current API', async () => {
  await sandbox.reset();
  const headers = { ...token.headers, 'x-client-id': 'any' };
  expect((await call(`${sandbox.url}/v1/ledgers`, { headers })).status).toBe(200);
  await call(`${sandbox.url}/v1/ledgers`, token);
  const remarks = sandbox.truth.requests().map((request) => request.remarks);
  expect(remarks).toEqual([[expect.stringContaining('not needed: X-Client-Id')], undefined]);
});

it('oneOrigin serves all addresses on one port', async () => {
  const one = await start({ oneOrigin: true, rows: 5 });
  expect(NAMES.map((name) => one.env[`CRYPTODATA_${name}_URL`])).toEqual(NAMES.map(() => one.url));
  expect((await call(`${one.url}/integrations/public/list`)).status).toBe(200);
  expect((await call(`${one.url}/oidc/jwks`)).status).toBe(200);
});

it('createSandbox rejects a port above 65532, because a sandbox also uses the next three ports', async () => {
  await expect(createSandbox({ port: 65_533 })).rejects.toThrow('"port" must be at most 65532');
});

it('createSandbox fails if a port is in use', async () => {
  const taken = Number(new URL(at('LEGACY_PUBLIC')).port);
  await expect(createSandbox({ port: taken, rows: 1 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it.each([
  [{ row: 10 }, 'Unknown field "row"; did you mean rows?'],
  [{ ties: 'random' }, '"ties" must be "stable" or "unstable"'],
  [{ autoConsent: 'yes' }, '"autoConsent" must be true or false'],
  [
    { apiKeys: [{ key: 'a', permission: [] }] },
    'Unknown field "permission" in "apiKeys[0]"; did you mean permissions?',
  ],
  [{ syncStates: ['a', 'b', 'c', 'd', 'e', 'f'] }, '"syncStates" must be a list of at most 5 names'],
  [{ faults: [{ status: 429, pth: '/v1/*' }] }, 'has no parameter "pth"; did you mean path?'],
])('createSandbox rejects %j', async (options, message) => {
  await expect(createSandbox(Object(options))).rejects.toThrow(message);
});

it('events.emit and ledgers.insert reject unknown kinds and fields', () => {
  const emit: (kind: unknown) => unknown = (kind) =>
    Reflect.apply(sandbox.events.emit, undefined, [kind, {}]);
  expect(() => emit('costbasis.done')).toThrow('"event" must be one of');
  expect(() => sandbox.ledgers.insert(Object({ quantty: '1' }))).toThrow('did you mean quantity?');
});

it('the library and the control endpoint accept each fault as text or as an object', async () => {
  const { faults } = sandbox;
  faults.add('429:/v1/ledgers:nth=2');
  faults.add({ status: 429, path: '/v1/holdings', rate: 1 });
  const url = `${sandbox.url}/_sandbox/faults`;
  const send = (method: string, body: unknown) =>
    call(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  expect((await send('POST', 'torn:/v1/*:at=5')).status).toBe(204);
  expect(faults.list()).toEqual([
    { status: 429, path: '/v1/ledgers', nth: 2, times: 1 },
    { status: 429, path: '/v1/holdings', rate: 1 },
    { kind: 'torn', path: '/v1/*', at: 5, times: 1 },
  ]);
  expect([faults.remove('429:/v1/holdings:rate=1'), faults.remove('429:/v1/holdings:rate=1')]).toEqual([
    true,
    false,
  ]);
  const torn = { kind: 'torn', path: '/v1/*', at: 5 };
  expect([(await send('DELETE', torn)).status, (await send('DELETE', torn)).status]).toEqual([204, 404]);
  expect(list(JSON.parse((await call(url)).raw))).toHaveLength(1);
  expect(() => faults.add('429:/v1/ledgrs')).toThrow('did you mean /v1/ledgers?');
  expect([faults.remove(), faults.remove(), faults.list()]).toEqual([true, false, []]);
});

it('syncStates sets the names of sync states; the last name is the state of a finished sync', async () => {
  const named = await start({ rows: 600, syncStates: ['running', 'done'] });
  const auth = bearer(named.env['CRYPTODATA_ACCESS_TOKEN'] ?? '');
  const ledgers = list((await call(`${named.url}/v1/ledgers?limit=200`, auth)).body['data']);
  const ids = new Set(ledgers.map((ledger) => ledger['syncId']).filter((id) => id !== null));
  const states: string[] = [];
  for (const id of ids) {
    const { body } = await call(`${named.url}/v1/sync/${String(id)}`, auth);
    states.push(text(object(body['data'])['status']));
  }
  const count = (state: string) => states.filter((one) => one === state).length;
  expect(count('done')).toBeGreaterThan(count('partially_synced'));
  expect(count('partially_synced')).toBeGreaterThan(0);
  expect(count('running')).toBe(0);
});
