import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { saveApiKey } from '../../src/auth/api-key.ts';
import { bindAddress } from '../../src/auth/binding.ts';
import { resolveCredentials } from '../../src/auth/credentials.ts';
import { login } from '../../src/auth/login.ts';
import { logout } from '../../src/auth/logout.ts';
import { openSession } from '../../src/auth/session.ts';
import {
  readSession,
  type StoredSession,
  sessionFile,
  writeSealed,
  writeSession,
} from '../../src/auth/session-file.ts';
import { introspect } from '../../src/auth/token.ts';
import { fetchUserInfo } from '../../src/auth/userinfo.ts';
import { Settings, type SettingsSources } from '../../src/config/settings.ts';
import { API, AUTH, failure, type TestHost, testHost } from './support.ts';

const EVIL = 'http://127.0.0.1:18999';
const KEY = Buffer.alloc(32, 7);
const ADDRESSES = { auth_url: AUTH, base_url: API, legacy_base_url: API };
const PROFILE = { client_id: 'the-client', ...ADDRESSES };

/** Returns the host of a second command, which has the files and the keychain of this host, but its own settings. */
function later(host: TestHost, sources: Partial<SettingsSources> & { profile?: object } = {}): TestHost {
  const { profile = PROFILE, env = {}, flags = {} } = sources;
  const file = { profiles: { default: { ...profile } } };
  return { ...host, env, settings: new Settings({ flags, env, file }), now: () => host.time };
}

async function withSession(session: Partial<StoredSession> = {}): Promise<TestHost> {
  const host = testHost({ env: {}, profile: PROFILE });
  await writeSession(host.directory, 'default', KEY, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt: host.time,
    accessExpiresAt: host.time + 86_400_000,
    refreshExpiresAt: null,
    clientId: 'the-client',
    addresses: ADDRESSES,
    ...session,
  });
  host.keychain.entries.set('default:cache-key', KEY.toString('base64url'));
  host.keychain.entries.set('default:client-secret', 'stored-secret');
  host.keychain.entries.set('default:refresh-token', 'rt-0');
  return host;
}

/** The headers of a request to the address in the settings. */
async function headers(host: TestHost, api: 'current' | 'legacy' = 'current') {
  const address = host.settings.require(api === 'current' ? 'base_url' : 'legacy_base_url');
  return (await resolveCredentials(host)).headers(api, new URL(address).origin);
}

const OTHERS: readonly [string, Parameters<typeof later>[1]][] = [
  ['a variable', { env: { CRYPTODATA_BASE_URL: EVIL } }],
  ['a flag', { flags: { base_url: EVIL } }],
  ['a changed profile', { profile: { ...PROFILE, base_url: EVIL } }],
];

