import { createServer } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { consent } from './browser.ts';
import { atEnd, type Begun, begin, filesIn, type Running, run, sandboxed, start } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';

const sandbox = await sandboxed({ rows: 50 });
beforeEach(() => sandbox.reset());

describe('a failed login', () => {
  async function fails(
    act: (running: Begun, callback: string, url: URL) => unknown,
    args: readonly string[] = [],
    starting: typeof begin = begin,
  ): Promise<{ code: number; stderr: string }> {
    const { directory, env, callback } = await newcomer(sandbox);
    const running = starting(['login', '--no-browser', ...args], { env });
    await act(running, callback, new URL(await loginUrl(running)));
    const { code, stdout, stderr } = await running.ended;
    expect(stdout).toBe('');
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect(sandbox.truth.grants().filter(({ refreshTokens }) => refreshTokens.length > 0)).toEqual([]);
    // The request fails, because the login has released its port.
    await expect(fetch(callback)).rejects.toThrow();
    return { code, stderr: stderr.replace(/^.*error: /s, '') };
  }

  test('if the user denies access, login fails and leaves nothing behind', async () => {
    const { code, stderr } = await fails(async (_running, _callback, url) => {
      const page = await fetch(await consent(url.href, 'deny'));
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('Not logged in')]);
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/denied/i);
  });

  test('after a redirect with a code that the service did not issue, login fails and leaves nothing behind', async () => {
    const { code, stderr } = await fails((_running, callback, url) =>
      fetch(`${callback}?code=invented&state=${url.searchParams.get('state')}`),
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(/authorization code.*cryptodata login/s);
  });

  test('a login that times out leaves nothing behind', async () => {
    const { code, stderr } = await fails(() => {}, ['--timeout', '1']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/not completed within 1 s.*--timeout/s);
  });

  test('a login that is stopped with Ctrl-C leaves nothing behind', async () => {
    const { code, stderr } = await fails((running) => (running as Running).child.kill('SIGINT'), [], start);
    expect([code, stderr]).toEqual([130, 'Interrupted\n']);
  });

  test('unrelated requests to the redirect port do not make a login fail', async () => {
    const { env, callback } = await newcomer(sandbox, { cheap: true });
    const running = begin(['login', '--no-browser'], { env });
    const url = await loginUrl(running);
    expect((await fetch(new URL('/favicon.ico', callback))).status).toBe(404);
    expect((await fetch(callback, { method: 'POST' })).status).toBe(405);
    for (const query of ['', '?code=stolen', '?code=stolen&state=forged', '?error=access_denied&state=old']) {
      const page = await fetch(`${callback}${query}`);
      expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('continues to wait')]);
    }
    await fetch(await consent(url));
    expect((await running.ended).code).toBe(0);
  });

  test('if the port is in use, login suggests another redirect_uri', async () => {
    const { directory, env, callback } = await newcomer(sandbox);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(new URL(callback).port), '127.0.0.1', resolve));
    atEnd(() => other.close());
    const { code, stdout, stderr } = await run(['login', '--no-browser'], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/Port \d+ is in use.*redirect_uri.*config set redirect_uri/s);
    expect(filesIn(directory)).toEqual(['config.toml']);
  });

  test('a failed login leaves nothing behind if the client secret is wrong', async () => {
    const { directory, env } = await newcomer(sandbox);
    const running = begin(['login', '--no-browser'], { env: { ...env, CRYPTODATA_CLIENT_SECRET: 'wrong' } });
    await fetch(await consent(await loginUrl(running)));
    const { code, stderr } = await running.ended;
    expect(code).toBe(3);
    expect(stderr).toContain('The client id or the client secret is wrong');
    expect(filesIn(directory)).toEqual(['config.toml']);
  });
});

describe('a login that cannot start', () => {
  test('login reports each missing setting by name', async () => {
    const { env } = await newcomer(sandbox);
    for (const name of ['CRYPTODATA_AUTH_URL', 'CRYPTODATA_CLIENT_ID', 'CRYPTODATA_CLIENT_SECRET']) {
      const { code, stderr } = await run(['login', '--no-browser'], { env: { ...env, [name]: undefined } });
      expect(code).toBe(2);
      expect(stderr).toContain(name);
    }
    expect(sandbox.truth.requests()).toEqual([]);
  });

  test('login is refused if CRYPTODATA_ACCESS_TOKEN is set', async () => {
    const { code, stderr } = await run(['login', '--no-browser'], { env: sandbox.env });
    expect(code).toBe(2);
    expect(stderr).toContain('unset CRYPTODATA_ACCESS_TOKEN');
  });

  test('without a keychain, login suggests alternatives and stores nothing in plain text', async () => {
    const { directory, env } = await newcomer(sandbox);
    const none = {
      ...env,
      CRYPTODATA_KEYCHAIN: undefined,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    };
    const { code, stdout, stderr } = await run(['login', '--no-browser'], { env: none });
    expect([code, stdout]).toEqual([2, '']);
    for (const way of ['Secret Service', 'CRYPTODATA_KEYCHAIN=file', 'CRYPTODATA_ACCESS_TOKEN']) {
      expect(stderr).toContain(way);
    }
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect(sandbox.truth.requests()).toEqual([]);
  });
});
