// Tests access control for the data API and for the sandbox itself. Spec: Authentication; Errors, shape 1.

import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import {
  bearer,
  call,
  get,
  isObject,
  list,
  logIn,
  object,
  refresh,
  start,
  text,
  withHost,
} from './helpers.ts';

const sandbox = await start({ rows: 40 });
const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'] ?? '';
const { apiKey, workspaceId, truth } = sandbox;

function ask(path: string, headers: Record<string, string> = {}) {
  return call(`${sandbox.url}${path}`, { headers });
}

describe('bearer tokens', () => {
  it('bearer tokens must be complete and have a valid signature [oauth.unauthorized, headers.current]', async () => {
    const forged = await new SignJWT({ scope: 'transactions:read' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(Buffer.from('a secret that nobody shares here'));
    const [head = '', body = '', signature = ''] = token.split('.');
    const other = Buffer.from(Buffer.from(body, 'base64url').toString().replace('owner', 'king')).toString(
      'base64url',
    );
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer nonsense',
      `Basic ${token}`,
      `Bearer ${forged}`,
      `Bearer ${head}.${other}.${signature}`,
      `Bearer ${head}.${body}.`,
      `Bearer ${token} x`,
    ]) {
      const answer = await ask('/v1/ledgers', authorization === undefined ? {} : { authorization });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
      expect(Object.keys(answer.body)).toEqual(['error', 'error_description']);
      expect(answer.body['error']).toBe('unauthorized');
    }
  });

  it('bearer tokens of another sandbox are rejected', async () => {
    const stranger = await createSandbox({ rows: 1 });
    const answer = await ask('/v1/ledgers', bearer(stranger.env['CRYPTODATA_ACCESS_TOKEN'] ?? '').headers);
    await stranger.close();
    expect(answer.status).toBe(401);
  });

  it('a bearer token together with a workspace id is rejected [workspace.bound, workspace.on-bound-token]', async () => {
    for (const wid of [workspaceId, truth.foreignWorkspaceId]) {
      const answer = await get(sandbox, '/v1/ledgers', { wid });
      expect([answer.status, answer.body['error']]).toEqual([403, 'forbidden']);
    }
  });

  it('a bearer token needs the scope of the endpoint, and the error contains the missing scope [access.ledgers, oauth.insufficient_scope, oauth.before]', async () => {
    const tokens = await logIn(sandbox, { scopes: ['portfolios:read'] });
    for (const path of ['/v1/ledgers', '/v1/ledgers/led_0', '/v1/ledgers?limit=zero']) {
      const answer = await ask(path, bearer(text(tokens['access_token'])).headers);
      expect([answer.status, answer.body['error']]).toEqual([403, 'insufficient_scope']);
      expect(answer.body['error_description']).toContain('transactions:read');
    }
    expect((await ask('/v1/users/me', bearer(text(tokens['access_token'])).headers)).status).toBe(200);
  });
});

describe('the enterprise API key', () => {
  it('the enterprise API key reads data if the request contains a workspace id [workspace.wid, api-key.header]', async () => {
    const answer = await ask(`/v1/ledgers?wid=${workspaceId}`, { 'x-api-key': apiKey });
    expect(answer.status).toBe(200);
    expect(list(answer.body['data'])).toHaveLength(40);
    const me = await ask(`/v1/users/me?wid=${workspaceId}`, { 'x-api-key': apiKey });
    expect(me.body).toEqual({ success: true, data: { uid: truth.uid } });
  });

  it.each([
    ['no workspace id', '/v1/ledgers', 400, 'bad_request'],
    ['the id of another workspace', `/v1/ledgers?wid=${truth.foreignWorkspaceId}`, 403, 'forbidden'],
    ['an unknown workspace id', '/v1/ledgers?wid=ws_x', 403, 'forbidden'],
  ])('a request with the enterprise API key and %s is rejected', async (_, path, status, error) => {
    const answer = await ask(path, { 'x-api-key': apiKey });
    expect([answer.status, answer.body['error']]).toEqual([status, error]);
  });

  it('the enterprise API key is rejected if it is invalid or sent together with a bearer token [headers.one-credential, silent.key-restrictions]', async () => {
    const path = `/v1/ledgers?wid=${workspaceId}`;
    expect((await ask(path, { 'x-api-key': `${apiKey}x` })).status).toBe(401);
    const both = await ask(path, { 'x-api-key': apiKey, authorization: `Bearer ${token}` });
    expect([both.status, both.body['error']]).toEqual([401, 'unauthorized']);
  });
});

