// /_sandbox/faults, and that every error code of the spec can be met in its shape.

import { describe, expect, it } from 'vitest';
import { call, control, get, isObject, list, object, post, start, text } from './helpers.ts';

const sandbox = await start({ csvMaxFiles: 1, csvMaxFileSize: 100 });
const { url, apiKey } = sandbox;
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
const headers = { authorization: `Bearer ${token}` };

function upload(...files: [name: string, size: number][]) {
  const body = new FormData();
  for (const [name, size] of files) body.append('file', new Blob(['x'.repeat(size)]), name);
  return call(`${url}/v1/csv/upload`, { method: 'POST', headers, body });
}

async function faulty(path: string, status: number, code: string) {
  expect(await control(sandbox, 'faults', { path, status, code })).toBe(204);
  return get(sandbox, path);
}

const oldest = async () => {
  const { body } = await get(sandbox, '/v1/ledgers', { sortOrder: 'asc', limit: 1 });
  return text(list(body['data'])[0]?.['transactionId']);
};
const credentials = (body: unknown) => post(sandbox, '/v1/integrations/test-credentials', body);
const batch = (body: unknown) => post(sandbox, '/v1/transactions/batch', body);

/** How each code is reached here, by shape and code. */
const REACHED: Record<string, () => ReturnType<typeof get>> = {
  'oauth unauthorized': () => call(`${url}/v1/ledgers`),
  'oauth insufficient_scope': () => get(sandbox, '/v1/contacts'),
  'oauth forbidden': () => get(sandbox, '/v1/ledgers', { wid: sandbox.workspaceId }),
  'oauth bad_request': () => call(`${url}/v1/ledgers`, { headers: { 'x-api-key': apiKey } }),
  'oauth server_error': () => faulty('/v1/ledgers', 500, 'server_error'),
  'wrapped VALIDATION_ERROR': () => get(sandbox, '/v1/holdings', { limit: 0 }),
  'wrapped NOT_FOUND': () => get(sandbox, '/v1/providers/none'),
  'wrapped CONFLICT': () => credentials({ alias: 'Coinbase' }),
  'wrapped CREDENTIAL_VALIDATION_FAILED': () => credentials({ apiKey: 'rejected' }),
  'wrapped SYNC_ERROR': async () => {
    await post(sandbox, '/v1/integrations/resync-all');
    return post(sandbox, '/v1/integrations/resync-all');
  },
  'wrapped FILE_REQUIRED': () => upload(),
  'wrapped INVALID_FILE_TYPE': () => upload(['a.txt', 1]),
  'wrapped TOO_MANY_FILES': () => upload(['a.csv', 1], ['b.csv', 1]),
  'wrapped FILE_TOO_LARGE': () => upload(['a.csv', 101]),
  'wrapped RATE_LIMIT_EXCEEDED': () => faulty('/v1/holdings', 429, 'RATE_LIMIT_EXCEEDED'),
  'wrapped EXTERNAL_SERVICE_ERROR': () => credentials({ providerId: 'htx' }),
  'wrapped INTERNAL_ERROR': () => faulty('/v1/holdings', 500, 'INTERNAL_ERROR'),
  'nested BAD_REQUEST': () => get(sandbox, '/v1/transactions', { limit: 0 }),
  'nested NOT_FOUND': () => get(sandbox, '/v1/transactions/none/ledgers'),
  'nested PERIOD_LOCKED': async () => batch([{ id: await oldest() }]),
  'nested CURRENCY_CONVERSION_FAILED': () => batch({ price: { baseCurrency: 'ZZZ' } }),
  'nested INTERNAL_ERROR': () => faulty('/v1/transactions', 500, 'INTERNAL_ERROR'),
  'legacy invalid_parameters': () =>
    call(`${url}/api/v0/transactions`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: '{}',
    }),
  'legacy unauthorized': () => call(`${url}/api/v0/transactions`, { method: 'POST' }),
};

const KEYS: Record<string, string[]> = {
  oauth: ['error', 'error_description'],
  wrapped: ['success', 'error', 'code', 'details'],
  nested: ['error'],
};

describe('the table of errors', () => {
  it('holds every code of the spec, and is served', async () => {
    const names = sandbox.truth.errors.map(({ shape, code }) => `${shape} ${code}`);
    expect(names).toEqual(Object.keys(REACHED));
    const parsed: unknown = JSON.parse((await call(`${url}/_sandbox/errors`)).raw);
    expect(parsed).toEqual(sandbox.truth.errors);
    for (const entry of list(parsed)) expect(text(entry['how'])).not.toBe('');
  });

  it.each(sandbox.truth.errors.map((entry) => [`${entry.shape} ${entry.code}`, entry] as const))(
    '%s is reached',
    async (name, { shape, code, status }) => {
      const answer = await REACHED[name]?.();
      expect(answer?.status).toBe(status);
      const body = object(answer?.body);
      const keys = KEYS[shape];
      if (keys !== undefined) expect(Object.keys(body)).toEqual(keys);
      const nested = isObject(body['error']) ? body['error']['code'] : undefined;
      expect([nested, body['code'], body['error']]).toContain(code);
    },
  );
});

