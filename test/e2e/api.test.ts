import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asked, messagesOf, run, sandboxed, temporary } from './harness.ts';
import { sendJson, stub } from './stub.ts';
import { readCells, readLines, readRows } from './values.ts';

const sandbox = await sandboxed({ rows: 300 });
const { env, url } = sandbox;
const DIGITS = '123456789012345678901234567890.10';

async function ok(...args: string[]) {
  const result = await run(['api', ...args], { env });
  expect(result.code, result.stderr).toBe(0);
  return result;
}

describe('api GET', () => {
  test('"api" prints the body as JSON by default', async () => {
    const { stdout } = await ok('GET', '/v1/users/me');
    expect(stdout).toBe(`{\n  "success": true,\n  "data": {\n    "uid": "${sandbox.truth.uid}"\n  }\n}\n`);
    expect((await ok('/v1/users/me', '--jsonl')).stdout).toBe(
      `{"success":true,"data":{"uid":"${sandbox.truth.uid}"}}\n`,
    );
  });

  test('"api" adds the parameters of -q to the query string of the path', async () => {
    await sandbox.reset();
    await ok('get', 'v1/ledgers?types=fee%2Cincoming&sortOrder=asc', '-q', 'limit=2');
    expect(asked(sandbox)).toMatchObject([
      { path: '/v1/ledgers', query: { types: 'fee,incoming', sortOrder: 'asc', limit: '2' } },
    ]);
  });

  test('"api GET --all" prints one array with all rows', async () => {
    expect(readRows((await ok('GET', '/v1/ledgers', '--all')).stdout)).toHaveLength(300);
    expect(readLines((await ok('GET', '/v1/ledgers', '--all', '--jsonl')).stdout)).toHaveLength(300);
    expect(readCells((await ok('GET', '/v1/ledgers', '--all', '--csv')).stdout)).toHaveLength(300);
    expect(readCells((await ok('GET', '/v1/ledgers?limit=3', '--csv')).stdout)).toHaveLength(3);
  });

  test('-o jsonl prints a list with one row per line, and the body of any other response on one line', async () => {
    const { stdout, stderr } = await ok('GET', '/v1/ledgers?limit=3', '--jsonl');
    expect(readLines(stdout)).toEqual(
      readRows((await ok('GET', '/v1/ledgers?limit=3', '--all')).stdout).slice(0, 3),
    );
    expect(JSON.parse(stderr)).toEqual({ note: '3 of 300 rows shown. --all shows all of them.' });
    const record = '{"success":true,"data":{"status":"done","errors":[{"row":1}]}}';
    const service = await stub((_request, response) => sendJson(response, 200, record));
    const other = await run(['api', 'GET', '/x', '-o', 'jsonl'], { env: service.env });
    expect(other.stdout).toBe(`${record}\n`);
  });

  test('"api GET" keeps every digit and escapes control characters', async () => {
    const body = `{"n":${DIGITS},"name":"\\u001b[31m","id":9007199254740993}`;
    const service = await stub((_request, response) => sendJson(response, 200, body));
    const { stdout } = await run(['api', 'GET', '/x', '--jsonl'], { env: service.env });
    expect(stdout).toBe(`${body}\n`);
  });

  test('--include prints the status and the headers', async () => {
    const service = await stub((_request, response) =>
      sendJson(response, 200, '{}', { 'x-request-id': 'r1' }),
    );
    const { stdout, stderr } = await run(['api', 'GET', '/x', '--include'], { env: service.env });
    expect(stdout).toBe('{}\n');
    expect(stderr).toMatch(/^HTTP 200\n/);
    expect(stderr).toContain('x-request-id: r1\n');
  });

  test('"api" prints a note on stderr if the response has no body', async () => {
    const service = await stub((_request, response) => void response.writeHead(204).end());
    const { code, stdout, stderr } = await run(['api', 'GET', '/x'], { env: service.env });
    expect([code, stdout, stderr]).toEqual([0, '', 'HTTP 204, no body.\n']);
  });

  test('"api" can request the provider catalogue without a login', async () => {
    const bare = {
      CRYPTODATA_BASE_URL: url,
      CRYPTODATA_LEGACY_PUBLIC_URL: env.CRYPTODATA_LEGACY_PUBLIC_URL,
      CRYPTODATA_KEYCHAIN: 'file',
    };
    for (const args of [['/v1/providers'], ['/integrations/public/list', '--legacy-public']]) {
      const { code, stderr } = await run(['api', 'GET', ...args], { env: bare });
      expect(code, stderr).toBe(0);
    }
  });

  test('--legacy sends the legacy credentials to the legacy API', async () => {
    expect(JSON.parse((await ok('GET', '/api/v1/userinfo', '--legacy')).stdout)).toMatchObject({
      user_id: sandbox.truth.uid,
    });
  });

  test('"api" exits with 5 for a 404 from the service', async () => {
    const { code, stderr } = await run(['api', 'GET', '/v1/ledgers/led_none', '--json'], { env });
    expect(code).toBe(5);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'NOT_FOUND', status: 404 } });
  });
});

