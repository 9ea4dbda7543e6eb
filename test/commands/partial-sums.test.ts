import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stubLedgers } from '../e2e/stub.ts';
import { runHere } from './in-process.ts';

const leg = (id: string, day: string, profit: string | null, symbol = 'ETH') =>
  JSON.stringify({
    ...{
      id,
      timestamp: Date.parse(`${day}T22:30:00Z`),
      type: 'outgoing',
      quantity: '1',
      value: 2,
      baseCurrency: 'EUR',
      walletId: 'w',
    },
    ...{ assetId: `asset_${symbol}`, asset: { symbol }, costbasis: '1', proceeds: profit, profit },
  });
const LEGS = [
  leg('1', '2025-01-01', '0.1'),
  leg('2', '2025-09-29', '0.2'),
  leg('3', '2025-10-01', null),
  leg('4', '2025-12-01', '5', 'BTC'),
];
const BERLIN = ['--tz', 'Europe/Berlin'];
const GAP = 'proceeds and profit are known for 2 of 3 legs, none after 2025-09-30';
// The leg without a profit is older than the BTC leg, which has a profit. This warning therefore contains no date.
const WARNING = 'Partial sums: proceeds and profit are known for 3 of 4 legs.';

test('a table marks each partial sum, and a warning about partial sums is printed even with --quiet', async () => {
  const { env } = await stubLedgers(LEGS);
  const args = ['ledgers', 'list', '--sum-by', 'asset', '--columns', 'asset,profit,costbasis', ...BERLIN];
  const { stdout, stderr } = await runHere([...args, '--quiet'], env);
  expect(stdout).toBe(
    'asset        profit  costbasis\nBTC               5          1\nETH    0.3 (2 of 3)          3\n',
  );
  expect(stderr).toContain(WARNING);
});

test('CSV and JSON mark each group that has partial sums', async () => {
  const { env } = await stubLedgers(LEGS);
  const args = [
    'ledgers',
    'list',
    '--sum-by',
    'asset',
    ...BERLIN,
    '--columns',
    'asset,profit,profitUnknown,incomplete',
  ];
  expect((await runHere([...args, '--csv'], env)).stdout).toBe(
    `asset,profit,profitUnknown,incomplete\nBTC,5,0,\nETH,0.3,1,"${GAP}"\n`,
  );
  const { stdout, stderr } = await runHere([...args, '--json'], env);
  expect(JSON.parse(stdout)).toMatchObject([{ incomplete: null }, { incomplete: GAP }]);
  expect(stderr).toContain(WARNING);
});

test('complete sums cause no warning', async () => {
  const { env } = await stubLedgers(LEGS.slice(0, 2));
  const { stdout, stderr } = await runHere(['ledgers', 'list', '--sum-by', 'year', '--csv'], env);
  expect(stdout).toMatch(/,incomplete\n.*,0,\n$/);
  expect(stderr).toBe('');
});

test('partial sums of an export are described on stderr, in the file and in the manifest', async () => {
  const { env } = await stubLedgers(LEGS.slice(0, 3));
  const directory = mkdtempSync(join(tmpdir(), 'partial-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'sums.csv');
  const { stderr } = await runHere(['ledgers', 'export', '--sum-by', 'year', '--out', path, ...BERLIN], env);
  expect(stderr).toContain(`Partial sums: ${GAP}.`);
  expect(readFileSync(path, 'utf8')).toContain(`,"${GAP}"\n`);
  expect(JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'))).toMatchObject({ incomplete: [GAP] });
});

test('a leg of a type without direction leaves the net quantity empty, and a warning contains the type', async () => {
  const strange = leg('5', '2025-12-01', null).replace('"outgoing"', '"reward"');
  const { env } = await stubLedgers([...LEGS, strange]);
  const args = ['ledgers', 'list', '--sum-by', 'asset', '--columns', 'asset,outgoing,net,quantityUnknown'];
  const { stdout, stderr } = await runHere([...args, '--csv', '--quiet'], env);
  expect(stdout).toBe('asset,outgoing,net,quantityUnknown\nBTC,1,-1,0\nETH,3,,1\n');
  expect(stderr).toContain(
    '1 leg is not as specified: 1 neither incoming nor outgoing nor a fee: reward (5).',
  );
});
