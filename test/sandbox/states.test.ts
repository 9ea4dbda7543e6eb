// Tests the states of integrations, syncs and runs, and the events about changes of state. The tests move the clock instead of
// waiting.

import { beforeEach, describe, expect, it } from 'vitest';
import { call, control, get, isObject, type Json, list, object, post, start, text } from './helpers.ts';

const PACE = 1000;
const time = Date.UTC(2026, 5, 1);
const sandbox = await start({ rows: 300, clock: () => time, pace: PACE, syncStates: ['running', 'done'] });
beforeEach(() => sandbox.reset());

let told = 0;
beforeEach(() => {
  told = 0;
});
/** Returns the events since the last call, as strings: name, status, and wallet id. The reason replaces a missing id. */
function news(): string[] {
  const all = sandbox.events.list().slice(told);
  told += all.length;
  return all.map(({ envelope: { event, data } }) => {
    const { status, walletId, reason } = data as Json;
    const about = typeof walletId === 'string' ? walletId : (reason ?? undefined);
    return [event, status, about].filter((part) => part !== undefined).join(' ');
  });
}
function lastData(): Json {
  return object(sandbox.events.list().at(-1)?.envelope.data);
}
const integrations = async () => list((await get(sandbox, '/v1/integrations', { limit: 200 })).body['data']);
async function integration(walletId: string): Promise<Json | undefined> {
  return (await integrations()).find((one) => one['walletId'] === walletId);
}
const wallets = (await integrations()).filter(({ status, type }) => status === 'COMPLETED' && type === 'api');
const [wallet = '', other = ''] = wallets.map(({ walletId }) => text(walletId));
const script = (body: unknown, walletId = wallet) => control(sandbox, `integrations/${walletId}`, body);
const advance = (milliseconds: number) => sandbox.clock.advance(milliseconds);

const FULL = [
  'transfer_detection.started started',
  'transfer_detection.completed completed',
  'costbasis.started started',
  'costbasis.completed completed',
];

describe('a sync of all accounts', () => {
  const resync = () => post(sandbox, '/v1/integrations/resync-all');

  it('a sync of all accounts advances with the clock, then starts transfer detection and cost basis runs [status.QUEUED, status.SYNCING, status.COMPLETED, run.started, run.completed, run.order, event.integration.updated, event.transfer_detection.started, event.transfer_detection.completed, event.costbasis.started, event.costbasis.completed, silent.recalculation]', async () => {
    expect((await resync()).status).toBe(200);
    expect((await integration(wallet))?.['status']).toBe('QUEUED');
    expect(news()).toEqual([]);
    advance(PACE);
    expect((await integration(wallet))?.['status']).toBe('SYNCING');
    expect(news()).toEqual([]);
    advance(PACE);
    const ended = news();
    const synced = (await integrations()).filter(
      ({ status, type }) => status === 'COMPLETED' && type === 'api',
    );
    const told = synced.map(({ walletId }) => `integration.updated COMPLETED ${walletId}`);
    expect(ended).toEqual([...told, FULL[0]]);
    expect(synced.length).toBeGreaterThan(5);
    expect(new Set(synced.map(({ lastSyncedAt }) => lastSyncedAt))).toEqual(new Set([time + 2 * PACE]));
    advance(PACE);
    expect(news()).toEqual(FULL.slice(1, 3));
    advance(PACE);
    expect(news()).toEqual(FULL.slice(3));
    advance(1e6);
    expect(news()).toEqual([]);
  });

  it('during a sync of all accounts, each read of an account advances its status, and the usual events are sent', async () => {
    await resync();
    for (const status of ['QUEUED', 'SYNCING', 'COMPLETED', 'COMPLETED']) {
      expect((await integration(wallet))?.['status']).toBe(status);
    }
    expect(news().at(-1)).toBe(FULL[0]);
    advance(2 * PACE);
    expect(news()).toEqual(FULL.slice(1));
  });

  it('each event of a sync of all accounts has its own time after the clock jumps far ahead [envelope.timestamp, event.run.timestamp]', async () => {
    await resync();
    advance(1e6);
    const runs = sandbox.events.list().slice(-4);
    const times = runs.map(({ envelope }) => Date.parse(envelope.timestamp) - time);
    expect(times).toEqual([2 * PACE, 3 * PACE, 3 * PACE, 4 * PACE]);
    expect(runs.map(({ envelope }) => object(envelope.data)['timestamp'])).toEqual(
      times.map((at) => at + time),
    );
  });

  it('a sync of all accounts skips uploaded and disabled accounts', async () => {
    const before = (await integrations()).filter(
      ({ status, type }) => status === 'INACTIVE' || type === 'csv',
    );
    await resync();
    advance(1e6);
    const after = await integrations();
    expect(before.length).toBeGreaterThan(1);
    for (const one of before) expect(after).toContainEqual(one);
  });

  it('a sync of all accounts starts a calculation after one account fails [status.FAILED, event.integration.failed]', async () => {
    const states = ['QUEUED', 'SYNCING', { status: 'FAILED', errorMessage: 'Invalid key' }];
    expect(await script({ states, every: PACE, when: 'resync' })).toBe(204);
    expect((await integration(wallet))?.['status']).toBe('COMPLETED');
    await resync();
    advance(2 * PACE);
    const failed = await integration(wallet);
    expect(failed).toMatchObject({ status: 'FAILED', errorMessage: 'Invalid key' });
    expect(failed?.['lastSyncedAt']).toBe(wallets[0]?.['lastSyncedAt']);
    const ended = news();
    expect(ended).toContain(`integration.failed FAILED ${wallet}`);
    expect(ended.at(-1)).toBe(FULL[0]);
    advance(1e6);
    await resync();
    advance(2 * PACE);
    const again = await integration(wallet);
    expect(again?.['status']).toBe('COMPLETED');
    expect(again).not.toHaveProperty('errorMessage');
  });

  it('a reset cancels a sync of all accounts', async () => {
    await resync();
    advance(2 * PACE);
    await sandbox.reset();
    advance(1e6);
    expect(sandbox.events.list()).toEqual([]);
  });
});

