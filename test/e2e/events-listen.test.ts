import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { KIND_NAMES } from '../../src/events/kinds.ts';
import { bytes, envelope } from '../events/samples.ts';
import { type Env, type Running, run, start, temporary } from './harness.ts';

const folder = temporary();
const LONG = { timeout: 60_000 };

async function listening(
  args: readonly string[],
  env: Env = {},
): Promise<{ running: Running; url: string; store: string }> {
  const store = join(mkdtempSync(join(folder, 'x')), 'events.jsonl');
  const running = start(['events', 'listen', '--port', '0', '--store', store, ...args], { env });
  const said = await running.said(/Listening on (\S+)\. /);
  return { running, url: /http\S+(?=\.)/.exec(said)?.[0] ?? '', store };
}

async function post(url: string, body: Buffer, headers: Record<string, string> = {}): Promise<number> {
  const answer = await request(url, { method: 'POST', headers, body, reset: true });
  await answer.body.dump();
  return answer.statusCode;
}

async function stopped({ child, ended }: Running) {
  child.kill('SIGINT');
  return ended;
}

describe.concurrent('events listen', () => {
  test('a second listener for the same store exits with 2', async () => {
    const { running, store } = await listening([]);
    const second = await run(['events', 'listen', '--port', '0', '--store', store, '--json']);
    expect(second.code).toBe(2);
    expect(JSON.parse(second.stderr)).toMatchObject({ error: { code: 'STORE_IN_USE' } });
    expect(second.stderr).toContain(`process ${running.child.pid}`);
    await stopped(running);
  });

  test('the listener prints each delivery and a summary', async () => {
    const { running, url } = await listening([]);
    const odd = envelope('integration.\u001b[31mred', { x: 1 }, { id: 'whd_2' });
    expect(await post(url, bytes(envelope()))).toBe(200);
    expect(await post(url, bytes(envelope()))).toBe(200);
    expect(await post(url, bytes(odd))).toBe(200);
    expect(await post(url, bytes('none'))).toBe(400);
    const { code, stdout, stderr } = await stopped(running);
    expect(code).toBe(130);
    expect(stdout.split('\n').map((line) => line.slice(21))).toEqual([
      'integration.updated  whd_1  stored',
      'integration.updated  whd_1  repeated delivery, not stored again',
      expect.stringMatching(/^integration\.\\u001b\[31mred {2}whd_2 {2}stored; event "integration/),
      'refused with 400: the body is not JSON',
      '',
    ]);
    expect(stderr).toContain('Deliveries: 2 stored, 1 with problems, 1 repeat, 1 refused.');
    expect(stderr).toMatch(/public https address.*tunnel/);
  });

  test('with --jsonl, the listener prints the stored record of each delivery', async () => {
    const { running, url, store } = await listening(['--jsonl', '--types', 'integration.*']);
    expect(await post(url, bytes(envelope()), { 'content-type': 'application/json' })).toBe(200);
    expect(await post(url, bytes(envelope('costbasis.started', {}, { id: 'whd_2' })))).toBe(200);
    const { code, stdout, stderr } = await stopped(running);
    expect(code).toBe(130);
    const kept = JSON.parse(readFileSync(store, 'utf8'));
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toEqual({
      time: kept.received,
      outcome: 'stored',
      status: 200,
      attempts: null,
      why: null,
      ...kept,
    });
    expect(stderr).toContain('1 of other types');
  });

  test('a listener with --sandbox receives one event of each kind and all triggered events, and deletes its files on exit', async ({
    expect,
  }) => {
    const secret = { HOOK: 'a secret of the test' };
    const signature = ['--secret-env', 'HOOK', '--signature-header', 'x-sig', '--signature-encoding', 'hex'];
    const args = ['events', 'listen', '--sandbox', '--port', '0', '--path', '/hooks', ...signature];
    const running = start([...args, '--jsonl'], { env: secret });
    const said = await running.said(/CRYPTODATA_BASE_URL=(\S+) cryptodata events trigger/);
    const env = { CRYPTODATA_BASE_URL: /BASE_URL=(\S+)/.exec(said)?.[1] };
    const store = /stored in (\S+) \(empty\)/.exec(await running.said(/stored in \S+ \(empty\)/))?.[1] ?? '';
    await expect.poll(() => readFileSync(store, 'utf8').split('\n').length - 1, LONG).toBe(KIND_NAMES.length);
    const args2 = ['events', 'trigger', 'integration.failed', '--set', 'data.errorMessage=Again', '--json'];
    expect((await run(args2, { env })).code).toBe(0);
    await expect.poll(() => readFileSync(store, 'utf8'), LONG).toContain('Again');
    const { code, stdout } = await stopped(running);
    expect(code).toBe(130);
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ event }) => event)).toEqual([...KIND_NAMES, 'integration.failed']);
    expect(records.every(({ outcome, problems }) => outcome === 'stored' && problems.length === 0)).toBe(
      true,
    );
    expect(existsSync(dirname(store))).toBe(false);
  });

  test('if stdout is closed, the listener stores the current delivery and exits with 0', async () => {
    const { running, url, store } = await listening([]);
    running.child.stdout?.destroy();
    expect(await post(url, bytes(envelope()))).toBe(200);
    expect((await running.ended).code).toBe(0);
    expect(JSON.parse(readFileSync(store, 'utf8')).id).toBe('whd_1');
  });

  test('the listener reports a repeated delivery with a different body at a path that is not ASCII', async () => {
    const { running, url } = await listening(['--path', '/wébhook']);
    expect(await post(`${url}/wébhook`, bytes(envelope()))).toBe(200);
    expect(await post(`${url}/wébhook`, bytes(envelope('costbasis.started')))).toBe(200);
    const { stdout, stderr } = await stopped(running);
    expect(stdout).toContain('repeated delivery, not stored again: the body differs');
    expect(stderr).toContain('1 stored, 1 repeat, 1 with a different body.');
  });

  test('the listener rejects a wrong signature without printing the secret', async () => {
    const secret = 'whsec-0123456789abcdef';
    const flags = [
      '--secret-env',
      'HOOK',
      '--signature-header',
      'X-Sig',
      '--signature-encoding',
      'hex',
      '--debug',
    ];
    const { running, url } = await listening(flags, { HOOK: secret });
    expect(await post(url, bytes(envelope()), { 'x-sig': secret })).toBe(401);
    const { stdout, stderr } = await stopped(running);
    expect(stdout).toContain('refused with 401: the signature in X-Sig is wrong');
    expect(stdout + stderr).not.toContain(secret);
  });

  test.each([
    [['--secret-env', 'HOOK'], 'HALF_A_SIGNATURE'],
    [['--secret-env', 'HOOK', '--signature-header', 'x', '--signature-encoding', 'hex'], 'NO_SECRET'],
    [['--forward-to', 'localhost:3000'], 'BAD_ADDRESS'],
    [['--forward-to', 'http://example.com/x'], 'INSECURE_ADDRESS'],
    // The listener would forward deliveries to itself, and would forward a delivery without an id forever.
    [['--port', '8978', '--forward-to', 'http://localhost:8978/x'], 'BAD_ADDRESS'],
    [['--path', 'hook'], 'BAD_PATH'],
    [['--types', 'integration'], 'BAD_TYPE'],
    [['--host', '192.0.2.1'], 'CANNOT_LISTEN'],
    [['--store', '/nonexistent/x.jsonl'], 'ENOENT'],
    [['--store', '/dev/null'], 'BAD_STORE'],
  ])('the command "events listen" exits with 2 for %j', async (args, code) => {
    const ended = await run([
      'events',
      'listen',
      '--port',
      '0',
      '--store',
      join(folder, `${code}.jsonl`),
      ...args,
      '--json',
    ]);
    expect([ended.code, JSON.parse(ended.stderr).error.code]).toEqual([2, code]);
  });
});