describe('every endpoint of the current API', () => {
  const gets = [
    '/v1/ledgers',
    '/v1/transactions',
    '/v1/holdings',
    '/v1/nfts',
    '/v1/defi',
    '/v1/defi/totals',
    '/v1/calculated-balances',
    '/v1/integrations',
    '/v1/integrations/alias-exists?alias=x',
    '/v1/labels',
    '/v1/assets/search',
    '/v1/spam',
    '/v1/users/me',
  ];
  const posts = [
    '/v1/integrations/test-credentials',
    '/v1/integrations/batch-delete',
    '/v1/transactions/batch',
    '/v1/integrations/resync-all',
  ];
  const send = (path: string, method: string, headers: Record<string, string>) =>
    call(`${sandbox.url}${path}`, {
      method,
      headers: { ...headers, ...(method === 'POST' ? { 'content-type': 'application/json' } : {}) },
      ...(method === 'POST' ? { body: '["x"]' } : {}),
    });
  const cases = [
    ...gets.map((path) => [path, 'GET'] as const),
    ...posts.map((path) => [path, 'POST'] as const),
  ];

  it.each(cases)(
    '%s (%s) accepts a token without a workspace id, or a key with a workspace id',
    async (path, method) => {
      const withWid = `${path}${path.includes('?') ? '&' : '?'}wid=${workspaceId}`;
      const { headers } = bearer(token);
      const key = { 'x-api-key': apiKey };
      const statuses = [];
      for (const [target, credential] of [
        [path, {}],
        [withWid, headers],
        [path, key],
        [withWid, { ...key, ...headers }],
        [path, headers],
      ] as const) {
        statuses.push((await send(target, method, credential)).status);
      }
      await sandbox.reset();
      statuses.push((await send(withWid, method, key)).status);
      expect(statuses).toEqual([401, 403, 400, 401, 200, 200]);
      await sandbox.reset();
    },
  );

  it('an invalid body gets a 400 response in the error format of the endpoint [errors.by-domain, endpoints.json, silent.unknown-paths]', async () => {
    const { headers } = bearer(token);
    for (const [path, code] of [
      ['/v1/integrations/batch-delete', 'VALIDATION_ERROR'],
      ['/v1/transactions/batch', 'BAD_REQUEST'],
    ] as const) {
      for (const [type, body] of [
        ['application/json', '{'],
        ['text/csv', 'a,b'],
        ['application/json', ''],
        ['application/json', `"${'x'.repeat(2_000_000)}"`],
      ] as const) {
        const init = { method: 'POST', headers: { ...headers, 'content-type': type }, body };
        const answer = await call(`${sandbox.url}${path}`, init);
        const { error } = answer.body;
        const found = isObject(error) ? error['code'] : answer.body['code'];
        expect([path, type, answer.status, found]).toEqual([path, type, 400, code]);
        if (code !== 'VALIDATION_ERROR') continue;
        const issues = list(object(answer.body['details'])['issues']);
        expect(issues.map((issue) => Object.keys(issue))).toEqual([
          ['code', 'expected', 'received', 'path', 'message'],
        ]);
      }
    }
  });
});