describe('api with a full URL or an invalid request', () => {
  test('"api" accepts a full URL that starts with a configured address', async () => {
    const { stdout } = await ok('GET', `${url}/v1/users/me`, '--jsonl');
    expect(stdout).toContain(sandbox.truth.uid);
  });

  test.for([
    'http://127.0.0.1:1/v1/users/me',
    'https://example.com/v1/users/me',
    '//example.com/v1/users/me',
    `${url}.example.com/v1/users/me`,
    `${url}@example.com/v1/users/me`,
    'file:///etc/passwd',
  ])('"api" rejects %s, and sends no credentials', async (address) => {
    await sandbox.reset();
    const { code, stderr } = await run(['api', 'GET', address], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('does not start with a configured address')]);
    expect(asked(sandbox)).toEqual([]);
  });

  test.for([
    ['GET /v1/../oidc/userinfo', '".."'],
    ['GET /v1/%2e%2e/oidc/userinfo', '".."'],
    ['GET /v1/a%2fb', 'is not a valid id'],
    ['GET /v1/%zz', 'Invalid percent-encoding'],
    ['GET /v1/x#y', '%23'],
    ['GET /v1//x', 'is not a valid id'],
    ['GET /v1/x?a=1&a=2', 'Duplicate parameter a'],
    ['GET /v1/x?a=1 -q a=2', 'Duplicate parameter a: in the path and in -q'],
    ['GET /v1/x?wid=ws_1', 'only API keys accept a workspace'],
    ['POST /v1/x -d {"a":1,"a":2} --yes', 'duplicate name "a" in an object'],
    ['GTE /v1/x', 'Did you mean GET?'],
    ['users', 'The path is missing'],
    ['GET /v1/x -d {}', '--data cannot be used with GET'],
    ['POST /v1/x --all', '--all works only with GET'],
    ['GET /v1/x --all --include', '--all and --include cannot be used together'],
    ['GET /v1/x --legacy --legacy-public', '--legacy and --legacy-public cannot be used together'],
    ['POST /v1/x -d {nope', '--data is not valid JSON'],
    ['POST /v1/x -d @/nonexistent', 'the file does not exist'],
    ['POST /v1/x -d {}', '--yes'],
    ['DELETE /v1/x', '--yes'],
  ] as const)('"api" rejects %s before any request', async ([line, words]) => {
    await sandbox.reset();
    const { code, stdout, stderr } = await run(['api', ...line.split(' ')], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(asked(sandbox)).toEqual([]);
  });
});

