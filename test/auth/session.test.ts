import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refreshSession } from '../../src/auth/refresh.ts';
import { openSession } from '../../src/auth/session.ts';
import {
  lockPath,
  type StoredSession,
  sessionFile,
  sessionsDirectory,
  writeSession,
} from '../../src/auth/session-file.ts';
import { withLock } from '../../src/core/lock.ts';
import { AUTH, failure, type HostOptions, jwt, MemoryKeychain, type TestHost, testHost } from './support.ts';

const KEY = Buffer.alloc(32, 7);
const DAY = 86_400_000;

/** Creates a profile that logged in `age` milliseconds ago. */
async function loggedIn(
  age: number,
  options: HostOptions & { session?: Partial<StoredSession>; refreshToken?: string | null } = {},
) {
  const host = testHost(options);
  const obtainedAt = host.time - age;
  await writeSession(host.directory, 'default', KEY, {
    accessToken: 'at-0',
    granted: ['openid', 'offline_access'],
    requested: ['openid', 'offline_access', 'email'],
    obtainedAt,
    accessExpiresAt: obtainedAt + DAY,
    refreshExpiresAt: obtainedAt + 30 * DAY,
    clientId: 'the-client',
    addresses: { auth_url: AUTH },
    ...options.session,
  });
  host.keychain.entries.set('default:cache-key', KEY.toString('base64url'));
  const { refreshToken = 'rt-0' } = options;
  if (refreshToken !== null) host.keychain.entries.set('default:refresh-token', refreshToken);
  return host;
}

/** Answers each refresh with a new pair of tokens. Returns the refresh tokens that the requests contain. */
function answers(
  host: TestHost,
  times: number,
  body: Record<string, unknown> = {},
  status = 200,
  meanwhile = () => {},
) {
  const sent: (string | null)[] = [];
  host.dispatcher
    .get(AUTH)
    .intercept({ path: '/oidc/token', method: 'POST' })
    .reply(
      status,
      ({ body: form }) => {
        sent.push(new URLSearchParams(String(form)).get('refresh_token'));
        meanwhile();
        const number = sent.length;
        return status === 200
          ? {
              access_token: `at-${number}`,
              refresh_token: `rt-${number}`,
              token_type: 'Bearer',
              expires_in: 86400,
              ...body,
            }
          : body;
      },
      { headers: { 'content-type': 'application/json' } },
    )
    .times(times);
  return sent;
}

describe('the access token', () => {
  it('a valid access token is read from the session file, and the keychain is read only once', async () => {
    const host = await loggedIn(DAY - 61_000);
    const session = openSession(host);
    expect(await session.accessToken()).toEqual({ accessToken: 'at-0', expiresAt: host.time + 61_000 });
    await session.accessToken();
    expect(host.keychain.calls).toEqual(['get default:cache-key']);
  });

  it('a refresh in the last minute before expiry stores the new access token and the new refresh token', async () => {
    const host = await loggedIn(DAY - 59_000);
    const sent = answers(host, 1);
    expect(await openSession(host).accessToken()).toEqual({
      accessToken: 'at-1',
      expiresAt: host.time + DAY,
    });
    expect(sent).toEqual(['rt-0']);
    expect(host.keychain.entries.get('default:refresh-token')).toBe('rt-1');
    expect(host.keychain.calls.filter((call) => call.endsWith('cache-key'))).toHaveLength(1);
    // A second session object, as in a second process, uses the new token.
    expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
    const info = await openSession(host).info();
    expect([info?.scopesGranted, info?.scopesRequested, info?.refreshExpiresAt]).toEqual([
      ['openid', 'offline_access'],
      ['openid', 'offline_access', 'email'],
      host.time + 30 * DAY,
    ]);
  });

  it('the access token is refreshed a minute before expiry, or after half of a short lifetime', async () => {
    const left = async (accessExpiresAt: number, obtainedAt: number) => {
      const now = 1_700_000_000_000;
      const session = { obtainedAt: now + obtainedAt, accessExpiresAt: now + accessExpiresAt };
      const host = await loggedIn(0, { session });
      answers(host, 1);
      return (await openSession(host).accessToken()).accessToken;
    };
    expect(await left(60_001, -DAY)).toBe('at-0');
    expect(await left(60_000, -DAY)).toBe('at-1');
    // The following tokens are valid for 30 seconds.
    expect(await left(15_001, -14_999)).toBe('at-0');
    expect(await left(15_000, -15_000)).toBe('at-1');
  });

  it('parallel calls refresh the access token once', async () => {
    const host = await loggedIn(DAY);
    const sent = answers(host, 1);
    const one = openSession(host);
    const sessions = [one, one, one, openSession(host), openSession(host)];
    const found = await Promise.all(sessions.map((session) => session.accessToken()));
    expect(new Set(found.map(({ accessToken }) => accessToken))).toEqual(new Set(['at-1']));
    expect(sent).toEqual(['rt-0']);
  });

  it('the access token is not returned if the keychain cannot store the new refresh token', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1, {}, 200, () => {
      host.keychain.broken = new Error('full');
    });
    await expect(openSession(host).accessToken()).rejects.toThrow('full');
  });

  it('the access token is not refreshed if the keychain is read-only', async () => {
    const host = await loggedIn(DAY);
    const sent = answers(host, 1);
    host.keychain.probe = async () => {
      throw new Error('read-only');
    };
    await expect(openSession(host).accessToken()).rejects.toThrow('read-only');
    expect(sent).toEqual([]);
  });

  it('does not refresh a session with a damaged file, because its server is unknown', async () => {
    const host = await loggedIn(0);
    const sent = answers(host, 1);
    writeFileSync(sessionFile(host.directory, 'default'), 'damaged');
    expect((await failure(openSession(host).accessToken())).code).toBe('SESSION_UNREADABLE');
    expect([sent, host.keychain.entries.get('default:refresh-token')]).toEqual([[], 'rt-0']);
  });

  it.each([
    ['no new refresh token', undefined],
    ['the same refresh token', 'rt-0'],
  ])('the refresh token and its expiry do not change if the service returns %s', async (_, token) => {
    const host = await loggedIn(DAY);
    answers(host, 1, { refresh_token: token });
    await openSession(host).accessToken();
    expect(host.keychain.calls).not.toContain('set default:refresh-token');
    expect(host.keychain.entries.get('default:refresh-token')).toBe('rt-0');
    expect((await openSession(host).info())?.refreshExpiresAt).toBe(host.time + 29 * DAY);
  });
});

