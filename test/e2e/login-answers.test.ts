import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { Browser } from './browser.ts';
import { atEnd, cleanEnv, ENTRY, type Env, run, sandboxed, temporary } from './harness.ts';
import { newcomer } from './newcomer.ts';
import { terminal } from './tmux.ts';

const sandbox = await sandboxed({ rows: 20, oneOrigin: true });

/** Runs a login whose stdin is a pipe. Calls `answer` with the login URL, and writes the result to the pipe. */
function piped(
  env: Env,
  answer: (url: string) => Promise<string>,
): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [ENTRY, 'login', '--no-browser'], {
    env: cleanEnv(env),
    stdio: 'pipe',
  });
  atEnd(() => child.kill('SIGKILL'));
  let stderr = '';
  let asked = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    const [url] = /https?:\S+\/oidc\/auth\?\S+/.exec(stderr) ?? [];
    if (url === undefined || asked) return;
    asked = true;
    void answer(url).then((line) => child.stdin.end(`${line}\n`));
  });
  child.stdout.resume();
  return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, stderr })));
}

describe('login with the redirect URL from a pipe', () => {
  test('login accepts the redirect URL from a pipe', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const ended = await piped(env, async (url) => {
      const browser = new Browser(sandbox.url);
      const page = await browser.submit(await browser.visit(url), [['decision', 'allow']]);
      return page.url;
    });
    expect(ended.code, ended.stderr).toBe(0);
  });

  test('login reports immediately that stdin has ended, and then waits only for the browser', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stderr } = await run(['login', '--no-browser', '--timeout', '1s'], { env });
    expect(code).toBe(3);
    expect(stderr).toContain('stdin has ended, so no address can be pasted. Still waiting for the redirect');
    expect(stderr).toContain('To wait longer, use --timeout DURATION, such as --timeout 15m.');
  });

  test('the named-pipe example in docs/login.md passes the redirect URL to login', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const docs = readFileSync(join(import.meta.dirname, '../../docs/login.md'), 'utf8');
    const recipe = /```sh\n(mkfifo [\s\S]*?)```/.exec(docs)?.[1] ?? '';
    const cwd = temporary();
    // The test writes the final address of the browser to another named pipe.
    const script = `mkfifo final\n${recipe
      .replace('"$FINAL_ADDRESS"', '"$(cat final)"')
      .replace('wait $!;', 'wait $! || exit 9;')}`;
    const child = spawn('bash', ['-c', script], {
      env: cleanEnv(env),
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    atEnd(() => child.kill('SIGKILL'));
    let stderr = '';
    let asked = false;
    child.stderr.setEncoding('utf8').on('data', async (text: string) => {
      stderr += text;
      const [url] = /https?:\S+\/oidc\/auth\?\S+(?=\n)/.exec(stderr) ?? [];
      if (url === undefined || asked) return;
      asked = true;
      const browser = new Browser(sandbox.url);
      const page = await browser.submit(await browser.visit(url), [['decision', 'allow']]);
      await writeFile(join(cwd, 'final'), page.url);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code, stderr).toBe(0);
    expect((await run(['whoami'], { env })).code).toBe(0);
  });

  test('login exits with 2 if the redirect URL belongs to another login', async () => {
    const { env, callback } = await newcomer(sandbox, { cheap: true });
    const { code, stderr } = await piped(env, async () => `${callback}?code=x&state=another`);
    expect(code).toBe(2);
    expect(stderr).toContain('The address on stdin does not belong to this login');
  });
});

describe('login with an unreachable authorization server', () => {
  const NOBODY = 'http://127.0.0.1:1';

  test('if the authorization server is unreachable, login mentions auth_url, prints no URL and exits with 13', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    const { code, stderr } = await run(['login', '--no-browser'], {
      env: { ...env, CRYPTODATA_AUTH_URL: NOBODY },
    });
    expect(code).toBe(13);
    expect(stderr).toContain('Cannot reach auth_url');
    expect(stderr).toContain('cryptodata config set auth_url');
    expect(stderr).not.toContain('Open this address');
  });

  test.skipIf(!needs('tmux'))(
    'login keeps the settings that the user typed before the connection failed',
    async () => {
      const directory = temporary();
      const env = {
        CRYPTODATA_CONFIG_DIR: directory,
        CRYPTODATA_KEYCHAIN: 'file',
        CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
      };
      const screen = terminal('cryptodata login --no-browser', { columns: 200 }, env);
      for (const [question, answer] of [
        [/authorization server/, NOBODY],
        [/data API/, 'http://127.0.0.1:2'],
        [/Id of the registered/, 'the-client'],
      ] as const) {
        await screen.shows(question);
        screen.type(answer);
        screen.press('Enter');
      }
      await screen.shows(/^exit=13$/m);
      expect(readFileSync(join(directory, 'config.toml'), 'utf8')).toBe(
        `[profiles.default]\nauth_url = "${NOBODY}"\nbase_url = "http://127.0.0.1:2"\nclient_id = "the-client"\n`,
      );
    },
  );
});
