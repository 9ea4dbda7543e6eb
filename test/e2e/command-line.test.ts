import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { asked, atEnd, cleanEnv, ENTRY, run, sandboxed, start, temporary } from './harness.ts';

describe('the command line', () => {
  test('rejects an unsupported output format before it writes a file or sends a request', async () => {
    const sandbox = await sandboxed();
    const cwd = temporary();
    const env = { ...sandbox.env, CRYPTODATA_OUTPUT: 'xml' };
    const { code, stderr } = await run(['ledgers', 'export', '--out', 'x.csv'], { env, cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('CRYPTODATA_OUTPUT');
    expect(existsSync(join(cwd, 'x.csv'))).toBe(false);
    expect(asked(sandbox)).toEqual([]);
  });

  test('the command "config set" can fix an invalid setting', async () => {
    const env = { CRYPTODATA_CONFIG_DIR: temporary(), CRYPTODATA_OUTPUT: 'xml' };
    expect(await run(['config', 'set', 'output', 'json'], { env })).toMatchObject({ code: 0 });
  });

  test('rejects a command group without a subcommand, and lists the subcommands', async () => {
    const { code, stdout, stderr } = await run(['events']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Commands:\n  listen');
    expect(stderr).toMatch(/error: A command is missing\n.*\n$/);
  });

  test.each([
    [['ledgers', '--limit', '2', 'list'], 'cryptodata ledgers list …'],
    [['sandbox', '--rows', '5', 'exec', '--', 'echo', 'hi'], 'cryptodata sandbox exec …'],
  ])('rejects %j, because a subcommand must come before its options', async (args, hint) => {
    expect(await run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(hint) });
  });

  test.each([
    [['-q', 'types=fee', '-q', 'types=incoming'], '-q types=a,b'],
    [['-q', 'wid=ws_1'], 'only API keys accept a workspace'],
  ])('rejects the command "ledgers list" with %j', async (args, said) => {
    const sandbox = await sandboxed();
    const { code, stderr } = await run(['ledgers', 'list', ...args], { env: sandbox.env });
    expect({ code, said: stderr.includes(said) }).toEqual({ code: 2, said: true });
    expect(asked(sandbox)).toEqual([]);
  });
});

describe('sandbox exec --credential', () => {
  test('sandbox exec passes an API key with --credential api-key, and no credential with --credential none', async () => {
    const line = ['sandbox', 'exec', '--credential'];
    const key = await run([...line, 'api-key', '--', 'cryptodata', 'whoami', '--json']);
    expect(JSON.parse(key.stdout)).toMatchObject({ source: 'api-key', sub: expect.stringMatching(/^usr_/) });
    const none = await run([...line, 'none', '--', 'cryptodata', 'whoami']);
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('not logged in') });
  });
});

describe('signals', () => {
  test('sandbox exec does not run its command if SIGTERM arrives during startup', async () => {
    const marker = join(temporary(), 'ran');
    const exec = start(['sandbox', 'exec', '--rows', '1000000', '--', 'touch', marker]);
    exec.child.kill('SIGTERM');
    const { code } = await exec.ended;
    // A signal that arrives before its handler is installed ends the process with exit code 128 + 15.
    expect([130, 143]).toContain(code);
    expect(existsSync(marker)).toBe(false);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'sandbox exec forwards %s to its command',
    async (signal) => {
      const script = `trap 'echo got; exit 7' TERM INT HUP; echo ready >&2; while :; do sleep 0.1; done`;
      const exec = start(['sandbox', 'exec', '--', 'bash', '-c', script]);
      await exec.said(/ready/);
      exec.child.kill(signal);
      expect(await exec.ended).toMatchObject({ code: 7, stdout: 'got\n' });
    },
  );

  test('SIGTERM stops an export that is blocked on a full pipe', async () => {
    const sandbox = await sandboxed({ rows: 20_000 });
    const args = [ENTRY, 'ledgers', 'export', '--out', '-', '--format', 'jsonl'];
    const child = spawn(process.execPath, args, {
      env: cleanEnv(sandbox.env),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    atEnd(() => child.kill('SIGKILL'));
    // Wait until the export sends no more requests. The pipe is then full.
    for (let before = -1; asked(sandbox).length !== before || before < 1; await delay(300)) {
      before = asked(sandbox).length;
    }
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    expect(code).toBe(130);
  });
});
