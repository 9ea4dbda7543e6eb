import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../needs.ts';
import { type Env, launch, run, sandboxed, temporary } from './harness.ts';
import { readCells } from './values.ts';

/** Converts a workbook to CSV with LibreOffice. Returns the rows of the first sheet, with the displayed values. */
async function sheetOf(file: string, directory: string): Promise<readonly Record<string, string>[]> {
  const profile = `-env:UserInstallation=file://${directory}/office`;
  const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
  const { code, stderr } = await launch('soffice', [profile, '--headless', '--convert-to', filter, file], {
    cwd: directory,
  }).ended;
  expect(code, stderr).toBe(0);
  return readCells(readFileSync(file.replace(/xlsx$/, 'csv'), 'utf8'));
}

/** Computes exact sums of a column for each combination of asset, currency and type. */
function sumsBy(rows: readonly Record<string, string>[], column: string): Map<string, Decimal> {
  const sums = new Map<string, Decimal>();
  for (const row of rows) {
    // A leg without an asset id is grouped by its symbol.
    const group = `${row['assetId'] || row['assetRaw.symbol']} ${row['baseCurrency']} ${row['type'] ?? ''}`;
    sums.set(group, (sums.get(group) ?? new Decimal(0)).plus(row[column] || 0));
  }
  return sums;
}

/** Expects two sums to be almost equal, because LibreOffice keeps only 15 digits of each amount. */
const near = (left: Decimal | undefined, right: string | undefined) =>
  expect(
    left
      ?.minus(right || 0)
      .abs()
      .toNumber(),
  ).toBeLessThanOrEqual(new Decimal(right || 0).abs().plus(1).times(1e-12).toNumber());

/** Expects the sums of the legs to match the sums that `--sum-by asset` prints. */
function matches(legs: readonly Record<string, string>[], sums: readonly Record<string, string>[]): void {
  const profit = sumsBy(
    legs.map((leg) => ({ ...leg, type: '' })),
    'profit',
  );
  const [quantity, value] = [sumsBy(legs, 'quantity'), sumsBy(legs, 'value')];
  for (const row of sums) {
    const asset = `${row['assetId'] || row['asset']} ${row['baseCurrency']}`;
    near(profit.get(`${asset} `), row['profit']);
    for (const type of ['incoming', 'outgoing', 'fee']) {
      const group = `${asset} ${type}`;
      near(quantity.get(group) ?? new Decimal(0), row[type]);
      near(value.get(group) ?? new Decimal(0), row[`${type}Value`]);
    }
  }
}

describe.skipIf(!needs('soffice'))('LibreOffice', () => {
  const directory = temporary();
  let env: Env = {};
  let legs: readonly Record<string, string>[] = [];
  let sums: readonly Record<string, string>[] = [];
  let exact: readonly Record<string, string>[] = [];

  beforeAll(async () => {
    ({ env } = await sandboxed({ rows: 250 }));
    const zone = ['--tz', 'Europe/Berlin'];
    const legsFile = join(directory, 'legs.xlsx');
    const sumsFile = join(directory, 'sums.xlsx');
    await run(['ledgers', 'export', '--out', legsFile, ...zone], { env });
    await run(['ledgers', 'export', '--out', sumsFile, '--sum-by', 'asset', ...zone], { env });
    legs = await sheetOf(legsFile, directory);
    sums = await sheetOf(sumsFile, directory);
    const { stdout } = await run(['ledgers', 'list', '--sum-by', 'asset', '--csv', ...zone], { env });
    exact = readCells(stdout);
  });

  test('in LibreOffice, the legs of an export add up to the sums from --sum-by asset', () => {
    expect(exact.length).toBeGreaterThan(3);
    matches(legs, exact);
  });

  test('in LibreOffice, the legs of a closing pack add up to the sums from --sum-by asset', async () => {
    const period = ['--period', '2025-Q3', '--tz', 'Europe/Berlin'];
    const pack = join(directory, 'pack');
    const { code, stderr } = await run(['close', ...period, '--out', pack], { env });
    expect(code, stderr).toBe(0);
    const { stdout } = await run(['ledgers', 'list', '--sum-by', 'asset', '--csv', ...period], { env });
    const filed = await sheetOf(join(pack, 'ledgers.xlsx'), pack);
    expect(filed.length).toBeGreaterThan(3);
    matches(filed, readCells(stdout));
  });

  test('LibreOffice reads the amounts in a workbook of sums as numbers', () => {
    for (const [at, row] of exact.entries()) {
      for (const key of ['incoming', 'outgoing', 'fee', 'net', 'incomingValue', 'profit']) {
        if (row[key] !== '') near(new Decimal(sums[at]?.[key] ?? 'NaN'), row[key]);
        expect(sums[at]?.[`${key}_exact`]).toBe(row[key]);
      }
      expect(sums[at]?.['incomplete']).toBe(row['incomplete']);
    }
  });

  test('LibreOffice reads times in the time zone of the export, and reads each exact amount as text', async () => {
    const { stdout } = await run(['ledgers', 'export', '--out', '-', '--tz', 'Europe/Berlin'], { env });
    const plain = readCells(stdout);
    expect(legs).toHaveLength(plain.length);
    for (const [at, leg] of legs.entries()) {
      const time = plain[at]?.['time'] ?? '';
      expect(leg['time (Europe/Berlin)']).toBe(time.slice(0, 23).replace('T', ' '));
      expect(leg['time_exact']).toBe(time);
      for (const key of ['quantity', 'value', 'profit', 'price.price'])
        expect(leg[`${key}_exact`]).toBe(plain[at]?.[key]);
    }
  });
});
