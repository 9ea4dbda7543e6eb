import { describe, expect, it } from 'vitest';
import { call, control, get, list, object, post, start } from './helpers.ts';

const sandbox = await start();
const { url } = sandbox;

describe('/_sandbox/faults', () => {
  const journal = async () => {
    const parsed: unknown = JSON.parse((await call(`${url}/_sandbox/faults`)).raw);
    return list(parsed);
  };

  it('applies a fault the given number of times', async () => {
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

  it('sends the retry delay in the header retry_after or Retry-After', async () => {
    await control(sandbox, 'faults', { path: '/v1/ledgers', status: 429, retryAfter: 7 });
    const own = await get(sandbox, '/v1/ledgers');
    expect([own.headers.get('retry_after'), own.headers.get('retry-after')]).toEqual(['7', null]);
    expect(object(own.body['error'])['code']).toBe('RATE_LIMIT_EXCEEDED');
    const common = { path: '/v1/ledgers', status: 429, retryAfter: 0, retryHeader: 'Retry-After' };
    await control(sandbox, 'faults', common);
    expect((await get(sandbox, '/v1/ledgers')).headers.get('retry-after')).toBe('0');
  });

  it('limits a fault to a path pattern and a method', async () => {
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

  it('removes all faults on DELETE and on a reset', async () => {
    await control(sandbox, 'faults', { path: '/*', status: 500, times: 1000 });
    expect(await journal()).toHaveLength(1);
    expect((await get(sandbox, '/v1/providers')).status).toBe(500);
    expect((await call(`${url}/_sandbox/faults`, { method: 'DELETE' })).status).toBe(204);
    expect((await get(sandbox, '/v1/providers')).status).toBe(200);
    await control(sandbox, 'faults', { path: '/*', status: 500, times: 1000 });
    await sandbox.reset();
    expect(await journal()).toEqual([]);
  });

  it('rejects an invalid fault', async () => {
    for (const body of [
      {},
      { path: 'v1', status: 500 },
      { path: '/v1/*', status: 200 },
      { path: '/v1/ledger', status: 500 },
      { path: '/v1/*', status: '500' },
      { path: '/v1/*', status: 500, times: 0 },
      { path: '/v1/*', status: 429, retryAfter: -1 },
      { path: '/v1/*', status: 429, retryHeader: 'a b' },
      { path: '/v1/*', status: 500, code: 1 },
      { path: '/v1/*', status: 500, method: 1 },
      [],
    ]) {
      expect([body, await control(sandbox, 'faults', body)]).toEqual([body, 400]);
    }
    expect(await journal()).toEqual([]);
  });

  it('rejects cross-site requests', async () => {
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
