import { describe, expect, it } from 'vitest';
import { resolveCredentials } from '../../src/auth/credentials.ts';
import { keychainError } from '../../src/auth/keychain/errors.ts';
import { deleteApiKey, storeApiKey } from '../../src/auth/secrets.ts';
import { openSession } from '../../src/auth/session.ts';
import { hasApiKey, writeSession } from '../../src/auth/session-file.ts';
import { Settings } from '../../src/config/settings.ts';
import { API, AUTH, failure, type HostOptions, type TestHost, testHost } from './support.ts';

const TOKEN = { CRYPTODATA_ACCESS_TOKEN: 'the-token' };
const KEY = { CRYPTODATA_API_KEY: 'the-key' };
const WORKSPACE = { CRYPTODATA_WORKSPACE: 'ws_1' };
const ADDRESSES = { base_url: API, legacy_base_url: API };

async function loggedIn(options: HostOptions = {}): Promise<TestHost> {
  const profile = { ...ADDRESSES, ...options.profile };
  const host = testHost({ env: {}, ...options, profile });
  const key = Buffer.alloc(32, 7);
  await writeSession(host.directory, 'default', key, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt: host.time,
    accessExpiresAt: host.time + 86_400_000,
    refreshExpiresAt: null,
    clientId: 'the-client',
    addresses: { auth_url: AUTH, ...ADDRESSES },
  });
  host.keychain.entries.set('default:cache-key', key.toString('base64url'));
  host.keychain.entries.set('default:client-secret', 'stored-secret');
  return host;
}

async function sent(host: TestHost, api: 'current' | 'legacy' | 'legacyPublic' = 'current') {
  const credentials = await resolveCredentials(host);
  return { headers: await credentials.headers(api, API), query: credentials.query(api) };
}

describe('request headers and query', () => {
  it('requests contain the token of the session, and legacy requests also contain the client headers', async () => {
    const host = await loggedIn();
    expect(await sent(host)).toEqual({ headers: { Authorization: 'Bearer at-0' }, query: {} });
    expect(await sent(host, 'legacy')).toEqual({
      headers: {
        Authorization: 'Bearer at-0',
        'X-Client-Id': 'the-client',
        'X-Client-Secret': 'stored-secret',
      },
      query: {},
    });
    expect(await sent(host, 'legacyPublic')).toEqual({ headers: {}, query: {} });
  });

  it('requests contain the token from the environment, and the keychain is not read', async () => {
    const host = testHost({ env: { ...TOKEN, CRYPTODATA_CLIENT_SECRET: 'from-env' } });
    expect(await sent(host)).toEqual({ headers: { Authorization: 'Bearer the-token' }, query: {} });
    expect((await sent(host, 'legacy')).headers).toMatchObject({ 'X-Client-Secret': 'from-env' });
    const without = testHost({ env: TOKEN });
    expect((await failure(sent(without, 'legacy'))).code).toBe('MISSING_CLIENT_SECRET');
    expect([...host.keychain.calls, ...without.keychain.calls]).toEqual([]);
  });

  it('requests to the current API and the legacy API contain the API key and the workspace', async () => {
    const host = testHost({ env: { ...KEY, ...WORKSPACE } });
    expect(await sent(host)).toEqual({ headers: { 'X-API-Key': 'the-key' }, query: { wid: 'ws_1' } });
    expect(await sent(host, 'legacy')).toEqual(await sent(host));
    expect(host.keychain.calls).toEqual([]);
  });

  it('requests contain the stored API key and the workspace of the profile', async () => {
    const host = testHost({ env: {}, profile: { workspace: 'ws_2', base_url: API } });
    await storeApiKey(host, { apiKey: 'stored-key', addresses: ADDRESSES });
    expect(await sent(host)).toEqual({ headers: { 'X-API-Key': 'stored-key' }, query: { wid: 'ws_2' } });
    expect(await (await resolveCredentials(host)).refresh()).toBe(false);
  });
});

describe('resolving credentials', () => {
  it.each([
    ['a key without a workspace', { env: KEY }, 'MISSING_WORKSPACE'],
    ['a workspace with a token', { env: { ...TOKEN, ...WORKSPACE } }, 'WORKSPACE_WITH_TOKEN'],
    [
      'a workspace of the profile with a token',
      { env: TOKEN, profile: { workspace: 'ws_1' } },
      'WORKSPACE_WITH_TOKEN',
    ],
    ['a token and a key', { env: { ...TOKEN, ...KEY, ...WORKSPACE } }, 'TWO_CREDENTIALS'],
    ['a key with a line break', { env: { CRYPTODATA_API_KEY: 'hush\n', ...WORKSPACE } }, 'BAD_CREDENTIALS'],
    ['a token with a space', { env: { CRYPTODATA_ACCESS_TOKEN: 'hush hush' } }, 'BAD_CREDENTIALS'],
  ])('rejects %s', async (_, options, code) => {
    const error = await failure(sent(testHost(options)));
    expect([error.kind, error.code]).toEqual(['usage', code]);
    expect(`${error.message} ${error.hint}`).not.toContain('hush');
  });

  it('rejects a workspace if a session exists, and says where the workspace is set', async () => {
    const error = await failure(sent(await loggedIn({ env: WORKSPACE })));
    expect([error.kind, error.code]).toEqual(['usage', 'WORKSPACE_WITH_TOKEN']);
    expect(error.message).toContain('CRYPTODATA_WORKSPACE');
  });

  it('rejects a workspace together with a token or a session, and suggests a fix for each case', async () => {
    const profile = { workspace: 'ws_1' };
    const keyed = await failure(sent(testHost({ env: TOKEN, profile })));
    expect(keyed.hint).toMatch(/unset CRYPTODATA_ACCESS_TOKEN.*-p NAME/s);
    const here = await failure(sent(testHost({ env: { ...TOKEN, ...WORKSPACE } })));
    expect(here.hint).toMatch(/^Omit the workspace/);
    const session = await failure(sent(await loggedIn({ env: {}, profile })));
    expect(session.hint).toMatch(/config unset workspace -p default/);
  });

  it('rejects a stored key without a workspace', async () => {
    const host = testHost({ env: {} });
    await storeApiKey(host, { apiKey: 'stored-key', addresses: ADDRESSES });
    expect((await failure(sent(host))).code).toBe('MISSING_WORKSPACE');
  });

  it('reports NOT_LOGGED_IN for a workspace without an API key or a session', async () => {
    const host = testHost({ env: {}, profile: { workspace: 'ws_1' } });
    const error = await failure(sent(host));
    expect([error.kind, error.code]).toEqual(['auth', 'NOT_LOGGED_IN']);
    expect(error.message).toContain('no API key is stored');
    expect(error.hint).toContain('cryptodata login --with-api-key -p default');
  });

  it('reports NOT_LOGGED_IN if there are no credentials', async () => {
    expect((await failure(sent(testHost({ env: {} })))).code).toBe('NOT_LOGGED_IN');
  });
});

