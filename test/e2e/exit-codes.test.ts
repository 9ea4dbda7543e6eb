import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { type Env, filesIn, run, sandboxed, temporary } from './harness.ts';
import { type Answer, sendJson, stub } from './stub.ts';

const sandbox = await sandboxed({ rows: 300 });
const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
/** Headers that request a retry after 10 ms, so that no test waits long. */
const soon = { retry_after: '0.01' };

async function expectError(args: readonly string[], env: Env, code: number, expected: object): Promise<void> {
  const human = await run(args, { env });
  expect(human.code, human.stderr).toBe(code);
  expect(human.stdout).toBe('');
  expect(human.stderr).toMatch(/^error: \S.*\n\S.*\n$/s);
  const machine = await run([...args, '-o', 'json'], { env });
  expect({ code: machine.code, stdout: machine.stdout }).toEqual({ code, stdout: '' });
  expect(JSON.parse(machine.stderr)).toMatchObject({ error: expected });
}

function failing(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return (_request, response) => sendJson(response, status, body, headers);
}

describe('a command', () => {
  test('exits with 3 if the user is not logged in', () =>
    expectError(['ledgers'], { ...addresses, ...fileKeychain() }, 3, {
      code: 'NOT_LOGGED_IN',
      status: null,
    }));

  test('exits with 3 for an invalid token', () =>
    expectError(['ledgers'], { ...sandbox.env, CRYPTODATA_ACCESS_TOKEN: 'nonsense' }, 3, {
      code: 'unauthorized',
      status: 401,
    }));

  test('exits with 4 for a missing scope, and suggests a fix', async () => {
    const { env } = await stub(
      failing(403, '{"error":"insufficient_scope","error_description":"needs transactions:read"}'),
    );
    await expectError(['ledgers'], env, 4, { code: 'insufficient_scope', status: 403 });
    expect((await run(['ledgers'], { env })).stderr).toMatch(/allow transactions:read: cryptodata login/);
  });

  test('exits with 4 for a workspace that the API key cannot access', () => {
    const env = {
      ...addresses,
      CRYPTODATA_API_KEY: sandbox.apiKey,
      CRYPTODATA_WORKSPACE: sandbox.truth.foreignWorkspaceId,
    };
    return expectError(['ledgers'], env, 4, { code: 'forbidden', status: 403 });
  });

  test('exits with 5 for an unknown ledger or provider', async () => {
    await expectError(['ledgers', 'get', 'led_nosuch'], sandbox.env, 5, { code: 'NOT_FOUND', status: 404 });
    await expectError(['providers', 'get', 'nosuch'], sandbox.env, 5, { code: 'NOT_FOUND', status: 404 });
  });

  test('exits with 6 for a conflict', async () => {
    const { env } = await stub(failing(409, '{"error":{"code":"PERIOD_LOCKED","message":"2024 is filed"}}'));
    const { code, stdout, stderr } = await run(['ledgers', '--json'], { env });
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'PERIOD_LOCKED', status: 409 } });
  });

  test('exits with 7 and does not retry if the service rejects the request', async () => {
    const { env, requests } = await stub(
      failing(
        400,
        '{"success":false,"code":"VALIDATION_ERROR","error":"Bad","details":{"issues":[{"path":["types"],"message":"no such type"}]}}',
      ),
    );
    await expectError(['ledgers'], env, 7, {
      code: 'VALIDATION_ERROR',
      status: 400,
      details: { issues: [{ path: ['types'] }] },
    });
    expect(requests).toHaveLength(2);
    expect((await run(['ledgers'], { env })).stderr).toContain('types: no such type');
  });

  test('exits with 8 and does not retry if a rate limit requires a long wait', async () => {
    const body = '{"error":{"code":"X","message":"slow down"}}';
    const { env, requests } = await stub(failing(429, body, { 'retry-after': '1000' }));
    await expectError(['ledgers'], env, 8, { status: 429 });
    // `expectError` runs the command twice: without and with -o json.
    expect(requests).toHaveLength(2);
  });

  test('exits with 8 if the rate limit still applies after the retries', async () => {
    const body = '{"error":{"code":"X","message":"slow down"}}';
    const { env, requests } = await stub(failing(429, body, soon));
    expect((await run(['ledgers'], { env })).code).toBe(8);
    expect(requests.length).toBeGreaterThan(2);
  });

  test('exits with 0 if a retry after a rate limit succeeds', async () => {
    let first = true;
    const { env } = await stub((_request, response) => {
      if (first) sendJson(response, 429, '{}', soon);
      else sendJson(response, 200, '{"data":[],"meta":{"total":0,"limit":50,"offset":0}}');
      first = false;
    });
    expect(await run(['ledgers', '--json'], { env })).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('exits with 9 if the service still fails after the retries', async () => {
    const { env, requests } = await stub(
      failing(500, '{"error":{"code":"INTERNAL_ERROR","message":"boom"}}', soon),
    );
    const { code, stderr } = await run(['ledgers'], { env });
    expect(code, stderr).toBe(9);
    expect(stderr).toContain('boom');
    expect(requests.length).toBeGreaterThan(1);
  });

  test('exits with 9 for an HTML error page, without printing its escape sequences', async () => {
    const { env } = await stub((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html', ...soon });
      response.end('<html><head><title>Bad\u001b[2J Gateway</title></head><body>no</body></html>');
    });
    const { code, stdout, stderr } = await run(['ledgers'], { env });
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(stderr).toContain('HTML page');
    expect(stderr).toContain('Gateway');
    expect(stderr).not.toContain('\u001b');
  });

  test('findings cause exit code 10 only with --exit-code', async () => {
    const negative = ['ledgers', 'negative', '--quiet'];
    expect((await run([...negative, '--exit-code'], { env: sandbox.env })).code).toBe(10);
    expect((await run(negative, { env: sandbox.env })).code).toBe(0);
    expect((await run([...negative, '--exit-code', '--period', '1999'], { env: sandbox.env })).code).toBe(0);
  });

  test('exits with 1 if the event loop becomes empty before the command ends', async () => {
    const silent = 'process.stdout.write = () => true;';
    const preload = `--import=data:text/javascript,${encodeURIComponent(silent)}`;
    expect(await run(['config', 'path'], { env: { NODE_OPTIONS: preload } })).toMatchObject({ code: 1 });
  });

  test('exits with 13 if the connection is refused', async () => {
    const { env } = await stub(() => {});
    const port = await freePort();
    await expectError(['ledgers'], { ...env, CRYPTODATA_BASE_URL: `http://127.0.0.1:${port}` }, 13, {
      status: null,
    });
  });

  test('exits with 13 for an unknown host name', async () => {
    const env = { CRYPTODATA_BASE_URL: 'https://nosuch.invalid', CRYPTODATA_ACCESS_TOKEN: 'x' };
    await expectError(['ledgers'], env, 13, { status: null });
  });
});

