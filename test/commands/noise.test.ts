// Runs commands in the sandbox and compares everything that they write to stderr.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, sandboxed, temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

const sandbox = await sandboxed({ rows: 200 });
const { env } = sandbox;
const asked = (line: string) => run(line.split(' '), { env });

describe('ledgers --providers', () => {
  test('prints no note if the provider is known', async () => {
    expect((await endHere('ledgers list --providers kraken --all'.split(' '), env)).stderr).toBe('');
  });

  test('an unknown provider is reported once', async () => {
    const { stderr } = await endHere('ledgers list --providers zzzqqq --all'.split(' '), env);
    expect(stderr).toBe('warning: No leg has the provider zzzqqq.\nNo legs found.\n');
  });
});

describe('the period', () => {
  test.each([
    ['ledgers list --providers krakn --period 2025', 'No leg has the provider krakn'],
    ['ledgers list --wallet krakn --period 2025', 'No wallet is called "krakn"'],
    ['ledgers list --columns nosuch --period 2025', 'Unknown column'],
    ['ledgers list --offset 1 --wallet kraken --period 2025', '--offset cannot be combined'],
    ['txns --types deposits --period 2025', 'No transaction has the type deposits'],
    ['txns --offset 1 --period 2025', '--offset cannot be used with a period'],
    ['balances --wallet krakn --as-of 2025-12-31', 'No leg was found with the wallet "krakn"'],
    ['audit --wallet krakn --period 2025', 'No leg was found with the wallet "krakn"'],
    ['events list --period 2025 --store /nonexistent/store', '/nonexistent/store'],
  ])('the period is not printed before the usage error of %s', async (line, message) => {
    const { stderr, code } = await asked(line);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
    expect(stderr.split('\n')[0]).toContain(message);
  });

  test.each(['ledgers list --period 2025', 'balances --as-of 2025-12-31', 'txns --period 2025 -o jsonl'])(
    'the period is printed with the result of %s',
    async (line) => {
      const { stderr, code } = await asked(line);
      expect(code).toBe(0);
      expect(stderr).toMatch(/^(\{"note":")?Period: /);
    },
  );

  test('the period is printed before an error that is not a usage error', async () => {
    const { stderr, code } = await run('ledgers list --period 2025'.split(' '), {
      env: { ...env, CRYPTODATA_ACCESS_TOKEN: 'wrong' },
    });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^Period: .*\nerror: /);
  });
});

describe('counts of rows', () => {
  test.each([
    ['ledgers list --wallet kraken --limit 1', '1 leg shown, and there may be more.'],
    ['providers --limit 1', /^1 of \d+ providers shown\./],
    ['legacy nfts --limit 1', /^1 of \d+ NFTs shown\./],
  ])('"%s" says how many rows it shows', async (line, text) => {
    const { stderr } = await endHere(line.split(' '), env);
    expect(stderr).toMatch(text);
  });
});

test('if the service rounds offsets, an export reports the rounding only once', async () => {
  const all = Array.from({ length: 1001 }, (_, at) => ({ id: `l${at}`, timestamp: 1_700_000_000_000 + at }));
  const { env: rounding } = await stub((_request, response, { pathname, searchParams: query }) => {
    const numberOf = (name: string, usual: number) => Number(query.get(name) ?? usual);
    const found = all.filter(
      ({ timestamp }) =>
        timestamp >= numberOf('startTime', 0) && timestamp <= numberOf('endTime', Number.MAX_SAFE_INTEGER),
    );
    if (query.get('sortOrder') !== 'asc') found.reverse();
    const limit = numberOf('limit', 50);
    const offset = Math.floor(numberOf('offset', 0) / 200) * 200;
    const meta = { total: found.length, limit, offset };
    if (pathname !== '/v1/ledgers')
      sendJson(response, 404, '{"error":{"code":"NOT_FOUND","message":"none"}}');
    else sendJson(response, 200, JSON.stringify({ data: found.slice(offset, offset + limit), meta }));
  });
  const { stderr, error } = await endHere(
    ['ledgers', 'export', '--out', join(temporary(), 'a.jsonl')],
    rounding,
  );
  expect(error).toBeUndefined();
  expect(stderr.match(/The service started at row/g)).toHaveLength(1);
});
