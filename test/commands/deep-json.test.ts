import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAccessTokenClaims } from '../../src/auth/claims.ts';
import type { AuthHost } from '../../src/auth/host.ts';
import { registrationAt } from '../../src/auth/server.ts';
import { exchangeCode, introspect, refreshToken } from '../../src/auth/token.ts';
import { MAX_DEPTH, parseJson } from '../../src/core/json.ts';
import { Redactor } from '../../src/core/redact.ts';
import { checkDelivery } from '../../src/events/check.ts';
import { AUTH, failure, testHost } from '../auth/support.ts';
import { filesIn, run, temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const DEEP = deep(20_000);
/** Inside a response, this JSON reaches the maximum depth that the tool accepts. */
const ALLOWED = deep(MAX_DEPTH - 3);
const leg = (id: string, more: string) => `{"id":"${id}","timestamp":1000,"assetRaw":${more}}`;

let extra = DEEP;
const service = await stub((_request, response, { pathname, searchParams }) => {
  if (pathname === '/v1/refused') return sendJson(response, 403, `{"error":${extra}}`);
  if (!/^\/v1\/(ledgers|transactions)$/.test(pathname)) return sendJson(response, 200, leg('a', extra));
  const rows = Number(searchParams.get('offset')) > 0 ? [] : [leg('a', '{}'), leg('b', extra)];
  sendJson(response, 200, `{"data":[${rows}],"meta":{"total":2,"limit":200,"offset":0}}`);
});
const EXCHANGE = {
  ...{ code: 'c', state: 's', redirectUri: 'http://127.0.0.1/callback' },
  ...{ codeVerifier: 'v'.repeat(43), clientSecret: 'secret' },
};
const directory = temporary();
const input = join(directory, 'deep.json');
writeFileSync(input, DEEP);

async function ended(line: string, stdin = '') {
  const { error, stdout, stderr } = await endHere(line.split(' '), service.env, stdin);
  return { error, stdout, stderr };
}

describe('JSON nested 20,000 levels deep', () => {
  test.each([
    'ledgers list',
    'ledgers list --all --json',
    'ledgers get a',
    'ledgers negative',
    'txns list --csv',
    'api GET /v1/anything',
    'api GET /v1/ledgers --all',
    'whoami --fresh',
    ...['csv', 'json', 'jsonl', 'xlsx', 'parquet'].map(
      (format) => `ledgers export --out ${join(directory, `x.${format}`)}`,
    ),
    `ledgers export --sum-by asset --out ${join(directory, 'sums.csv')}`,
    `txns export --out ${join(directory, 'txns.csv')}`,
    'ledgers export --out - --format jsonl',
  ])('deeply nested JSON from the service causes NESTED_TOO_DEEPLY: %s', async (line) => {
    extra = DEEP;
    expect((await ended(line)).error).toMatchObject({ code: 'NESTED_TOO_DEEPLY', kind: 'service' });
    expect(filesIn(directory)).toEqual(['deep.json']);
  });

  test('deeply nested JSON does not hide the status of an error response', async () => {
    extra = DEEP;
    expect((await ended('api GET /v1/refused')).error).toMatchObject({ kind: 'forbidden', status: 403 });
  });

  test.each([
    ['--data', `api POST /v1/x -d ${DEEP}`],
    ['a file for --data', `api POST /v1/x -d @${input}`],
    ['legacy post', `legacy post ${input} --dry-run --wallet-id w`],
    ['events verify', `events verify ${input}`],
    ['events replay', `events replay --store ${input} --forward-to http://127.0.0.1:1`],
    ['sandbox data', `sandbox data import ${input} --as labels`],
  ])('deeply nested JSON from the user is reported as a usage error: %s', async (_, line) => {
    const { error } = await ended(line);
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('nested more than') });
  });

  test.each([
    [
      'exchangeCode',
      '/oidc/token',
      (host: AuthHost) => exchangeCode(host, registrationAt(AUTH, 'c'), EXCHANGE),
    ],
    [
      'refreshToken',
      '/oidc/token',
      (host: AuthHost) => refreshToken(host, registrationAt(AUTH, 'c'), 's', 'r'),
    ],
    ['introspect', '/oidc/token/introspection', (host: AuthHost) => introspect(host, async () => 'token')],
  ] as const)(
    'deeply nested JSON from the authorization server causes NESTED_TOO_DEEPLY: %s',
    async (_, path, call) => {
      const host = testHost();
      const body = `{"access_token":"at","token_type":"Bearer","extra":${DEEP}}`;
      const json = { headers: { 'content-type': 'application/json' } };
      host.dispatcher.get(AUTH).intercept({ path, method: 'POST' }).reply(200, body, json);
      expect(await failure(call(host))).toMatchObject({ code: 'NESTED_TOO_DEEPLY', kind: 'service' });
    },
  );

  test('a deeply nested claim does not prevent reading the other claims of an access token', () => {
    const payload = Buffer.from(`{"workspaceId":"ws_1","extra":${DEEP}}`).toString('base64url');
    expect(readAccessTokenClaims(`e30.${payload}.x`).workspaceId).toBe('ws_1');
  });

  test('the listener accepts a delivery with deeply nested JSON, and reports the problem', () => {
    const checked = checkDelivery(Buffer.from(`{"id":"whd_1","data":${DEEP}}`));
    expect(checked).toMatchObject({ isJson: true, id: null });
    expect(checked.problems.join()).toContain('nested more than');
  });

  test('"events verify" reports deeply nested JSON and continues with the next line', async () => {
    const body = `{"id":"whd_1","event":"costbasis.started","data":${DEEP}}`;
    const { stdout } = await ended('events verify - --json', `${body}\n{"id":"whd_2","event":"x"}\n`);
    expect(JSON.parse(stdout)).toMatchObject([
      { line: 1, problem: `the line cannot be read: it is nested more than ${MAX_DEPTH} levels deep` },
      { line: 2 },
      ...Array(JSON.parse(stdout).length - 2).fill({ line: 2 }),
    ]);
  });

  test('the redactor masks secrets in deeply nested JSON', () => {
    const redactor = new Redactor();
    redactor.conceal('hunter2-hunter2');
    const text = `{"a":${DEEP},"b":"hunter2-hunter2"}`;
    expect(redactor.redact(text)).toBe(text.replace('hunter2-hunter2', '***'));
  });

  test('deeply nested JSON makes the built binary exit with 9', async () => {
    extra = DEEP;
    const { code, stdout, stderr } = await run(['ledgers', 'list', '--json'], { env: service.env });
    expect({ code, stdout: stdout.trim(), error: JSON.parse(stderr).error.code }).toEqual({
      ...{ code: 9, stdout: '', error: 'NESTED_TOO_DEEPLY' },
    });
  });
});

