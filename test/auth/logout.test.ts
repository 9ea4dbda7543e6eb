import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logout } from '../../src/auth/logout.ts';
import { deleteProfile, readApiKey, storeApiKey } from '../../src/auth/secrets.ts';
import { openSession } from '../../src/auth/session.ts';
import {
  lockPath,
  refreshLogFile,
  sessionFile,
  sessionsDirectory,
  writeSession,
} from '../../src/auth/session-file.ts';
import { fetchUserInfo } from '../../src/auth/userinfo.ts';
import { usageError } from '../../src/core/errors.ts';
import { AUTH, failure, type TestHost, testHost } from './support.ts';

async function loggedIn(options: { refreshToken?: string; authUrl?: string } = { refreshToken: 'rt-0' }) {
  const host = testHost();
  const key = Buffer.alloc(32, 7);
  await writeSession(host.directory, 'default', key, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt: host.time,
    accessExpiresAt: host.time + 86_400_000,
    refreshExpiresAt: null,
    clientId: 'the-client',
    addresses: { auth_url: options.authUrl ?? AUTH },
  });
  const { entries } = host.keychain;
  entries.set('default:cache-key', key.toString('base64url'));
  entries.set('default:client-secret', 's');
  entries.set('default:api-key', 'k');
  entries.set('other:refresh-token', 'of another profile');
  if (options.refreshToken) entries.set('default:refresh-token', options.refreshToken);
  return host;
}

function revocation(host: TestHost, status: number, body = '', authUrl = AUTH) {
  const forms: Record<string, string>[] = [];
  host.dispatcher
    .get(authUrl)
    .intercept({ path: '/oidc/token/revocation', method: 'POST' })
    .reply(status, ({ body: form }) => {
      forms.push(Object.fromEntries(new URLSearchParams(String(form))));
      return body;
    });
  return forms;
}

function forgotten(host: TestHost) {
  expect([...host.keychain.entries.keys()]).toEqual(['other:refresh-token']);
  expect(readdirSync(sessionsDirectory(host.directory))).toEqual([]);
}