describe('api with a write method', () => {
  const body = `[{"id":"txn_none","n":${DIGITS}}]`;

  test.for(['argument', 'file', 'stdin'] as const)(
    'every digit of a JSON body is sent (source: %s)',
    async (from) => {
      const file = join(temporary(), 'b.json');
      writeFileSync(file, body);
      const data = from === 'argument' ? body : from === 'file' ? `@${file}` : '-';
      const came: string[] = [];
      const service = await stub((request, response) => {
        request.on('data', (part) => came.push(`${request.method} ${part}`));
        request.on('end', () => sendJson(response, 201, '{"ok":true}'));
      });
      const { code, stdout } = await run(['api', 'put', '/v1/x', '-d', data, '--yes', '--jsonl'], {
        env: service.env,
        input: body,
      });
      expect([code, stdout]).toEqual([0, '{"ok":true}\n']);
      expect(came).toEqual([`PUT ${body}`]);
    },
  );

  test('"api --dry-run" prints the request without sending it', async () => {
    await sandbox.reset();
    const { stdout } = await ok('POST', '/v1/things?a=b', '-d', body, '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', url: `${url}/v1/things?a=b` });
    expect(stdout).toContain(DIGITS);
    expect(stdout).not.toContain(env['CRYPTODATA_ACCESS_TOKEN']);
    expect(asked(sandbox)).toEqual([]);
  });

  test('"api" exits with 11 if a 2xx response reports failures', async () => {
    const args = ['api', 'POST', '/v1/transactions/batch', '-d', body, '--yes'];
    const { code, stdout } = await run(args, { env });
    expect([code, JSON.parse(stdout)]).toEqual([11, { data: { errorCount: 1 } }]);
  });

  test.for([
    ['{"data":{"failed":[{"id":"a"},{"id":"b"}]}}', 11],
    ['{"success":true,"data":{"failures":[1]}}', 11],
    ['{"success":true,"data":{"failures":[],"failed":[]}}', 0],
    ['{"success":true,"data":{"errorCount":0}}', 0],
  ] as const)('the 2xx response %s makes "api" exit with %d', async ([answer, wanted]) => {
    const service = await stub((_request, response) => sendJson(response, 200, answer));
    const args = ['api', 'POST', '/v1/x', '--yes', '--jsonl'];
    const { code, stdout } = await run(args, { env: service.env });
    expect([code, stdout]).toEqual([wanted, `${answer}\n`]);
  });
});

describe('api with a legacy or unknown path', () => {
  test.for([
    ['GET /v1/userinfo', 'use /v1/users/me'],
    ['GET /v1/nft-holdings', 'use /v1/nfts'],
    ['GET /v1/holdings/graph', 'it has no replacement'],
    ['POST /v0/transactions --yes', 'it has no replacement'],
    ['GET /v0/nosuch', 'it has no replacement'],
    ['GET /api/v1/holdings', 'use /v1/holdings'],
    ['GET /api/v0/nosuch', 'it has no replacement'],
    ['GET /api/nosuch', 'the list of changed paths does not contain it'],
  ] as const)('warns about %s: %s', async ([line, words]) => {
    const { stderr } = await run(['api', ...line.split(' '), '--json'], { env });
    const { warnings, error } = messagesOf(stderr);
    expect(warnings).toEqual([expect.stringContaining(words)]);
    // The hint repeats the warning, and does not suggest logging in again or checking an id.
    expect(error?.['hint']).toBe(`${warnings[0]}.`);
    expect(error?.['hint']).toMatch(/To call the legacy API, add --legacy\.$/);
  });

  test('after a 404, the hint suggests checking the id (known endpoint) or the path (unknown endpoint)', async () => {
    const hint = async (path: string) =>
      messagesOf((await run(['api', path, '--json'], { env })).stderr).error?.['hint'];
    expect(await hint('/v1/ledgers/nosuch')).toMatch(/^Check the id/);
    expect(await hint('/v1/ledgrs')).toBe(
      'The specification does not contain this path. Did you mean /v1/ledgers?',
    );
    expect(await hint('/v1/zzzzzzzzzzzzzzzzzzzzzzzzzzzzzz')).toBe(
      'The specification does not contain this path. Check the spelling.',
    );
  });

  test('--legacy accepts a legacy path, and a current path causes no warning', async () => {
    expect((await ok('GET', '/api/v1/userinfo', '--legacy')).stderr).toBe('');
    expect((await ok('GET', '/v1/holdings')).stderr).toBe('');
  });
});

