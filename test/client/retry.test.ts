import { describe, expect, test } from 'vitest';
import { backoff, retryAfter } from '../../src/core/retry.ts';
import { BASE, bench, failure, JSON_HEADERS, PLAIN } from './helpers.ts';

const AT = { path: '/v1/things', method: 'GET' };
const OK = { data: [] };

describe('retry', () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])(
    'a request that fails with status %i is retried and then succeeds',
    async (status) => {
      const { agent, client, clock, events } = bench();
      const pool = agent.get(BASE);
      pool.intercept(AT).reply(status, 'busy').times(2);
      pool.intercept(AT).reply(200, OK);
      expect(await client.request(PLAIN)).toMatchObject({ status: 200, body: OK });
      // The maximum wait is 1 s, then 2 s. The jitter of 0.5 halves each wait.
      expect(clock.slept).toEqual([500, 1000]);
      expect(events.map(({ attempt, status, retryInMs }) => [attempt, status, retryInMs])).toEqual([
        [1, status, 500],
        [2, status, 1000],
        [3, 200, undefined],
      ]);
    },
  );

  test('a request fails after five attempts with the last error', async () => {
    const { agent, client, clock } = bench();
    agent
      .get(BASE)
      .intercept(AT)
      .reply(502, { success: false, error: 'Down', code: 'EXTERNAL_SERVICE_ERROR' })
      .times(5);
    expect(await failure(client.request(PLAIN))).toMatchObject({
      code: 'EXTERNAL_SERVICE_ERROR',
      kind: 'service',
    });
    expect(clock.slept).toEqual([500, 1000, 2000, 4000]);
    agent.assertNoPendingInterceptors();
  });

  test.each([400, 401, 403, 404, 409, 413, 422])(
    'a request is not retried after status %i',
    async (status) => {
      const { agent, client, clock, events } = bench();
      agent.get(BASE).intercept(AT).reply(status, '{}');
      await failure(client.request(PLAIN));
      expect(clock.slept).toEqual([]);
      expect(events).toHaveLength(1);
    },
  );

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'a %s request that fails is sent only once',
    async (method) => {
      const { agent, client, events } = bench();
      agent
        .get(BASE)
        .intercept({ ...AT, method })
        .reply(500, '{}');
      expect(await failure(client.request({ ...PLAIN, method, body: {} }))).toMatchObject({ status: 500 });
      expect(events).toHaveLength(1);
    },
  );

  test('retries a POST that is declared idempotent', async () => {
    const { agent, client } = bench();
    const pool = agent.get(BASE);
    pool.intercept({ ...AT, method: 'POST', body: '{"a":1}' }).reply(500, '{}');
    pool.intercept({ ...AT, method: 'POST', body: '{"a":1}' }).reply(200, OK);
    const answer = await client.request({ ...PLAIN, method: 'POST', body: { a: 1 }, idempotent: true });
    expect(answer.body).toEqual(OK);
  });

  test('retries after a broken connection', async () => {
    const { agent, client, clock } = bench();
    const pool = agent.get(BASE);
    pool.intercept(AT).replyWithError(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    pool.intercept(AT).reply(200, OK);
    expect((await client.request(PLAIN)).body).toEqual(OK);
    expect(clock.slept).toEqual([500]);
  });

  test.each([
    ['not JSON', '{"data": [1, 2'],
    ['an HTML page', '<html><title>Sign in</title></html>'],
  ])('retries if a response with status 200 is %s', async (_, text) => {
    const { agent, client } = bench();
    const pool = agent.get(BASE);
    pool.intercept(AT).reply(200, text);
    pool.intercept(AT).reply(200, OK, JSON_HEADERS);
    expect((await client.request(PLAIN)).body).toEqual(OK);
  });
});

describe('the Retry-After wait', () => {
  const date = new Date(Date.UTC(2025, 5, 1, 0, 0, 7)).toUTCString();
  test.each([
    ['retry_after', '3', 3000],
    ['Retry-After', '3', 3000],
    ['retry_after', '0.25', 250],
    ['Retry-After', date, 7000],
    ['retry_after', date, 7000],
    ['retry_after', 'soon', 500],
    ['Retry-After', '-5', 500],
    ['Retry-After', '0', 500],
  ])('computes the wait before a retry from the header %s: %s', async (name, value, ms) => {
    const { agent, client, clock, events } = bench();
    const pool = agent.get(BASE);
    pool.intercept(AT).reply(429, '{}', { headers: { [name]: value } });
    pool.intercept(AT).reply(200, OK);
    await client.request(PLAIN);
    expect(clock.slept).toEqual([ms]);
    expect(events[0]).toMatchObject({ status: 429, retryInMs: ms });
  });

  test('a request fails if Retry-After requires a wait that is too long', async () => {
    const { agent, client, clock } = bench();
    agent
      .get(BASE)
      .intercept(AT)
      .reply(429, '{}', { headers: { 'Retry-After': '3600' } });
    const error = await failure(client.request(PLAIN));
    expect(error).toMatchObject({
      kind: 'rateLimited',
      retryAfter: 3600,
      hint: 'The service requires a wait of 60 min before the next request.',
    });
    expect(clock.slept).toEqual([]);
  });

  test('a Retry-After header also delays other requests, including a POST', async () => {
    const { agent, client, clock } = bench();
    const pool = agent.get(BASE);
    pool.intercept(AT).reply(429, '{}', { headers: { retry_after: '30' } });
    pool.intercept({ ...AT, method: 'POST' }).reply(200, OK);
    await failure(client.request({ ...PLAIN, idempotent: false }));
    const before = clock.time;
    await client.request({ ...PLAIN, method: 'POST', body: {} });
    expect(clock.time - before).toBe(30_000);
  });

  test('if a response has both retry_after and Retry-After, the longer wait applies', () => {
    expect(retryAfter({ retry_after: '2', 'retry-after': '5' }, 0)).toBe(5);
  });

  test('if Retry-After contains a date, the wait is counted from the time in the Date header of the response', () => {
    const headers = {
      date: 'Sun, 01 Jun 2025 00:00:00 GMT',
      'retry-after': 'Sun, 01 Jun 2025 00:00:09 GMT',
    };
    expect(retryAfter(headers, Date.UTC(2031, 1, 1))).toBe(9);
    expect(retryAfter({ 'retry-after': 'Sun, 01 Jun 2025 00:00:00 GMT' }, Date.UTC(2026, 1, 1))).toBe(0);
    expect(retryAfter({}, 0)).toBeUndefined();
  });

  test('without a Retry-After header, the wait doubles with each retry, up to 20 s', () => {
    expect([1, 2, 3, 4, 30].map((attempt) => backoff(attempt, () => 0.999_999_9))).toEqual([
      1000, 2000, 4000, 8000, 20_000,
    ]);
    expect(backoff(5, () => 0)).toBe(0);
  });
});
