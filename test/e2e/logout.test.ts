import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { FileKeychain } from '../../src/auth/keychain/file.ts';
import {
  apiKeyMarker,
  lockPath,
  refreshLogFile,
  sessionFile,
  sessionsDirectory,
} from '../../src/auth/session-file.ts';
import { withLock } from '../../src/core/lock.ts';
import { cheapVault, storeKey, storeSession } from '../auth/expired.ts';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import { consent } from './browser.ts';
import { begin, type Env, filesIn, run, sandboxed, start, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';
import { terminal } from './tmux.ts';

const PASSPHRASE = 'correct horse battery staple';
const revoking = await stub((_request, response) => sendJson(response, 200, ''));

/** Stores a session for the profile `default`. The addresses of the service are set only in the environment. */
async function loggedIn(authUrl = revoking.url) {
  const directory = temporary();
  const env: Env = {
    CRYPTODATA_AUTH_URL: authUrl,
    CRYPTODATA_CLIENT_ID: 'the-client',
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: PASSPHRASE,
  };
  await cheapVault(directory, PASSPHRASE);
  const keychain = new FileKeychain({ directory, env: { CRYPTODATA_PASSPHRASE: PASSPHRASE } });
  await storeSession({ directory, keychain, authUrl }, { obtainedAt: Date.now() });
  return { directory, env, keychain };
}

test('logout deletes local data if the service cannot be reached', async () => {
  const { directory, env } = await loggedIn(`http://127.0.0.1:${await freePort()}`);
  const { code, stderr } = await run(['logout'], { env });
  expect([code, stderr]).toEqual([0, expect.stringContaining('did not revoke')]);
  expect(filesIn(directory)).toEqual([]);
});

/** Answers with bytes that are not HTTP. */
const garbage = createServer((socket) => {
  socket.on('error', () => {});
  socket.end('\0\0garbage\r\n\r\n');
}).listen(0, '127.0.0.1');
await once(garbage, 'listening');
afterAll(() => garbage.close());
const garbagePort = Object(garbage.address()).port;
const closing = await stub((request) => request.socket.destroy());

test.each([
  ['closes the connection', closing.url],
  ['sends bytes that are not HTTP', `http://127.0.0.1:${garbagePort}`],
  ['does not speak TLS', `https://127.0.0.1:${garbagePort}`],
  ['has an unknown host name', 'https://auth.invalid'],
])('logout deletes local data and warns if the service %s', async (_, authUrl) => {
  const { directory, env } = await loggedIn(authUrl);
  const { code, stdout, stderr } = await run(['logout', '--json'], { env });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { hadSession: true, revoked: false }]);
  expect(stderr).toContain('did not revoke');
  expect(filesIn(directory)).toEqual([]);
});

test('"logout --all" logs out of the other profiles if a file of one profile cannot be deleted', async () => {
  const { directory, env, keychain } = await loggedIn();
  await keychain.set('acme:api-key', 'k');
  await keychain.set('beta:api-key', 'k');
  for (const profile of ['acme', 'beta']) writeFileSync(apiKeyMarker(directory, profile), '');
  mkdirSync(refreshLogFile(directory, 'acme'));
  const { code, stdout, stderr } = await run(['logout', '--all', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject([
    { profile: 'acme', revoked: null },
    { profile: 'beta', hadApiKey: true },
    { profile: 'default', revoked: true },
  ]);
  expect([code, stderr]).toEqual([11, expect.stringContaining('acme')]);
  const after = new FileKeychain({ directory, env: { CRYPTODATA_PASSPHRASE: PASSPHRASE } });
  for (const entry of ['acme:api-key', 'beta:api-key', 'default:refresh-token'])
    expect(await after.get(entry).catch(() => null)).toBeNull();
});

describe('logout', () => {
  test('after a wrong passphrase, logout keeps the session and can be repeated', async () => {
    const { directory, env } = await loggedIn();
    const wrong = { ...env, CRYPTODATA_PASSPHRASE: 'wrong' };
    for (const args of [['logout'], ['logout', '--all'], ['profiles', 'delete', 'default', '--yes']]) {
      const { code, stderr } = await run(args, { env: wrong });
      expect([code, stderr]).toEqual([2, expect.stringContaining('Wrong passphrase for')]);
    }
    expect(existsSync(sessionFile(directory, 'default'))).toBe(true);
    const { code, stdout } = await run(['logout', '--all', '--json'], { env });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      [{ profile: 'default', hadSession: true, hadApiKey: false, revoked: true }],
    ]);
    expect(filesIn(directory)).toEqual([]);
  });

  test.skipIf(!needs('tmux'))(
    'logout prompts for the passphrase at most three times, and stops after Ctrl-C',
    async () => {
      const { directory, env } = await loggedIn();
      const { CRYPTODATA_PASSPHRASE: _, ...others } = env;
      // The prompt must also appear if the user has set CI=false.
      const asked = { ...others, CI: 'false' };
      const wrong = terminal('cryptodata logout', { columns: 150 }, asked);
      await wrong.shows(/Passphrase of the secrets file/);
      wrong.type('wrong');
      wrong.press('Enter');
      for (const again of [/Try again/, /Try again[\s\S]*Try again/]) {
        await wrong.shows(again);
        wrong.type('wrong');
        wrong.press('Enter');
      }
      await wrong.shows(/exit=\d+/);
      expect(wrong.screen().match(/Passphrase of the secrets file/g)).toHaveLength(3);
      expect(wrong.screen()).toMatch(/Wrong passphrase for[\s\S]*exit=2$/);
      const interrupted = terminal('cryptodata logout', { columns: 150 }, asked);
      await interrupted.shows(/Passphrase of the secrets file/);
      interrupted.press('C-c');
      await interrupted.shows(/exit=\d+/);
      expect(interrupted.screen()).toMatch(/exit=130$/);
      expect(interrupted.screen()).not.toContain('Storing');
      expect(existsSync(sessionFile(directory, 'default'))).toBe(true);
    },
  );

  test('logout deletes local data after Ctrl-C during the revocation', async () => {
    let asked = () => {};
    const revocation = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const deaf = await stub(() => asked());
    const { directory, env } = await loggedIn(deaf.url);
    const running = start(['logout'], { env });
    await revocation;
    running.child.kill('SIGINT');
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([
      130,
      expect.stringMatching(/^error: Interrupted\n.*may still be valid in the service/),
    ]);
    expect(stderr).not.toContain('Storing');
    expect(filesIn(directory)).toEqual([]);
  });
});

