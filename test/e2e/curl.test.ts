import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { bash, filesIn, run, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';

/** Headers that differ between HTTP clients. */
const OF_CLIENT = [
  'host',
  'connection',
  'keep-alive',
  'user-agent',
  'accept-encoding',
  'cache-control',
  'transfer-encoding',
];

interface Arrived {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const arrived: Arrived[] = [];
const service = await stub((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !OF_CLIENT.includes(name)),
    );
    arrived.push(
      withoutBoundary({
        method: request.method,
        url: request.url,
        headers,
        body: Buffer.concat(parts).toString('utf8'),
      }),
    );
    sendJson(response, 200, '{"data":[],"meta":{"total":0,"limit":50,"offset":0}}');
  });
});

/** Replaces the multipart boundary and removes the content length, because both differ between HTTP clients. */
function withoutBoundary(request: Arrived): Arrived {
  const [, boundary] = /boundary=(.+)/.exec(request.headers['content-type'] ?? '') ?? [];
  if (boundary === undefined) return request;
  const { 'content-length': _, ...headers } = request.headers;
  return {
    ...request,
    headers: { ...headers, 'content-type': 'multipart/form-data' },
    body: request.body.replaceAll(boundary, 'BOUNDARY').replaceAll(/^-+BOUNDARY/gm, '--BOUNDARY'),
  };
}

const SECRET = `it's"$HOME"\`id\``;
const env = {
  CRYPTODATA_BASE_URL: `${service.url}/data`,
  CRYPTODATA_LEGACY_BASE_URL: service.url,
  CRYPTODATA_LEGACY_PUBLIC_URL: service.url,
  CRYPTODATA_AUTH_URL: service.url,
  CRYPTODATA_ACCESS_TOKEN: SECRET,
};
const keyed = {
  ...env,
  CRYPTODATA_ACCESS_TOKEN: '',
  CRYPTODATA_API_KEY: SECRET,
  CRYPTODATA_WORKSPACE: 'ws_1',
};

/**
 * Runs a command, and then the curl command that `--curl` prints. Returns the first request of the command and the first
 * request of curl.
 */
async function both(
  args: readonly string[],
  { env: given = env, input = '' } = {},
): Promise<[Arrived, Arrived]> {
  arrived.length = 0;
  const sent = await run(args, { env: given, input });
  const [own] = arrived;
  if (!own) throw new Error(`no request of ${args.join(' ')}: ${sent.stderr}`);
  arrived.length = 0;
  const printed = await run([...args, '--curl'], { env: given, input });
  expect(printed.code, printed.stderr).toBe(0);
  expect(arrived, 'sends nothing').toEqual([]);
  expect(printed.stdout).not.toContain(SECRET);
  const script = join(temporary(), 'script');
  writeFileSync(script, printed.stdout);
  const { code, stderr } = await bash(`. ${script}`, { env: given });
  expect(code, stderr).toBe(0);
  const [curled] = arrived;
  if (!curled) throw new Error(`no request of ${printed.stdout}`);
  return [own, curled];
}

describe('--curl prints a curl command that sends the same request', () => {
  test.for([
    ['ledgers list', []],
    ['ledgers list --providers kraken --limit 3', [], 'skips the checks of filter values'],
    ['ledgers get', ["it's $HOME"]],
    ['whoami', []],
    ['holdings defi --totals', []],
    ['providers list --search', ['a b&c=d']],
    ['sync resync-all --yes', []],
    ['integrations batch-delete --yes --field ids', ['A', "B'"]],
    ['api HEAD /v1/x', []],
    ['api DELETE /v1/x --yes', []],
  ] as const)('%s', async ([line, more, reason]) => {
    const [own, curled] = await both([...line.split(' '), ...more]);
    if (reason === undefined) expect(curled).toEqual(own);
    else expect(curled.url).toBe('/data/v1/ledgers?providers=kraken&limit=3');
  });

  test('--curl prints a working command that sends an API key and its workspace', async () => {
    const [own, curled] = await both(['legacy', 'integrations'], { env: keyed });
    expect(curled).toEqual(own);
    expect(curled).toMatchObject({
      url: '/api/v1/integrations?wid=ws_1',
      headers: { 'x-api-key': SECRET },
    });
  });

  test('--curl prints a working command that sends a client id and secret to the legacy API', async () => {
    const client = { ...env, CRYPTODATA_CLIENT_ID: `id"'1`, CRYPTODATA_CLIENT_SECRET: `${SECRET}2` };
    const [own, curled] = await both(['legacy', 'holdings'], { env: client });
    expect(curled).toEqual(own);
    expect(curled.headers).toMatchObject({ 'x-client-id': `id"'1`, 'x-client-secret': `${SECRET}2` });
  });

  test('--curl prints a working command for any characters in the parameters and the body', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'\'"`$\\!{}[]()&;|<>*?#~ \n\t@%=-'), minLength: 1 }),
    );
    const parameters = fc.uniqueArray(
      fc.tuple(
        hostile.map((name) => name.replaceAll(/[=\0]|^wid$/g, '_')),
        hostile.map((value) => value.replaceAll('\0', '_')),
      ),
      { minLength: 4, maxLength: 4, selector: ([name]) => name },
    );
    const body = fc.tuple(hostile, fc.json({ maxDepth: 2 }));
    await fc.assert(
      // Each run starts four programs. To save time, each request has several parameters.
      fc.asyncProperty(parameters, body, async (given, [text, json]) => {
        const queries = given.map(([name, value]) => `--query=${name}=${value}`);
        const [own, curled] = await both(['api', 'POST', '/v1/x', '--yes', ...queries, '-d', '-'], {
          input: JSON.stringify([text, ...given, JSON.parse(json)]),
        });
        expect(curled).toEqual(own);
      }),
      { numRuns: runs(4) },
    );
  });

  test('--curl prints a working command for a body longer than the maximum argument length', async () => {
    const [own, curled] = await both(['api', 'POST', '/v1/x', '--yes', '-d', '-'], {
      input: JSON.stringify({ text: "it's long".repeat(30_000) }),
    });
    expect(own.body.length).toBeGreaterThan(200_000);
    expect(curled).toEqual(own);
  });

  test('--curl prints a working command for a form with files', async () => {
    const file = join(temporary(), `it's "a";,b $HOME.csv`);
    writeFileSync(file, 'date,amount\n2025-01-01,1.10\n');
    const [own, curled] = await both([
      'csv',
      'upload',
      file,
      '--field',
      'files',
      '--form',
      `note=@/etc/passwd;"'`,
      '--yes',
    ]);
    expect(own.body).toContain('1.10');
    expect(curled).toEqual(own);
  });
});