describe('a login in another process', () => {
  const newSession: StoredSession = {
    ...{ accessToken: 'at-new', granted: [], requested: [], refreshExpiresAt: null },
    ...{ obtainedAt: 1_700_000_000_000, accessExpiresAt: 1_700_000_000_000 + 3 * DAY },
    ...{ clientId: 'the-client', addresses: { auth_url: AUTH } },
  };

  it('uses a token from a login in another process without a refresh, also with a new encryption key', async () => {
    const host = await loggedIn(0);
    const session = openSession(host);
    expect((await session.accessToken()).accessToken).toBe('at-0');
    host.time += DAY;
    const newKey = Buffer.alloc(32, 9);
    await writeSession(host.directory, 'default', newKey, newSession);
    host.keychain.entries.set('default:cache-key', newKey.toString('base64url'));
    expect((await session.accessToken()).accessToken).toBe('at-new');
    expect((await session.info())?.accessExpiresAt).toBe(newSession.accessExpiresAt);
  });

  it('a session without its file key can be read as soon as another process creates the key', async () => {
    const host = await loggedIn(0);
    host.keychain.entries.delete('default:cache-key');
    const session = openSession(host);
    expect(await session.info()).toMatchObject({ source: 'session', accessExpiresAt: null });
    host.keychain.entries.set('default:cache-key', KEY.toString('base64url'));
    expect(await session.info()).toMatchObject({ accessExpiresAt: host.time + DAY });
  });

  it('a login in another process updates the session information in this process', async () => {
    const host = await loggedIn(0);
    const session = openSession(host);
    await session.accessToken();
    const later = await loggedIn(0, { ...host, session: { granted: ['openid'] } });
    expect(later.directory).toBe(host.directory);
    expect((await session.info())?.scopesGranted).toEqual(['openid']);
  });

  it('the key of the session file is read from the keychain only if the known key is wrong or missing', async () => {
    const host = await loggedIn(0);
    const read = async (key: Buffer | null) => {
      host.keychain.calls.length = 0;
      const { accessToken } = await refreshSession(host, () => true, key);
      return [accessToken, ...host.keychain.calls];
    };
    expect(await read(KEY)).toEqual(['at-0']);
    expect(await read(null)).toEqual(['at-0', 'get default:cache-key']);
    expect(await read(Buffer.alloc(32, 1))).toEqual(['at-0', 'get default:cache-key']);
  });

  it('the session can be read as soon as the keychain is unlocked', async () => {
    const host = await loggedIn(0);
    const session = openSession(host);
    host.keychain.broken = new Error('locked');
    await expect(session.accessToken()).rejects.toThrow('locked');
    host.keychain.broken = undefined;
    expect((await session.accessToken()).accessToken).toBe('at-0');
  });
});