describe('a session', () => {
  it.each(OTHERS)('a session is not sent to a new address from %s', async (_, sources) => {
    const error = await failure(headers(later(await withSession(), sources)));
    expect([error.kind, error.code]).toEqual(['usage', 'LOGIN_OF_ANOTHER_ADDRESS']);
    expect(error.message).toContain(`belongs to ${API}, but base_url is ${EVIL}`);
    expect(error.hint).toMatch(/unset CRYPTODATA_BASE_URL|omit --base-url|config set base_url https:/);
    expect(error.hint).toContain(`config set base_url ${EVIL} --keep-session`);
  });

  it.each([
    ['auth_url', 'current'],
    ['legacy_base_url', 'current'],
    ['base_url', 'legacy'],
    ['legacy_base_url', 'legacy'],
  ] as const)('if %s differs, the session is not sent to the %s API', async (key, api) => {
    const error = await failure(headers(later(await withSession(), { flags: { [key]: EVIL } }), api));
    expect(error.message).toContain(`but ${key} is ${EVIL} (--${key.replaceAll('_', '-')})`);
  });

  it('a session with an expired token is not refreshed for a request to a new address', async () => {
    const host = await withSession({ obtainedAt: 0, accessExpiresAt: 0 });
    const error = await failure(headers(later(host, { env: { CRYPTODATA_BASE_URL: EVIL } })));
    expect(error.code).toBe('LOGIN_OF_ANOTHER_ADDRESS');
    expect(host.lines).toEqual([]);
  });

  it('a session is sent to any path of the same origin, and the letter case of the host name is ignored', async () => {
    for (const base_url of [`${API}/v2`, 'HTTPS://API.example.com:443/']) {
      expect(await headers(later(await withSession(), { flags: { base_url } }))).toEqual({
        Authorization: 'Bearer at-0',
      });
    }
  });

  it.each([
    'http://api.example.com',
    `${API}:8443`,
    'https://api.example.com.evil.test',
    'https://example.com',
  ])('a session is not sent to %s', async (origin) => {
    const credentials = await resolveCredentials(await withSession());
    const error = await failure(async () => credentials.headers('current', origin));
    expect(error.code).toBe('LOGIN_OF_ANOTHER_ADDRESS');
  });

  it('userinfo, introspection and refresh do not send a session to an authorization server that is set in a variable', async () => {
    const host = later(await withSession({ obtainedAt: 0, accessExpiresAt: 0 }), {
      env: { CRYPTODATA_AUTH_URL: EVIL },
    });
    const session = openSession(host);
    for (const step of [
      () => fetchUserInfo(host, session),
      () => introspect(host, async (to) => (await session.accessToken({ to })).accessToken),
      () => session.accessToken(),
      () => session.refresh('at-0'),
    ]) {
      expect((await failure(step)).code).toBe('LOGIN_OF_ANOTHER_ADDRESS');
    }
    expect(host.lines).toEqual([]);
  });

  it('an access token is printed for any address, because printing sends no request', async () => {
    const host = later(await withSession(), { env: { CRYPTODATA_BASE_URL: EVIL } });
    expect((await openSession(host).accessToken()).accessToken).toBe('at-0');
  });

  it('a session without addresses is sent nowhere', async () => {
    const host = await withSession();
    const { addresses: _, ...session } = (await readSession(host.directory, 'default', KEY)) ?? expect.fail();
    await writeSealed(sessionFile(host.directory, 'default'), KEY, 'cryptodata session default', session);
    const error = await failure(headers(host));
    expect([error.kind, error.code]).toEqual(['auth', 'SESSION_UNREADABLE']);
    expect(error.hint).toContain('cryptodata login');
    expect(await bindAddress(host, 'base_url', EVIL, true)).toBeNull();
    expect(host.lines).toEqual([]);
  });

  it('if the session file is unreadable, no credentials are sent', async () => {
    const { keychain } = await withSession();
    const elsewhere = { ...PROFILE, auth_url: EVIL, base_url: EVIL };
    const host = { ...testHost({ env: {}, profile: elsewhere }), keychain };
    mkdirSync(join(host.directory, 'sessions'));
    writeFileSync(sessionFile(host.directory, 'default'), 'damaged');
    expect(await failure(headers(host))).toMatchObject({ kind: 'auth', code: 'SESSION_UNREADABLE' });
    const to = async () => 'typed';
    expect((await failure(introspect(host, to))).code).toBe('MISSING_CLIENT_SECRET');
    expect(await logout(host)).toMatchObject({ hadSession: true, revoked: false });
    expect([host.lines, [...keychain.entries.keys()]]).toEqual([[], []]);
  });

  it('a session keeps its addresses when it is refreshed', async () => {
    const host = await withSession({ obtainedAt: 0, accessExpiresAt: 0 });
    host.dispatcher
      .get(AUTH)
      .intercept({ path: '/oidc/token', method: 'POST' })
      .reply(
        200,
        { access_token: 'at-1', token_type: 'Bearer' },
        { headers: { 'content-type': 'application/json' } },
      );
    expect(await headers(later(host))).toEqual({ Authorization: 'Bearer at-1' });
    expect((await readSession(host.directory, 'default', KEY))?.addresses).toMatchObject(ADDRESSES);
  });
});

describe('an address that was not set at the login', () => {
  const { legacy_base_url: _, ...profile } = PROFILE;

  it('requests to a new address from a variable, a flag or an edited profile contain no session', async () => {
    const host = await withSession({ addresses: { auth_url: AUTH, base_url: API } });
    for (const sources of [
      { profile, env: { CRYPTODATA_LEGACY_BASE_URL: EVIL } },
      { profile, flags: { legacy_base_url: EVIL } },
      { profile: { ...profile, legacy_base_url: EVIL } },
    ]) {
      const error = await failure(headers(later(host, sources), 'legacy'));
      expect(error.message).toContain(`legacy_base_url is ${EVIL}`);
      expect(error.hint).toContain(`config set legacy_base_url ${EVIL}`);
      expect(await headers(later(host, sources))).toEqual({ Authorization: 'Bearer at-0' });
    }
  });

  it('after "config set", the new address receives the session', async () => {
    const host = await withSession({ addresses: { auth_url: AUTH, base_url: API } });
    await bindAddress(host, 'legacy_base_url', EVIL, false);
    const moved = later(host, { profile: { ...profile, legacy_base_url: EVIL } });
    expect(await headers(moved, 'legacy')).toMatchObject({ 'X-Client-Secret': 'stored-secret' });
  });
});