describe('a scripted account', () => {
  it('a scripted account sends an event when its status becomes COMPLETED, FAILED or INACTIVE', async () => {
    await script({ states: ['SYNCING', 'COMPLETED'], every: PACE });
    advance(PACE);
    expect(news()).toEqual([`integration.updated COMPLETED ${wallet}`, FULL[0]]);
    await script({ states: ['SYNCING', { status: 'FAILED', errorMessage: 'Rate limited' }], every: PACE });
    advance(PACE);
    expect(news()).toContain(`integration.failed FAILED ${wallet}`);
    await script({ states: ['INACTIVE'] });
    expect(news().at(-1)).toBe(`integration.updated INACTIVE ${wallet}`);
  });

  it('events of a scripted account contain the specified fields; errorMessage is present only after a failure [event.integration.failed, integration.errorMessage]', async () => {
    const served = await integration(wallet);
    await script({ states: [{ status: 'FAILED', errorMessage: 'Rate limited' }] });
    const { providerId: _, isCustomWallet: __, ...account } = served ?? {};
    expect(lastData()).toEqual({ ...account, status: 'FAILED', errorMessage: 'Rate limited' });
    await script({ states: [{ status: 'COMPLETED', errorMessage: 'Rate limited' }] });
    expect(lastData()).toEqual(account);
  });

  it('no calculation starts while any account is still syncing, or if every sync failed [silent.recalculation]', async () => {
    await script({ states: ['SYNCING', 'COMPLETED'], every: PACE });
    await script({ states: ['QUEUED', 'FAILED'], every: 5 * PACE }, other);
    advance(PACE);
    expect(news()).toEqual([`integration.updated COMPLETED ${wallet}`]);
    advance(4 * PACE);
    expect(news()).toEqual([`integration.failed FAILED ${other}`, FULL[0]]);
    await sandbox.reset();
    told = 0;
    await script({ states: ['SYNCING', 'FAILED'], every: PACE });
    advance(1e6);
    expect(news()).toEqual([`integration.failed FAILED ${wallet}`]);
  });

  it('a scripted account follows only the latest script', async () => {
    await script({ states: ['SYNCING', 'COMPLETED'], every: PACE });
    await script({ states: ['SYNCING', 'INACTIVE'], every: 2 * PACE });
    advance(1e6);
    expect(news()).toEqual([`integration.updated INACTIVE ${wallet}`]);
  });

  it('rejects a script with an unknown state or operation', async () => {
    for (const body of [
      { states: [{ status: 'RUNNING' }] },
      { states: [{ errorMessage: 'x' }] },
      { states: [{ status: 'FAILED', errorMessage: 3 }] },
      { states: ['QUEUED'], when: 'later' },
      { states: ['QUEUED'], when: null },
    ]) {
      expect([body, await script(body)]).toEqual([body, 400]);
    }
    expect(await script({ states: ['QUEUED'], when: 'delete' }, 'wal_none')).toBe(404);
  });
});