describe('JSON nested to the maximum depth', () => {
  test.each(['ledgers list --json', 'ledgers list --csv --columns id,assetRaw', 'api GET /v1/ledgers'])(
    'JSON nested to the maximum depth is printed completely: %s',
    async (line) => {
      extra = ALLOWED;
      const { stdout, error } = await ended(line);
      expect(error).toBeUndefined();
      expect(stdout.replace(/\s/g, '')).toContain(ALLOWED);
    },
  );

  test.each(['csv', 'json', 'jsonl', 'xlsx', 'parquet'])(
    'JSON nested to the maximum depth is exported as %s',
    async (format) => {
      extra = ALLOWED;
      const out = join(temporary(), `x.${format}`);
      expect(
        (await ended(`ledgers export --out ${out} --columns id,timestamp,assetRaw`)).error,
      ).toBeUndefined();
    },
  );

  test('parseJson accepts JSON of the maximum depth, rejects deeper JSON, and ignores brackets in strings', () => {
    const brackets = JSON.stringify('[{"\\'.repeat(1000));
    const within = (levels: number) => `{"a":${brackets},"b":${deep(levels - 1)}}`;
    expect(parseJson(within(MAX_DEPTH))).toMatchObject({ a: JSON.parse(brackets) });
    expect(() => parseJson(within(MAX_DEPTH + 1))).toThrow('nested more than 500 levels deep');
  });
});
