// Tests the endpoints under /v1/integrations, and GET /v1/sync/{syncId}.

import { beforeEach, describe, expect, it } from 'vitest';
import { createIds } from '../../src/sandbox/core/ids.ts';
import {
  allLedgers,
  call,
  control,
  get,
  isObject,
  type Json,
  list,
  object,
  post,
  start,
  text,
} from './helpers.ts';

const STATES = ['QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'INACTIVE'];

let now = Date.UTC(2026, 5, 1);
const sandbox = await start({ clock: () => now });
const ledgers = await allLedgers(sandbox);
beforeEach(() => sandbox.reset());

async function integrations(from = sandbox) {
  return list((await get(from, '/v1/integrations', { limit: 200 })).body['data']);
}
async function statusOf(walletId: string) {
  return (await integrations()).find((one) => one['walletId'] === walletId)?.['status'];
}
const withStatus = async (status: string) =>
  text((await integrations()).find((one) => one['status'] === status)?.['walletId']);

describe('the list of integrations', () => {
  it('returns the integrations at the given offset and limit, in the specified envelope [current.integrations]', async () => {
    const all = await integrations();
    const { status, body } = await get(sandbox, '/v1/integrations', { limit: 5, offset: 15 });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      data: all.slice(15),
      totalCount: sandbox.truth.integrations,
      offset: 15,
      limit: 5,
      hasMore: false,
    });
    expect(all).toHaveLength(sandbox.truth.integrations);
  });

  it('the provider and the number of transactions of each wallet match the ledgers [current.integrations.providerId, current.integrations.isCustomWallet, integration.totalTransactions]', async () => {
    const byWallet = new Map((await integrations()).map((one) => [one['walletId'], one]));
    for (const { walletId, toAccount, fromAccount } of ledgers) {
      const accounts = [toAccount, fromAccount].filter((account) => account !== null).map(object);
      const own = accounts.find((account) => account['walletId'] === walletId);
      expect(byWallet.get(walletId)?.['providerId']).toBe(own?.['provider']);
    }
    for (const [walletId, { totalTransactions, isCustomWallet, type }] of byWallet) {
      const own = ledgers.filter((leg) => leg['walletId'] === walletId);
      expect(totalTransactions).toBe(new Set(own.map((leg) => leg['transactionId'])).size);
      expect(isCustomWallet).toBe(own.length === 0);
      // Legs from uploaded files have no sync id.
      if (type === 'csv') expect(own.every((leg) => leg['syncId'] === null)).toBe(true);
    }
  });

  it('each integration contains exactly the specified fields [provider.isCustomWallet, integration.isContract, integration.category, integration.type, integration.errorMessage, integration.publicAddress]', async () => {
    const fields = [
      'providerId',
      'isCustomWallet',
      'provider',
      'providerPublicName',
      'publicAddress',
      'walletId',
      'logoUrl',
      'isContract',
      'alias',
      'status',
      'addedOn',
      'lastSyncedAt',
      'category',
      'type',
      'totalTransactions',
    ];
    const all = await integrations();
    for (const { errorMessage, ...one } of all) {
      expect(Object.keys(one).sort()).toEqual([...fields].sort());
      expect(errorMessage === undefined).toBe(one['status'] !== 'FAILED');
      expect(STATES).toContain(one['status']);
      expect(['exchange', 'wallet', 'blockchain', 'unknown']).toContain(one['category']);
      expect(['api', 'csv']).toContain(one['type']);
      expect(one['isContract']).toBe(false);
      expect(text(one['publicAddress']) === '').toBe(
        one['category'] === 'exchange' || one['category'] === 'unknown',
      );
      for (const name of ['addedOn', 'lastSyncedAt', 'totalTransactions'])
        expect(Number.isInteger(one[name])).toBe(true);
    }
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['COMPLETED', 'FAILED', 'INACTIVE']));
    const custom = all.filter(({ isCustomWallet }) => isCustomWallet === true);
    expect(custom).toHaveLength(1);
    // The catalogue does not list the provider of the custom wallet.
    expect((await get(sandbox, `/v1/providers/${custom[0]?.['providerId']}`)).status).toBe(404);
  });
});