describe('a profile that has only a session', () => {
  test('the commands "profiles use" and "profiles delete" accept a profile that has only a session', async () => {
    const { directory, env } = await loggedIn();
    expect((await run(['profiles', 'use', 'default'], { env })).code).toBe(0);
    const unknown = await run(['profiles', 'delete', 'defualt', '--yes'], { env });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean default?')]);
    expect((await run(['profiles', 'delete', 'default', '--yes'], { env })).code).toBe(0);
    expect(filesIn(directory)).toEqual([]);
  });

  test('a session is not deleted while another process holds the session lock', async () => {
    const { directory, env } = await loggedIn();
    const lock = lockPath(directory, 'default');
    const deleted = await withLock(lock, {}, async () => {
      const running = start(['profiles', 'delete', 'default', '--yes'], { env });
      // A process that waits for the lock creates a file with .tmp in its name.
      while (!filesIn(sessionsDirectory(directory)).some((file) => file.includes('.tmp'))) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(existsSync(sessionFile(directory, 'default'))).toBe(true);
      expect(existsSync(join(directory, 'secrets.enc'))).toBe(true);
      return running;
    });
    expect((await deleted.ended).code).toBe(0);
    expect(filesIn(directory)).toEqual([]);
  });
});

test('the command "config unset" of a missing setting creates no profile', async () => {
  const directory = temporary();
  const env = { CRYPTODATA_CONFIG_DIR: directory };
  expect((await run(['config', 'unset', 'workspace'], { env })).code).toBe(0);
  expect(filesIn(directory)).toEqual([]);
});

test('if credentials are incomplete or conflict, the command "token" prints the same error as "whoami"', async () => {
  const directory = temporary();
  const env: Env = {
    CRYPTODATA_AUTH_URL: revoking.url,
    CRYPTODATA_CLIENT_ID: 'the-client',
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: PASSPHRASE,
  };
  await cheapVault(directory, PASSPHRASE);
  const keychain = new FileKeychain({ directory, env: { CRYPTODATA_PASSPHRASE: PASSPHRASE } });
  await storeKey({ directory, keychain }, 'default', { apiKey: 'the-key', url: revoking.url });
  const two = { ...env, CRYPTODATA_ACCESS_TOKEN: 't', CRYPTODATA_API_KEY: 'k' };
  for (const [given, says] of [
    [env, /An API key requires a workspace id/],
    [two, /CRYPTODATA_ACCESS_TOKEN and CRYPTODATA_API_KEY are both set/],
  ] as const) {
    const token = await run(['token'], { env: given });
    expect(token).toEqual(await run(['whoami'], { env: given }));
    expect([token.code, token.stderr]).toEqual([2, expect.stringMatching(says)]);
  }
});

test.skipIf(!needs('tmux'))(
  'login prompts for a new client secret if the service rejects the stored secret',
  async () => {
    const sandbox = await sandboxed({ rows: 5, oneOrigin: true });
    const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
    const { directory, env, keychain } = await loggedIn(sandbox.url);
    writeFileSync(
      join(directory, 'config.toml'),
      `[profiles.default]\nredirect_uri = "http://127.0.0.1:${await freePort()}/callback"\n`,
    );
    const config = { ...addresses, ...env, CRYPTODATA_CLIENT_ID: sandbox.clientId };
    await storeSession({ directory, keychain, authUrl: sandbox.url }, { clientId: sandbox.clientId });
    const refused = begin(['login', '--no-browser'], {
      env: { ...config, CRYPTODATA_CLIENT_SECRET: undefined },
    });
    await fetch(await consent(await refused.said(/https?:\S+\/oidc\/auth\?\S+/)));
    expect(await refused.ended).toMatchObject({ code: 3, stderr: expect.stringMatching(/on a terminal/) });

    const screen = terminal(
      'cryptodata login --no-browser',
      { columns: 1000 },
      { ...config, CRYPTODATA_CLIENT_SECRET: undefined },
    );
    const address = async () => {
      await screen.shows(/paste\s+the\s+address/);
      return [...screen.screen().matchAll(/https?:\S+\/oidc\/auth\?\S+/g)].at(-1)?.[0] ?? '';
    };
    await fetch(await consent(await address()));
    await screen.shows(/Client secret/);
    screen.type(sandbox.clientSecret);
    screen.press('Enter');
    await screen.shows(/paste\s+the\s+address[\s\S]*paste\s+the\s+address/);
    await fetch(await consent(await address()));
    expect(await screen.shows(/^exit=\d+$/m)).toBe('exit=0');
    expect(readFileSync(join(directory, 'config.toml'), 'utf8')).not.toContain(sandbox.clientSecret);
    const fresh = new FileKeychain({ directory, env: { CRYPTODATA_PASSPHRASE: PASSPHRASE } });
    expect(await fresh.get('default:client-secret')).toBe(sandbox.clientSecret);
  },
);