it('refreshes the token after a 401, and sends the new token', async () => {
  const host = await loggedIn();
  host.keychain.entries.set('default:refresh-token', 'rt-0');
  host.dispatcher
    .get(AUTH)
    .intercept({ path: '/oidc/token', method: 'POST' })
    .reply(
      200,
      { access_token: 'at-1', token_type: 'Bearer', expires_in: 86400 },
      { headers: { 'content-type': 'application/json' } },
    );
  const credentials = await resolveCredentials(host);
  expect(await credentials.refresh()).toBe(false); // no request has been sent yet
  await credentials.headers('current', API);
  expect(await credentials.refresh()).toBe(true);
  expect(await credentials.headers('current', API)).toEqual({ Authorization: 'Bearer at-1' });
});

/** Returns a copy of the host. Its settings are those of a command with the flag `-p default`. */
function named(host: TestHost): TestHost {
  const profile = { auth_url: AUTH, client_id: 'the-client' };
  const file = { profiles: { default: profile } };
  return { ...host, settings: new Settings({ flags: {}, profileFlag: 'default', env: host.env, file }) };
}

describe('-p with a credential in the environment', () => {
  const ENVIRONMENTS: [string, NodeJS.ProcessEnv][] = [
    ['CRYPTODATA_ACCESS_TOKEN', TOKEN],
    ['CRYPTODATA_API_KEY', { ...KEY, ...WORKSPACE }],
  ];

  it.each(ENVIRONMENTS)('rejects -p with %s if the profile has a session', async (variable, env) => {
    const host = named(await loggedIn({ env }));
    const error = await failure(sent(host));
    expect([error.kind, error.code]).toEqual(['usage', 'TWO_LOGINS']);
    expect(error.message).toContain(`-p default and ${variable}`);
    expect(error.hint).toContain(`unset ${variable}`);
    expect(host.keychain.calls).toEqual([]);
  });

  it.each(ENVIRONMENTS)('rejects -p with %s if an API key is stored for the profile', async (_, env) => {
    const host = testHost({ env });
    await storeApiKey(host, { apiKey: 'stored-key', addresses: ADDRESSES });
    expect((await failure(sent(named(host)))).code).toBe('TWO_LOGINS');
    await deleteApiKey(host);
    await sent(named(host));
  });

  it.each(ENVIRONMENTS)('accepts -p with %s if the profile has no login', async (_, env) => {
    const { headers } = await sent(named(testHost({ env })));
    expect(JSON.stringify(headers)).toMatch(/the-token|the-key/);
  });

  it('without -p, the token from the environment takes precedence over the session', async () => {
    const { headers } = await sent(await loggedIn({ env: TOKEN }));
    expect(headers).toEqual({ Authorization: 'Bearer the-token' });
  });
});

describe('an unavailable keychain', () => {
  const broken = () => keychainError('KEYCHAIN_UNAVAILABLE', 'There is no D-Bus session', 'Run inside one.');

  it.each<[string, HostOptions]>([
    ['nothing is set', { env: {} }],
    ['every variable is empty', { env: { CRYPTODATA_ACCESS_TOKEN: '', CRYPTODATA_API_KEY: '' } }],
    ['a workspace is set', { env: WORKSPACE }],
    ['the profile has a workspace', { env: {}, profile: { workspace: 'ws_1' } }],
  ])('the error does not mention the keychain if the profile has never logged in: %s', async (_, options) => {
    const host = testHost(options);
    host.keychain.broken = broken();
    const error = await failure(sent(host));
    expect([error.kind, error.code]).toEqual(['auth', 'NOT_LOGGED_IN']);
    expect(error.hint).toMatch(/cryptodata login.*CRYPTODATA_ACCESS_TOKEN/);
    expect(`${error.message} ${error.hint}`).not.toMatch(/D-Bus|keychain/i);
    expect(await openSession(host).info()).toBeNull();
  });

  it('an unavailable keychain is reported for a profile with a session or an API key', async () => {
    const host = await loggedIn();
    host.keychain.broken = broken();
    expect((await failure(sent(host))).code).toBe('KEYCHAIN_UNAVAILABLE');
    const keyed = testHost({ env: WORKSPACE });
    await storeApiKey(keyed, { apiKey: 'stored-key', addresses: ADDRESSES });
    expect(hasApiKey(keyed.directory, 'default')).toBe(true);
    keyed.keychain.broken = broken();
    expect((await failure(sent(keyed))).code).toBe('KEYCHAIN_UNAVAILABLE');
  });
});
