import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEYRING_PROGRAMS, lockKeyring, startBus, startDaemon } from '../auth/keyring.ts';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import { consent } from './browser.ts';
import { type Env, filesIn, type Result, run, sandboxed, start, temporary } from './harness.ts';
import { loginUrl } from './newcomer.ts';

// Runs the built binary with a real GNOME Keyring on a separate bus. The first tests log in and out. The last test puts the
// keyring into every failure state.

describe.skipIf(!needs(...KEYRING_PROGRAMS))('the tool with a real keyring', async () => {
  let now = Date.now();
  const apiKey = `key_${'0123456789'.repeat(300)}`;
  const sandbox = await sandboxed({ rows: 5, clock: () => now, apiKey });
  const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;

  /** Creates settings for one user, and returns an environment with these settings and this bus. */
  async function user(bus: NodeJS.ProcessEnv): Promise<{ env: Env; directory: string }> {
    const directory = join(temporary(), 'config');
    mkdirSync(directory);
    const callback = `redirect_uri = "http://127.0.0.1:${await freePort()}/callback"`;
    writeFileSync(
      join(directory, 'config.toml'),
      `[profiles.default]\n${callback}\n\n[profiles.acme]\n${callback}\n`,
    );
    return { directory, env: { ...bus, ...addresses, CRYPTODATA_CONFIG_DIR: directory } };
  }

  async function logIn(env: Env, ...args: string[]): Promise<void> {
    const running = start(['login', '--no-browser', ...args], { env });
    await fetch(await consent(await loginUrl(running)));
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
  }

  /** Reads the keyring with `secret-tool`, and returns the secret of each cryptodata account. */
  function entries(bus: NodeJS.ProcessEnv): Map<string, string> {
    const search = ['search', '--all', 'service', 'cryptodata'];
    const { stdout, stderr } = spawnSync('secret-tool', search, { env: bus, encoding: 'utf8' });
    const secrets = [...stdout.matchAll(/^secret = (.*)$/gm)].map(([, secret = '']) => secret);
    const accounts = [...stderr.matchAll(/^attribute\.username = (.*)$/gm)].map(
      ([, account = '']) => account,
    );
    expect(accounts).toHaveLength(secrets.length);
    return new Map(accounts.map((account, index) => [account, secrets[index] ?? '']));
  }

  /** The truncated hash by which the sandbox identifies a refresh token. */
  const fingerprint = (stored: Map<string, string>) =>
    createHash('sha256')
      .update(stored.get('default:refresh-token') ?? '')
      .digest('hex')
      .slice(0, 16);
  const live = () => sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens);

  test('login creates the keyring entries, a refresh replaces an entry, and logout deletes all entries', async () => {
    const bus = await startBus();
    await startDaemon(bus);
    const { env, directory } = await user(bus);
    await logIn(env);
    const first = entries(bus);
    expect([...first.keys()].sort()).toEqual([
      'default:cache-key',
      'default:client-secret',
      'default:refresh-token',
    ]);
    expect(live()).toEqual([fingerprint(first)]);

    now += 25 * 3600 * 1000;
    expect(await run(['ledgers', '--json'], { env })).toMatchObject({ code: 0 });
    const second = entries(bus);
    expect(fingerprint(second)).not.toBe(fingerprint(first));
    expect(live()).toEqual([fingerprint(second)]);

    expect(await run(['logout'], { env })).toMatchObject({ code: 0 });
    expect(entries(bus)).toEqual(new Map());
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect(await run(['logout'], { env })).toMatchObject({
      code: 0,
      stderr: 'This profile was not logged in.\n',
    });
  });

  test('splits a long value into several entries, reads the whole value, and deletes every entry', async () => {
    const bus = await startBus();
    await startDaemon(bus);
    const { env, directory } = await user(bus);
    const workspace = ['--workspace', sandbox.workspaceId];
    const kept = await run(['login', '--with-api-key', '-p', 'acme', ...workspace], {
      env,
      input: `${apiKey}\n`,
    });
    expect(kept.code, kept.stderr).toBe(0);
    const stored = entries(bus);
    expect([...stored.keys()].sort()).toEqual([
      'acme:api-key',
      ...[0, 1, 2].map((part) => `acme:api-key:a:${part}`),
    ]);
    const whole = [0, 1, 2].map((part) => stored.get(`acme:api-key:a:${part}`)).join('');
    expect(JSON.parse(whole)).toMatchObject({ apiKey });
    expect(Math.max(...[...stored.values()].map((value) => value.length))).toBe(1200);
    expect(await run(['ledgers', '-p', 'acme', '--json'], { env })).toMatchObject({ code: 0 });

    // Deleting the profile `acme` does not affect the session of the profile `default`.
    await logIn(env);
    expect(await run(['profiles', 'delete', 'acme', '--yes'], { env })).toMatchObject({ code: 0 });
    expect([...entries(bus).keys()].filter((account) => !account.startsWith('default:'))).toEqual([]);
    expect(filesIn(directory).filter((file) => file.includes('acme'))).toEqual([]);
    expect(await run(['config', 'list', '-p', 'acme', '--json'], { env })).toMatchObject({
      stdout: expect.not.stringContaining(sandbox.workspaceId),
    });
    expect(await run(['profiles', 'delete', 'default', '--yes'], { env })).toMatchObject({ code: 0 });
    expect(entries(bus)).toEqual(new Map());
    expect(filesIn(directory)).toEqual([]);
  });

  /**
   * Measures how long a command runs. Meanwhile, runs `--version` repeatedly. The slowest of these runs shows how slow this
   * machine is.
   */
  async function timed(args: readonly string[], env: Env): Promise<Result & { ms: number; start: number }> {
    let over = false;
    let slowest = 0;
    const measure = async () => {
      while (!over) {
        const began = performance.now();
        await run(['--version']);
        slowest = Math.max(slowest, performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const began = performance.now();
    const [result, ms] = await Promise.all([
      run(args, { env }).then((ended) => {
        over = true;
        return [ended, performance.now() - began] as const;
      }),
      measure(),
    ]).then(([ended]) => ended);
    return { ...result, ms, start: slowest };
  }

  test('reports within seconds that the keyring is locked, stopped, hung, read-only or missing', async () => {
    const bus = await startBus();
    let daemon = await startDaemon(bus);
    const { env, directory } = await user(bus);
    await logIn(env);
    const said = new Map<string, string>();

    async function fails(
      state: string,
      args: readonly string[],
      pattern: RegExp,
      own: Env = env,
    ): Promise<void> {
      const { code, stdout, stderr, ms, start } = await timed(args, own);
      expect([state, code, stdout]).toEqual([state, 2, '']);
      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(pattern);
      for (const way of ['CRYPTODATA_KEYCHAIN=file', 'CRYPTODATA_ACCESS_TOKEN'])
        expect(stderr).toContain(way);
      // Allow 3 s for the keychain, plus ten times the start-up time of a process.
      expect(ms, state).toBeLessThan(3000 + 10 * start);
      said.set(state, stderr);
    }

    await lockKeyring(bus);
    await fails('locked', ['ledgers'], /is locked.*Unlock the keychain/);

    daemon.kill('SIGKILL');
    await once(daemon, 'exit');
    await fails(
      'stopped',
      ['ledgers'],
      /No Secret Service is available in this D-Bus session.*start a Secret Service/,
    );

    // The entries can be read, but not written. Before the tool uses the refresh token, it tests whether it can write to the
    // keychain. A failed write therefore does not use up the refresh token.
    daemon = await startDaemon(bus, false);
    expect(await run(['ledgers', '--json'], { env })).toMatchObject({ code: 0 });
    const before = live();
    now += 25 * 3600 * 1000;
    await fails('unable to write', ['ledgers'], /Cannot write.*keyrings/);
    expect(live()).toEqual(before);
    daemon.kill('SIGKILL');
    await once(daemon, 'exit');

    await fails('no bus', ['ledgers'], /No D-Bus session.*dbus-run-session/, {
      ...env,
      DBUS_SESSION_BUS_ADDRESS: undefined,
    });

    daemon = await startDaemon(bus);
    daemon.kill('SIGSTOP');
    await fails('hung', ['ledgers'], /did not respond.*restart the Secret Service/);
    expect(new Set(said.values()).size).toBe(5);
    // Logout waits for the keychain only once. If the entries cannot be deleted, logout also keeps the session file.
    await fails('hung, logout', ['logout'], /did not respond.*restart the Secret Service/);
    expect(filesIn(directory)).toEqual(['config.toml', 'sessions/default.session']);
    daemon.kill('SIGCONT');
  });
});