describe('a session whose file is damaged', () => {
  it('info() returns only the source of a damaged session, or null without a refresh token', async () => {
    for (const [refreshToken, source] of [
      ['rt-0', 'session'],
      [null, undefined],
    ] as const) {
      const host = await loggedIn(0, { refreshToken });
      writeFileSync(sessionFile(host.directory, 'default'), 'damaged');
      const info = await openSession(host).info();
      expect(info?.source).toBe(source);
      const { source: _, ...facts } = info ?? { source: undefined };
      expect(Object.values(facts).filter((fact) => fact !== null)).toEqual([]);
    }
  });
});

describe('a clock that jumps', () => {
  it('an expired token is refreshed after the clock jumps forward, for example after sleep', async () => {
    const host = await loggedIn(0);
    const sent = answers(host, 1);
    const session = openSession(host);
    expect((await session.accessToken()).accessToken).toBe('at-0');
    host.time += DAY + 3_600_000;
    expect((await session.accessToken()).accessToken).toBe('at-1');
    expect((await session.accessToken()).accessToken).toBe('at-1');
    expect(sent).toEqual(['rt-0']);
  });

  it('after the clock jumps back, a rejected token is refreshed', async () => {
    const host = await loggedIn(-3 * DAY);
    const sent = answers(host, 1);
    const session = openSession(host);
    expect((await session.accessToken()).accessToken).toBe('at-0');
    expect(await session.refresh('at-0')).toBe(true);
    expect((await session.accessToken()).accessToken).toBe('at-1');
    expect(sent).toEqual(['rt-0']);
  });
});

describe('the required minimum lifetime of a token', () => {
  it('a token is refreshed if its remaining lifetime is shorter than minTtl', async () => {
    const host = await loggedIn(DAY - 3_600_000);
    const sent = answers(host, 1);
    expect((await openSession(host).accessToken({ minTtl: 3599 })).accessToken).toBe('at-0');
    expect((await openSession(host).accessToken({ minTtl: 3601 })).accessToken).toBe('at-1');
    expect(sent).toHaveLength(1);
  });

  it('minTtl can be the full token lifetime', async () => {
    const host = await loggedIn(1000);
    answers(host, 1);
    expect((await openSession(host).accessToken({ minTtl: 86_400 })).accessToken).toBe('at-1');
  });

  it('minTtl 0 causes a refresh only after the token has expired', async () => {
    const [host, expired] = [await loggedIn(DAY - 1), await loggedIn(DAY)];
    answers(expired, 1);
    expect((await openSession(host).accessToken({ minTtl: 0 })).accessToken).toBe('at-0');
    expect((await openSession(expired).accessToken({ minTtl: 0 })).accessToken).toBe('at-1');
  });

  it('if minTtl is longer than the lifetime of the token, the error contains both durations in seconds', async () => {
    const host = await loggedIn(DAY);
    expect((await failure(openSession(host).accessToken({ minTtl: 86_401 }))).message).toBe(
      'Access tokens are valid for 86400 s, but 86401 s are required',
    );
    answers(host, 1, { expires_in: 30 });
    expect((await failure(openSession(host).accessToken({ minTtl: 31 }))).message).toBe(
      'Access tokens are valid for 30 s, but 31 s are required',
    );
    expect((await openSession(host).accessToken({ minTtl: 29 })).accessToken).toBe('at-1');
  });

  it.each([86_401, -1, Number.NaN])('minTtl %s is rejected', async (minTtl) => {
    const host = await loggedIn(DAY);
    expect((await failure(openSession(host).accessToken({ minTtl }))).kind).toBe('usage');
  });

  it('a token that is valid for only 30 seconds is returned by default, but not with minTtl 40', async () => {
    const host = await loggedIn(DAY);
    answers(host, 2, { expires_in: 30 });
    const session = openSession(host);
    expect((await session.accessToken()).accessToken).toBe('at-1');
    expect((await session.accessToken()).accessToken).toBe('at-1');
    expect((await failure(session.accessToken({ minTtl: 40 }))).code).toBe('MIN_TTL_TOO_LONG');
  });

  it('parallel calls with the full token lifetime as minTtl share one refresh', async () => {
    const host = await loggedIn(1000);
    const sent = answers(host, 1);
    const session = openSession(host);
    const asks = [session, session, openSession(host)].map((one) => one.accessToken({ minTtl: 86_400 }));
    expect((await Promise.all(asks)).map(({ accessToken }) => accessToken)).toEqual(['at-1', 'at-1', 'at-1']);
    expect(sent).toHaveLength(1);
  });

  it('each caller that waits for a refresh gets a token that is valid for its own minTtl', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1);
    const session = openSession(host);
    // This callback acts as a second process: it holds the lock until both calls are waiting, and stores a token that is half a
    // day old.
    const { asks } = await withLock(lockPath(host.directory, 'default'), {}, async () => {
      const any = session.accessToken();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const asks = [any, session.accessToken({ minTtl: 80_000 })];
      await new Promise((resolve) => setTimeout(resolve, 100));
      const obtainedAt = host.time - DAY / 2;
      await writeSession(host.directory, 'default', KEY, {
        accessToken: 'at-other',
        granted: [],
        requested: [],
        obtainedAt,
        accessExpiresAt: obtainedAt + DAY,
        refreshExpiresAt: null,
        clientId: 'the-client',
        addresses: { auth_url: AUTH },
      });
      return { asks };
    });
    const [any, fresh] = (await Promise.all(asks)).map(({ accessToken }) => accessToken);
    // On a slow machine, the second call may refresh the token before the first call reads it. Both calls then return the new
    // token.
    expect(['at-other', 'at-1']).toContain(any);
    expect(fresh).toBe('at-1');
  });
});

