import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { bash, ENTRY, filesIn, run, sandboxed, temporary } from './harness.ts';
import { stubLedgers } from './stub.ts';
import {
  at,
  Exact,
  expectSameRows,
  type Raw,
  RawNumber,
  readCells,
  readJson,
  readLines,
  readRows,
} from './values.ts';

const sandbox = await sandboxed();
const directory = temporary();
const { env } = sandbox;

describe('the sandbox', () => {
  test.skipIf(!needs('jq'))(
    'sandbox exec runs a shell pipeline that counts the negative balances',
    async () => {
      const line = 'cryptodata ledgers list --lt-after-balance 0 --json --all | jq length';
      const { code, stdout, stderr } = await bash(`cryptodata sandbox exec -- bash -c '${line}'`);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `${sandbox.truth.negative}\n`,
        stderr:
          'With --data example, holdings have symbols and quantities, and the other lists have records.\n',
      });
    },
  );

  test('sandbox exec exits with the exit code of its command', async () => {
    expect((await run(['sandbox', 'exec', '--', process.execPath, '-e', 'process.exit(7)'])).code).toBe(7);
    const found = ['sandbox', 'exec', '--', process.execPath, ENTRY, 'ledgers', 'negative', '--exit-code'];
    expect((await run(found)).code).toBe(10);
  });

  test('the command "ledgers negative" finds exactly the expected wallet/asset pairs', async () => {
    const { code, stdout, stderr } = await run(['ledgers', 'negative', '--json'], { env });
    expect(code).toBe(0);
    const episodes: {
      walletId: string;
      symbol: string;
      legs: number;
      first: { id: string };
      deepest: { afterBalance: string };
    }[] = JSON.parse(stdout);
    // The expected data has one entry per pair, so merge the episodes of each pair.
    const found = new Map<string, unknown[]>();
    for (const { walletId, symbol, legs, first, deepest } of episodes) {
      const [, , before = 0, firstId = first.id, low = deepest.afterBalance] =
        found.get(`${walletId} ${symbol}`) ?? [];
      const lower = new Exact(deepest.afterBalance).lessThan(String(low)) ? deepest.afterBalance : low;
      found.set(`${walletId} ${symbol}`, [walletId, symbol, Number(before) + legs, firstId, lower]);
    }
    const truth = sandbox.truth.negativePairs.map(({ walletId, symbol, legs, firstLedgerId, deepest }) => [
      ...[walletId, symbol, legs, firstLedgerId, deepest],
    ]);
    expect([...found.values()].sort()).toEqual(truth.sort());
    const pairs = `${truth.length} wallet/asset pairs, in ${episodes.length} episodes.`;
    expect(stderr).toContain(`${sandbox.truth.negative} legs have a negative balance, across ${pairs}`);
    expect(stderr).toContain(`${sandbox.truth.withoutBalance} legs have no running balance`);
  });
});