describe('config set with a stored login', () => {
  it('"config set" binds the session to a new address only with --keep-session', async () => {
    const host = await withSession();
    const moved = later(host, { profile: { ...PROFILE, base_url: EVIL } });
    expect(await bindAddress(host, 'base_url', EVIL, false)).toEqual({ holder: 'session', own: API });
    expect((await failure(headers(moved))).code).toBe('LOGIN_OF_ANOTHER_ADDRESS');
    expect(await bindAddress(host, 'base_url', EVIL, true)).toEqual({ holder: 'session', own: EVIL });
    expect(await headers(moved)).toEqual({ Authorization: 'Bearer at-0' });
  });

  it('"config set" binds the session and the client secret to the new address of the authorization server', async () => {
    const host = await withSession();
    await bindAddress(host, 'auth_url', EVIL, true);
    expect((await readSession(host.directory, 'default', KEY))?.addresses.auth_url).toBe(EVIL);
    const moved = later(host, { profile: { ...PROFILE, auth_url: EVIL } });
    expect(await headers(moved, 'legacy')).toMatchObject({ 'X-Client-Secret': 'stored-secret' });
  });
});

describe('a stored API key', () => {
  const profile = { ...PROFILE, workspace: 'ws_1' };
  const withKey = async () => {
    const host = later(testHost({ env: {}, profile }), { profile });
    await saveApiKey(host, 'the-key', async () => {});
    return host;
  };

  it.each(OTHERS)('a stored API key is not sent to a new address from %s', async (_, sources) => {
    const changed = later(await withKey(), { ...sources, profile: { ...profile, ...sources?.profile } });
    const error = await failure(headers(changed));
    expect([error.kind, error.code]).toEqual(['usage', 'LOGIN_OF_ANOTHER_ADDRESS']);
    expect(error.message).toContain(`The API key of profile default belongs to ${API}`);
  });

  it('a stored API key is still sent to its own addresses after auth_url changes', async () => {
    const host = later(await withKey(), { profile, env: { CRYPTODATA_AUTH_URL: EVIL } });
    expect(await headers(host)).toEqual({ 'X-API-Key': 'the-key' });
    expect(await headers(host, 'legacy')).toEqual({ 'X-API-Key': 'the-key' });
  });

  it.each(['the-key', '{"apiKey":"the-key"}', '"the-key"', 'null'])(
    'the entry %s without addresses is sent nowhere',
    async (entry) => {
      const host = await withKey();
      host.keychain.entries.set('default:api-key', entry);
      const error = await failure(headers(host));
      expect([error.kind, error.code]).toEqual(['auth', 'NOT_LOGGED_IN']);
      expect(error.hint).toContain('cryptodata login --with-api-key');
      expect(await bindAddress(host, 'base_url', EVIL, true)).toBeNull();
    },
  );

  it('a stored API key is sent to a new address after the user binds the key to this address', async () => {
    const host = await withKey();
    expect(await bindAddress(host, 'base_url', EVIL, true)).toEqual({ holder: 'API key', own: EVIL });
    expect(await headers(later(host, { profile: { ...profile, base_url: EVIL } }))).toEqual({
      'X-API-Key': 'the-key',
    });
  });
});

describe('credentials in the environment', () => {
  it.each([
    ['a token', { CRYPTODATA_ACCESS_TOKEN: 'env-token' }],
    ['an API key', { CRYPTODATA_API_KEY: 'env-key', CRYPTODATA_WORKSPACE: 'ws_1' }],
  ])('%s from the environment is sent to the addresses of the same command', async (_, env) => {
    const host = later(await withSession(), { env: { ...env, CRYPTODATA_BASE_URL: EVIL } });
    expect(JSON.stringify(await headers(host))).toContain('env-');
  });
});

it('a login at a new authorization server requires the client secret again', async () => {
  const host = later(await withSession(), { flags: { auth_url: EVIL } });
  const error = await failure(login(host, { onUrl: () => expect.unreachable() }));
  expect(error.code).toBe('MISSING_CLIENT_SECRET');
});

it('logout revokes the session at the server that issued it, and deletes the session', async () => {
  for (const env of [
    { CRYPTODATA_AUTH_URL: EVIL, CRYPTODATA_BASE_URL: EVIL },
    { CRYPTODATA_AUTH_URL: 'nonsense' },
  ]) {
    const host = await withSession();
    host.dispatcher.get(AUTH).intercept({ path: '/oidc/token/revocation', method: 'POST' }).reply(200);
    expect(await logout(later(host, { env }))).toMatchObject({ hadSession: true, revoked: true });
    expect([...host.keychain.entries.keys()]).toEqual([]);
  }
});
