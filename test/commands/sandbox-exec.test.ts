import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import type { Outcome } from '../../src/cli/outcome.ts';
import { exec } from '../../src/commands/sandbox/exec.ts';
import type { Context, OwnContext, Streams } from '../../src/context.ts';
import { Redactor } from '../../src/core/redact.ts';
import { shellWord } from '../../src/core/text.ts';
import { createContext } from '../../src/create-context.ts';
import { styleOf } from '../../src/formats/style.ts';
import { temporary } from '../e2e/harness.ts';

function contextWith(signal: AbortSignal): OwnContext {
  const stream = () => new PassThrough();
  return createContext({
    globals: { settings: {}, quiet: true, debug: false },
    env: { PATH: process.env['PATH'], CRYPTODATA_CONFIG_DIR: '/nonexistent' },
    streams: { stdin: stream(), stdout: stream(), stderr: stream() } as unknown as Streams,
    redactor: new Redactor(),
    style: styleOf({}, {}),
    signal,
    leaveSignalsToChild: () => {},
    entry: '',
  });
}

async function execIn(context: Context, ...words: readonly string[]): Promise<Outcome> {
  let ended: Promise<Outcome> | undefined;
  const command = exec.build(async (run) => {
    ended = run(context);
  });
  await command.parseAsync(['--rows', '1', '--', ...words], { from: 'user' });
  if (!ended) throw new Error('the command did not run');
  return ended;
}

test('"sandbox exec" does not start the command if a signal arrives while the environment of the command is prepared', async () => {
  const file = join(temporary(), 'started');
  const stop = new AbortController();
  const context = contextWith(stop.signal);
  // The environment of the command contains a program that runs `entry`.
  const late = Object.defineProperty({ ...context }, 'entry', {
    get() {
      stop.abort(new Error('stopped'));
      return '';
    },
  });
  await expect(execIn(late, 'touch', file)).rejects.toThrow('stopped');
  expect(existsSync(file)).toBe(false);
  await context.close();
});

test('the command that "sandbox exec" runs ends if the process of "sandbox exec" exits early', async () => {
  const file = join(temporary(), 'started');
  const before = process.listeners('exit');
  const context = contextWith(new AbortController().signal);
  const ended = execIn(context, 'sh', '-c', `touch ${shellWord(file)}; exec sleep 60`);
  await vi.waitUntil(() => existsSync(file), { timeout: 20_000 });
  for (const listener of process.listeners('exit')) if (!before.includes(listener)) listener(130);
  expect(await ended).toMatchObject({ kind: 'silent', exitCode: 143 });
  await context.close();
});