describe('logout', () => {
  it.each([200, 204])('logout revokes the refresh token and deletes everything (%s)', async (status) => {
    const host = await loggedIn();
    const forms = revocation(host, status);
    expect(await logout(host)).toEqual({ hadSession: true, hadApiKey: true, revoked: true });
    expect(forms).toEqual([{ token: 'rt-0', client_id: 'the-client', client_secret: 'the-secret' }]);
    forgotten(host);
    expect((await failure(openSession(host).accessToken())).code).toBe('NOT_LOGGED_IN');
  });

  it('logout revokes the access token if there is no refresh token', async () => {
    const host = await loggedIn({});
    const forms = revocation(host, 200);
    await logout(host);
    expect(forms[0]?.['token']).toBe('at-0');
  });

  it('logout deletes everything and reports the reason if the service does not revoke the session', async () => {
    for (const [status, body] of [
      [400, '{"error":"invalid_client"}'],
      [500, '<html>'],
      [0, ''],
    ] as const) {
      const host = await loggedIn();
      if (status > 0) revocation(host, status, body);
      const result = await logout(host);
      expect(result).toEqual({
        hadSession: true,
        hadApiKey: true,
        revoked: false,
        reason: expect.stringMatching(/./),
      });
      forgotten(host);
    }
  });

  it('logout revokes the token at the server that issued it, with the client secret stored for that server', async () => {
    const there = 'https://other.example.com';
    const host = await loggedIn({ refreshToken: 'rt-0', authUrl: there });
    const here = revocation(host, 200);
    const forms = revocation(host, 200, '', there);
    expect((await logout(host)).revoked).toBe(true);
    expect(forms).toEqual([{ token: 'rt-0', client_id: 'the-client', client_secret: 's' }]);
    expect(here).toEqual([]);
    forgotten(host);
    const without = await loggedIn({ refreshToken: 'rt-0', authUrl: there });
    without.keychain.entries.delete('default:client-secret');
    const none = revocation(without, 200, '', there);
    expect(await logout(without)).toMatchObject({
      revoked: false,
      reason: expect.stringContaining('secret'),
    });
    expect(none).toEqual([]);
  });

  it('logout without a session sends no request, and can be repeated', async () => {
    const host = testHost();
    expect(await logout(host)).toEqual({ hadSession: false, hadApiKey: false, revoked: false });
    expect(await logout(host)).toEqual({ hadSession: false, hadApiKey: false, revoked: false });
  });

  it('logout deletes nothing if the keychain fails, and can be repeated', async () => {
    const host = await loggedIn();
    host.keychain.broken = new Error('locked');
    await expect(logout(host)).rejects.toThrow('locked');
    expect(host.keychain.calls).toHaveLength(1);
    expect(existsSync(sessionFile(host.directory, 'default'))).toBe(true);
    host.keychain.broken = undefined;
    const forms = revocation(host, 200);
    expect((await logout(host)).revoked).toBe(true);
    expect(forms).toHaveLength(1);
    forgotten(host);
  });

  it('logout keeps the session file if the keychain cannot delete its entries', async () => {
    const host = await loggedIn();
    revocation(host, 200);
    const { keychain } = host;
    keychain.delete = async () => {
      throw new Error('read-only');
    };
    await expect(logout(host)).rejects.toThrow('read-only');
    expect(existsSync(sessionFile(host.directory, 'default'))).toBe(true);
  });

  it('logout deletes everything if the client secret cannot be read', async () => {
    const host = await loggedIn({ refreshToken: 'rt-0', authUrl: 'https://other.example.com' });
    const { keychain } = host;
    const get = keychain.get.bind(keychain);
    keychain.get = async (account) => {
      if (account === 'default:client-secret') throw new Error('damaged entry');
      return get(account);
    };
    expect(await logout(host)).toMatchObject({ revoked: false, reason: 'damaged entry' });
    forgotten(host);
  });

  it.each(['refresh-token', 'api-key'])(
    'logout deletes everything if the entry %s is damaged',
    async (kind) => {
      const host = await loggedIn();
      const forms = revocation(host, 200);
      const { keychain } = host;
      const get = keychain.get.bind(keychain);
      keychain.get = async (account) => {
        if (account === `default:${kind}`)
          throw usageError('The entry is incomplete', '', 'KEYCHAIN_DAMAGED');
        return get(account);
      };
      const isRevoked = kind === 'api-key';
      expect(await logout(host)).toEqual({
        ...{ hadSession: true, hadApiKey: true, revoked: isRevoked },
        ...(isRevoked ? {} : { reason: 'The entry is incomplete' }),
      });
      expect(forms).toHaveLength(isRevoked ? 1 : 0);
      forgotten(host);
    },
  );

  it('after a failed deletion of one file, logout deletes all others, and prints whether the session was revoked', async () => {
    const host = await loggedIn();
    revocation(host, 200);
    const stuck = refreshLogFile(host.directory, 'default');
    mkdirSync(stuck);
    await expect(logout(host)).rejects.toThrow(stuck);
    expect([...host.keychain.entries.keys()]).toEqual(['other:refresh-token']);
    expect(readdirSync(sessionsDirectory(host.directory))).toEqual([basename(stuck)]);
    expect(host.warnings).toEqual([expect.stringContaining('The service revoked the session, but')]);
  });

  it('after a failed deletion of a keychain entry, logout deletes all others', async () => {
    const host = await loggedIn();
    revocation(host, 500);
    const { keychain } = host;
    const remove = keychain.delete.bind(keychain);
    keychain.delete = async (account) => {
      if (account === 'default:refresh-token') throw new Error('busy');
      return remove(account);
    };
    await expect(logout(host)).rejects.toThrow('busy');
    expect([...keychain.entries.keys()].sort()).toEqual([
      'default:cache-key',
      'default:refresh-token',
      'other:refresh-token',
    ]);
    expect(host.warnings).toEqual([
      expect.stringContaining('The service did not revoke the session (HTTP 500)'),
    ]);
  });

  it('if config.toml cannot be changed, logout prints that the session was not revoked', async () => {
    const host = await loggedIn();
    mkdirSync(join(host.directory, 'config.toml'));
    expect((await failure(logout(host))).message).toContain('config.toml');
    forgotten(host);
    expect(host.warnings).toEqual([expect.stringContaining('The service did not revoke the session (')]);
  });

  it('logout is refused if the session is in a keychain other than the configured one', async () => {
    const { directory, keychain } = await loggedIn();
    const before = new Map(keychain.entries);
    const host = testHost({ directory });
    const error = await failure(logout(host));
    expect([error.kind, error.code]).toEqual(['usage', 'SESSION_OF_ANOTHER_KEYCHAIN']);
    expect(error.message).toContain('memory');
    expect(error.hint).toMatch(/CRYPTODATA_KEYCHAIN.*default\.session/s);
    expect((await failure(deleteProfile(host))).code).toBe('SESSION_OF_ANOTHER_KEYCHAIN');
    expect(existsSync(sessionFile(directory, 'default'))).toBe(true);
    expect(keychain.entries).toEqual(before);
  });

  it('logout is rejected if a token is set in the environment', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 't' } });
    expect((await failure(logout(host))).code).toBe('ACCESS_TOKEN_IN_ENVIRONMENT');
    expect(host.keychain.calls).toEqual([]);
  });
});

