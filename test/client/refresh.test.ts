import { MockAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/core/credentials.ts';
import { usageError } from '../../src/core/errors.ts';
import { BASE, bench, failure, headersOf, PLAIN } from './helpers.ts';

const REFUSED = { error: 'unauthorized', error_description: 'expired' };
const AUTHED = { ...PLAIN, auth: true } as const;

/** Simulates a service that accepts only the token `new`. Also creates credentials, and counts their refreshes. */
function service(refreshable = true) {
  const seen: string[] = [];
  let refreshes = 0;
  let token = 'old';
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get(BASE)
    .intercept({ path: /^\/v1\/things/, method: () => true })
    .reply(({ headers }) => {
      const sent = headersOf(headers)['authorization'] ?? '';
      seen.push(sent);
      return sent === 'Bearer new'
        ? { statusCode: 200, data: '{"data":1}' }
        : { statusCode: 401, data: JSON.stringify(REFUSED) };
    })
    .persist();
  const credentials: Credentials = {
    headers: async () => ({ authorization: `Bearer ${token}` }),
    query: () => ({}),
    refresh: async () => {
      refreshes += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (refreshable) token = 'new';
      return refreshable;
    },
  };
  return { ...bench({ dispatcher: agent, credentials }), seen, refreshes: () => refreshes };
}

describe('credentials', () => {
  test('credentials are refreshed once after a 401, and the request is sent again', async () => {
    const { client, seen, refreshes, clock, events } = service();
    expect(await client.request(AUTHED)).toMatchObject({ status: 200 });
    expect(seen).toEqual(['Bearer old', 'Bearer new']);
    expect(refreshes()).toBe(1);
    expect(clock.slept).toEqual([]);
    expect(events.map((event) => event.status)).toEqual([401, 200]);
  });

  test('a POST that fails with a 401 is sent again after a refresh', async () => {
    const { client, seen } = service();
    expect(await client.request({ ...AUTHED, method: 'POST', body: {} })).toMatchObject({ status: 200 });
    expect(seen).toHaveLength(2);
  });

  test('if 20 simultaneous requests fail with a 401, the credentials are refreshed only once', async () => {
    const { client, refreshes } = service();
    const all = await Promise.all(Array.from({ length: 20 }, () => client.request(AUTHED)));
    expect(all.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    expect(refreshes()).toBe(1);
  });

  test('a 401 for a request that was sent before a refresh does not cause another refresh', async () => {
    const agent = new MockAgent();
    agent.disableNetConnect();
    const pool = agent.get(BASE);
    let token = 'old';
    let refreshes = 0;
    let release = () => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const sent: string[] = [];
    const credentials: Credentials = {
      headers: async () => ({ authorization: token }),
      query: () => ({}),
      refresh: async () => {
        refreshes += 1;
        token = `new${refreshes}`;
        return true;
      },
    };
    pool
      .intercept({ path: /./ })
      .reply(({ path, headers }) => {
        const { authorization } = headersOf(headers);
        sent.push(`${path} ${authorization}`);
        return { statusCode: authorization === 'old' ? 401 : 200, data: '{}' };
      })
      .persist();
    const slow = agent.compose((dispatch) => (options, handler) => {
      if (options.path !== '/v1/slow' || sent.length > 2) return dispatch(options, handler);
      late.then(() => dispatch(options, handler));
      return true;
    });
    const { client } = bench({ dispatcher: slow, credentials });
    const waiting = client.request({ ...AUTHED, path: ['v1', 'slow'] });
    await client.request({ ...AUTHED, path: ['v1', 'quick'] });
    release();
    await waiting;
    expect(refreshes).toBe(1);
    expect(sent).toEqual(['/v1/quick old', '/v1/quick new1', '/v1/slow old', '/v1/slow new1']);
  });

  test('a request fails with the 401 if the credentials cannot be refreshed', async () => {
    const { client, seen } = service(false);
    expect(await failure(client.request(AUTHED))).toMatchObject({ kind: 'auth', code: 'unauthorized' });
    expect(seen).toEqual(['Bearer old']);
  });

  test('a request refreshes the credentials only once, and fails after a second 401', async () => {
    const { agent, client } = bench({
      credentials: { headers: async () => ({}), query: () => ({}), refresh: async () => true },
    });
    agent.get(BASE).intercept({ path: '/v1/things' }).reply(401, REFUSED).times(2);
    expect(await failure(client.request(AUTHED))).toMatchObject({ status: 401 });
    agent.assertNoPendingInterceptors();
  });

  test('a client without credentials does not retry after a 401', async () => {
    const { agent, client, events } = bench();
    agent.get(BASE).intercept({ path: '/v1/things' }).reply(401, REFUSED);
    expect(await failure(client.request(AUTHED))).toMatchObject({ status: 401 });
    expect(events).toHaveLength(1);
  });

  test('an error during a refresh is thrown unchanged, and the next request refreshes again', async () => {
    const trouble = usageError('no client secret');
    let refreshes = 0;
    const { agent, client } = bench({
      credentials: {
        headers: async () => ({}),
        query: () => ({}),
        refresh: () => {
          refreshes += 1;
          throw trouble;
        },
      },
    });
    agent.get(BASE).intercept({ path: '/v1/things' }).reply(401, REFUSED).times(2);
    expect(await failure(client.request(AUTHED))).toBe(trouble);
    expect(await failure(client.request(AUTHED))).toBe(trouble);
    expect(refreshes).toBe(2);
  });

  test('credentials are not sent if "auth" is false', async () => {
    const { agent, client } = bench({
      credentials: {
        headers: async () => ({ authorization: 'Bearer secret' }),
        query: () => ({ wid: 'ws_1' }),
        refresh: async () => true,
      },
    });
    let headers: unknown;
    agent
      .get(BASE)
      .intercept({ path: '/v1/things' })
      .reply((request) => {
        headers = request.headers;
        return { statusCode: 200, data: '{}' };
      });
    await client.request(PLAIN);
    expect(JSON.stringify(headers)).not.toMatch(/authorization|secret/i);
  });

  test('adds "wid" to the query of a request with an API key, and rejects a second "wid"', async () => {
    const { agent, client } = bench({
      credentials: { headers: async () => ({}), query: () => ({ wid: 'ws_1' }), refresh: async () => false },
    });
    agent.get(BASE).intercept({ path: '/v1/things?limit=1&wid=ws_1' }).reply(200, '{}');
    await client.request({ ...AUTHED, query: { limit: 1 } });
    expect(await failure(client.request({ ...AUTHED, query: { wid: 'ws_2' } }))).toMatchObject({
      kind: 'usage',
    });
  });

  test('the client calls credentials.headers() before credentials.query()', async () => {
    let found = false;
    const { agent, client } = bench({
      credentials: {
        headers: async () => {
          found = true;
          return {};
        },
        query: async () => (found ? { wid: 'ws_1' } : {}),
        refresh: async () => false,
      },
    });
    agent.get(BASE).intercept({ path: '/v1/things?wid=ws_1' }).reply(200, '{}');
    expect((await client.request(AUTHED)).requestUrl).toBe(`${BASE}/v1/things?wid=ws_1`);
  });

  test('credentials are not requested for an invalid request', async () => {
    const { client } = bench({
      credentials: {
        headers: async () => {
          throw new Error('asked for');
        },
        query: () => ({}),
        refresh: async () => false,
      },
    });
    for (const wrong of [{ path: ['..'] }, { query: { a: [] } }]) {
      expect(await failure(client.request({ ...AUTHED, ...wrong }))).toMatchObject({ kind: 'usage' });
    }
  });
});
