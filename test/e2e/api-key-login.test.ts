import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import { consent } from './browser.ts';
import { begin, type Env, filesIn, run, sandboxed } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';
import { sendJson, stub } from './stub.ts';
import { terminal } from './tmux.ts';

const expired = 'key_that_has_run_out';
const sandbox = await sandboxed({ rows: 20, apiKeys: [{ key: expired, expiresAt: 1 }] });
const { apiKey, workspaceId } = sandbox;
beforeEach(() => sandbox.reset());

/** The settings of a user with an API key. Such a user needs no authorization server and no client. */
async function keyUser(more: Env = {}, vault = {}): Promise<{ env: Env; directory: string }> {
  const { env, directory } = await newcomer(sandbox, vault);
  const none = {
    CRYPTODATA_AUTH_URL: undefined,
    CRYPTODATA_CLIENT_ID: undefined,
    CRYPTODATA_CLIENT_SECRET: undefined,
  };
  return { env: { ...env, ...none, ...more }, directory };
}

const LOGIN = ['login', '--with-api-key', '--workspace', workspaceId];

describe('an API key', () => {
  test('"login" checks and stores an API key, requests to every API use the key, and "logout" deletes it', async () => {
    const { env, directory } = await keyUser({}, { cheap: true });
    const login = await run([...LOGIN, '--json', '--debug'], { env, input: `${apiKey}\r\n` });
    expect(login.code, login.stderr).toBe(0);
    const known = { profile: 'default', source: 'api-key', workspaceId, sub: sandbox.truth.uid };
    expect(JSON.parse(login.stdout)).toEqual(known);
    expect(sandbox.truth.requests().map(({ path, query }) => [path, query])).toEqual([
      ['/v1/users/me', { wid: workspaceId }],
    ]);
    expect(readFileSync(join(directory, 'config.toml'), 'utf8')).toContain(`workspace = "${workspaceId}"`);
    for (const file of filesIn(directory)) {
      expect(readFileSync(join(directory, file), 'latin1').includes(apiKey)).toBe(false);
    }
    expect((login.stdout + login.stderr).includes(apiKey)).toBe(false);

    expect(JSON.parse((await run(['whoami', '--json'], { env })).stdout)).toEqual(known);
    expect(JSON.parse((await run(['ledgers', '--json'], { env })).stdout)).toHaveLength(20);
    expect(await run(['legacy', 'integrations', '--json'], { env })).toMatchObject({ code: 0 });
    const token = await run(['token'], { env });
    expect([token.code, token.stderr]).toEqual([
      2,
      expect.stringContaining('An API key has no access token'),
    ]);
    const doctor = JSON.parse((await run(['doctor', '--json'], { env })).stdout);
    expect(doctor.find(({ check }: { check: string }) => check === 'credentials')).toMatchObject({
      state: 'ok',
      detail: `an API key from the keychain, workspace ${workspaceId}`,
    });
    expect(doctor.filter(({ state }: { state: string }) => state === 'problem')).toEqual([]);

    const logout = await run(['logout', '--json'], { env });
    expect(JSON.parse(logout.stdout)).toMatchObject({ hadSession: false, hadApiKey: true, revoked: false });
    expect(logout.stderr).toMatch(/API key was deleted from this machine/);
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect(readFileSync(join(directory, 'config.toml'), 'utf8')).not.toContain('workspace');
    expect((await run(['ledgers'], { env })).code).toBe(3);
  });

  test.each([
    [
      'an unknown key',
      'key_unknown',
      workspaceId,
      3,
      /refused the API key: Invalid API key. Nothing was stored/,
    ],
    ['an expired key', expired, workspaceId, 3, /refused the API key.*Nothing was stored/],
    [
      'a key with a workspace that it cannot access',
      apiKey,
      sandbox.truth.foreignWorkspaceId,
      4,
      /Not a member.*Nothing was stored/,
    ],
    ['a key instead of the workspace id', apiKey, apiKey, 2, /Invalid workspace id/],
    ['an empty key', '', workspaceId, 2, /empty/],
    ['a key on several lines', 'a\nb\n', workspaceId, 2, /a single line, but the input has several/],
    ['a key of 1,000,000 characters', 'k'.repeat(1_000_000), workspaceId, 2, /at most 4096 characters/],
  ])('a failed API key login stores nothing: %s', async (_, key, workspace, exit, said) => {
    const { env, directory } = await keyUser();
    const before = readFileSync(join(directory, 'config.toml'), 'utf8');
    const { code, stdout, stderr } = await run(['login', '--with-api-key', '--workspace', workspace], {
      env,
      input: key,
    });
    expect([code, stdout]).toEqual([exit, '']);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(said);
    if (key !== '') expect(stderr).not.toContain(key);
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect(readFileSync(join(directory, 'config.toml'), 'utf8')).toBe(before);
  });

  test('an API key is not stored if the service cannot be reached', async () => {
    const { env, directory } = await keyUser({ CRYPTODATA_BASE_URL: `http://127.0.0.1:${await freePort()}` });
    const { code, stderr } = await run(LOGIN, { env, input: apiKey });
    expect([code, stderr]).toEqual([
      13,
      expect.stringMatching(/Cannot test the API key.*Nothing was stored/s),
    ]);
    expect(filesIn(directory)).toEqual(['config.toml']);
  });

  test('if a permission is missing, "login" stores the API key and prints a warning', async () => {
    const narrow = await stub((_request, response) =>
      sendJson(
        response,
        403,
        '{"error":"insufficient_scope","error_description":"Missing scope: users:read"}',
      ),
    );
    const { env } = await keyUser({ CRYPTODATA_BASE_URL: narrow.url }, { cheap: true });
    const { code, stderr } = await run([...LOGIN, '--quiet'], { env, input: apiKey });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Missing scope: users:read')]);
    expect(narrow.requests).toEqual([`/v1/users/me?wid=${workspaceId}`]);
    const whoami = await run(['whoami', '--json'], { env });
    expect(JSON.parse(whoami.stdout)).toMatchObject({ source: 'api-key', workspaceId, sub: null });
    // The hint explains the permissions of the key, because an API key has no login scopes.
    const refused = await run(['ledgers'], { env });
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('An API key gets its permissions'),
    ]);
  });

  test('an API key is checked against the legacy API if base_url is not set', async () => {
    const { env } = await keyUser({ CRYPTODATA_BASE_URL: undefined }, { cheap: true });
    const { code, stderr } = await run(LOGIN, { env, input: apiKey });
    expect(code, stderr).toBe(0);
    expect(sandbox.truth.requests().map(({ path, query }) => [path, query])).toEqual([
      ['/api/v1/integrations', { wid: sandbox.workspaceId }],
    ]);
    expect(await run(['whoami', '--json'], { env })).toMatchObject({ code: 0 });
    expect(await run([...LOGIN], { env, input: 'wrong' })).toMatchObject({ code: 3 });
    expect(await run(['legacy', 'integrations', '--json'], { env })).toMatchObject({ code: 0 });
  });

  test('"login" rejects an API key without a workspace or an address, or with browser login flags', async () => {
    const { env } = await keyUser();
    const missing = await run(['login', '--with-api-key'], { env, input: apiKey });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('CRYPTODATA_WORKSPACE')]);
    for (const flags of [['--no-browser'], ['--scopes', 'default'], ['--timeout', '300']]) {
      const { code, stderr } = await run([...LOGIN, ...flags], { env, input: apiKey });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`${flags[0]} cannot be used with --with-api-key`),
      ]);
    }
    const nowhere = { ...env, CRYPTODATA_BASE_URL: undefined, CRYPTODATA_LEGACY_BASE_URL: undefined };
    const unset = await run(LOGIN, { env: nowhere, input: apiKey });
    expect([unset.code, unset.stderr]).toEqual([2, expect.stringContaining('base_url is not set')]);
    expect(sandbox.truth.requests()).toEqual([]);
  });
});