describe('--curl', () => {
  const { CRYPTODATA_ACCESS_TOKEN: _, ...out } = env;

  test('--curl needs no login and no keychain', async () => {
    const { code, stdout, stderr } = await run(['ledgers', '--curl'], { env: out });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'No request was sent. Only the first request is shown; the command may need more.\n',
    });
    expect(stdout).toBe(
      `curl ${service.url}/data/v1/ledgers \\\n  -H 'accept: application/json' \\\n  -H "Authorization: Bearer $CRYPTODATA_ACCESS_TOKEN"\n`,
    );
  });

  test('if a workspace is set, the command that --curl prints uses $CRYPTODATA_API_KEY', async () => {
    const { stdout } = await run(['ledgers', '--workspace', 'ws_7', '--curl'], { env: out });
    expect(stdout).toContain('ledgers?wid=ws_7');
    expect(stdout).toContain('-H "X-API-Key: $CRYPTODATA_API_KEY"');
  });

  test('--curl masks credentials in the body, and does not ask for confirmation before a write', async () => {
    const { code, stdout } = await run(['integrations', 'test-credentials', '--curl'], {
      env: out,
      input: '{"secret":"hunter2"}',
    });
    expect(code).toBe(0);
    expect(stdout).toContain(`--data-raw '{"secret":"***"}'`);
  });

  test('with -o json, --curl prints the command as text and the notes as JSON', async () => {
    const { stdout, stderr } = await run(['ledgers', '--curl', '--json'], { env: out });
    expect(stdout).toMatch(/^curl http/);
    expect(JSON.parse(stderr)).toMatchObject({ note: expect.stringContaining('No request was sent') });
  });

  test('--curl creates no file for commands that write files', async () => {
    const folder = temporary();
    arrived.length = 0;
    for (const args of [
      ['ledgers', 'export', '--out', 'a.csv'],
      ['txns', 'export', '--out', 'a.csv'],
      ['close', 'run', '--period', '2024', '--out', 'pack'],
      ['legacy', 'post', 'in.csv', '--wallet-id', 'w', '--receipt', 'r.json', '--workspace', 'ws_1'],
    ]) {
      writeFileSync(
        join(folder, 'in.csv'),
        'timestamp,transactionType,transactionId,receivedCurrency.currency,receivedCurrency.amount\n1700000000000,deposit,t1,BTC,1\n',
      );
      const { code, stderr } = await run([...args, '--curl'], {
        env: { ...out, CRYPTODATA_CONFIG_DIR: join(folder, 'config') },
        cwd: folder,
      });
      expect({ args, code, stderr }).toEqual({
        args,
        code: 0,
        stderr: expect.stringContaining('No request was sent'),
      });
    }
    expect(filesIn(folder)).toEqual(['in.csv']);
    expect(arrived).toEqual([]);
  });

  test.for([
    ['config set tz UTC', 'NO_REQUEST'],
    ['login', 'NO_REQUEST'],
    ['sandbox start', 'NO_REQUEST'],
    ['events list', 'NO_REQUEST'],
    ['legacy renames', 'NO_REQUEST'],
    ['ledgers --jq .', 'USAGE'],
    ['ledgers -p a,b', 'ONE_PROFILE_ONLY'],
    ['ledgers -p unknown', 'UNKNOWN_PROFILE'],
    ['legacy integrations', 'NEEDS_API_KEY'],
  ])('--curl is rejected with exit code 2 for the command "%s"', async ([line = '', code]) => {
    const directory = temporary();
    const result = await run([...line.split(' '), '--curl', '--json'], {
      env: { ...out, CRYPTODATA_CONFIG_DIR: directory },
    });
    expect([result.code, result.stdout, filesIn(directory)]).toEqual([2, '', []]);
    expect(JSON.parse(result.stderr)).toMatchObject({ error: { code } });
  });
});
