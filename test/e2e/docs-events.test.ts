import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { needs } from '../needs.ts';
import { atEnd, cleanEnv, ROOT, run, temporary } from './harness.ts';

// Runs the commands in docs/events.md in a shell, with free ports.

function linesOf(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test.skipIf(!needs('jq'))('every command in docs/events.md succeeds', async () => {
  const got: { id: string; event: string }[] = [];
  const application = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    got.push(JSON.parse(Buffer.concat(parts).toString()));
    response.end();
  });
  const ports = { 3000: await listening(application), 8978: await freePort() };
  atEnd(() => application.close());
  const cwd = temporary();
  const store = join(cwd, 'deliveries.jsonl');
  // The sandbox is killed, so it cannot delete its own temporary directory.
  const env = cleanEnv({ TMPDIR: temporary() });
  const shell = spawn('bash', [], { env, cwd, stdio: 'pipe', detached: true });
  // Kill the process group: both shells, the sandbox and the listener.
  atEnd(() => process.kill(-(shell.pid ?? 0), 'SIGKILL'));
  let out = '';
  let err = '';
  shell.stdout.on('data', (text) => {
    out += text;
  });
  shell.stderr.on('data', (text) => {
    err += text;
  });
  const until = async (holds: () => boolean) => {
    while (!holds()) {
      if (shell.exitCode !== null) throw new Error(`the shell ended: ${err}`);
      await wait(20);
    }
  };
  const stored = () => readFileSync(store, 'utf8').split('\n').length - 1;

  let emitted = 0;
  for (const [at, line] of linesOf('events.md').entries()) {
    const own = line.replace(/\b(3000|8978)\b/g, (port) => String(ports[port as '3000' | '8978']));
    // Deliveries from the sandbox may arrive after `events trigger` exits.
    if (emitted > 0) await until(() => stored() >= emitted);
    shell.stdin.write(`${own}\necho "end ${at}: $?"\n`);
    await until(() => out.includes(`end ${at}: `));
    expect(out, `${line}\n${err}`).toContain(`end ${at}: 0\n`);
    if (line.endsWith('&')) await until(() => err.includes('Listening on'));
    if (/events trigger/.test(line) && !/--forward-to|--dry-run/.test(line)) emitted += 1;
  }

  await until(() => got.length >= 4);
  expect([...got.map(({ event }) => event)].sort()).toEqual([
    'costbasis.completed',
    'costbasis.failed',
    'integration.failed',
    'integration.failed',
  ]);
  expect(out).toContain('1 integration.failed');
  expect(err).toContain('2 deliveries, 2 delivery ids: no findings.');
  const made = await run(['events', 'verify', join(cwd, 'integration-deleted.json'), '--exit-code']);
  expect([made.code, made.stdout]).toEqual([0, '']);
  const odd = await run(['events', 'verify', '-', '--exit-code', '--json'], {
    input: '{"id":1,"event":"x"}',
  });
  expect([odd.code, JSON.parse(odd.stdout).length > 0]).toEqual([10, true]);
});