describe('a rejected or interrupted refresh', () => {
  it('a rejected refresh reports REFRESH_REJECTED and deletes nothing', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1, { error: 'invalid_grant' }, 400);
    const before = new Map(host.keychain.entries);
    const stored = readFileSync(sessionFile(host.directory, 'default'));
    const error = await failure(openSession(host).accessToken());
    expect([error.kind, error.code]).toEqual(['auth', 'REFRESH_REJECTED']);
    expect(readFileSync(sessionFile(host.directory, 'default')).equals(stored)).toBe(true);
    expect(error.message).toMatch(/30 days/);
    expect(error.hint).toContain('cryptodata login');
    expect(host.keychain.entries).toEqual(before);
  });

  it('a rejected refresh is retried with a refresh token that was stored in the meantime', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1, { error: 'invalid_grant' }, 400, () =>
      host.keychain.entries.set('default:refresh-token', 'newer'),
    );
    const sent = answers(host, 1);
    expect((await openSession(host).accessToken()).accessToken).toBe('at-1');
    expect(sent).toEqual(['newer']);
  });

  it('reports a rejected client as INVALID_CLIENT', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1, { error: 'invalid_client' }, 401);
    expect((await failure(openSession(host).accessToken())).code).toBe('INVALID_CLIENT');
  });

  it('a refresh token is sent only to the server that issued it, and used only for its own client', async () => {
    for (const [session, code, reason] of [
      [
        { addresses: { auth_url: 'https://other.example.com' } },
        'LOGIN_OF_ANOTHER_ADDRESS',
        'belongs to https://other.example.com, but auth_url is https://auth.example.com (config.toml)',
      ],
      [
        { addresses: { auth_url: `${AUTH}/tenant` } },
        'SESSION_OF_ANOTHER_SERVER',
        'was issued by https://auth.example.com/tenant',
      ],
      [{ clientId: 'other' }, 'SESSION_OF_ANOTHER_SERVER', 'was issued for another client'],
    ] as const) {
      const host = await loggedIn(DAY, { session });
      const sent = answers(host, 1);
      const error = await failure(openSession(host).accessToken());
      expect([error.code, error.message]).toEqual([code, `The session of profile default ${reason}`]);
      expect(sent).toEqual([]);
    }
  });

  it('Ctrl-C stops a refresh before its request is sent; after that, the process waits for the new session', async () => {
    const host = await loggedIn(DAY);
    const sent = answers(host, 1);
    const told: unknown[] = [];
    const hold = (work: Promise<unknown>, storing?: 'session') => {
      told.push(storing);
      work.catch(() => undefined);
    };
    const { keychain } = host;
    const { probe } = keychain;
    keychain.probe = async () => {
      await probe.call(keychain);
      host.abort.abort(new Error('SIGINT'));
    };
    expect((await failure(openSession({ ...host, hold }).accessToken())).kind).toBe('interrupted');
    expect([sent, told]).toEqual([[], [undefined]]);
    keychain.probe = probe;
    const signal = new AbortController().signal;
    await openSession({ ...host, hold, signal }).accessToken();
    expect([sent, told]).toEqual([['rt-0'], [undefined, undefined, 'session']]);
  });

  it('a refresh stores the response if Ctrl-C arrives after the request was sent', async () => {
    const host = await loggedIn(DAY);
    answers(host, 1, {}, 200, () => host.abort.abort(new Error('SIGINT')));
    await openSession(host).accessToken();
    expect(host.keychain.entries.get('default:refresh-token')).toBe('rt-1');
  });
});