describe('faults', () => {
  const journal = async () => {
    const parsed: unknown = JSON.parse((await call(`${url}/_sandbox/faults`)).raw);
    return list(parsed);
  };

  it('are met as often as told, and counted off', async () => {
    await control(sandbox, 'faults', { path: '/v1/users/me', status: 502, times: 2 });
    expect(await journal()).toEqual([{ path: '/v1/users/me', status: 502, times: 2 }]);
    const first = await get(sandbox, '/v1/users/me');
    expect([first.status, first.body['code']]).toEqual([502, 'EXTERNAL_SERVICE_ERROR']);
    expect((await get(sandbox, '/v1/holdings')).status).toBe(200);
    expect(await journal()).toEqual([{ path: '/v1/users/me', status: 502, times: 1 }]);
    expect((await get(sandbox, '/v1/users/me', { any: 'query' })).status).toBe(502);
    expect((await get(sandbox, '/v1/users/me')).status).toBe(200);
    expect(await journal()).toEqual([]);
  });

  it('say when to come again, in either header', async () => {
    await control(sandbox, 'faults', { path: '/v1/ledgers', status: 429, retryAfter: 7 });
    const own = await get(sandbox, '/v1/ledgers');
    expect([own.headers.get('retry_after'), own.headers.get('retry-after')]).toEqual(['7', null]);
    expect(object(own.body['error'])['code']).toBe('RATE_LIMIT_EXCEEDED');
    const common = { path: '/v1/ledgers', status: 429, retryAfter: 0, retryHeader: 'Retry-After' };
    await control(sandbox, 'faults', common);
    expect((await get(sandbox, '/v1/ledgers')).headers.get('retry-after')).toBe('0');
  });

  it('may be about all paths below one, and about one method', async () => {
    await control(sandbox, 'faults', { path: '/v1/*', status: 500, method: 'post', times: 2 });
    expect((await get(sandbox, '/v1/holdings')).status).toBe(200);
    expect((await post(sandbox, '/v1/integrations/batch-delete', ['x'])).status).toBe(500);
    expect((await post(sandbox, '/v1/transactions/batch', [])).body).toMatchObject({
      error: { code: 'INTERNAL_ERROR' },
    });
    await control(sandbox, 'faults', { path: '/api/*', status: 500 });
    const legacy = await call(`${url}/api/v1/userinfo`);
    expect([legacy.status, Object.keys(legacy.body)]).toEqual([500, ['error', 'message']]);
  });

  it('never keep the control endpoints from answering, and are forgotten', async () => {
    await control(sandbox, 'faults', { path: '/*', status: 500, times: 1000 });
    expect(await journal()).toHaveLength(1);
    expect((await get(sandbox, '/v1/providers')).status).toBe(500);
    expect((await call(`${url}/_sandbox/faults`, { method: 'DELETE' })).status).toBe(204);
    expect((await get(sandbox, '/v1/providers')).status).toBe(200);
    await control(sandbox, 'faults', { path: '/*', status: 500, times: 1000 });
    await sandbox.reset();
    expect(await journal()).toEqual([]);
  });

  it('are refused when they are none', async () => {
    for (const body of [
      {},
      { path: 'v1', status: 500 },
      { path: '/v1', status: 200 },
      { path: '/v1', status: '500' },
      { path: '/v1', status: 500, times: 0 },
      { path: '/v1', status: 429, retryAfter: -1 },
      { path: '/v1', status: 429, retryHeader: 'a b' },
      { path: '/v1', status: 500, code: 1 },
      { path: '/v1', status: 500, method: 1 },
      [],
    ]) {
      expect([body, await control(sandbox, 'faults', body)]).toEqual([body, 400]);
    }
    expect(await journal()).toEqual([]);
  });

  it('and the table are not for pages of other sites', async () => {
    const origin = 'https://evil.example';
    for (const [path, method] of [
      ['errors', 'GET'],
      ['faults', 'GET'],
      ['faults', 'POST'],
      ['faults', 'DELETE'],
      ['syncs/x', 'POST'],
      ['integrations/x', 'POST'],
    ]) {
      const answer = await call(`${url}/_sandbox/${path}`, { method: method ?? 'GET', headers: { origin } });
      expect([path, method, answer.status]).toEqual([path, method, 403]);
    }
  });
});
