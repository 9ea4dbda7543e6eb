import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { secretService } from '../auth/keyring.ts';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import {
  atEnd,
  cleanEnv,
  ENTRY,
  type Env,
  filesIn,
  launch,
  type Result,
  sandboxed,
  start,
  temporary,
} from './harness.ts';
import { loginUrl } from './newcomer.ts';
import { recorder } from './recorder.ts';

// Runs the tool with a real GNOME Keyring on a separate D-Bus. Then searches files, output and `ps` for every secret.

const ready = needs('dbus-run-session', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool', 'ps');

describe.skipIf(!ready)('login and logout with the system keychain', async () => {
  const sandbox = await sandboxed({ rows: 50, oneOrigin: true });
  const { env: addresses, secrets, answer } = await recorder(sandbox);
  const home = temporary();
  const runtime = join(home, 'run');
  const env: Env = { ...addresses, HOME: home, XDG_RUNTIME_DIR: runtime, CRYPTODATA_CONFIG_DIR: undefined };
  let processes = '';

  /** Returns the output of `secret-tool` for all keychain entries of the tool. */
  function found(): string {
    const { stdout, stderr } = spawnSync('secret-tool', ['search', '--all', 'service', 'cryptodata'], {
      env: cleanEnv(env),
      encoding: 'utf8',
    });
    return stdout + stderr;
  }

  function lookUp(account: string): string {
    const attributes = ['service', 'cryptodata', 'username', account];
    return spawnSync('secret-tool', ['lookup', ...attributes], { env: cleanEnv(env), encoding: 'utf8' })
      .stdout;
  }

  /** Runs the tool, and records the output of `ps` until the tool ends. */
  async function watched(
    args: readonly string[],
    meanwhile?: (running: ReturnType<typeof start>) => Promise<void>,
  ): Promise<Result> {
    const running = start(args, { env });
    let over = false;
    const sampling = (async () => {
      while (!over) processes += (await launch('ps', ['-eww', '-o', 'args']).ended).stdout;
    })();
    await meanwhile?.(running);
    const result = await running.ended;
    over = true;
    await sampling;
    return result;
  }

  beforeAll(async () => {
    mkdirSync(runtime, { mode: 0o700 });
    mkdirSync(join(home, '.config', 'cryptodata'), { recursive: true });
    writeFileSync(
      join(home, '.config', 'cryptodata', 'config.toml'),
      `[profiles.default]\nredirect_uri = "http://127.0.0.1:${await freePort()}/callback"\n`,
    );
    const daemon =
      "exec gnome-keyring-daemon --unlock --components=secrets --foreground <<< 'keyring password'";
    const say = 'echo "bus=$DBUS_SESSION_BUS_ADDRESS pid=$$" >&2';
    const session = launch('dbus-run-session', ['--', 'bash', '-c', `${say}; ${daemon}`], { env });
    const [, bus = '', pid = ''] = /bus=(\S+) pid=(\d+)/.exec(await session.said(/bus=\S+ pid=\d+\n/)) ?? [];
    // The bus stops when the daemon stops.
    atEnd(() => {
      // Stop the daemon, unless it has already stopped by itself.
      if (session.child.exitCode === null) process.kill(Number(pid), 'SIGTERM');
      return session.ended;
    });
    env['DBUS_SESSION_BUS_ADDRESS'] = bus;
    await secretService(cleanEnv(env));
  });

  test('login stores secrets only in the keychain', async () => {
    const { code, stdout, stderr } = await watched(['login', '--no-browser', '--debug'], answer);
    expect(code, stderr).toBe(0);
    expect([...secrets.keys()].sort()).toEqual([
      'access_token',
      'client_secret',
      'code',
      'code_verifier',
      'id_token',
      'refresh_token',
    ]);
    expect(lookUp('default:refresh-token')).toBe(secrets.get('refresh_token'));
    expect(lookUp('default:client-secret')).toBe(secrets.get('client_secret'));

    const used = await watched(['ledgers', 'list', '--all', '--json', '--debug']);
    expect(JSON.parse(used.stdout)).toHaveLength(sandbox.truth.ledgers);
    expect(used.stderr).toContain('[debug] GET');
    const who = await watched(['whoami', '--debug']);
    expect(who.code).toBe(0);
    expect(processes).toContain(ENTRY);

    const files = filesIn(home).map((file) => [file, readFileSync(join(home, file), 'latin1')] as const);
    expect(files.map(([file]) => file)).toContain('.config/cryptodata/sessions/default.session');
    const outputs = [
      ['output', stdout + used.stdout + who.stdout],
      ['stderr', stderr + used.stderr + who.stderr],
      ['ps', processes],
    ] as const;
    for (const [what, secret] of secrets) {
      expect(secret.length).toBeGreaterThan(20);
      for (const [where, text] of [...files, ...outputs]) {
        expect(text.includes(secret), `${what} appears in ${where}`).toBe(false);
      }
    }
  });

  test('logout deletes the stored tokens and revokes the refresh token at the service', async () => {
    expect(sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens)).toHaveLength(1);
    const { code, stdout } = await watched(['logout', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { profile: 'default', hadSession: true, hadApiKey: false, revoked: true },
    ]);
    expect(found()).not.toContain('default:');
    expect(lookUp('default:refresh-token')).toBe('');
    expect(sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens)).toEqual([]);
    const again = await fetch(`${sandbox.url}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: secrets.get('refresh_token') ?? '',
        client_id: sandbox.clientId,
        client_secret: sandbox.clientSecret,
      }),
    });
    expect(await again.json()).toMatchObject({ error: 'invalid_grant' });
    expect(filesIn(join(home, '.config', 'cryptodata'))).toEqual(['config.toml']);
  });

  test('a denied login leaves no keychain entry', async () => {
    const denied = await watched(['login', '--no-browser'], async (running) => {
      const query = new URL(await loginUrl(running)).searchParams;
      await fetch(`${query.get('redirect_uri')}?error=access_denied&state=${query.get('state')}`);
    });
    expect(denied.code).toBe(3);
    expect(found()).not.toContain('username');
  });
});
