// Tests which workspaces a token or an API key can access. Each workspace has its own data.

import { expect, it } from 'vitest';
import { allLedgers, bearer, call, control, isObject, list, logIn, object, start, text } from './helpers.ts';

const now = Date.UTC(2026, 5, 1);
let moved = 0;
const sandbox = await start({ rows: 60, clock: () => now + moved });
const { url, apiKey, workspaceId, truth } = sandbox;
const [second = ''] = truth.members.map((member) => member.workspaceId).filter((id) => id !== workspaceId);

async function keyOf(body: unknown): Promise<string> {
  const made = await call(`${url}/_sandbox/api-keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(made.status).toBe(201);
  return text(made.body['key']);
}
const ledgers = (key: string, wid?: string) =>
  call(`${url}/v1/ledgers?limit=200${wid === undefined ? '' : `&wid=${wid}`}`, {
    headers: { 'x-api-key': key },
  });
const refusal = ({ status, body }: Awaited<ReturnType<typeof call>>) => [status, body['error']];

it('a token can read only the data of its own workspace [workspace.bound]', async () => {
  const own = await allLedgers(sandbox);
  expect(new Set(own.map((row) => row['workspaceId']))).toEqual(new Set([workspaceId]));
  const { access_token } = await logIn(sandbox, { workspace: second });
  const there = await call(`${url}/v1/ledgers?limit=200`, bearer(text(access_token)));
  const rows = list(there.body['data']);
  expect(rows).toHaveLength(60);
  expect(new Set(rows.map((row) => row['workspaceId']))).toEqual(new Set([second]));
  const ids = new Set(own.map((row) => row['id']));
  expect(rows.filter((row) => ids.has(row['id']))).toEqual([]);
  const foreign = await call(`${url}/v1/ledgers/${text(own[0]?.['id'])}`, bearer(text(access_token)));
  expect(foreign.status).toBe(404);
  for (const wid of [workspaceId, second]) {
    const answer = await call(`${url}/v1/ledgers?wid=${wid}`, bearer(text(access_token)));
    expect(refusal(answer)).toEqual([403, 'forbidden']);
  }
});

it('an API key gives access to its own workspaces, and wid selects one of them [workspace.wid, workspace.foreign]', async () => {
  const both = await keyOf({ name: 'Both', workspaceIds: [workspaceId, second] });
  const other = await keyOf({ workspaceIds: [second] });
  for (const [key, wid] of [
    [apiKey, workspaceId],
    [both, workspaceId],
    [both, second],
    [other, second],
  ] as const) {
    const rows = list((await ledgers(key, wid)).body['data']);
    expect(new Set(rows.map((row) => row['workspaceId']))).toEqual(new Set([wid]));
  }
  for (const [key, wid] of [
    [apiKey, second],
    [other, workspaceId],
    [both, truth.foreignWorkspaceId],
    [both, 'ws_nothing'],
  ] as const) {
    expect(refusal(await ledgers(key, wid))).toEqual([403, 'forbidden']);
  }
  for (const key of [apiKey, both, other]) expect(refusal(await ledgers(key))).toEqual([400, 'bad_request']);
  expect(refusal(await ledgers('key_none', second))).toEqual([401, 'unauthorized']);
  // Legacy requests do not name a workspace. They use the first workspace of the API key.
  const wallets = async (key: string) => {
    const { body } = await call(`${url}/api/v1/integrations`, { headers: { 'x-api-key': key } });
    return list(body['data']).map(({ walletId }) => walletId);
  };
  expect(await wallets(other)).not.toEqual(await wallets(apiKey));
  expect(await wallets(both)).toEqual(await wallets(apiKey));
});

it('rejects an expired API key, and an API key that is used from an IP address not on its list [api-key.expiry, api-key.ip, silent.key-restrictions]', async () => {
  const key = await keyOf({ expiresAt: now + 1000, ips: ['127.0.0.1'] });
  expect((await ledgers(key, workspaceId)).status).toBe(200);
  moved = 1000;
  expect(refusal(await ledgers(key, workspaceId))).toEqual([401, 'unauthorized']);
  moved = 0;
  const elsewhere = await keyOf({ ips: ['10.1.1.1'], permissions: ['write:transactions'] });
  expect(refusal(await ledgers(elsewhere, workspaceId))).toEqual([401, 'unauthorized']);
  const posted = await call(`${url}/api/v1/integrations`, { headers: { 'x-api-key': elsewhere } });
  expect(refusal(posted)).toEqual([401, 'unauthorized']);
});

it('an API key is shown only once, and a reset removes the key [api-key.once]', async () => {
  const key = await keyOf({ name: 'Once' });
  const { raw } = await call(`${url}/_sandbox/api-keys`);
  expect(raw).toContain('"Once"');
  expect(raw).not.toContain(key);
  const told: unknown = JSON.parse(raw);
  expect(Array.isArray(told) && told.filter(isObject).map(({ name }) => name)).toContain('Once');
  for (const wrong of [
    [],
    'text',
    { name: 1 },
    { ips: '127.0.0.1' },
    { expiresAt: 'soon' },
    { scope: 'x' },
  ]) {
    expect(await control(sandbox, 'api-keys', wrong)).toBe(400);
  }
  await sandbox.reset();
  expect(refusal(await ledgers(key, workspaceId))).toEqual([401, 'unauthorized']);
});

it('control endpoints use the workspace that wid selects', async () => {
  const key = await keyOf({ workspaceIds: [workspaceId, second] });
  const total = async (wid: string) => object((await ledgers(key, wid)).body['meta'])['total'];
  const before = [await total(workspaceId), await total(second)];
  expect(await control(sandbox, `ledgers?wid=${second}`, [{}, {}])).toBe(201);
  expect([await total(workspaceId), await total(second)]).toEqual([before[0], Number(before[1]) + 2]);
  await sandbox.reset();
  const again = await keyOf({ workspaceIds: [second] });
  expect(object((await ledgers(again, second)).body['meta'])['total']).toBe(before[1]);
});
