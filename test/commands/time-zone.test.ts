import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bash } from '../e2e/harness.ts';
import { stub, stubLedgers } from '../e2e/stub.ts';
import { endHere, runHere } from './in-process.ts';

const BERLIN = ['--tz', 'Europe/Berlin'];
const PERIOD = 'Period: 2025-01-01 00:00 to 2025-12-31 23:59:59.999 (Europe/Berlin)';
const utc = (text: string) => Date.parse(text);
const LEG = JSON.stringify({ id: 'l1', timestamp: utc('2025-06-30T22:30:00Z'), type: 'fee' });

function file(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'zone-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, name);
}

describe('a period', () => {
  test.each([
    ['ledgers', 'list', '--period', '2025'],
    ['ledgers', 'list', '--from', '2025-01-01', '--to', '2025-12-31', '--sum-by', 'month'],
    ['ledgers', 'negative', '--since', '2025-01-01', '--until', '2025-12-31'],
    ['ledgers', 'export', '--period', '2025', '--out', '-'],
    ['txns', 'list', '--period', '2025'],
    ['txns', 'export', '--period', '2025', '--out', '-', '--format', 'jsonl'],
  ])('a command prints its period once, with the time zone: %s %s', async (...args) => {
    const { env } = await stubLedgers([LEG]);
    const { stderr } = await endHere([...args, ...BERLIN], env);
    expect(stderr.split('\n').filter((line) => line.startsWith('Period'))).toEqual([PERIOD]);
    expect((await endHere([...args, ...BERLIN, '--quiet'], env)).stderr).not.toContain('Period');
  });

  test('with -o json, the period is printed on stderr as a JSON object', async () => {
    const { env } = await stubLedgers([LEG]);
    const args = ['ledgers', 'list', '--period', '2025', '--limit', '1', '-o', 'json', ...BERLIN];
    const { stderr } = await runHere(args, env);
    const lines = stderr.trim().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({ note: PERIOD });
    for (const line of lines) expect(Object.keys(JSON.parse(line))).toEqual(['note']);
  });

  test('a period that is set with --start-time is printed', async () => {
    const { env } = await stubLedgers([LEG]);
    const { stderr } = await runHere(
      ['ledgers', 'list', '--start-time', String(utc('2025-01-01T00:00Z'))],
      env,
    );
    expect(stderr).toContain('Period: from 2025-01-01 00:00 (UTC); sent as startTime and endTime\n');
  });

  test('a period cannot be set with both --from and its alias --since', async () => {
    const { error } = await endHere(['ledgers', 'list', '--from', '2025-01-01', '--since', '2025-01-02'], {});
    expect(error).toMatchObject({ message: expect.stringContaining("'--from <time>' cannot be used with") });
  });

  test.each([
    ['--period 2025 --fiscal-year-start 04-06', '2025-Q1'],
    ['--fiscal-year-start 04-06', '2025-Q1'],
    ['--period 2025-06 --fiscal-year-start 06-15', '2025-Q1'],
    ['--period 2025', '2025-Q2'],
  ])('with %s, the quarter of the leg is %s', async (flags, quarter) => {
    const service = await stubLedgers([LEG]);
    const args = ['ledgers', 'list', ...flags.split(' '), '--sum-by', 'quarter', '--json'];
    const { stdout, stderr } = await runHere(args, service.env);
    expect(JSON.parse(stdout)).toMatchObject([{ quarter, legs: 1 }]);
    expect(stderr.includes('Years and quarters follow the fiscal year')).toBe(flags.includes('fiscal'));
  });
});

describe('times without --tz', () => {
  test('without --tz, CSV, tables and manifests use the time zone of the machine', async () => {
    const service = await stubLedgers([LEG]);
    const path = file('legs.csv');
    const env = { ...service.env, TZ: 'Asia/Tokyo' };
    const exported = await bash(
      `cryptodata ledgers export --out ${path} --columns id,time && cryptodata ledgers && cryptodata ledgers --csv --columns time && cryptodata ledgers --sum-by month --csv --columns month`,
      { env },
    );
    expect(readFileSync(path, 'utf8')).toBe('id,time\nl1,2025-07-01T07:30:00.000+09:00\n');
    expect(JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8')).request.form.timeZone).toBe(
      'Asia/Tokyo',
    );
    expect(exported.stdout).toContain('2025-07-01 07:30:00');
    expect(exported.stdout).toContain('\n\nTimes are in Asia/Tokyo.\n');
    expect(exported.stdout).toContain('time\n2025-07-01T07:30:00.000+09:00\nmonth\n2025-07\n');
  });
});

