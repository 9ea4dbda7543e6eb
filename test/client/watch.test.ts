import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StatusChange } from '../../src/client/options.ts';
import { WatchedAccounts } from '../../src/client/watch.ts';
import { parseJson } from '../../src/core/json.ts';
import { BASE, bench, failure } from './helpers.ts';

/** Simulates a service that sends `answers` in order. The last answer repeats. */
function looks(answers: readonly { status?: number; headers?: Record<string, string>; body: unknown }[]) {
  const made = bench({ retries: 0 });
  const asked: string[] = [];
  made.agent
    .get(BASE)
    .intercept({ path: /./ })
    .reply(({ path }) => {
      const {
        status = 200,
        headers = {},
        body,
      } = answers[Math.min(asked.length, answers.length - 1)] ?? {
        body: {},
      };
      asked.push(path);
      return { statusCode: status, data: JSON.stringify(body), responseOptions: { headers } };
    })
    .persist();
  return { ...made, asked };
}

const sync = (status: unknown, more: object = {}) => ({ body: { success: true, data: { status, ...more } } });

async function all(changes: AsyncIterable<StatusChange>): Promise<StatusChange[]> {
  const seen: StatusChange[] = [];
  for await (const change of changes) seen.push(change);
  return seen;
}

describe('watching a sync', () => {
  test('yields each change, and ends at a final state [GET /v1/sync/{syncId}]', async () => {
    const { client, asked } = looks([sync('a'), sync('a'), sync('b', { x: 1 }), sync('cancelled')]);
    const seen = await all(client.syncs.watch('syn:1'));
    expect(seen.map(({ id, previous, status }) => [id, previous, status])).toEqual([
      ['syn:1', undefined, 'a'],
      ['syn:1', 'a', 'b'],
      ['syn:1', 'b', 'cancelled'],
    ]);
    expect(seen[1]?.record).toEqual({ status: 'b', x: 1 });
    expect(asked).toEqual(Array(4).fill('/v1/sync/syn%3A1'));
  });

  test('watching a sync also ends at the states in the option "until"', async () => {
    const until = ['done'];
    const named = looks([sync('a'), sync('done'), sync('b')]);
    expect((await all(named.client.syncs.watch('s', { until }))).at(-1)?.status).toBe('done');
    const partial = looks([sync('a'), sync('partially_synced'), sync('done')]);
    expect((await all(partial.client.syncs.watch('s', { until }))).at(-1)?.status).toBe('partially_synced');
  });

  test('watch() does not end at the status of an account or at a misspelt state', async () => {
    const foreign = ['QUEUED', 'SYNCING', 'COMPLETED', 'FAILED', 'DELETING', 'DELETED', 'INACTIVE'];
    const near = ['Cancelled', 'CANCELLED', 'partially_synced ', 'PARTIALLY_SYNCED', null, 7, undefined];
    const states = [...foreign, ...near];
    const { client, asked } = looks([...states.map((state) => sync(state)), sync('cancelled')]);
    const seen = await all(client.syncs.watch('s', { until: ['completed', 'failed'] }));
    expect(asked).toHaveLength(states.length + 1);
    expect(seen.at(-1)?.status).toBe('cancelled');
  });

  test('watch() yields a sync again after a change of its counts alone', async () => {
    const { client } = looks([
      sync('a', { recordsFailed: 0 }),
      sync('a', { recordsFailed: 3 }),
      sync('a', { recordsFailed: 3, other: 1 }),
      sync('partially_synced', { recordsFailed: 3, limitReached: true, message: 'm' }),
    ]);
    const seen = await all(client.syncs.watch('s'));
    expect(seen.map(({ record }) => record['recordsFailed'])).toEqual([0, 3, 3]);
  });

  test('watching a sync waits after a 429, retries after a 502, and stops at a 404', async () => {
    const limited = { status: 429, headers: { retry_after: '600' }, body: { error: 'slow down' } };
    const told: string[] = [];
    const { client, clock } = looks([sync('a'), limited, { status: 502, body: {} }, sync('cancelled')]);
    const seen = await all(client.syncs.watch('s', { onHiccup: ({ code }) => void told.push(code) }));
    expect(seen.map(({ status }) => status)).toEqual(['a', 'cancelled']);
    expect(clock.slept).toContain(600_000);
    expect(told).toHaveLength(2);
    const gone = looks([
      sync('a'),
      { status: 404, body: { success: false, code: 'NOT_FOUND', error: 'no' } },
    ]);
    expect(await failure(all(gone.client.syncs.watch('s')))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('get() rejects an invalid sync, but getAsServed() returns the sync unchanged', async () => {
    const { client } = looks([sync(7)]);
    expect(await failure(client.syncs.get('s'))).toMatchObject({ code: 'BAD_RECORD' });
    expect(await client.syncs.getAsServed('s')).toEqual({ status: 7 });
  });
});

const account = (walletId: string, status: unknown, more: object = {}) => ({ walletId, status, ...more });
const list = (...data: object[]) => ({ body: { success: true, data, totalCount: data.length } });

describe('waiting for accounts', () => {
  test('the wait for accounts continues after connection resets and invalid JSON', async () => {
    const { client, agent } = bench({ retries: 0 });
    const accounts = agent.get(BASE);
    const get = () => accounts.intercept({ path: /^\/v1\/integrations/ });
    const served = (status: string) => get().reply(200, list(account('a', status)).body);
    served('SYNCING');
    get()
      .replyWithError(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
      .times(2);
    served('SYNCING');
    get().reply(200, '<html>');
    served('COMPLETED');
    const told: string[] = [];
    const seen = await all(client.integrations.watch([], { onHiccup: ({ code }) => void told.push(code) }));
    expect(seen.map(({ status }) => status)).toEqual(['SYNCING', 'COMPLETED']);
    expect(told).toEqual(['CONNECTION_RESET', 'CONNECTION_RESET', 'BAD_ANSWER']);
  });

  test('the wait ends when every account has a final status; an account that was removed counts as deleted', async () => {
    const { client, asked } = looks([
      list(account('a', 'QUEUED'), account('b', 'DELETING'), account('c', 'FAILED', { errorMessage: 'why' })),
      list(account('a', 'SYNCING'), account('c', 'FAILED', { errorMessage: 'why' })),
      list(account('a', 'COMPLETED'), account('c', 'FAILED', { errorMessage: 'why' })),
    ]);
    const seen = await all(client.integrations.watch());
    expect(seen.map(({ id, previous, status }) => [id, previous, status])).toEqual([
      ['a', undefined, 'QUEUED'],
      ['b', undefined, 'DELETING'],
      ['c', undefined, 'FAILED'],
      ['a', 'QUEUED', 'SYNCING'],
      ['b', 'DELETING', 'DELETED'],
      ['a', 'SYNCING', 'COMPLETED'],
    ]);
    expect(asked).toHaveLength(3);
  });

  test('waits only for the given accounts, and rejects an unknown account', async () => {
    const rows = list(account('a', 'SYNCING'), account('b', 'INACTIVE'));
    expect(await all(looks([rows]).client.integrations.watch(['b']))).toMatchObject([{ id: 'b' }]);
    const error = await failure(all(looks([rows]).client.integrations.watch(['b', 'nosuch'])));
    expect(error).toMatchObject({ kind: 'notFound', code: 'NO_SUCH_INTEGRATION' });
  });

  test('each poll requests every page of the list of accounts', async () => {
    const page = (data: object[], offset: number) => ({
      body: { success: true, data, totalCount: 3, limit: 2, offset, hasMore: offset === 0 },
    });
    const { client, asked } = looks([
      page([account('a', 'COMPLETED'), account('b', 'COMPLETED')], 0),
      page([account('c', 'COMPLETED')], 2),
    ]);
    expect(await all(client.integrations.watch())).toHaveLength(3);
    expect(asked[1]).toContain('offset=2');
  });

  test('treats an account as deleted only if it is missing from two polls', () => {
    const accounts = new WatchedAccounts([]);
    accounts.see([account('a', 'COMPLETED'), account('b', 'COMPLETED')], 1);
    expect(accounts.see([account('a', 'COMPLETED')], 2)).toEqual([]);
    expect(accounts.settled).toBe(false);
    expect(accounts.see([account('a', 'COMPLETED')], 3)).toMatchObject([{ id: 'b', status: 'DELETED' }]);
    expect(accounts.settled).toBe(true);
    expect(accounts.see([account('a', 'COMPLETED')], 4)).toEqual([]);
  });

  test('the wait for accounts ends only when every account has a final status', () => {
    const ends = ['COMPLETED', 'FAILED', 'INACTIVE', 'DELETED'];
    const words = fc.oneof(
      fc.constantFrom(...ends, 'QUEUED', 'SYNCING', 'DELETING', 'partially_synced', 'cancelled', 'completed'),
      fc.string(),
      fc.constant(null),
      fc.integer(),
    );
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 8 }), (statuses) => {
        const accounts = new WatchedAccounts([]);
        const rows = statuses.map((status, at) => account(String(at), status));
        expect(accounts.see(rows, 5)).toHaveLength(statuses.length);
        expect(accounts.see(rows, 6)).toEqual([]);
        expect(accounts.settled).toBe(statuses.every((status) => ends.some((end) => end === status)));
      }),
    );
  });

  test('the wait for accounts accepts a numeric id, and fails for an account without an id', () => {
    const accounts = new WatchedAccounts([]);
    const numbered = parseJson(
      '[{"walletId":17,"status":"SYNCING"},{"walletId":12345678901234567890,"status":"QUEUED"}]',
    );
    if (!Array.isArray(numbered)) throw new Error('no list');
    expect(accounts.see(numbered, 5).map(({ id }) => id)).toEqual(['17', '12345678901234567890']);
    expect(accounts.settled).toBe(false);
    for (const row of [
      'no account',
      { alias: 'x', status: 'SYNCING' },
      { walletId: null },
      { walletId: '' },
    ]) {
      expect(() => new WatchedAccounts([]).see([row], 5)).toThrow(
        expect.objectContaining({ code: 'BAD_RECORD' }),
      );
    }
  });
});