test('"login" rejects a second credential for a profile with a session or an API key', async () => {
  const { env } = await newcomer(sandbox, { cheap: true });
  const first = begin(['login', '--no-browser'], { env });
  await fetch(await consent(await loginUrl(first)));
  expect((await first.ended).code).toBe(0);
  const asked = sandbox.truth.requests().length;
  const key = await run(LOGIN, { env, input: apiKey });
  expect([key.code, key.stderr]).toEqual([
    2,
    expect.stringMatching(/already has a session.*logout -p default.*-p NAME/s),
  ]);
  expect(await run([...LOGIN, '-p', 'keyed'], { env, input: apiKey })).toMatchObject({ code: 0 });
  const browser = await run(['login', '--no-browser', '-p', 'keyed'], { env });
  expect([browser.code, browser.stderr]).toEqual([
    2,
    expect.stringMatching(/already has an API key.*logout -p keyed.*-p NAME/s),
  ]);
  expect(browser.stderr).not.toContain('/oidc/auth');
  expect(sandbox.truth.requests().length).toBe(asked + 1);
  // Each of the two credentials still works.
  expect(await run(['ledgers', '--json'], { env })).toMatchObject({ code: 0 });
  expect(await run(['ledgers', '--json', '-p', 'keyed'], { env })).toMatchObject({ code: 0 });
});

describe.skipIf(!needs('tmux'))('login on a terminal', () => {
  test('"login" prompts for the API key and its workspace, and hides the key', async () => {
    const { env, directory } = await keyUser();
    const screen = terminal('cryptodata login --with-api-key', { columns: 120 }, env);
    await screen.shows(/Workspace id/);
    screen.type(workspaceId);
    screen.press('Enter');
    // Match only the prompt for the key, not the prompt for its workspace.
    await screen.shows(/^\? API key/m);
    screen.type(apiKey);
    screen.press('Enter');
    expect(await screen.shows(/^exit=\d+$/m)).toBe('exit=0');
    expect(screen.screen()).toContain(sandbox.truth.uid);
    expect(screen.screen()).not.toContain(apiKey.slice(0, 12));
    expect(filesIn(directory)).toEqual(['config.toml', 'secrets.enc', 'sessions/default.api-key']);
  });
});