describe('the removal of an account', () => {
  const remove = () => post(sandbox, '/v1/integrations/batch-delete', { ids: [wallet] });

  it('removing an account sends integration.deleted twice, with the statuses DELETING and DELETED [status.DELETING, status.DELETED, status.removed, event.integration.deleted]', async () => {
    await remove();
    expect(news()).toEqual([`integration.deleted DELETING ${wallet}`]);
    advance(PACE);
    expect(news()).toEqual([`integration.deleted DELETED ${wallet}`]);
    expect(await integration(wallet)).toBeUndefined();
    advance(1e6);
    expect(news()).toEqual([]);
  });

  it('if a script makes the removal of an account fail, the account remains, with the status FAILED [status.not-removed]', async () => {
    const states = ['DELETING', { status: 'FAILED', errorMessage: 'The removal failed' }];
    await script({ states, every: PACE, when: 'delete' });
    expect((await remove()).body['data']).toEqual({ failed: [] });
    advance(PACE);
    expect(news()).toEqual([
      `integration.deleted DELETING ${wallet}`,
      `integration.deleted FAILED ${wallet}`,
    ]);
    expect(lastData()['errorMessage']).toBe('The removal failed');
    expect((await integration(wallet))?.['status']).toBe('FAILED');
    await remove();
    advance(PACE);
    expect(await integration(wallet)).toBeUndefined();
  });
});