describe('JSON errors', () => {
  test.for(['--json', '--jsonl', '-o json', '-ojson', '--output=json', '--output jsonl'])(
    'errors are printed as JSON with %s',
    async (words) => {
      for (const args of [
        ['ledgers', 'get', 'nosuch'],
        ['ledgers', 'list', '--limit', '0'],
      ]) {
        const { code, stdout, stderr } = await run([...args, ...words.split(' ')], { env: sandbox.env });
        expect([code === 5 || code === 2, stdout]).toEqual([true, '']);
        expect(Object.keys(JSON.parse(stderr))).toEqual(['error']);
      }
    },
  );

  test('the environment or the profile selects JSON for errors, and a flag overrides both', async () => {
    const env = { ...sandbox.env, CRYPTODATA_CONFIG_DIR: temporary() };
    const inEnvironment = await run(['ledgers', 'get', 'nosuch'], {
      env: { ...env, CRYPTODATA_OUTPUT: 'json' },
    });
    expect(JSON.parse(inEnvironment.stderr).error.code).toBe('NOT_FOUND');
    expect((await run(['config', 'set', 'output', 'json'], { env })).code).toBe(0);
    const inProfile = await run(['ledgers', 'get', 'nosuch'], { env });
    expect(JSON.parse(inProfile.stderr).error.code).toBe('NOT_FOUND');
    const overruled = await run(['ledgers', 'get', 'nosuch', '--csv'], { env });
    expect(overruled.stderr).toMatch(/^error: No such ledger/);
  });
});

describe('an export', () => {
  /** Starts a service with `totals[0]` rows. Each response reports the next value of `totals`. */
  function unstable(totals: readonly number[]) {
    let request = 0;
    return stub((_request, response, { searchParams }) => {
      const total = totals[Math.min(request++, totals.length - 1)] ?? 0;
      const [limit, offset] = [Number(searchParams.get('limit')), Number(searchParams.get('offset') ?? 0)];
      const count = Math.max(0, Math.min(limit, (totals[0] ?? 0) - offset));
      const rows = Array.from(
        { length: count },
        (_, index) => `{"id":"l${offset + index}","timestamp":${offset + index}}`,
      );
      sendJson(
        response,
        200,
        `{"data":[${rows}],"meta":{"total":${total},"limit":${limit},"offset":${offset}}}`,
      );
    });
  }

  test('an export exits with 12 and keeps an unverified file if the total changes', async () => {
    const { env } = await unstable([250, 250, 252]);
    const directory = temporary();
    const { code, stdout, stderr } = await run(['ledgers', 'export', '--out', join(directory, 'x.jsonl')], {
      env,
    });
    expect({ code, stdout }).toEqual({ code: 12, stdout: '' });
    expect(stderr).toContain('252');
    expect(stderr).toContain('250');
    expect(stderr).toContain('not verified');
    expect(filesIn(directory)).toEqual(['x.jsonl', 'x.jsonl.manifest.json']);
  });

  test('an export to stdout exits with 12 and reports an unverified result if the total changes', async () => {
    const { env } = await unstable([250, 250, 249]);
    const { code, stdout, stderr } = await run(['ledgers', 'export', '--out', '-', '--format', 'jsonl'], {
      env,
    });
    expect(code).toBe(12);
    expect(stdout.trimEnd().split('\n')).toHaveLength(250);
    expect(stderr).toContain('not verified');
  });

  test('an export exits with 0 if the total does not change', async () => {
    const { env } = await unstable([250]);
    const { code, stderr } = await run(
      ['ledgers', 'export', '--out', '-', '--format', 'jsonl', '--columns', 'id,quantity'],
      { env },
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^Verified against the service's totals at T0 \S+ and T1 \S+; a leg .*\.\n$/,
      ),
    });
  });
});

function fileKeychain(): Env {
  return {
    CRYPTODATA_CONFIG_DIR: temporary(),
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse',
  };
}
