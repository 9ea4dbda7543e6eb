// Filters transactions in the sandbox by values that no transaction has.

import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { control } from '../sandbox/helpers.ts';
import { runHere } from './in-process.ts';

// A record of a label. Only its name can be used as a label, not its other texts.
const airdrop = { id: 'lbl_1', name: 'Airdrop', transactionTypes: ['deposit'] };
const sandbox = await createSandbox({ rows: 200, data: { labels: [airdrop] } });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-values-'));
const { env } = sandbox;
const [{ walletId }] = JSON.parse((await runHere(['integrations', '--json'], env)).stdout);
afterEach(() => control(sandbox, 'reset', {}));
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

async function listed(line: string) {
  const { stdout, stderr } = await runHere(['txns', 'list', ...line.split(' '), '--json'], env);
  return { rows: JSON.parse(stdout).length, stderr };
}

describe('a txns filter value that looks like a typo is rejected', () => {
  test.each([
    ['--labels Deposite', 'Deposit'],
    ['--labels Deposit,withdrawl', 'Withdrawal'],
    ['--labels airdrop', 'Airdrop'],
    ['--not-labels deposit', 'Deposit'],
    ['--types deposits', 'deposit'],
    ['-q labels=Deposite', 'Deposit'],
    ['-q types=deposits', 'deposit'],
    [`--not-wallet-ids ${walletId.slice(0, -1)}x`, walletId],
  ])('%s', async (line, near) => {
    const told = {
      kind: 'usage',
      code: 'UNKNOWN_VALUE',
      hint: expect.stringContaining(`Did you mean ${near}`),
    };
    await expect(listed(line)).rejects.toMatchObject(told);
  });

  test('if a filter value looks like a typo, "txns export" rejects it and writes no file', async () => {
    const out = join(directory, 'x.csv');
    const args = ['txns', 'export', '--not-labels', 'deposit', '--out', out];
    await expect(runHere(args, env)).rejects.toMatchObject({ code: 'UNKNOWN_VALUE' });
    expect(existsSync(out)).toBe(false);
  });

  test('--not-wallet-ids rejects any unknown account', async () => {
    await expect(listed('--not-wallet-ids wal_nosuch')).rejects.toMatchObject({ code: 'UNKNOWN_VALUE' });
  });
});

describe('a txns filter', () => {
  test('an unknown filter value causes a warning if no known value is similar', async () => {
    const { rows, stderr } = await listed('--labels Inheritance');
    expect(rows).toBe(0);
    expect(stderr).toContain('No transaction has the label Inheritance.');
    expect((await listed('--not-labels Inheritance --limit 1')).stderr).toContain(
      'No transaction has the label Inheritance, so --not-labels excludes nothing.',
    );
    expect((await listed('--types futures')).stderr).toContain('No transaction has the type futures.');
  });

  test('a txns filter with a known value is accepted without a warning', async () => {
    expect(await listed(`--labels Deposit --not-wallet-ids ${walletId} --all`)).toMatchObject({ stderr: '' });
    expect(
      (await listed('--labels Deposit --not-labels Withdrawal --types deposit --all')).rows,
    ).toBeGreaterThan(1);
    expect(await listed('--labels Airdrop')).toEqual({ rows: 0, stderr: '' });
  });

  test('a txns filter is checked as far as possible if labels and accounts cannot be read', async () => {
    for (const path of ['/v1/labels', '/v1/integrations'])
      await control(sandbox, 'faults', { path, status: 403 });
    await expect(listed('--labels Deposite')).rejects.toMatchObject({ code: 'UNKNOWN_VALUE' });
    expect((await listed('--not-wallet-ids wal_nosuch --limit 1')).rows).toBe(1);
  });
});

test('"txns export" lists unverified filters in the manifest, in the workbook and on stderr', async () => {
  const out = join(directory, 'filtered.xlsx');
  const { stderr } = await runHere(['txns', 'export', '--types', 'deposit', '--out', out], env);
  expect(stderr).toContain(
    'Filters not verified: types. The tool cannot tell from the rows whether the service applied them.',
  );
  const manifest = JSON.parse(await readFile(`${out}.manifest.json`, 'utf8'));
  expect(manifest).toMatchObject({ verified: true, filtersNotChecked: ['types'] });
  const { sheets } = await readXlsx(await readFile(out));
  expect(sheets.at(-1)?.rows).toEqual(
    expect.arrayContaining([
      ['Filters', '{"types":["deposit"]}'],
      ['Filters not checked', 'types'],
    ]),
  );
});