describe('without a usable session', () => {
  it('without a session, the error asks the user to log in', async () => {
    const host = testHost();
    const error = await failure(openSession(host).accessToken());
    expect([error.kind, error.code]).toEqual(['auth', 'NOT_LOGGED_IN']);
    expect(await openSession(host).info()).toBeNull();
    expect(await openSession(host).refresh('x')).toBe(false);
  });

  it('the error asks for a login if the sessions directory cannot be created', async () => {
    const host = testHost();
    writeFileSync(sessionsDirectory(host.directory), 'in the way');
    expect((await failure(openSession(host).accessToken())).code).toBe('NOT_LOGGED_IN');
  });

  it('an expired token without a refresh token is reported as SESSION_EXPIRED', async () => {
    const host = await loggedIn(DAY, { refreshToken: null, session: { granted: ['openid'] } });
    const error = await failure(openSession(host).accessToken());
    expect([error.kind, error.code]).toEqual(['auth', 'SESSION_EXPIRED']);
    expect(error.message).toContain('offline_access');
  });
});

describe('after a 401', () => {
  it('a token that has not expired is refreshed after a 401', async () => {
    const host = await loggedIn(0);
    const sent = answers(host, 1);
    const session = openSession(host);
    expect(await session.refresh('at-0')).toBe(true);
    expect((await session.accessToken()).accessToken).toBe('at-1');
    // A second process also receives a 401 for the old token.
    expect(await openSession(host).refresh('at-0')).toBe(true);
    expect(sent).toEqual(['rt-0']);
  });

  it('after a 401 for an older token, the stored token is refreshed only if it has expired', async () => {
    for (const [left, refreshes] of [
      [1, 0],
      [0, 1],
    ] as const) {
      const host = await loggedIn(DAY - left);
      const sent = answers(host, 1);
      expect(await openSession(host).refresh('at-older')).toBe(true);
      expect(sent).toHaveLength(refreshes);
    }
  });

  it('after a 401, a session without a refresh token is not refreshed, and a rejected refresh is reported', async () => {
    expect(await openSession(await loggedIn(0, { refreshToken: null })).refresh('at-0')).toBe(false);
    const host = await loggedIn(0);
    answers(host, 1, { error: 'invalid_grant' }, 400);
    expect((await failure(openSession(host).refresh('at-0'))).code).toBe('REFRESH_REJECTED');
  });
});

describe('a token from the environment', () => {
  const expiresAt = 1_700_000_100;
  const token = jwt({ sub: 'u', exp: expiresAt, workspaceId: 'ws_1', scope: 'openid email', role: 7 });

  it('a token from the environment is used unchanged, and the keychain is not read', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: token } });
    const session = openSession(host);
    expect(await session.accessToken()).toEqual({ accessToken: token, expiresAt: expiresAt * 1000 });
    expect(await session.refresh(token)).toBe(false);
    expect(await session.info()).toMatchObject({
      source: 'environment',
      workspaceId: 'ws_1',
      role: null,
      scopesGranted: ['openid', 'email'],
    });
    expect(await session.accessToken({ minTtl: 100 })).toMatchObject({ accessToken: token });
    const error = await failure(session.accessToken({ minTtl: 101 }));
    expect([error.kind, error.code]).toEqual(['auth', 'TOKEN_TOO_SHORT']);
    expect(error.message).toBe('The token in CRYPTODATA_ACCESS_TOKEN expires in 100 s; 101 s are required');
    expect(host.keychain.calls).toEqual([]);
  });

  it('an expired token from the environment is used unless minTtl is set', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: token } });
    host.time += 200_000;
    const session = openSession(host);
    expect((await session.accessToken()).accessToken).toBe(token);
    expect((await failure(session.accessToken({ minTtl: 1 }))).message).toContain('expires in 0 s;');
  });

  it('a token from the environment does not have to be a JWT', async () => {
    const session = openSession(testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 'opaque' } }));
    expect(await session.accessToken({ minTtl: 100 })).toEqual({ accessToken: 'opaque', expiresAt: null });
    expect(await session.info()).toMatchObject({
      sub: null,
      plan: null,
      scopesGranted: null,
      accessExpiresAt: null,
    });
  });
});

it('a profile does not read the session of another profile', async () => {
  const keychain = new MemoryKeychain();
  const host = await loggedIn(0, { keychain });
  const other = testHost({ keychain, directory: host.directory, env: { CRYPTODATA_PROFILE: 'other' } });
  expect(await openSession(other).info()).toBeNull();
});
