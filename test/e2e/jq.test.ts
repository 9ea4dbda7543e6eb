import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { ENTRY, launch, messagesOf, run, sandboxed, temporary } from './harness.ts';
import { sendJson, stub, stubLedgers } from './stub.ts';

const sandbox = await sandboxed({ rows: 250 });
const { env } = sandbox;

const rows = [
  '{"id":"a","quantity":"1.100000000000000000","n":100000000000000000001,"x":1.5,"t":"tab\\tnew\\nline"}',
  '{"id":"b","quantity":"-0.5","n":0.1000000000000000055511151231257827,"x":null,"t":"\\u001b[31m\\u202e"}',
  '{"id":"c","quantity":"0","n":-12345678901234567890.10,"x":true,"t":""}',
];
const service = await stubLedgers(rows);

const filter = (expression: string, ...more: string[]) =>
  run(['ledgers', 'list', '--limit', '3', '--jq', expression, ...more], { env: service.env });

describe('--jq', () => {
  test.for<[string, string]>([
    ['.[].id', 'a\nb\nc\n'],
    ['length', '3\n'],
    ['map(.id)', '["a","b","c"]\n'],
    ['.[] | .n', '100000000000000000001\n0.1000000000000000055511151231257827\n-12345678901234567890.10\n'],
    ['.[] | [.id, .quantity] | @tsv', 'a\t1.100000000000000000\nb\t-0.5\nc\t0\n'],
    ['.[0].quantity, .[].x', '1.100000000000000000\n1.5\nnull\ntrue\n'],
    ['.[0].t', 'tab\tnew\nline\n'],
    ['.[1].t', '\\u001b[31m\\u202e\n'],
    ['.[1] | {t}', '{"t":"\\u001b[31m\\u202e"}\n'],
    ['[.[] | .x] | tojson', '[1.5,null,true]\n'],
    ['.[] | select(.id == "none")', ''],
    ['-1', '-1\n'],
    ['env | length, (try input catch .), [inputs]', '7\nNo more inputs\n[]\n'],
  ])(
    'prints the result of %s, with unquoted strings and with every digit of numbers',
    async ([expression, printed]) => {
      const { code, stdout, stderr } = await filter(expression);
      expect([code, stdout, stderr]).toEqual([0, printed, '']);
    },
  );

  test('with -o jsonl, --jq filters each row', async () => {
    for (const expression of ['.id', '[.n]', 'input_line_number', '[inputs]', 'try input catch .']) {
      const { code, stdout, stderr } = await filter(expression, '-o', 'jsonl');
      const each = await filter(`.[] | (${expression})`);
      expect([code, stdout, stderr]).toEqual([0, each.stdout, '']);
    }
  });

  test.skipIf(!needs('jq'))('--jq prints the same output as jq -r -c', async () => {
    const list = ['ledgers', 'list', '--limit', '500'];
    const { stdout: input } = await run([...list, '--json'], { env });
    for (const expression of [
      'map({id,type,quantity})',
      '[.[]|.quantity]|sort',
      'group_by(.type)|map({t:.[0].type,n:length})',
      '.[]|.assetId,.missing?',
    ]) {
      const expected = spawnSync('jq', ['-r', '-c', expression], { input, encoding: 'utf8' }).stdout;
      expect(expected).not.toBe('');
      expect((await run([...list, '--jq', expression], { env })).stdout).toBe(expected);
    }
  });

  test('with --jsonl, --jq prints the rows as they arrive', async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const rows = Array.from({ length: 400 }, (_, at) => `{"id":"r${at}"}`);
    const slow = await stub((_request, response, { searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      const page = () =>
        sendJson(
          response,
          200,
          `{"data":[${rows.slice(offset, offset + 200).join(',')}],"meta":{"total":400,"limit":200,"offset":${offset}}}`,
        );
      if (offset === 0) page();
      else void asked.then(page);
    });
    const going = launch(process.execPath, [ENTRY, 'ledgers', 'list', '--all', '--jsonl', '--jq', '.id'], {
      env: slow.env,
    });
    const first = await new Promise((resolve) =>
      going.child.stdout?.once('data', (part) => resolve(String(part))),
    );
    expect(first).toMatch(/^r0\nr1\n/);
    expect(first).not.toContain('r200');
    answer();
    const { code, stdout } = await going.ended;
    expect([code, stdout.split('\n').length]).toEqual([0, 401]);
  });

  test.for<[string, string, string | null]>([
    [
      '.[',
      'Invalid --jq expression: syntax error, unexpected end of file at line 1, column 2',
      '    .[\n     ^',
    ],
    [
      '.[]\n| foo',
      'Invalid --jq expression: foo/0 is not defined at line 2, column 3',
      '    | foo\n      ^^^',
    ],
    ['', 'Invalid --jq expression: Top-level program not given (try ".")', null],
  ])('explains why the expression %j is invalid, and sends nothing', async ([expression, message, hint]) => {
    const { requests } = service;
    requests.length = 0;
    const { code, stdout, stderr } = await filter(expression);
    expect([code, stdout, requests]).toEqual([2, '', []]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'BAD_JQ', message, hint } });
  });

  test('--jq exits with 2 if the expression cannot be applied to the result', async () => {
    const { code, stdout, stderr } = await filter('.id');
    expect([code, stdout]).toEqual([2, '']);
    expect(messagesOf(stderr).error).toMatchObject({
      code: 'JQ_FAILED',
      message: '--jq failed: Cannot index array with string ("id")',
    });
  });

  test('if the expression fails for a row, --jq continues with the next row and finally exits with 2', async () => {
    const { code, stdout, stderr } = await filter(
      'if .id == "b" then error("no \\(.id)") else .id end',
      '--jsonl',
    );
    expect([code, stdout]).toEqual([2, 'a\nc\n']);
    expect(messagesOf(stderr).error).toMatchObject({ message: '--jq failed: no b' });
  });

  test.for([
    ['--csv', 'USAGE'],
    ['-o table', 'USAGE'],
  ])('--jq cannot be combined with %s', async ([format = '', code]) => {
    const result = await filter('.', ...format.split(' '));
    expect(result.code).toBe(2);
    expect(messagesOf(result.stderr).error).toMatchObject({ code });
  });

  test('--jq uses -o json instead of the format in the settings', async () => {
    const { stdout } = await run(['ledgers', 'list', '--limit', '3', '--jq', 'length'], {
      env: { ...service.env, CRYPTODATA_OUTPUT: 'jsonl' },
    });
    expect(stdout).toBe('3\n');
  });

  test('rejects --jq before the command runs if the command has no JSON result', async () => {
    const folder = join(temporary(), 'config');
    mkdirSync(folder);
    writeFileSync(join(folder, 'config.toml'), '');
    const { code, stderr } = await run(['config', 'set', 'tz', 'UTC', '--jq', '.'], {
      env: { CRYPTODATA_CONFIG_DIR: folder },
    });
    expect(code).toBe(2);
    expect(messagesOf(stderr).error).toMatchObject({ code: 'NO_JSON' });
  });

  test('--jq filters the response body of the command "api"', async () => {
    const { stdout } = await run(['api', '/v1/users/me', '--jq', '.data.uid'], { env });
    expect(stdout).toBe(`${sandbox.truth.uid}\n`);
  });

  test('Ctrl-C immediately stops a command whose --jq expression runs forever', async () => {
    const going = launch(
      process.execPath,
      [ENTRY, 'ledgers', 'list', '--limit', '3', '--jq', 'def f: f; f'],
      { env: service.env },
    );
    const { requests } = service;
    requests.length = 0;
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    going.child.kill('SIGINT');
    expect((await going.ended).code).toBe(130);
  });
});