describe('an account that a user connects', () => {
  const connect = (body: unknown) =>
    call(`${sandbox.url}/_sandbox/integrations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('connecting an account sends integration.created, then starts a sync and a calculation [event.integration.created, event.created-first]', async () => {
    const before = await integrations();
    const answer = await connect({ providerId: 'ethereum', alias: 'New', publicAddress: '0xabc' });
    expect(answer.status).toBe(201);
    const walletId = text(answer.body['walletId']);
    expect(before.map((one) => one['walletId'])).not.toContain(walletId);
    expect(news()).toEqual([`integration.created QUEUED ${walletId}`]);
    expect(lastData()).toMatchObject({ addedOn: time, lastSyncedAt: 0, category: 'blockchain', type: 'api' });
    expect(await integrations()).toEqual([...before, answer.body]);
    expect(Object.keys(answer.body).sort()).toEqual(Object.keys(before[0] ?? {}).sort());
    advance(2 * PACE);
    expect(news()).toEqual([`integration.updated COMPLETED ${walletId}`, FULL[0]]);
    expect((await integration(walletId))?.['lastSyncedAt']).toBe(time + 2 * PACE);
    await sandbox.reset();
    expect(await integrations()).toEqual(before);
  });

  it('without a script, the sync of a new account fails if the provider does not work', async () => {
    const broken = text((await connect({ providerId: 'htx' })).body['walletId']);
    advance(2 * PACE);
    expect(await integration(broken)).toMatchObject({ status: 'FAILED', errorMessage: expect.any(String) });
    const states = ['SYNCING', 'INACTIVE'];
    const scripted = text((await connect({ providerId: 'htx', states, every: PACE })).body['walletId']);
    const file = await connect({ providerId: 'kraken', type: 'csv' });
    expect(file.body).toMatchObject({
      status: 'COMPLETED',
      type: 'csv',
      publicAddress: '',
      category: 'exchange',
    });
    news();
    advance(1e6);
    expect(news()).toEqual([`integration.updated INACTIVE ${scripted}`]);
  });

  it('connecting an account requires a known provider and an unused alias', async () => {
    const taken = text(wallets[0]?.['alias']);
    for (const [body, status] of [
      [{}, 400],
      [null, 400],
      [{ providerId: 'none' }, 404],
      [{ providerId: 'kraken', alias: taken }, 409],
      [{ providerId: 'kraken', alias: 3 }, 400],
      [{ providerId: 'kraken', type: 'oauth' }, 400],
      [{ providerId: 'kraken', states: ['RUNNING'] }, 400],
    ] as const) {
      expect([body, (await connect(body)).status]).toEqual([body, status]);
    }
    expect(news()).toEqual([]);
  });
});

describe('a sync of an account', () => {
  const sync = async () => (await get(sandbox, '/v1/sync/syn_mine')).body['data'];
  const move = (body: object) =>
    control(sandbox, 'syncs/syn_mine', { every: PACE, walletId: wallet, ...body });

  it('a partial sync counts as COMPLETED in events, but not in its sync record [sync.folds.partially_synced, sync.recordsFailed, sync.limitReached]', async () => {
    const partial = {
      status: 'partially_synced',
      recordsFailed: 7,
      limitReached: true,
      message: 'The limit of the workspace',
    };
    expect(await move({ states: ['running', partial] })).toBe(204);
    expect((await integration(wallet))?.['status']).toBe('SYNCING');
    advance(PACE);
    expect(await sync()).toEqual(partial);
    expect(news()).toEqual([`integration.updated COMPLETED ${wallet}`, FULL[0]]);
    expect(lastData()).not.toHaveProperty('recordsFailed');
  });

  it('a cancelled sync counts as FAILED in events [sync.folds.cancelled]', async () => {
    await move({ states: ['running', 'cancelled'] });
    advance(PACE);
    expect(await sync()).toMatchObject({ status: 'cancelled' });
    expect(news()).toEqual([`integration.failed FAILED ${wallet}`]);
    expect(await integration(wallet)).toMatchObject({
      status: 'FAILED',
      errorMessage: 'The sync was cancelled',
    });
  });

  it('a sync that ends immediately still sends its events', async () => {
    await move({ states: ['partially_synced'] });
    expect(news()).toEqual([`integration.updated COMPLETED ${wallet}`, FULL[0]]);
  });

  it('a script sets the status of the account for a sync in a custom state [not-shown.sync-states]', async () => {
    await move({
      states: [
        { status: 'asleep', integration: 'QUEUED' },
        { status: 'well', integration: 'COMPLETED' },
      ],
    });
    expect((await integration(wallet))?.['status']).toBe('QUEUED');
    expect(Object.keys(object(await sync())).sort()).toEqual([
      'limitReached',
      'message',
      'recordsFailed',
      'status',
    ]);
    advance(PACE);
    expect(await sync()).toMatchObject({ status: 'well' });
    expect(news()[0]).toBe(`integration.updated COMPLETED ${wallet}`);
  });

  it('a scripted sync without a wallet id changes no account', async () => {
    await move({ states: ['running', 'cancelled'], walletId: undefined });
    advance(PACE);
    expect(await sync()).toMatchObject({ status: 'cancelled' });
    expect(news()).toEqual([]);
    expect(await move({ states: ['running'], walletId: 'wal_none' })).toBe(404);
    expect(await move({ states: [{ status: 'running', integration: 'RUNNING' }] })).toBe(400);
  });

  it('a sync of an account can be scripted when the sandbox is created', async () => {
    const own = await start({
      rows: 300,
      clock: () => time,
      syncs: { syn_mine: { states: ['running', 'partially_synced'], walletId: wallet } },
    });
    for (let look = 0; look < 2; look += 1) await get(own, '/v1/sync/syn_mine');
    const told = own.events.list().map(({ envelope }) => envelope.event);
    expect(told).toEqual(['integration.updated', 'transfer_detection.started']);
  });
});

describe('a calculation', () => {
  const run = (body: unknown) => control(sandbox, 'runs', body);

  it('a calculation can be started directly, and several requests during the calculation start only one more', async () => {
    expect(await run({})).toBe(204);
    await run({});
    await run({});
    expect(news()).toEqual(FULL.slice(0, 1));
    advance(1e6);
    expect(news()).toEqual([...FULL.slice(1), ...FULL]);
  });

  it('the events of a calculation contain neither a wallet nor a user [envelope.no-user, event.workspace-wide]', async () => {
    await run({});
    advance(1e6);
    for (const { envelope } of sandbox.events.list()) {
      expect(Object.keys(envelope.data)).toEqual(['action', 'status', 'reason', 'timestamp']);
    }
  });

  it('a scripted failure stops the calculation, and the event contains the reason [run.failed, event.transfer_detection.failed, event.costbasis.failed, event.run.reason, silent.recalculation]', async () => {
    await run({ fail: 'transfer_detection', reason: 'Too many transfers' });
    advance(1e6);
    expect(news()).toEqual([FULL[0], 'transfer_detection.failed failed Too many transfers']);
    await run({ fail: 'costbasis' });
    advance(1e6);
    expect(news().slice(0, 3)).toEqual(FULL.slice(0, 3));
    expect(isObject(lastData()) && typeof lastData()['reason']).toBe('string');
  });

  it('a failure can be scripted for the next calculation only', async () => {
    await run({ fail: 'costbasis', reason: 'No prices', next: true });
    expect(news()).toEqual([]);
    await script({ states: ['SYNCING', 'COMPLETED'], every: PACE });
    advance(1e6);
    expect(news().at(-1)).toBe('costbasis.failed failed No prices');
    await run({});
    advance(1e6);
    expect(news()).toEqual(FULL);
  });

  it('rejects an invalid request for a calculation', async () => {
    for (const body of [{ fail: 'tax' }, { reason: 3 }, { next: 1 }, { next: true }, 'x']) {
      expect([body, await run(body)]).toEqual([body, 400]);
    }
    expect(news()).toEqual([]);
  });
});
