import { createServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { endpoints, type Registration } from '../../src/auth/server.ts';
import { exchangeCode, introspect, refreshToken, revoke } from '../../src/auth/token.ts';
import { freePort } from '../free-port.ts';
import { AUTH, failure, jwt, type TestHost, testHost } from './support.ts';

const to: Registration = {
  authUrl: AUTH,
  clientId: 'the-client',
  as: endpoints(AUTH),
  client: { client_id: 'the-client' },
};
const exchange = {
  code: 'the-code',
  state: 'the-state',
  redirectUri: 'http://127.0.0.1:8976/callback',
  codeVerifier: 'v'.repeat(43),
  clientSecret: 'the+secret &=%',
};
const good = {
  access_token: 'at',
  token_type: 'Bearer',
  expires_in: 86400,
  scope: 'openid email',
  refresh_token: 'rt',
};
const json = { headers: { 'content-type': 'application/json' } };

/** Answers the next token request. Returns an array that collects the sent forms. */
function answer(host: TestHost, status: number, body: unknown, headers: Record<string, string> = {}) {
  const sent: Record<string, string[]>[] = [];
  host.dispatcher
    .get(AUTH)
    .intercept({ path: '/oidc/token', method: 'POST' })
    .reply(
      status,
      ({ body: form }) => {
        const parameters = new URLSearchParams(String(form));
        sent.push(Object.fromEntries([...parameters.keys()].map((key) => [key, parameters.getAll(key)])));
        return typeof body === 'string' ? body : JSON.stringify(body);
      },
      { headers: { ...json.headers, ...headers } },
    );
  return sent;
}

describe('token request forms', () => {
  it('a code exchange sends exactly the required form fields, including the client id and the client secret', async () => {
    const host = testHost();
    const sent = answer(host, 200, good);
    await exchangeCode(host, to, exchange);
    expect(sent).toEqual([
      {
        grant_type: ['authorization_code'],
        code: ['the-code'],
        redirect_uri: [exchange.redirectUri],
        client_id: ['the-client'],
        client_secret: ['the+secret &=%'],
        code_verifier: [exchange.codeVerifier],
      },
    ]);
  });

  it('a refresh sends exactly the required form fields', async () => {
    const host = testHost();
    const sent = answer(host, 200, good);
    await refreshToken(host, to, 's', 'the-refresh-token');
    expect(sent).toEqual([
      {
        grant_type: ['refresh_token'],
        client_id: ['the-client'],
        client_secret: ['s'],
        refresh_token: ['the-refresh-token'],
      },
    ]);
  });
});

describe('a token response', () => {
  const LATER = /^Try again later\. If the error remains, show the addresses/;

  it('the lifetime of a token begins at the start of the token request', async () => {
    const host = testHost();
    answer(host, 200, good);
    expect(await exchangeCode(host, to, exchange)).toEqual({
      accessToken: 'at',
      refreshToken: 'rt',
      scopes: ['openid', 'email'],
      obtainedAt: host.time,
      expiresAt: host.time + 86_400_000,
    });
  });

  it.each([
    ['has an unexpected issuer', jwt({ iss: 'https://elsewhere', sub: 'u', aud: 'x', exp: 1, iat: 1 })],
    ['is not a JWT', 'nonsense'],
  ])('ignores an ID token that %s', async (_, idToken) => {
    const host = testHost();
    answer(host, 200, { ...good, id_token: idToken });
    expect(JSON.stringify(await exchangeCode(host, to, exchange))).not.toContain(idToken);
  });

  it('a token response may omit the scope, the refresh token and the lifetime', async () => {
    const host = testHost();
    answer(host, 200, { access_token: jwt({ exp: 1_700_000_500 }), token_type: 'Bearer' });
    const tokens = await exchangeCode(host, to, exchange);
    expect([tokens.scopes, tokens.refreshToken, tokens.expiresAt]).toEqual([null, null, 1_700_000_500_000]);
    answer(host, 200, { access_token: 'opaque', token_type: 'Bearer' });
    expect((await exchangeCode(host, to, exchange)).expiresAt).toBe(host.time + 86_400_000);
  });

  it.each([
    ['is not JSON', 200, '<html>', /returned an HTML page \(HTTP 200\)$/, /^The .* under maintenance/],
    ['is truncated', 200, '{"access_token":', /returned an unexpected response \(HTTP 200\)$/, LATER],
    ['is an array', 200, [], /returned an unexpected response \(HTTP 200\)$/, LATER],
    ['has no access token', 200, { token_type: 'Bearer' }, /"access_token" property/, LATER],
    ['has an unsupported token type', 200, { ...good, token_type: 'mac' }, /token_type/, LATER],
    ['is empty', 204, '', /\(HTTP 204\)/, LATER],
    ['is an error page', 503, '<html>', /failed: \S+ responded with HTTP 503$/, /^Try again later\.$/],
    [
      'has status 503 and an OAuth error',
      503,
      { error: 'invalid_grant' },
      /failed: .* 503$/,
      /^Try again later\.$/,
    ],
    ['has an unknown status', 999, 'odd', /failed: .* 999$/, /^Try again later\.$/],
    ['is the 403 page of a proxy', 403, '<html>', /HTML page \(HTTP 403\)/, /^The .* proxy/],
  ])('a token response is rejected if it %s', async (_, status, body, message, hint) => {
    const host = testHost();
    answer(host, status, body);
    const error = await failure(exchangeCode(host, to, exchange));
    expect([error.kind, error.code]).toEqual([
      status === 403 ? 'forbidden' : 'service',
      'BAD_TOKEN_RESPONSE',
    ]);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
    expect(JSON.stringify([error.message, error.cause])).not.toContain('at"');
  });

  it('a 401 without a readable body means that the client was not authenticated', async () => {
    const host = testHost();
    answer(host, 401, '<html>');
    expect(await failure(exchangeCode(host, to, exchange))).toMatchObject({
      kind: 'auth',
      code: 'INVALID_CLIENT',
    });
  });

  it.each<[string, object, object]>([
    ['a refresh token that is null', { refresh_token: null }, { refreshToken: null }],
    ['an empty refresh token', { refresh_token: '' }, { refreshToken: null }],
    ['a scope that is null', { scope: null }, { scopes: null }],
    ['an empty scope', { scope: '' }, { scopes: null }],
    ['a scope that is a number', { scope: 5 }, { scopes: null }],
    ['a list of scopes', { scope: ['openid', 'email'] }, { scopes: ['openid', 'email'] }],
    ['an ID token that is a number', { id_token: 5 }, {}],
    ['a token type that is null', { token_type: null }, {}],
    ['a token type in upper case', { token_type: 'BEARER' }, {}],
    ['an empty error', { error: '', error_description: null }, {}],
    ...[null, '', 'never', -5, 0, 1e300, 1e15, true, {}, []].map((lifetime): [string, object, object] => [
      `the lifetime ${JSON.stringify(lifetime)}`,
      { expires_in: lifetime },
      { expiresAt: 1_700_000_000_000 + 86_400_000 },
    ]),
    ['a lifetime that is a string', { expires_in: '60' }, { expiresAt: 1_700_000_060_000 }],
    ['a lifetime with a fraction', { expires_in: 60.0005 }, { expiresAt: 1_700_000_060_000 }],
  ])('reads a token response with %s', async (_, members, expected) => {
    const host = testHost();
    answer(host, 200, { ...good, ...members });
    const whole = {
      accessToken: 'at',
      refreshToken: 'rt',
      scopes: ['openid', 'email'],
      obtainedAt: host.time,
      expiresAt: host.time + 86_400_000,
    };
    expect(await exchangeCode(host, to, exchange)).toEqual({ ...whole, ...expected });
  });

  it.each([201, 203])(
    'reads a token response with status %i and the content type text/plain',
    async (status) => {
      const host = testHost();
      answer(host, status, good, { 'content-type': 'text/plain' });
      expect((await exchangeCode(host, to, exchange)).accessToken).toBe('at');
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
    ['br, identity', brotliCompressSync],
  ])('reads a token response with the content encoding %s', async (encoding, pack) => {
    const host = testHost();
    const body = pack(`\ufeff${JSON.stringify(good)}`);
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token', method: 'POST' })
      .reply(200, body, { headers: { 'content-encoding': encoding } });
    expect((await exchangeCode(host, to, exchange)).refreshToken).toBe('rt');
  });

  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  it.each([
    ['little endian', utf16(JSON.stringify(good))],
    ['big endian', utf16(JSON.stringify(good)).swap16()],
    ['little endian with a byte order mark', utf16(`\ufeff${JSON.stringify(good)}`)],
    ['big endian with a byte order mark', utf16(`\ufeff${JSON.stringify(good)}`).swap16()],
  ])('reads a token response in UTF-16, %s', async (_, body) => {
    const host = testHost();
    host.dispatcher.get(AUTH).intercept({ path: '/oidc/token', method: 'POST' }).reply(200, body);
    expect((await exchangeCode(host, to, exchange)).refreshToken).toBe('rt');
  });

  it('a token response that cannot be decoded is an error of the service, not of the network', async () => {
    const host = testHost();
    answer(host, 200, 'neither', { 'content-encoding': 'gzip' });
    expect(await failure(exchangeCode(host, to, exchange))).toMatchObject({
      kind: 'service',
      code: 'BAD_ANSWER',
      hint: expect.stringMatching(/^Try again later/),
    });
  });

  it('a token response is rejected if it exceeds 1 MiB', async () => {
    const host = testHost();
    answer(host, 200, { ...good, padding: 'x'.repeat(1024 * 1024) });
    expect((await failure(exchangeCode(host, to, exchange))).code).toBe('ANSWER_TOO_LARGE');
  });

  it('a redirect from the token endpoint is rejected and not followed', async () => {
    const host = testHost();
    answer(host, 307, '', { location: `${AUTH}/elsewhere` });
    expect((await failure(exchangeCode(host, to, exchange))).code).toBe('REDIRECTED');
  });
});

describe('OAuth errors', () => {
  it.each([
    ['invalid_request', 400, 'rejected', 'INVALID_REQUEST'],
    ['invalid_client', 401, 'auth', 'INVALID_CLIENT'],
    ['invalid_grant', 400, 'auth', 'INVALID_GRANT'],
    ['unauthorized_client', 403, 'forbidden', 'UNAUTHORIZED_CLIENT'],
    ['unsupported_grant_type', 400, 'rejected', 'UNSUPPORTED_GRANT_TYPE'],
    ['invalid_scope', 400, 'forbidden', 'INVALID_SCOPE'],
    ['access_denied', 403, 'auth', 'ACCESS_DENIED'],
    ['invalid_token', 401, 'auth', 'INVALID_TOKEN'],
    ['server_error', 500, 'service', 'SERVER_ERROR'],
    ['invalid_grant', 200, 'auth', 'INVALID_GRANT'],
    ['toString', 400, 'auth', 'OIDC_ERROR'],
  ])('maps an OAuth error to an error kind, a code and a hint: %s', async (error, status, kind, code) => {
    const host = testHost();
    // The error in the body takes precedence over the `WWW-Authenticate` header.
    answer(
      host,
      status,
      { error, error_description: 'said\u001b[2J so' },
      { 'www-authenticate': 'Basic realm="x"' },
    );
    const thrown = await failure(exchangeCode(host, to, exchange));
    expect([thrown.kind, thrown.code, thrown.status]).toEqual([kind, code, status]);
    expect(thrown.message).toContain('said\\u001b[2J so');
    expect(thrown.message).not.toContain('\u001b');
    expect(thrown.hint).toBeTruthy();
  });
});

describe('token request retries', () => {
  it('a token request is retried if a 429 requires only a short wait', async () => {
    const host = testHost();
    answer(host, 429, '', { retry_after: '0' });
    answer(host, 429, '', { 'retry-after': new Date(host.time).toUTCString() });
    answer(host, 200, good);
    expect((await refreshToken(host, to, 's', 'r')).accessToken).toBe('at');
    host.dispatcher.assertNoPendingInterceptors();
  });

  it('a token request is retried soon if the Retry-After header of a 429 is invalid', async () => {
    const host = testHost();
    answer(host, 429, '', { 'retry-after': 'banana 2099' });
    answer(host, 200, good);
    expect((await refreshToken(host, to, 's', 'r')).accessToken).toBe('at');
  });

  it('a token request fails if a 429 requires a long wait, and the hint shows when to retry', async () => {
    const host = testHost();
    answer(host, 429, { error: 'slow_down' }, { retry_after: '3600' });
    const error = await failure(refreshToken(host, to, 's', 'r'));
    expect([error.kind, error.code]).toEqual(['rateLimited', 'RATE_LIMITED']);
    expect(error.hint).toContain(new Date(host.time + 3_600_000).toISOString());
  });

  it('a token request fails after four responses with status 429', async () => {
    const host = testHost();
    for (let count = 0; count < 4; count++) answer(host, 429, '', { retry_after: '0' });
    expect((await failure(refreshToken(host, to, 's', 'r'))).kind).toBe('rateLimited');
    host.dispatcher.assertNoPendingInterceptors();
  });

  it('a token request is retried if the connection was refused', async () => {
    const host = testHost();
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    host.dispatcher.get(AUTH).intercept({ path: '/oidc/token', method: 'POST' }).replyWithError(refused);
    answer(host, 200, good);
    expect((await refreshToken(host, to, 's', 'r')).accessToken).toBe('at');
  });

  it.each([
    ['broke', Object.assign(new Error('reset'), { code: 'ECONNRESET' }), 'CONNECTION_RESET'],
    ['timed out', new errors.HeadersTimeoutError(), 'TIMED_OUT'],
  ])(
    'a token request is not retried if the connection %s, because the service may have processed the request',
    async (_, broken, code) => {
      const host = testHost();
      host.dispatcher.get(AUTH).intercept({ path: '/oidc/token', method: 'POST' }).replyWithError(broken);
      answer(host, 200, good);
      const error = await failure(refreshToken(host, to, 's', 'r'));
      expect([error.kind, error.code]).toEqual(['network', code]);
      expect(host.dispatcher.pendingInterceptors()).toHaveLength(1);
    },
  );
});

describe('a real connection', () => {
  const at = (url: string): Registration => ({ ...to, authUrl: url, as: endpoints(url) });

  it('the error message contains the host that refused the connection', async () => {
    const port = await freePort();
    const { Agent } = await import('undici');
    const host = { ...testHost(), dispatcher: new Agent() };
    const error = await failure(refreshToken(host, at(`http://127.0.0.1:${port}`), 's', 'r'));
    expect([error.kind, error.code]).toEqual(['network', 'CONNECTION_REFUSED']);
    expect(error.message).toContain(`127.0.0.1:${port}`);
  });

  it('reports a network error if the connection closes during a response', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"access'));
      socket.on('error', () => undefined);
    });
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { Agent } = await import('undici');
    const host = { ...testHost(), dispatcher: new Agent() };
    const error = await failure(refreshToken(host, at(`http://127.0.0.1:${port}`), 's', 'r'));
    server.close();
    expect(error.kind).toBe('network');
  });
});

