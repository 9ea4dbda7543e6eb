import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { sandboxed, temporary } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

const { env } = await sandboxed({ rows: 150 });
const folder = temporary();
const DECIMALS = new Set(
  'quantity price.price value beforeBalance afterBalance costbasis proceeds profit'.split(' '),
);

async function exported(noun: string, name: string, ...flags: string[]) {
  const path = join(folder, name);
  const { error } = await endHere([noun, 'export', '--out', path, ...flags], env);
  expect(error).toBeUndefined();
  return { path, text: readFileSync(path, 'utf8') };
}

describe('an export with decimal commas', () => {
  test('an export with decimal commas has the same values as an export with decimal points, and is verified', async () => {
    const plain = await exported('ledgers', 'plain.csv');
    const local = await exported('ledgers', 'local.csv', '--csv-dialect', 'excel', '--decimal-comma');
    const rows: Record<string, string>[] = parse(plain.text, { columns: true });
    const own: Record<string, string>[] = parse(local.text, { columns: true, delimiter: ';', bom: true });
    const changed = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([key, cell]) => [key, DECIMALS.has(key) ? cell.replace('.', ',') : cell]),
      ),
    );
    expect(own).toEqual(changed);
    expect(own.some(({ afterBalance }) => /^-\d+,\d+$/.test(afterBalance ?? ''))).toBe(true);
    const { request } = JSON.parse(readFileSync(`${local.path}.manifest.json`, 'utf8'));
    expect(request.form).toMatchObject({ csvDialect: 'excel', separator: ';', decimalComma: true });
    const { error, stdout } = await endHere(['ledgers', 'verify', local.path, '--offline', '--json'], env);
    expect([error, JSON.parse(stdout)]).toMatchObject([undefined, { rows: rows.length }]);
  });

  test('"ledgers verify --deep" can compare every leg of an export that uses decimal commas', async () => {
    const { path, text } = await exported('ledgers', 'deep.csv', '--decimal-comma');
    const deep = () => endHere(['ledgers', 'verify', path, '--deep', '--json'], env);
    expect((await deep()).error).toBeUndefined();
    const { quantity = '' } = parse(text, { columns: true, delimiter: ';' })[0] as Record<string, string>;
    writeFileSync(path, text.replace(`;${quantity};`, ';9,5;'));
    const { stdout, stderr, error } = await deep();
    expect(error).toMatchObject({ kind: 'unverified' });
    expect(stdout + stderr).toMatch(/9\.5/);
  });

  test('--decimal-comma also applies to sums and transactions', async () => {
    const sums = await exported('ledgers', 'sums.csv', '--sum-by', 'asset', '--decimal-comma');
    expect(sums.text).toMatch(/;-?\d+,\d+;/);
    expect(sums.text).not.toMatch(/;-?\d+\.\d+;/);
    const columns = ['--columns', 'id,fee.quantity,fee.assetRaw.symbol'];
    const txns = await exported('txns', 'txns.csv', ...columns, '--separator', 'tab', '--decimal-comma');
    expect(txns.text.split('\n')[0]).toBe('id\tfee.quantity\tfee.assetRaw.symbol');
    expect(txns.text).not.toMatch(/\t\d+\.\d+/);
  });

  test.each<[readonly string[], RegExp, string?]>([
    [['--decimal-comma', '--separator', ','], /The separator cannot be a comma/],
    [['--separator', ';', '--format', 'jsonl'], /require CSV, but the export format is jsonl/, 'x.jsonl'],
    [['--decimal-comma', '--format', 'xlsx'], /require CSV, but the export format is xlsx/, 'x.xlsx'],
    [['--separator', '::'], /The value must be "comma", "semicolon", "tab" or "bar"/],
  ])('rejects %j', async (flags, says, name = 'x.csv') => {
    const { error, stderr } = await endHere(
      ['ledgers', 'export', '--out', join(folder, name), ...flags],
      env,
    );
    expect(`${error} ${Object(error).hint} ${stderr}`).toMatch(says);
  });
});
