// Tests tokens after the login. Covers refresh, expiry, revocation, introspection, userinfo and rate limits.

import { Agent, request } from 'node:http';
import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  bearer,
  call,
  consent,
  exchange,
  introspect,
  logIn,
  loginUrl,
  postForm,
  refresh,
  revoke,
  start,
  text,
} from './helpers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let moved = 0;
const sandbox = await start({ rows: 20, clock: () => Date.now() + moved });
beforeEach(async () => {
  moved = 0;
  await sandbox.reset();
});

const me = (token: unknown) => call(`${sandbox.url}/v1/users/me`, bearer(text(token)));
const userinfo = (token: unknown) => call(`${sandbox.url}/oidc/userinfo`, bearer(text(token)));
const live = () => sandbox.truth.grants().flatMap((grant) => grant.refreshTokens);

describe('refreshing', () => {
  it('a refresh returns new tokens, and the old access token remains valid [oidc.token.refreshed, oidc.token.refresh_token]', async () => {
    const first = await logIn(sandbox);
    const second = await refresh(sandbox, text(first['refresh_token']));
    expect(second.status).toBe(200);
    expect(second.body['refresh_token']).not.toBe(first['refresh_token']);
    expect(second.body['access_token']).not.toBe(first['access_token']);
    expect(second.body['scope']).toBe(first['scope']);
    expect((await me(first['access_token'])).status).toBe(200);
    expect((await me(second.body['access_token'])).status).toBe(200);
  });

  it('revokes the grant when a refresh token is used twice [silent.reused-refresh-token]', async () => {
    const first = await logIn(sandbox);
    const second = await refresh(sandbox, text(first['refresh_token']));
    const reused = await refresh(sandbox, text(first['refresh_token']));
    expect([reused.status, reused.body['error']]).toEqual([400, 'invalid_grant']);
    expect((await refresh(sandbox, text(second.body['refresh_token']))).body['error']).toBe('invalid_grant');
    expect((await me(second.body['access_token'])).status).toBe(401);
    expect(live()).toEqual([]);
  });

  it('the reuse of a refresh token of one login does not affect a second login', async () => {
    const one = await logIn(sandbox);
    const other = await logIn(sandbox);
    await refresh(sandbox, text(one['refresh_token']));
    await refresh(sandbox, text(one['refresh_token']));
    expect((await me(other['access_token'])).status).toBe(200);
    expect((await refresh(sandbox, text(other['refresh_token']))).status).toBe(200);
  });

  it('rejects a wrong client secret and an unknown refresh token', async () => {
    const { refresh_token: token } = await logIn(sandbox);
    expect((await refresh(sandbox, text(token), { client_secret: 'no' })).body['error']).toBe(
      'invalid_client',
    );
    expect((await refresh(sandbox, 'made-up')).body['error']).toBe('invalid_grant');
  });

  it('each refresh token is valid for 30 days after it was issued [lifetime.refresh-token]', async () => {
    const first = await logIn(sandbox);
    moved = 29 * DAY;
    const second = await refresh(sandbox, text(first['refresh_token']));
    expect(second.status).toBe(200);
    moved = 58 * DAY;
    const third = await refresh(sandbox, text(second.body['refresh_token']));
    expect(third.status).toBe(200);
    moved = 58 * DAY + 30 * DAY + MINUTE;
    expect((await refresh(sandbox, text(third.body['refresh_token']))).body['error']).toBe('invalid_grant');
  });
});

describe('expiry', () => {
  it('rejects access tokens after 24 hours [lifetime.access-token]', async () => {
    const { access_token: token } = await logIn(sandbox);
    moved = DAY - MINUTE;
    expect((await me(token)).status).toBe(200);
    moved = DAY + MINUTE;
    const late = await me(token);
    expect([late.status, late.body['error']]).toEqual([401, 'unauthorized']);
    expect((await userinfo(token)).status).toBe(401);
  });

  it('rejects authorization codes after 10 minutes [lifetime.authorization-code]', async () => {
    const login = loginUrl(sandbox);
    const [early, late] = [await consent(sandbox, login), await consent(sandbox, login)];
    moved = 9 * MINUTE;
    expect((await exchange(sandbox, login, early)).status).toBe(200);
    moved = 11 * MINUTE;
    expect((await exchange(sandbox, login, late)).body['error']).toBe('invalid_grant');
  });

  it('the times in tokens follow the sandbox clock', async () => {
    moved = 400 * DAY;
    const tokens = await logIn(sandbox);
    for (const name of ['access_token', 'id_token']) {
      const { iat = 0, exp = 0 } = decodeJwt(text(tokens[name]));
      expect(Math.abs(iat * 1000 - (Date.now() + moved))).toBeLessThan(HOUR);
      expect(exp - iat).toBe(86_400);
    }
    const { body } = await introspect(sandbox, text(tokens['access_token']));
    expect(body['iat']).toBe(decodeJwt(text(tokens['access_token'])).iat);
  });
});

