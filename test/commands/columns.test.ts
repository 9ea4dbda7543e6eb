import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stub, stubLedgers } from '../e2e/stub.ts';
import { endHere, runHere } from './in-process.ts';

const TIME = 1_735_689_600_000;
const leg = (at: number, more = {}) =>
  JSON.stringify({
    ...{
      id: `l${at}`,
      timestamp: TIME + at,
      type: 'incoming',
      quantity: '1.5',
      walletId: 'w1',
      baseCurrency: 'EUR',
    },
    ...{ asset: { symbol: 'ETH' }, assetRaw: { symbol: 'eth' }, ...more },
  });
const LEGS = Array.from({ length: 3 }, (_, at) => leg(at));

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'columns-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

const FORMATS = ['table', 'json', 'jsonl', 'csv'];

describe('--columns', () => {
  test.each(FORMATS)('an unknown column is rejected before any output: -o %s', async (format) => {
    const { env } = await stubLedgers(LEGS);
    const { error, stdout } = await endHere(['ledgers', 'list', '--columns', 'id,symbl', '-o', format], env);
    expect(stdout).toBe('');
    expect(error).toMatchObject({
      ...{ kind: 'usage', code: 'BAD_COLUMN', message: 'Unknown column "symbl"' },
      hint: expect.stringMatching(/The columns are id, transactionId, .*asset\.symbol/),
    });
  });

  test.each([
    ['quantty', 'quantity'],
    ['asset.symbl', 'asset.symbol'],
    ['+wallett', 'wallet'],
    ['symbl', 'symbol'],
    ['asset.nam', 'asset.name'],
    ['nam', 'asset.name'],
    ['balance aftr', 'balance after'],
    ['assetRaw.chan', 'assetRaw.chain'],
  ])('rejects the column %s and suggests %s', async (given, meant) => {
    const { env } = await stubLedgers([leg(0, { assetRaw: { symbol: 'eth', chain: null } })]);
    const { error } = await endHere(['ledgers', 'list', '--csv', '--columns', given], env);
    expect(error).toMatchObject({
      code: 'BAD_COLUMN',
      hint: expect.stringContaining(`Did you mean ${meant}?`),
    });
  });

  test('--columns accepts a nested field, and a field that is null in every record', async () => {
    const { env } = await stubLedgers([...LEGS, leg(9, { extra: { deep: null } })]);
    const { stdout } = await runHere(
      ['ledgers', 'list', '--csv', '--columns', 'id,extra.deep,assetRaw.symbol'],
      env,
    );
    expect(stdout).toBe('id,extra.deep,assetRaw.symbol\nl0,,eth\nl1,,eth\nl2,,eth\nl9,,eth\n');
  });

  test('--columns accepts the table headings in every output format', async () => {
    const { env } = await stubLedgers(LEGS.slice(0, 1));
    const shown = async (...args: string[]) =>
      (
        await runHere(
          ['ledgers', 'list', '--tz', 'UTC', '--columns', 'Time,currency,balance after,asset', ...args],
          env,
        )
      ).stdout;
    expect(await shown()).toBe(
      'time                 currency  balance after  asset\n2025-01-01 00:00:00  EUR                   -  ETH\n\nTimes are in UTC.\n',
    );
    expect(await shown('--csv')).toBe(
      'time,baseCurrency,afterBalance,asset.symbol\n2025-01-01T00:00:00.000Z,EUR,,ETH\n',
    );
    expect(JSON.parse(await shown('--jsonl'))).toEqual({
      ...{ time: '2025-01-01T00:00:00.000Z', baseCurrency: 'EUR', afterBalance: null },
      // `asset` is the name of a field and the heading of a column. The field takes precedence.
      asset: { symbol: 'ETH' },
    });
  });

  test('rejects a column that occurs only after the first 200 rows', async () => {
    const legs = Array.from({ length: 201 }, (_, at) =>
      leg(at, at === 199 ? { late: 1 } : at === 200 ? { later: 1 } : {}),
    );
    const { env } = await stubLedgers(legs);
    const { stdout } = await runHere(['ledgers', 'list', '--all', '--csv', '--columns', 'late'], env);
    expect(stdout.split('\n')).toHaveLength(203);
    const { error } = await endHere(['ledgers', 'list', '--all', '--csv', '--columns', 'later'], env);
    expect(error).toMatchObject({ code: 'BAD_COLUMN' });
  });

  test('an unknown column together with --sum-by is rejected before any request', async () => {
    const { env, requests } = await stubLedgers(LEGS);
    const { error } = await endHere(['ledgers', 'list', '--sum-by', 'asset', '--columns', 'proft'], env);
    expect(error).toMatchObject({
      code: 'BAD_COLUMN',
      hint: expect.stringContaining('Did you mean profit?'),
    });
    expect(requests).toEqual([]);
    const { stdout } = await runHere(
      ['ledgers', 'list', '--sum-by', 'asset', '--csv', '--columns', 'asset,currency'],
      env,
    );
    expect(stdout).toBe('asset,baseCurrency\nETH,EUR\n');
  });

  test('an export rejects an unknown column after one request', async () => {
    const { env, requests } = await stubLedgers(LEGS);
    const file = join(temporary(), 'legs.csv');
    const { error } = await endHere(['ledgers', 'export', '--out', file, '--columns', '+asset.colour'], env);
    expect(error).toMatchObject({
      kind: 'usage',
      code: 'BAD_COLUMN',
      message: 'Unknown column "asset.colour"',
    });
    expect(requests).toHaveLength(1);
    expect(existsSync(file) || existsSync(`${file}.part`)).toBe(false);
  });

  test('"ledgers export --columns" accepts headings, and fields that are not default columns', async () => {
    const { env } = await stubLedgers(LEGS.map((text) => text.replace('{', '{"extra":{"deep":"x"},')));
    const file = join(temporary(), 'legs.csv');
    await runHere(['ledgers', 'export', '--out', file, '--columns', 'id,currency,extra.deep'], env);
    expect(readFileSync(file, 'utf8')).toBe('id,baseCurrency,extra.deep\nl0,EUR,x\nl1,EUR,x\nl2,EUR,x\n');
  });

  test('"txns export" rejects an unknown column, and leaves no file', async () => {
    const { env } = await stub((_, response) => {
      response.end(JSON.stringify({ data: [{ id: 't1' }], meta: { total: 1, hasMore: false } }));
    });
    const file = join(temporary(), 'txns.csv');
    const { error } = await endHere(['txns', 'export', '--out', file, '--columns', 'id,colour'], env);
    expect(error).toMatchObject({ kind: 'usage', code: 'BAD_COLUMN' });
    expect(existsSync(file)).toBe(false);
  });
});