describe('the sandbox server', () => {
  it('an unknown path gets a 404 response in the wrapped error format [silent.unknown-paths]', async () => {
    for (const path of ['/', '/v1', '/v2/ledgers', '/oidc/', '/v1/ledgers-of/a', '/v1/none?x=/v1/ledgers']) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body).toEqual({
        success: false,
        error: 'No such endpoint',
        code: 'NOT_FOUND',
        details: {},
      });
    }
    expect((await call(`${sandbox.url}/v1/providers`, { method: 'POST' })).status).toBe(404);
  });

  it('an unknown path below ledgers or transactions gets a 404 response in the nested error format [silent.unknown-paths, nested.NOT_FOUND]', async () => {
    for (const path of ['/v1/ledgers/a/b', '/v1/transactions/a', '/v1/transactions/a/b?c=1']) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.body).toEqual({ error: { code: 'NOT_FOUND', message: 'No such endpoint' } });
    }
  });

  it('malformed request targets never cause a 500 response', async () => {
    for (const path of ['//evil.example/v1/providers', '/%', '/v1/providers/%E0%A4%A', '/v1/ledgers?%']) {
      const { status } = await ask(path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(status, path).toBeLessThan(500);
    }
  });

  it('rejects host names that are not loopback', async () => {
    const { port } = new URL(sandbox.url);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1.evil.example',
      '127.0.0.2',
      'localhost.evil.example',
      'a@127.0.0.1',
    ]) {
      for (const path of ['/v1/providers', '/oidc/jwks', '/_sandbox/requests']) {
        expect([host, path, await withHost(sandbox, path, host)]).toEqual([host, path, 403]);
      }
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'LOCALHOST']) {
      expect([host, await withHost(sandbox, '/v1/providers', host)]).toEqual([host, 200]);
    }
  });

  it('fails to start with EADDRINUSE if the port is in use', async () => {
    const port = Number(new URL(sandbox.url).port);
    await expect(createSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('createSandbox rejects options that are out of range', async () => {
    await expect(createSandbox({ rows: 1_000_001 })).rejects.toThrow(RangeError);
    await expect(createSandbox({ rows: 1.5 })).rejects.toThrow(RangeError);
    await expect(createSandbox({ rows: -1 })).rejects.toThrow(RangeError);
    await expect(createSandbox({ port: 70_000 })).rejects.toThrow(RangeError);
  });

  it('the sandbox can be closed while connections are open', async () => {
    const short = await createSandbox({ rows: 1 });
    await call(`${short.url}/v1/providers`);
    await short.close();
    await expect(call(`${short.url}/v1/providers`)).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('the sandbox provides environment variables that point to itself', () => {
    const { env, url, clientId, clientSecret } = sandbox;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(env).toMatchObject({
      CRYPTODATA_AUTH_URL: url,
      CRYPTODATA_BASE_URL: url,
      CRYPTODATA_LEGACY_BASE_URL: url,
      CRYPTODATA_LEGACY_PUBLIC_URL: url,
      CRYPTODATA_CLIENT_ID: clientId,
      CRYPTODATA_CLIENT_SECRET: clientSecret,
    });
  });
});

describe('the control endpoints', () => {
  const journal = async () => {
    const parsed: unknown = JSON.parse((await ask('/_sandbox/requests')).raw);
    return list(parsed);
  };

  it('the list of requests does not contain secrets', async () => {
    await sandbox.reset();
    const seen: unknown[] = [];
    const watched = await createSandbox({
      rows: 1,
      onRequest: (line) => seen.push(line),
      clock: () => 1_750_000_000_000,
    });
    await call(`${watched.url}/v1/ledgers?access_token=SECRET&limit=1&limit=2`, bearer('SECRET'));
    await watched.close();
    expect(seen).toEqual([
      {
        method: 'GET',
        address: 'base_url',
        path: '/v1/ledgers',
        query: { access_token: '***', limit: ['1', '2'] },
        status: 401,
        time: 1_750_000_000_000,
        credential: 'bearer',
      },
    ]);
    const tokens = await logIn(sandbox);
    await refresh(sandbox, text(tokens['refresh_token']));
    await ask(`/v1/users/me?wid=${workspaceId}`, { 'x-api-key': apiKey });
    const entries = await journal();
    expect(entries.map(({ path }) => path)).toContain('/oidc/token');
    expect(entries.at(-1)).toMatchObject({ path: '/v1/users/me', credential: 'api-key', status: 200 });
    const whole = JSON.stringify(entries);
    for (const secret of [tokens['access_token'], tokens['refresh_token'], sandbox.clientSecret, apiKey]) {
      expect(whole).not.toContain(secret);
    }
    expect(entries.some(({ path }) => String(path).startsWith('/_sandbox'))).toBe(false);
  });

  it('the list of live grants does not contain tokens', async () => {
    await sandbox.reset();
    const tokens = await logIn(sandbox);
    const { raw } = await ask('/_sandbox/grants');
    const parsed: unknown = JSON.parse(raw);
    expect(parsed).toEqual(truth.grants());
    expect(list(parsed).some((grant) => isObject(grant) && grant['scope'] !== '')).toBe(true);
    expect(raw).not.toContain(text(tokens['refresh_token']));
  });

  it('a reset ends all logins and empties the list of requests', async () => {
    const tokens = await logIn(sandbox);
    await ask('/v1/providers');
    expect((await call(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })).status).toBe(204);
    expect(await journal()).toEqual([]);
    expect((await ask('/v1/users/me', bearer(text(tokens['access_token'])).headers)).status).toBe(401);
    expect((await get(sandbox, '/v1/users/me')).status).toBe(200);
  });

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:1' }],
    [{ referer: 'https://evil.example/page' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('the control endpoints reject cross-site requests: %o', async (headers) => {
    for (const [path, method] of [
      ['/_sandbox/reset', 'POST'],
      ['/_sandbox/requests', 'GET'],
      ['/_sandbox/grants', 'GET'],
    ]) {
      const answer = await call(`${sandbox.url}${path}`, { method: method ?? 'GET', headers });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect((await ask('/_sandbox/requests', { origin: sandbox.url })).status).toBe(200);
  });
});