describe('revocation', () => {
  it('revoking a refresh token also revokes its grant at once [oidc.revocation.endpoint, oidc.revocation.token]', async () => {
    const grants = sandbox.truth.grants();
    const tokens = await logIn(sandbox);
    expect(live()).toHaveLength(1);
    const answer = await revoke(sandbox, text(tokens['refresh_token']));
    expect([answer.status, answer.raw]).toEqual([200, '']);
    expect(live()).toEqual([]);
    expect(sandbox.truth.grants()).toEqual(grants);
    expect((await refresh(sandbox, text(tokens['refresh_token']))).body['error']).toBe('invalid_grant');
    expect((await me(tokens['access_token'])).status).toBe(401);
    expect((await userinfo(tokens['access_token'])).status).toBe(401);
    expect((await introspect(sandbox, text(tokens['access_token']))).body).toEqual({ active: false });
    const entry = sandbox.truth.requests().find(({ path }) => path === '/oidc/token/revocation');
    expect(entry).toMatchObject({ method: 'POST', status: 200 });
  });

  it('revokes an access token', async () => {
    const { access_token: token } = await logIn(sandbox);
    expect((await revoke(sandbox, text(token))).status).toBe(200);
    expect((await me(token)).status).toBe(401);
  });

  it('revocation responds 200 to a value that is not a token', async () => {
    expect((await revoke(sandbox, 'nothing')).status).toBe(200);
    expect((await revoke(sandbox, 'a.b.c')).status).toBe(200);
  });

  it('revocation with a wrong client secret is rejected and revokes nothing', async () => {
    const { refresh_token: token } = await logIn(sandbox);
    const fields = { token: text(token), client_id: sandbox.clientId, client_secret: 'wrong' };
    const answer = await postForm(`${sandbox.url}/oidc/token/revocation`, fields);
    expect(answer.body['error']).toBe('invalid_client');
    expect((await refresh(sandbox, text(token))).status).toBe(200);
  });
});

describe('introspection', () => {
  it('introspection returns the claims of an active access token [oidc.introspection]', async () => {
    const tokens = await logIn(sandbox, { member: 1 });
    const { status, body } = await introspect(sandbox, text(tokens['access_token']));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      active: true,
      workspaceId: sandbox.workspaceId,
      role: 'accountant',
      plan: 'enterprise',
      scope: tokens['scope'],
      client_id: sandbox.clientId,
      token_type: 'Bearer',
    });
  });

  it('introspection returns { active: false } for a value that is not a valid token', async () => {
    for (const token of ['nothing', 'a.b.c', `${text((await logIn(sandbox))['access_token'])}x`]) {
      expect((await introspect(sandbox, token)).body).toEqual({ active: false });
    }
  });
});

describe('userinfo', () => {
  const claims = async (scopes: string[]) => {
    const tokens = await logIn(sandbox, { scopes });
    return Object.keys((await userinfo(tokens['access_token'])).body).sort();
  };

  it('userinfo returns only the claims that the scopes allow [oidc.userinfo, scope.profile, scope.email, userinfo.no-scopes, userinfo.no-access-claims]', async () => {
    expect(await claims([])).toEqual(['sub']);
    expect(await claims(['profile'])).toEqual(['name', 'picture', 'sub', 'updated_at']);
    expect(await claims(['email', 'tax:read'])).toEqual(['email', 'email_verified', 'sub']);
  });

  it('userinfo values have the specified types, and `sub` is the uid from users/me [userinfo.sub]', async () => {
    const { body } = await userinfo((await logIn(sandbox, { member: 2 }))['access_token']);
    expect(body['email_verified']).toBe(false);
    expect(Number.isInteger(body['updated_at'])).toBe(true);
    expect(URL.canParse(text(body['picture']))).toBe(true);
    const tokens = await logIn(sandbox, { member: 2 });
    const answer = await me(tokens['access_token']);
    expect(answer.body).toEqual({ success: true, data: { uid: body['sub'] } });
  });

  it('userinfo rejects an invalid or missing token [oidc.userinfo.authorization]', async () => {
    const answer = await userinfo('a.b.c');
    expect([answer.status, answer.body['error']]).toEqual([401, 'invalid_token']);
    expect((await call(`${sandbox.url}/oidc/userinfo`)).status).toBeGreaterThanOrEqual(400);
  });
});

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
afterAll(() => agent.destroy());

