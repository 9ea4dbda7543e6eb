import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { cases } from '../runs.ts';
import { atEnd, bash, cleanEnv, ENTRY, sandboxed } from './harness.ts';
import { sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({ rows: 300 });

describe('cryptodata exits with 0 if the reader closes the pipe', () => {
  const lines = [
    'ledgers list --all',
    'ledgers list --all --json',
    'ledgers list --all --jsonl',
    'ledgers export --out -',
    'ledgers list --help',
    'ledgers list --all --csv',
    'ledgers export --out - --format json',
    'providers list --all --json',
    '--help',
  ];
  test.for(cases(lines, 5))('%s | head -1', async (line) => {
    const { code, stdout, stderr } = await bash(`cryptodata ${line} | head -1`, { env: sandbox.env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toHaveLength(2);
  });

  test('exits with 0 if the reader closes the pipe before the first byte', async () => {
    for (const format of cases(['json', 'table', 'csv', 'jsonl'], 2)) {
      const { code, stderr } = await bash(`cryptodata ledgers list --all -o ${format} | true`, {
        env: sandbox.env,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
  });
});

describe('an error longer than the pipe buffer', async () => {
  const details = 'x'.repeat(300_000);
  const service = await stub((_request, response) =>
    sendJson(response, 400, JSON.stringify({ error: { code: 'BAD', message: 'no', details: { details } } })),
  );

  test('writes a long error in full to a slow reader', async () => {
    const line = 'cryptodata api GET /v1/x --json 2>&1 >/dev/null | (sleep 0.2; cat)';
    const { code, stdout } = await bash(line, { env: service.env });
    expect(code).not.toBe(0);
    expect(JSON.parse(stdout).error.details).toEqual({ details });
  });

  test('exits when the reader closes the pipe or Ctrl-C is pressed, without writing the rest of a long error', async () => {
    const gone = await bash('cryptodata api GET /v1/x --json 2>&1 >/dev/null | true', { env: service.env });
    expect(gone.code).not.toBe(0);
    const child = spawn(process.execPath, [ENTRY, 'api', 'GET', '/v1/x', '--json'], {
      env: cleanEnv(service.env),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    atEnd(() => child.kill('SIGKILL'));
    // Wait until part of the error has arrived, but do not read it.
    await once(child.stderr, 'readable');
    expect(child.exitCode).toBe(null);
    child.kill('SIGINT');
    const [code] = await once(child, 'exit');
    expect(code).toBe(gone.code);
  });
});