describe('api with a full URL, if one configured address is a prefix of another', () => {
  const heads: { url: string; authorization: string | undefined; client: string | undefined }[] = [];
  const echo = stub((request, response) => {
    const { authorization, 'x-client-id': client } = request.headers;
    heads.push({ url: request.url ?? '', authorization, client: Array.isArray(client) ? client[0] : client });
    sendJson(response, 200, '{"success":true,"data":[]}');
  });

  test.each([
    ['/pub/integrations/public/list', undefined, undefined],
    ['/old/api/v1/holdings', 'Bearer stub-token', 'the-client'],
    ['/v1/users/me', 'Bearer stub-token', undefined],
  ])(
    '"api" sends the credentials of the longest configured address with which the URL begins (path: %s)',
    async (path, authorization, client) => {
      const service = await echo;
      heads.length = 0;
      const nested = {
        ...service.env,
        CRYPTODATA_LEGACY_BASE_URL: `${service.url}/old`,
        CRYPTODATA_LEGACY_PUBLIC_URL: `${service.url}/pub`,
        CRYPTODATA_CLIENT_ID: 'the-client',
        CRYPTODATA_CLIENT_SECRET: 'the-secret',
      };
      const { code, stderr } = await run(['api', 'GET', `${service.url}${path}`], { env: nested });
      expect(code, stderr).toBe(0);
      expect(heads).toEqual([{ url: path, authorization, client }]);
    },
  );

  test('"api" selects the API by path if both APIs have the same address', async () => {
    const service = await echo;
    heads.length = 0;
    const one = {
      CRYPTODATA_BASE_URL: service.url,
      CRYPTODATA_LEGACY_BASE_URL: service.url,
      CRYPTODATA_API_KEY: 'k',
      CRYPTODATA_WORKSPACE: 'ws_1',
    };
    for (const path of ['/api/v1/integrations', '/v1/integrations']) {
      expect((await run(['api', 'GET', `${service.url}${path}`], { env: one })).code).toBe(0);
    }
    expect(heads.map((head) => head.url)).toEqual([
      '/api/v1/integrations?wid=ws_1',
      '/v1/integrations?wid=ws_1',
    ]);
  });
});

describe('api with a 2xx response', () => {
  test.each([
    ['{"success":false,"error":"nope","code":"NOT_FOUND"}', 5],
    ['{"success":true,"data":{"status":"partially_synced","recordsFailed":3}}', 11],
    ['{"success":true,"data":{"status":"cancelled"}}', 0],
  ])('"api" prints the 2xx response %s, and exits with %i', async (body, exit) => {
    const service = await stub((_request, response) => sendJson(response, 200, body));
    const { code, stdout } = await run(['api', 'GET', '/v1/x', '--jsonl'], { env: service.env });
    expect([code, stdout]).toEqual([exit, `${body}\n`]);
  });

  test.each([
    ['{"data":{"failed":{"a":"x"}}}', 11],
    ['{"data":{"failed":2}}', 11],
    ['{"data":{"failed":[]}}', 0],
    ['{"data":{"errorCount":-1}}', 0],
  ])('the response %s to a write request makes "api" exit with %i', async (body, exit) => {
    const service = await stub((_request, response) => sendJson(response, 200, body));
    expect((await run(['api', 'POST', '/v1/x', '--yes'], { env: service.env })).code).toBe(exit);
  });
});

test('"api" sends the given body unchanged, and --dry-run prints the body unchanged', async () => {
  const bodies: string[] = [];
  const service = await stub((request, response) => {
    request.setEncoding('utf8').on('data', (part) => bodies.push(part));
    request.on('end', () => sendJson(response, 200, '{}'));
  });
  const given = '{"amount":1.10,"z":-0,"e":1.0E2,"big":1.000000000000000000000}';
  const shown = await run(['api', 'POST', '/v1/x', '-d', given, '--dry-run', '--jsonl'], {
    env: service.env,
  });
  expect(shown.stdout).toContain(`"body":${given}`);
  expect(bodies).toEqual([]);
  expect((await run(['api', 'POST', '/v1/x', '-d', given, '--yes'], { env: service.env })).code).toBe(0);
  expect(bodies.join('')).toBe(given);
});

test('"api --debug" masks a secret in the query', async () => {
  const { stderr } = await run(['api', 'GET', '/v1/users/me?apiKey=hunter2&limit=5', '--debug'], { env });
  expect(stderr).toContain('apiKey=***&limit=5');
  expect(stderr).not.toContain('hunter2');
});