/**
 * Sends the same request `count` times, and counts the responses by status. Uses node:http, because fetch needs three times
 * as much CPU time.
 */
async function statuses(
  count: number,
  path: string,
  { token, form = {} }: { token?: unknown; form?: Record<string, string> },
): Promise<Record<number, number>> {
  const body = new URLSearchParams(form).toString();
  const headers =
    token === undefined
      ? { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length }
      : { authorization: `Bearer ${text(token)}` };
  const send = () =>
    new Promise<number>((resolve, reject) => {
      const method = token === undefined ? 'POST' : 'GET';
      const sent = request(`${sandbox.url}${path}`, { agent, method, headers }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', reject).end(token === undefined ? body : undefined);
    });
  const counts: Record<number, number> = {};
  for (const status of await Promise.all(Array.from({ length: count }, send))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

describe('the rate limiter', () => {
  const client = { client_id: sandbox.clientId, client_secret: sandbox.clientSecret };
  const refreshes = (count: number, changed: Record<string, string> = {}) =>
    statuses(count, '/oidc/token', {
      form: { grant_type: 'refresh_token', refresh_token: 'x', ...client, ...changed },
    });

  it('allows 100 token requests per minute [rate.token, rate.answer, silent.rate-windows]', async () => {
    expect(await refreshes(100)).toEqual({ 400: 100 });
    const over = await refresh(sandbox, 'x');
    expect([over.status, over.raw]).toEqual([429, '']);
    const wait = Number(over.headers.get('retry_after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    moved = wait * 1000;
    expect((await refresh(sandbox, 'x')).status).toBe(400);
  });

  it('allows a total of 200 requests per hour to the OIDC endpoints without a limit of their own [rate.others]', async () => {
    const form = { token: 'x', ...client };
    expect(await statuses(100, '/oidc/token/introspection', { form })).toEqual({ 200: 100 });
    expect(await statuses(100, '/oidc/token/revocation', { form })).toEqual({ 200: 100 });
    expect((await introspect(sandbox, 'x')).status).toBe(429);
    expect((await call(loginUrl(sandbox).url)).status).toBe(429);
    expect((await refresh(sandbox, 'x')).status).toBe(400);
    moved = HOUR - MINUTE;
    expect((await introspect(sandbox, 'x')).headers.get('retry_after')).toMatch(/^\d+$/);
    moved = HOUR + MINUTE;
    expect((await introspect(sandbox, 'x')).status).toBe(200);
  });

  it('allows each client 1000 userinfo requests per hour [rate.userinfo]', async () => {
    const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'];
    expect(await statuses(1010, '/oidc/userinfo', { token })).toEqual({ 200: 1000, 429: 10 });
  });

  it('requests from unregistered clients are not counted, and a reset clears all counts [rate.client, silent.rate-windows]', async () => {
    expect(await refreshes(101, { client_id: 'someone' })).toEqual({ 401: 101 });
    expect(await refreshes(101)).toEqual({ 400: 100, 429: 1 });
    expect((await refresh(sandbox, 'x')).status).toBe(429);
    await sandbox.reset();
    expect((await refresh(sandbox, 'x')).status).toBe(400);
  });

  it('requests to the data API have no rate limit [not-shown.data-rate-limits]', async () => {
    const token = sandbox.env['CRYPTODATA_ACCESS_TOKEN'];
    expect(await statuses(250, '/v1/users/me', { token })).toEqual({ 200: 250 });
  });
});