describe('alias-exists', () => {
  const ask = async (query: Record<string, string>) =>
    (await get(sandbox, '/v1/integrations/alias-exists', query)).body;

  it('alias-exists finds an existing alias under any parameter name [current.alias-exists, wrapped.hint.alias, silent.account-checks]', async () => {
    expect(await ask({ alias: 'Kraken main' })).toEqual({ success: true, data: true });
    expect(await ask({ name: 'Kraken main' })).toEqual({ success: true, data: true });
    expect(await ask({ alias: 'kraken main' })).toEqual({ success: true, data: false });
    expect(await ask({ alias: '' })).toEqual({ success: true, data: false });
    const { apiKey, workspaceId, url } = sandbox;
    const path = `/v1/integrations/alias-exists?alias=Coinbase&wid=${workspaceId}`;
    const byKey = await call(`${url}${path}`, { headers: { 'x-api-key': apiKey } });
    expect(byKey.body).toEqual({ success: true, data: true });
  });

  it('alias-exists requires an alias', async () => {
    expect(await ask({})).toMatchObject({ success: false, code: 'VALIDATION_ERROR' });
    expect(await ask({ alias: 'a', other: 'b' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

it('test-credentials accepts valid credentials, and rejects each kind of invalid request with its own error code [current.test-credentials, wrapped.hint.credentials, silent.account-checks]', async () => {
  const path = '/v1/integrations/test-credentials';
  const good = { providerId: 'kraken', credentials: { apiKey: 'k', secretKey: 's' } };
  expect(await post(sandbox, path, good)).toMatchObject({ status: 200, body: { success: true, data: {} } });
  for (const [body, status, code] of [
    [{ ...good, credentials: { apiKey: 'key-rejected' } }, 400, 'CREDENTIAL_VALIDATION_FAILED'],
    [{ ...good, alias: 'Kraken main' }, 409, 'CONFLICT'],
    [{ ...good, providerId: 'htx' }, 502, 'EXTERNAL_SERVICE_ERROR'],
    [{}, 400, 'VALIDATION_ERROR'],
    [undefined, 400, 'VALIDATION_ERROR'],
  ] as const) {
    const answer = await post(sandbox, path, body);
    expect([body, answer.status, answer.body['code']]).toEqual([body, status, code]);
    expect(Object.keys(answer.body)).toEqual(['success', 'error', 'code', 'details']);
  }
});

describe('batch-delete', () => {
  const path = '/v1/integrations/batch-delete';

  it('batch-delete deletes the known accounts, and lists the unknown ids in a response with the status 200 [current.batch-delete, partial.batch-delete, status.DELETING, silent.failed-items]', async () => {
    const [first, second] = (await integrations()).map(({ walletId }) => text(walletId));
    const answer = await post(sandbox, path, { ids: [first, 'wal_none', second, first] });
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: { failed: ['wal_none'] } }]);
    expect(await statusOf(first ?? '')).toBe('DELETING');
    expect(await statusOf(first ?? '')).toBeUndefined();
    expect(await integrations()).toHaveLength(sandbox.truth.integrations - 2);
    expect((await post(sandbox, path, [first])).body).toEqual({ success: true, data: { failed: [first] } });
    expect((await get(sandbox, `/v1/integrations/${first}/assets`)).status).toBe(404);
    await sandbox.reset();
    expect(await integrations()).toHaveLength(sandbox.truth.integrations);
  });

  it('batch-delete fails for an account with the status DELETING, and rejects an empty list of ids [silent.what-fails]', async () => {
    const [first] = (await integrations()).map(({ walletId }) => text(walletId));
    await post(sandbox, path, [first]);
    expect((await post(sandbox, path, [first])).body).toEqual({ success: true, data: { failed: [first] } });
    const empty = await post(sandbox, path, { ids: [] });
    expect([empty.status, empty.body['code']]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('resync-all', () => {
  const path = '/v1/integrations/resync-all';

  it('resync-all syncs every account that can sync, and responds 200 with a list of the inactive accounts [current.resync-all, partial.resync-all, status.QUEUED, status.SYNCING, status.COMPLETED, status.INACTIVE, silent.failed-items]', async () => {
    const inactive = await withStatus('INACTIVE');
    const failed = await withStatus('FAILED');
    const byHand = (await integrations()).find(({ isCustomWallet }) => isCustomWallet === true);
    const answer = await post(sandbox, path);
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: { failed: [inactive] } }]);
    expect((await integrations()).find(({ walletId }) => walletId === byHand?.['walletId'])).toEqual(byHand);
    await sandbox.reset();
    await post(sandbox, path);
    expect([await statusOf(failed), await statusOf(failed), await statusOf(failed)]).toEqual([
      'QUEUED',
      'SYNCING',
      'COMPLETED',
    ]);
    expect(await statusOf(inactive)).toBe('INACTIVE');
  });

  it('rejects a second resync-all while a sync is running', async () => {
    await post(sandbox, path);
    const again = await post(sandbox, path);
    expect([again.status, again.body['code']]).toEqual([400, 'SYNC_ERROR']);
    for (let look = 0; look < 3; look += 1) await integrations();
    expect((await post(sandbox, path)).status).toBe(200);
  });
});

describe('a scripted integration', () => {
  it('each read of a scripted integration advances its state, up to the last state of the script [silent.sync-pace]', async () => {
    const walletId = await withStatus('COMPLETED');
    const states = ['DELETING', 'FAILED'];
    expect(await control(sandbox, `integrations/${walletId}`, { states })).toBe(204);
    expect([await statusOf(walletId), await statusOf(walletId), await statusOf(walletId)]).toEqual([
      'DELETING',
      'FAILED',
      'FAILED',
    ]);
  });

  it('a scripted integration changes its state as the clock advances [silent.sync-pace]', async () => {
    const walletId = await withStatus('COMPLETED');
    const script = { states: ['QUEUED', 'SYNCING', 'COMPLETED'], every: 1000 };
    await control(sandbox, `integrations/${walletId}`, script);
    const seen = [];
    for (const step of [0, 999, 1, 1000, 50_000]) {
      now += step;
      seen.push(await statusOf(walletId));
    }
    expect(seen).toEqual(['QUEUED', 'QUEUED', 'SYNCING', 'COMPLETED', 'COMPLETED']);
  });

  it('rejects an invalid script for an integration', async () => {
    const walletId = await withStatus('COMPLETED');
    for (const body of [
      { states: ['RUNNING'] },
      { states: [] },
      { states: 'QUEUED' },
      { states: ['QUEUED'], every: 0 },
      {},
    ]) {
      expect([body, await control(sandbox, `integrations/${walletId}`, body)]).toEqual([body, 400]);
    }
    expect(await control(sandbox, 'integrations/wal_none', { states: ['QUEUED'] })).toBe(404);
  });
});

describe('the assets of an integration', () => {
  it('an integration has no assets by default, and an unknown integration id returns 404 [current.integration-assets]', async () => {
    const walletId = await withStatus('COMPLETED');
    const { status, body } = await get(sandbox, `/v1/integrations/${walletId}/assets`);
    expect([status, body['data'], body['totalCount']]).toEqual([200, [], 0]);
    const none = await get(sandbox, '/v1/integrations/wal_none/assets');
    expect([none.status, none.body['code']]).toEqual([404, 'NOT_FOUND']);
  });

  it('the assets of an integration are all supplied records with its wallet id or without a wallet id', async () => {
    const [first = '', second = ''] = (await integrations()).map(({ walletId }) => text(walletId));
    const own = [{ walletId: first, a: 1 }, { walletId: second, a: 2 }, { a: 3 }];
    const given = await start({ data: { 'integration-assets': own } });
    const { body } = await get(given, `/v1/integrations/${first}/assets`);
    expect(body['data']).toEqual([own[0], own[2]]);
  });
});

describe('a sync', () => {
  const syncIds = [...new Set(ledgers.flatMap(({ syncId }) => (syncId === null ? [] : [text(syncId)])))];
  const sync = async (id: string, from = sandbox) => (await get(from, `/v1/sync/${id}`)).body['data'];

  it('the syncId of each leg identifies a sync with a status that the specification names [current.sync, sync.recordsFailed, not-shown.sync-record]', async () => {
    const records = await Promise.all(syncIds.slice(0, 300).map(async (id) => object(await sync(id))));
    for (const record of records) {
      expect(Object.keys(record).sort()).toEqual(['limitReached', 'message', 'recordsFailed', 'status']);
      expect(['partially_synced', 'cancelled']).toContain(record['status']);
      expect(Number(record['recordsFailed']) > 0).toBe(record['status'] === 'partially_synced');
    }
    expect(new Set(records.map(({ status }) => status)).size).toBe(2);
    expect(new Set(records.map(({ limitReached }) => limitReached)).size).toBe(2);
  });

  it('returns 404 for an unknown sync id', async () => {
    // An uploaded leg has no sync. A sync of the fourth wallet on the day of this leg would have the id `never`.
    const uploaded = ledgers.find(
      ({ toAccount }) => isObject(toAccount) && toAccount['provider'] === 'bitstamp',
    );
    const day = Math.floor(Number(uploaded?.['timestamp']) / 86_400_000);
    const never = createIds('syn', 'meridian').of(3 * 65_536 + day);
    // Find a day on which other wallets have legs, but the first wallet has none.
    const dayOf = (leg: Json) => Math.floor(Number(leg['timestamp']) / 86_400_000);
    const first = (await integrations())[0]?.['walletId'];
    const busy = new Set(ledgers.filter(({ walletId }) => walletId === first).map(dayOf));
    const idle = ledgers.map(dayOf).find((other) => !busy.has(other)) ?? 0;
    for (const id of [
      createIds('syn', 'meridian').of(idle),
      never,
      'syn_0000000000000000',
      'x',
      text(ledgers[0]?.['id']),
    ]) {
      const { status, body } = await get(sandbox, `/v1/sync/${id}`);
      expect([id, status, body['code']]).toEqual([id, 404, 'NOT_FOUND']);
    }
  });

  it('the option syncStates names up to five states; the last name is the state of a finished sync [sync.states, not-shown.sync-states]', async () => {
    const syncStates = ['waiting', 'running', 'done', 'broken', 'stalled'];
    const named = await start({ syncStates });
    const seen = await Promise.all(syncIds.slice(0, 200).map(async (id) => object(await sync(id, named))));
    const states = seen.map(({ status }) => status);
    expect(states).toEqual(expect.arrayContaining(['stalled', 'partially_synced']));
    expect(states).not.toContain('running');
    await expect(start({ syncStates: [...syncStates, 'sixth'] })).rejects.toThrow(RangeError);
  });

  it('each read of a scripted sync advances its state, and a reset restarts the script [sync.partially_synced, sync.limitReached, limits.transactions, partial.sync]', async () => {
    const partial = {
      status: 'partially_synced',
      recordsFailed: 3,
      limitReached: true,
      message: 'cut short',
    };
    const scripted = await start({
      rows: 1,
      syncs: { syn_mine: { states: ['waiting', 'running', partial] } },
    });
    for (let round = 0; round < 2; round += 1) {
      const looks = [];
      for (let look = 0; look < 4; look += 1) looks.push(object(await sync('syn_mine', scripted)));
      expect(looks.map(({ status }) => status)).toEqual([
        'waiting',
        'running',
        'partially_synced',
        'partially_synced',
      ]);
      expect(looks.at(-1)).toEqual(partial);
      expect(looks[0]).toEqual({ status: 'waiting', recordsFailed: 0, limitReached: false, message: '' });
      await scripted.reset();
    }
  });

  it('a sync that is scripted at run time changes its state as the clock advances', async () => {
    const [id = ''] = syncIds;
    expect(await control(sandbox, `syncs/${id}`, { states: ['running', 'cancelled'], every: 500 })).toBe(204);
    const status = async () => object(await sync(id))['status'];
    expect([await status(), await status()]).toEqual(['running', 'running']);
    now += 500;
    expect(await status()).toBe('cancelled');
    for (const states of [[{ recordsFailed: 1 }], [''], [3]]) {
      expect([states, await control(sandbox, `syncs/${id}`, { states })]).toEqual([states, 400]);
    }
  });
});