describe('Ctrl-C', () => {
  const interruptedHost = () => {
    const host = testHost();
    host.abort.abort(new Error('SIGINT'));
    host.dispatcher.get(AUTH).intercept({ path: /./, method: 'POST' }).reply(200, good, json);
    return host;
  };

  it('Ctrl-C interrupts a code exchange and an introspection', async () => {
    expect((await failure(exchangeCode(interruptedHost(), to, exchange))).kind).toBe('interrupted');
    expect((await failure(introspect(interruptedHost(), async () => 'at'))).kind).toBe('interrupted');
  });

  it('if Ctrl-C interrupts a revocation, revoke() returns a reason and throws no error', async () => {
    expect(await revoke(interruptedHost(), to, 's', 'at')).toEqual({
      revoked: false,
      reason: expect.stringMatching(/./),
    });
  });

  it('Ctrl-C does not interrupt a refresh', async () => {
    expect((await refreshToken(interruptedHost(), to, 's', 'rt')).accessToken).toBe('at');
  });
});

describe('a revocation', () => {
  it.each([
    [200, { revoked: true }],
    [204, { revoked: true }],
    [404, { revoked: false, reason: 'HTTP 404' }],
  ])('a revocation maps the status %i to %j', async (status, result) => {
    const host = testHost();
    host.dispatcher.get(AUTH).intercept({ path: /./, method: 'POST' }).reply(status, '');
    expect(await revoke(host, to, 's', 'at')).toEqual(result);
  });
});

it('a code exchange logs no secret', async () => {
  const host = testHost();
  answer(host, 200, good);
  await exchangeCode(host, to, exchange);
  expect(host.lines).toEqual([`POST ${AUTH}/oidc/token 200 0 ms`]);
});