describe('an export of all ledgers', () => {
  const texts: Record<string, string> = {};

  beforeAll(async () => {
    for (const format of ['csv', 'json', 'jsonl']) {
      const file = join(directory, `all.${format}`);
      const { code, stderr, stdout } = await run(['ledgers', 'export', '--out', file, '--json'], { env });
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(
          `^{"note":"Verified against the service's totals at T0 \\(.*\\) and T1 \\([^)]*\\); .*\\. See ${file}\\.manifest\\.json"}\n$`,
        ),
      });
      expect(JSON.parse(stdout)).toMatchObject({ file, format, rows: sandbox.truth.ledgers, verified: true });
      texts[format] = readFileSync(file, 'utf8');
    }
  });

  test('an export leaves only the exported files and their manifests', () => {
    expect(filesIn(directory).filter((name) => name.startsWith('all'))).toEqual(
      ['all.csv', 'all.json', 'all.jsonl'].flatMap((name) => [name, `${name}.manifest.json`]),
    );
    expect(filesIn(directory).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('an export contains every row once, oldest first', () => {
    const rows = readLines(texts['jsonl'] ?? '');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(sandbox.truth.ledgers);
    const times = rows.map(({ timestamp }) =>
      timestamp instanceof RawNumber ? Number(timestamp.digits) : Number.NaN,
    );
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBe(sandbox.truth.firstTimestamp);
  });

  test('a JSON export and a JSONL export contain the same records', () => {
    expect(readLines(texts['jsonl'] ?? '')).toEqual(readRows(texts['json'] ?? ''));
  });

  test('a CSV export contains the same values as a JSON export, digit for digit', () => {
    const cells = readCells(texts['csv'] ?? '');
    expectSameRows(cells, readRows(texts['json'] ?? ''));
    for (const { time, timestamp } of cells) expect(time).toBe(new Date(Number(timestamp)).toISOString());
  });

  test('a CSV export has a column for every field of the records', () => {
    const leaves = new Set<string>();
    const walk = (value: Raw, path: string): void => {
      if (typeof value !== 'object' || value === null || value instanceof RawNumber) leaves.add(path);
      else
        for (const [key, member] of Object.entries(value)) walk(member, path === '' ? key : `${path}.${key}`);
    };
    const rows = readRows(texts['json'] ?? '');
    for (const row of rows) walk(row, '');
    const columns = Object.keys(readCells(texts['csv'] ?? '')[0] ?? {});
    const parents = ['price', 'fromAccount', 'toAccount', 'asset', 'assetRaw'];
    expect([...leaves].filter((path) => !columns.includes(path) && !parents.includes(path))).toEqual([]);
  });

  test('a CSV export contains the rows that the service returns', async () => {
    const response = await fetch(`${sandbox.url}/v1/ledgers?limit=200&sortOrder=asc`, {
      headers: { authorization: `Bearer ${env['CRYPTODATA_ACCESS_TOKEN']}` },
    });
    const { data } = Object(readJson(await response.text()));
    // The order of rows with the same timestamp is not specified, so sort them by id.
    const key = (row: Record<string, Raw>) =>
      `${String(Object(at(row, 'timestamp')).digits)} ${at(row, 'id')}`;
    const served = [...data].sort((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, 190);
    expectSameRows(readCells(texts['csv'] ?? '').slice(0, 190), served);
  });

  test('a CSV export makes formulas harmless, and leaves negative decimals unchanged', () => {
    const cells = readCells(texts['csv'] ?? '');
    const balances = cells.map(({ afterBalance }) => afterBalance ?? '').filter((cell) => /^'?-/.test(cell));
    expect(balances.length).toBe(sandbox.truth.negative);
    expect(balances.every((cell) => /^-\d+(\.\d+)?$/.test(cell))).toBe(true);
    const names = cells.map((row) => row['asset.name'] ?? '');
    expect(names.some((name) => name.startsWith("'=HYPERLINK("))).toBe(true);
    expect(names.filter((name) => /^[=+\-@\t\r]/.test(name))).toEqual([]);
    for (const character of ['\u001b', '\u009b', '\u0007', '\u0000', '\u202e']) {
      expect(texts['csv']?.includes(character)).toBe(false);
    }
  });

  test('with --csv-guard off, names are exported unchanged', async () => {
    const file = join(directory, 'bare.csv');
    const { code } = await run(['ledgers', 'export', '--out', file, '--csv-guard', 'off', '--quiet'], {
      env,
    });
    expect(code).toBe(0);
    const rows = readRows(texts['json'] ?? '');
    const names = readCells(readFileSync(file, 'utf8')).map((row) => row['asset.name']);
    expect(names).toEqual(rows.map((row) => at(row, 'asset.name') ?? ''));
  });

  test('an export to stdout writes the same bytes as an export to a file', async () => {
    for (const format of ['csv', 'json', 'jsonl']) {
      const { code, stdout } = await run(['ledgers', 'export', '--out', '-', '--format', format], { env });
      expect(code).toBe(0);
      expect(stdout === texts[format], `${format} differs`).toBe(true);
    }
  });
});

test('an export keeps numbers beyond double precision unchanged', async () => {
  const numbers = [
    '0.1',
    '1e-7',
    '123456789012345678901234567890.123456789',
    '5e-324',
    '1E+21',
    '-0.0000001',
    '0.30000000000000004',
    '9007199254740993',
  ];
  const stub = await stubLedgers(
    numbers.map(
      (digits, index) =>
        `{"id":"n${index}","timestamp":${1_700_000_000_000 + index},"quantity":"1.000000000000000000","value":${digits},"price":{"price":${digits}}}`,
    ),
  );
  const served = numbers.map((digits) => new RawNumber(digits));
  for (const format of ['json', 'jsonl', 'csv']) {
    const { code, stdout } = await run(['ledgers', 'export', '--out', '-', '--format', format], {
      env: stub.env,
    });
    expect(code).toBe(0);
    const rows =
      format === 'json' ? readRows(stdout) : format === 'jsonl' ? readLines(stdout) : readCells(stdout);
    expect(rows.map(({ quantity }) => quantity)).toEqual(numbers.map(() => '1.000000000000000000'));
    for (const [index, row] of rows.entries()) {
      const { value } = row;
      const text = value instanceof RawNumber ? value.digits : String(value);
      expect(
        new Exact(text).eq(served[index]?.digits ?? ''),
        `${format}: ${text} for ${numbers[index]}`,
      ).toBe(true);
      if (format === 'csv') expect(text).not.toMatch(/e/i);
    }
  }
});
