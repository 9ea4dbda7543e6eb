import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deleteRefreshLog,
  readRefreshLog,
  refreshTokenIn,
  type SavedResponse,
  startRefreshLog,
} from '../../src/auth/refresh-log.ts';
import { openSession } from '../../src/auth/session.ts';
import { refreshLogFile, sessionsDirectory } from '../../src/auth/session-file.ts';
import { KEY, storeSession } from './expired.ts';
import { AUTH, failure, type TestHost, testHost } from './support.ts';

const REFRESH_TOKEN = 'rt-0-of-the-session';

async function expired() {
  const host = testHost();
  await storeSession({ ...host, authUrl: AUTH }, { refreshToken: REFRESH_TOKEN });
  return host;
}

type Reply = { readonly status: number; readonly body: object | string; readonly headers?: object } | Error;
const GOOD: Reply = {
  status: 200,
  body: { access_token: 'at-1', refresh_token: 'rt-1', token_type: 'Bearer', expires_in: 86_400 },
};
const UNDECODABLE: Reply = { status: 200, body: 'not compressed', headers: { 'content-encoding': 'gzip' } };
const INVALID_GRANT: Reply = { status: 400, body: { error: 'invalid_grant' } };

function answer(host: TestHost, reply: Reply, meanwhile = () => {}) {
  const scope = host.dispatcher.get(AUTH).intercept({ path: '/oidc/token', method: 'POST' });
  if (reply instanceof Error) return void scope.replyWithError(reply);
  const headers = { 'content-type': 'application/json', ...reply.headers };
  const respond = () => {
    meanwhile();
    return typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
  };
  scope.reply(reply.status, respond, { headers });
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Returns a host on which a command was killed while it waited for the response to a refresh. */
async function killed() {
  const host = await expired();
  const log = await startRefreshLog(host, REFRESH_TOKEN, KEY);
  await log.close();
  return host;
}

/** Returns a host whose last refresh received no usable response, so its refresh token may already be used up. */
async function unsure(reply: Reply = systemError('ECONNRESET')) {
  const host = await expired();
  answer(host, reply);
  await failure(openSession(host).accessToken());
  return host;
}

describe('a refresh in progress', () => {
  it('a refresh writes an owner-only refresh log that does not contain the token', async () => {
    const host = await expired();
    const path = refreshLogFile(host.directory, 'default');
    let mark = '';
    answer(host, GOOD, () => {
      mark = readFileSync(path, 'utf8');
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });
    await openSession(host).accessToken();
    expect(JSON.parse(mark)).toMatchObject({ startedAt: host.time });
    expect(mark).not.toContain(REFRESH_TOKEN);
    expect(readdirSync(sessionsDirectory(host.directory))).toEqual(['default.session']);
    expect(host.warnings).toEqual([]);
  });

  it('a refresh does not start if the refresh log cannot be written', async () => {
    const host = await expired();
    mkdirSync(join(refreshLogFile(host.directory, 'default'), 'in-the-way'), { recursive: true });
    expect((await failure(openSession(host).accessToken())).kind).toBe('output');
    // This error shows that no request was sent: a request would cause a network error, because MockAgent has no response.
  });
});

describe('a refresh with an unknown outcome', () => {
  it.each<[string, Reply]>([
    ['the connection broke', systemError('ECONNRESET')],
    ['no response came in time', systemError('UND_ERR_HEADERS_TIMEOUT')],
    ['the service failed', { status: 500, body: { error: 'server_error' } }],
    ['a gateway failed', { status: 502, body: '<html>' }],
    ['the response cannot be read', { status: 200, body: '{"access_token":' }],
    ['the response cannot be decoded', UNDECODABLE],
    ['the response is not text', { status: 200, body: '\ufffd\0\ufffd' }],
    ['a maintenance page came', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
  ])(
    'a refresh with an unknown outcome is reported as an outage, and each later call tries again (%s)',
    async (_, reply) => {
      const host = await expired();
      for (const times of [1, 2, 3]) {
        answer(host, reply);
        const error = await failure(openSession(host).accessToken());
        expect([times, error.kind, error.hint]).toEqual([
          times,
          expect.stringMatching(/^(?:service|network)$/),
          expect.stringMatching(/[Tt]ry again/),
        ]);
        expect(error.hint).not.toContain('Check auth_url');
        host.time += 3_600_000;
      }
      answer(host, GOOD);
      expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
      expect(host.warnings).toEqual([]);
      expect(readdirSync(sessionsDirectory(host.directory))).toEqual(['default.session']);
    },
  );

  it('after a killed refresh, the next refresh prints a warning and tries again', async () => {
    const host = await killed();
    const began = new Date(host.time).toISOString().slice(0, 19);
    host.time += 3_600_000;
    answer(host, GOOD);
    expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
    expect(host.warnings).toEqual([expect.stringMatching(/killed .* may already be used up/)]);
    expect(host.warnings[0]).toContain(began);
    // The next refresh deleted the refresh log, so later refreshes print no warning.
    host.time += 86_400_000;
    answer(host, GOOD);
    await openSession(host).accessToken();
    expect(host.warnings).toHaveLength(1);
  });

  it('each failed refresh after a killed refresh prints a warning with the time of the killed refresh', async () => {
    const host = await killed();
    const began = new Date(host.time).toISOString().slice(0, 19);
    for (const reply of [systemError('ECONNRESET'), INVALID_GRANT]) {
      host.time += 3_600_000;
      answer(host, reply);
      await failure(openSession(host).accessToken());
    }
    expect(host.warnings).toEqual([expect.stringContaining(began), expect.stringContaining(began)]);
  });

  it.each<[string, () => Promise<TestHost>, RegExp, number]>([
    ['a command was killed', killed, /a command was killed during a token refresh at /, 1],
    ['the connection broke', () => unsure(), /a token refresh at \S+ got no usable response/, 0],
    [
      'the response could not be decoded',
      () => unsure(UNDECODABLE),
      /a token refresh at \S+ got no usable response/,
      0,
    ],
  ])(
    'reports REFRESH_INTERRUPTED with its cause if the next refresh is rejected after %s',
    async (_, make, message, warnings) => {
      const host = await make();
      for (const times of [1, 2]) {
        answer(host, INVALID_GRANT);
        const error = await failure(openSession(host).accessToken());
        expect([error.kind, error.code]).toEqual(['auth', 'REFRESH_INTERRUPTED']);
        expect(error.message).toMatch(message);
        expect(error.message).not.toMatch(/30 days|revoked/);
        expect(error.hint).toContain('cryptodata login');
        expect(host.warnings).toHaveLength(times * warnings);
      }
      expect(host.keychain.entries.get('default:refresh-token')).toBe(REFRESH_TOKEN);
    },
  );

  it('a refresh with an unknown outcome is not reported if a newer refresh token is stored', async () => {
    const host = await unsure();
    host.keychain.entries.set('default:refresh-token', 'another');
    answer(host, INVALID_GRANT);
    expect((await failure(openSession(host).accessToken())).code).toBe('REFRESH_REJECTED');
    expect(host.warnings).toEqual([]);
    expect(readdirSync(sessionsDirectory(host.directory))).toEqual(['default.session']);
  });

  it('after a refresh with an unknown outcome, a newer stored token is tried if a token is rejected', async () => {
    const host = await unsure();
    answer(host, INVALID_GRANT, () => host.keychain.entries.set('default:refresh-token', 'newer'));
    answer(host, GOOD);
    expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
    expect(host.warnings).toEqual([]);
  });

  it('a refresh stops after three rejected tokens while another process keeps storing newer tokens', async () => {
    const host = await expired();
    let rejected = 0;
    for (let time = 0; time < 5; time++) {
      answer(host, INVALID_GRANT, () => {
        rejected += 1;
        host.keychain.entries.set('default:refresh-token', `newer-${rejected}`);
      });
    }
    expect((await failure(openSession(host).accessToken())).code).toBe('REFRESH_REJECTED');
    expect(rejected).toBe(3);
  });

  it.each(['', '{', '[]', '{"startedAt":"x"}', '{"startedAt":1,"salt":2,"token":3}'])(
    'a refresh with an unknown outcome is not reported if the refresh log is unreadable: %s',
    async (text) => {
      const host = await expired();
      writeFileSync(refreshLogFile(host.directory, 'default'), text);
      answer(host, GOOD);
      await openSession(host).accessToken();
      expect(host.warnings).toEqual([]);
    },
  );
});

describe('a saved response', () => {
  const response = { status: 200, contentType: 'application/json', text: '{}', requestedAt: 5 };

  async function saved(written: unknown) {
    const host = await expired();
    const log = await startRefreshLog({ ...host, now: () => 7 }, REFRESH_TOKEN, KEY);
    log.save(written as SavedResponse);
    await log.close();
    return { host, read: (token: string, key: Buffer | null) => readRefreshLog(host, token, key) };
  }

  it('reading a saved token response requires the key of the session file and the refresh token', async () => {
    const { host, read } = await saved(response);
    expect(await read(REFRESH_TOKEN, KEY)).toEqual({ startedAt: 7, killed: true, response });
    expect(await read(REFRESH_TOKEN, null)).toEqual({ startedAt: 7, killed: true, response: null });
    expect(await read(REFRESH_TOKEN, Buffer.alloc(32, 1))).toEqual({
      startedAt: 7,
      killed: true,
      response: null,
    });
    expect(await read('another', KEY)).toBeNull();
    expect(readFileSync(refreshLogFile(host.directory, 'default'), 'utf8')).not.toContain('json');
    await deleteRefreshLog(host);
    await deleteRefreshLog(host);
    expect(await read(REFRESH_TOKEN, KEY)).toBeNull();
  });

  it.each(Object.keys(response))('a saved token response without %s is ignored', async (name) => {
    const { read } = await saved({ ...response, [name]: null });
    expect(await read(REFRESH_TOKEN, KEY)).toEqual({ startedAt: 7, killed: true, response: null });
  });

  it('a refresh continues if its response cannot be saved, and the debug log contains the reason', async () => {
    const host = await expired();
    const log = await startRefreshLog(host, REFRESH_TOKEN, KEY);
    await log.close();
    log.save(response);
    expect(host.lines).toEqual([expect.stringMatching(/^cannot save the token response: ./)]);
    expect(await readRefreshLog(host, REFRESH_TOKEN, KEY)).toEqual({
      startedAt: host.time,
      killed: true,
      response: null,
    });
  });

  it.each([
    ['{"refresh_token":"rt-1"}', 'rt-1'],
    ['{"refresh_token":1}', null],
    ['{"refresh_token":""}', null],
    ['{"refresh_token":" "}', null],
    ['{"access_token":"at-1"}', null],
    ['null', null],
    ['{"refresh_token":', null],
  ])('finds the refresh token in the saved token response %s: %s', (text, token) => {
    expect(refreshTokenIn({ ...response, text })).toBe(token);
  });
});

describe('a refresh that the service did not perform', () => {
  it.each<[string, Reply, number]>([
    ['nothing listens', systemError('ECONNREFUSED'), 3],
    ['the host name is unknown', systemError('ENOTFOUND'), 1],
    ['the connection timed out', systemError('UND_ERR_CONNECT_TIMEOUT'), 1],
    ['the certificate is not trusted', systemError('SELF_SIGNED_CERT_IN_CHAIN'), 1],
    ['the client was rejected', { status: 401, body: { error: 'invalid_client' } }, 1],
    ['the token was rejected', INVALID_GRANT, 1],
    ['it was rejected with an unusual status', { status: 200, body: { error: 'invalid_grant' } }, 1],
    ['there were too many requests', { status: 429, body: '', headers: { 'retry-after': '100' } }, 1],
    ['the path does not exist', { status: 404, body: '<html>' }, 1],
  ])(
    'a refresh that the service did not perform leaves no refresh log and no warning (%s)',
    async (_, reply, times) => {
      const host = await expired();
      for (let time = 0; time < times; time++) answer(host, reply);
      await failure(openSession(host).accessToken());
      expect(readdirSync(sessionsDirectory(host.directory))).toEqual(['default.session']);
      answer(host, GOOD);
      await openSession(host).accessToken();
      expect(host.warnings).toEqual([]);
    },
  );

  it('keeps the log of a refresh with an unknown outcome if the next refresh cannot reach the service', async () => {
    const host = await unsure();
    answer(host, systemError('ENOTFOUND'));
    await failure(openSession(host).accessToken());
    answer(host, INVALID_GRANT);
    expect((await failure(openSession(host).accessToken())).code).toBe('REFRESH_INTERRUPTED');
    expect(host.warnings).toEqual([]);
  });
});

describe('the error of a refresh', () => {
  it.each([
    [404, '<html>', 'service'],
    [404, { error: 'NOT_FOUND' }, 'service'],
    [409, '', 'service'],
    [422, { error: 'odd' }, 'service'],
    [403, '<html>', 'forbidden'],
    [401, '', 'auth'],
    [400, { error: 'odd' }, 'auth'],
  ])(
    "a failed refresh is not reported as an error of the user's request (%i %j)",
    async (status, body, kind) => {
      const host = await expired();
      answer(host, { status, body });
      expect(await failure(openSession(host).accessToken())).toMatchObject({ status, kind });
    },
  );
});

describe('a token response without a usable access token', () => {
  const UNUSABLE = { refresh_token: 'rt-new', token_type: 'Bearer' };

  it.each([null, '', ' ', 'a b', 'ä', 5, {}])(
    'the new refresh token is stored if the access token is %j',
    async (accessToken) => {
      const host = await expired();
      answer(host, { status: 200, body: { ...UNUSABLE, access_token: accessToken } });
      const error = await failure(openSession(host).accessToken());
      expect([error.kind, error.code]).toEqual(['service', 'BAD_TOKEN_RESPONSE']);
      expect(host.keychain.entries.get('default:refresh-token')).toBe('rt-new');
      answer(host, GOOD);
      expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
      expect(host.warnings).toEqual([]);
    },
  );

  it('the next refresh uses the new refresh token from a response that a killed process had saved', async () => {
    const host = await expired();
    const log = await startRefreshLog(host, REFRESH_TOKEN, KEY);
    log.save({ status: 200, contentType: '', text: JSON.stringify(UNUSABLE), requestedAt: 5 });
    await log.close();
    let sent = '';
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token', method: 'POST' })
      .reply(200, ({ body }) => {
        sent = String(body);
        return GOOD instanceof Error ? '' : GOOD.body;
      });
    expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
    expect(sent).toContain('refresh_token=rt-new');
  });
});