describe('deleting a profile', () => {
  it('deleting a profile also deletes files that killed processes left, but keeps the files of other profiles', async () => {
    const host = await loggedIn();
    const sessions = sessionsDirectory(host.directory);
    const remains = `${lockPath(host.directory, 'default')}.${crypto.randomUUID()}.tmp`;
    mkdirSync(remains);
    writeFileSync(join(remains, 'a'), '');
    utimesSync(join(remains, 'a'), 0, 0);
    const waiting = `${lockPath(host.directory, 'default')}.${crypto.randomUUID()}.tmp`;
    mkdirSync(waiting);
    writeFileSync(join(waiting, 'c'), '');
    writeFileSync(refreshLogFile(host.directory, 'default'), '');
    writeFileSync(`${refreshLogFile(host.directory, 'default')}.${crypto.randomUUID()}.tmp`, '');
    host.keychain.entries.set('default:probe', 'x');
    writeFileSync(`${sessionFile(host.directory, 'default')}.${crypto.randomUUID()}.tmp`, '');
    writeFileSync(sessionFile(host.directory, 'default2'), '');
    writeFileSync(sessionFile(host.directory, 'default.session'), '');
    await deleteProfile(host);
    await deleteProfile(host);
    // `deleteProfile` keeps this directory, because the process that created it may still be waiting for the lock.
    expect(readdirSync(waiting)).toEqual(['c']);
    rmSync(waiting, { recursive: true });
    expect(readdirSync(sessions).sort()).toEqual(['default.session.session', 'default2.session']);
    expect([...host.keychain.entries.keys()]).toEqual(['other:refresh-token']);
    await deleteProfile({ ...host, settings: host.settings.of('other') });
    expect(host.keychain.entries.size).toBe(0);
  });

  it('deleting a profile deletes its stored API key', async () => {
    const host = testHost();
    await storeApiKey(host, { apiKey: 'k', addresses: {} });
    expect(await readApiKey(host)).toMatchObject({ apiKey: 'k' });
    await deleteProfile(host);
    expect(host.keychain.entries.size).toBe(0);
  });
});

describe('userinfo', () => {
  function answer(host: TestHost, token: string, status: number, body: unknown) {
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/userinfo', method: 'GET', headers: { authorization: `Bearer ${token}` } })
      .reply(status, typeof body === 'string' ? body : JSON.stringify(body));
  }

  it('userinfo returns every claim unchanged', async () => {
    const host = await loggedIn();
    const claims = {
      sub: 'u1',
      name: 'N',
      updated_at: 1_700_000_000,
      email_verified: false,
      extra: [1, null],
    };
    answer(host, 'at-0', 200, claims);
    expect(await fetchUserInfo(host, openSession(host))).toEqual(claims);
  });

  it('a userinfo request refreshes the token once after a 401', async () => {
    const host = await loggedIn();
    answer(host, 'at-0', 401, { error: 'invalid_token' });
    answer(host, 'at-1', 200, { sub: 'u1' });
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token', method: 'POST' })
      .reply(
        200,
        { access_token: 'at-1', token_type: 'Bearer' },
        { headers: { 'content-type': 'application/json' } },
      );
    expect(await fetchUserInfo(host, openSession(host))).toEqual({ sub: 'u1' });
  });

  it.each([
    [401, { error: 'unauthorized', error_description: 'x' }, 'auth', 'INVALID_TOKEN'],
    [401, '', 'auth', 'INVALID_TOKEN'],
    [403, { error: 'insufficient_scope' }, 'forbidden', 'INSUFFICIENT_SCOPE'],
    [200, { name: 'no sub' }, 'service', 'BAD_USERINFO'],
    [200, '<html>', 'service', 'BAD_USERINFO'],
    [502, '<html>', 'service', 'BAD_USERINFO'],
    [503, { error: 'invalid_token' }, 'service', 'BAD_USERINFO'],
    [403, '<html>', 'forbidden', 'BAD_USERINFO'],
    [403, { error: 'blocked' }, 'forbidden', 'OIDC_ERROR'],
    [404, '', 'notFound', 'BAD_USERINFO'],
    [404, { message: 'Not Found' }, 'notFound', 'BAD_USERINFO'],
    [405, '', 'rejected', 'BAD_USERINFO'],
    [200, { error: null }, 'service', 'BAD_USERINFO'],
  ])('userinfo reports the response %s %j as a specific error', async (status, body, kind, code) => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 't' } });
    // A 5xx status is retried three times. Other responses are not retried.
    for (let time = status >= 500 ? 4 : 1; time > 0; time -= 1) answer(host, 't', status, body);
    const error = await failure(fetchUserInfo(host, openSession(host)));
    expect([error.kind, error.code]).toEqual([kind, code]);
    expect(host.dispatcher.pendingInterceptors()).toEqual([]);
  });

  it.each([500, 502, 503, 504])('a userinfo request is retried after a %i', async (status) => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 't' } });
    answer(host, 't', status, '<html>');
    answer(host, 't', 200, { sub: 'u1' });
    expect(await fetchUserInfo(host, openSession(host))).toEqual({ sub: 'u1' });
  });
});