test('an unknown time zone in TZ causes one warning', async () => {
  const service = await stubLedgers([LEG]);
  const env = { ...service.env, TZ: 'Europe/Berln' };
  const { stderr, stdout } = await bash('cryptodata ledgers --period 2025', { env });
  expect(stderr).toContain(
    'warning: TZ is "Europe/Berln", which is not a known time zone: times are in UTC. Fix TZ, or use --tz.\n',
  );
  expect(stderr.match(/Berln/g)).toHaveLength(1);
  expect(stdout).toContain('Times are in UTC.');
  expect((await bash('cryptodata ledgers --tz UTC --quiet', { env })).stderr).toBe('');
});

describe('transactions of a period', () => {
  const TXNS: readonly { readonly id: string }[] = [
    { id: 'own', ...{ timestamp: utc('2025-02-01T00:00Z'), fee: [{ timestamp: utc('2024-01-01T00:00Z') }] } },
    { id: 'iso', ...{ timestamp: '2025-02-01T00:00:00+01:00' } },
    {
      id: 'earliest',
      ...{
        incomingAssets: [{ timestamp: utc('2025-01-01T00:00Z') }],
        outgoingAssets: { timestamp: utc('2024-12-31T22:59:59.999Z') },
      },
    },
    { id: 'first', ...{ timestamp: null, fee: { timestamp: utc('2024-12-31T23:00Z') } } },
    { id: 'last', ...{ fee: [{ timestamp: utc('2025-12-31T22:59:59.999Z') }] } },
    { id: 'next', ...{ fee: [{ timestamp: utc('2025-12-31T23:00Z') }] } },
  ];
  const serve = (transactions: readonly unknown[]) =>
    stub((_, response, { searchParams }) => {
      const offset = Number(searchParams.get('offset') ?? 0);
      const data = transactions.slice(offset, offset + 2);
      const meta = { total: transactions.length, hasMore: offset + 2 < transactions.length };
      response.end(JSON.stringify({ data, meta }));
    });
  const YEAR = ['--period', '2025', ...BERLIN];
  const ids = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);

  test('a transaction is selected by its own time, or else by the time of its earliest leg', async () => {
    const { env } = await serve(TXNS);
    const { stdout, stderr } = await runHere(['txns', ...YEAR, '--jsonl'], env);
    expect(ids(stdout)).toEqual(['own', 'iso', 'first', 'last']);
    expect(stderr).toContain('The tool filtered by time: 4 of 6 transactions are in the period.');
  });

  test('--limit also limits the transactions of a period', async () => {
    const { env } = await serve(TXNS);
    const { stdout, stderr } = await runHere(
      ['txns', ...YEAR, '--limit', '3', '--csv', '--columns', 'id,time'],
      env,
    );
    expect(stdout).toBe(
      'id,time\nown,2025-02-01T01:00:00.000+01:00\niso,2025-02-01T00:00:00.000+01:00\nfirst,2025-01-01T00:00:00.000+01:00\n',
    );
    expect(stderr).toContain('3 transactions shown, and there may be more. --all shows all of them.');
  });

  test('an export of a period contains only its transactions, and the manifest records how many rows were read', async () => {
    const { env } = await serve(TXNS);
    const path = file('txns.csv');
    await runHere(['txns', 'export', ...YEAR, '--out', path], env);
    expect(
      readFileSync(path, 'utf8')
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['own', 'iso', 'first', 'last']);
    expect(JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'))).toMatchObject({
      ...{ verified: true, rows: 4, rowsRead: 6 },
      request: { span: { from: utc('2024-12-31T23:00Z'), to: utc('2025-12-31T22:59:59.999Z') } },
    });
  });

  test('transactions of a period are reported as unverified if a time is unreadable', async () => {
    const { env } = await serve([...TXNS, { id: 'odd', timestamp: 'soon' }, { id: 'none' }]);
    const listed = await endHere(['txns', ...YEAR, '--all', '--jsonl'], env);
    expect(ids(listed.stdout)).toEqual(['own', 'iso', 'first', 'last']);
    const message = '2 transactions have no readable time, and may be in the period';
    expect(listed.error).toMatchObject({ kind: 'unverified', message });
    const path = file('txns.jsonl');
    const { error } = await endHere(['txns', 'export', ...YEAR, '--out', path], env);
    expect(error).toMatchObject({ kind: 'unverified', message: expect.stringContaining(message) });
    expect(JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'))).toMatchObject({
      ...{ verified: false, rows: 4, rowsRead: 8, statement: `not verified: ${message}` },
    });
  });

  test('--offset is rejected for the transactions of a period', async () => {
    const { error } = await endHere(['txns', ...YEAR, '--offset', '2'], (await serve([])).env);
    expect(error).toMatchObject({ kind: 'usage', message: '--offset cannot be used with a period' });
  });
});
