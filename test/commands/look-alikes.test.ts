// Two assets whose symbols look alike must never look the same on a terminal.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { assetNames } from '../../src/core/look-alikes.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { temporary } from '../e2e/harness.ts';
import { endHere } from './in-process.ts';

/** Looks like USDC. */
const IMITATION = 'U\u0405D\u0421';
const TOLD = `${IMITATION} (with U+0405, U+0421)`;

const day = (text: string) => Date.parse(`${text}T12:00:00Z`);

function leg(id: string, date: string, symbol: string, [type, before, after]: readonly string[]) {
  return {
    ...{ id, transactionId: `t-${id}`, type, quantity: '5', timestamp: day(date), walletId: 'w1' },
    ...{ assetId: `asset_${symbol.length}_${symbol === IMITATION}`, asset: { symbol }, assetRaw: { symbol } },
    ...{
      beforeBalance: before,
      afterBalance: after,
      baseCurrency: 'EUR',
      marketPrice: '2',
      marketValue: '10',
    },
    ...{ costbasis: '1', proceeds: '10', profit: '9' },
  };
}

const legs = ['USDC', IMITATION].flatMap((symbol, at) => [
  leg(`old${at}`, '2024-11-01', symbol, ['outgoing', '0', '-5']),
  leg(`sold${at}`, '2025-02-01', symbol, ['outgoing', '-5', '-11']),
]);
const holdings = ['USDC', IMITATION].map((symbol) => ({
  ...{ assetId: `asset_${symbol === IMITATION}`, symbol, amount: '1', asset: { symbol } },
}));
const sandbox = await createSandbox({ data: { ledgers: legs, holdings } });
afterAll(() => sandbox.close());

const YEAR = ['--period', '2025'];
const TABLES: readonly (readonly string[])[] = [
  ['ledgers', 'list'],
  ['ledgers', 'list', '--columns', 'id,assetRaw.symbol'],
  ['ledgers', 'list', '--sum-by', 'asset'],
  ['ledgers', 'get', 'sold1'],
  ['ledgers', 'negative', ...YEAR],
  ['ledgers', 'rollforward', ...YEAR],
  ['ledgers', 'rollforward', ...YEAR, '--by', 'asset'],
  ['ledgers', 'disposals', ...YEAR],
  ['balances'],
  ['balances', '--by', 'asset'],
  ['assets', 'search', 'D'],
  ['holdings'],
  ['audit', '--check', 'negative-balance'],
];

describe('a table', () => {
  test.each(TABLES.map((args) => [args.join(' '), args] as const))(
    '"%s" shows code points',
    async (_, args) => {
      const { stdout } = await endHere([...args, '-o', 'table'], sandbox.env);
      expect(stdout).toContain(IMITATION);
      expect(stdout.replaceAll(TOLD, '')).not.toContain(IMITATION);
    },
  );
});

describe('csv and json', () => {
  const machine = TABLES.flatMap((args) => ['csv', 'json'].map((format) => [...args, '-o', format]));
  test.each(machine.filter(([verb]) => verb !== 'audit').map((args) => [args.join(' '), args] as const))(
    '"%s" shows the symbol as the service returned it',
    async (_, args) => {
      const { stdout } = await endHere(args, sandbox.env);
      expect(stdout).toContain(IMITATION);
      expect(stdout).not.toContain('U+0405');
    },
  );
});

test.each([
  [['ledgers', 'negative', ...YEAR]],
  [['ledgers', 'rollforward', ...YEAR]],
  [['ledgers', 'list', '--asset', `${IMITATION}X`]],
  [['ledgers', 'rollforward', '--asset', 'nothing']],
  [['ledgers', 'rollforward', '--asset', 'asset_4_tru']],
  [['ledgers', 'list', '--asset-ids', 'asset_4_tru']],
  [['assets', 'search', `${IMITATION}X`]],
])('the notes of %j show code points', async (args) => {
  const { stderr, error } = await endHere([...args, '--json'], sandbox.env);
  const said = `${stderr}${error instanceof Error ? `${error.message} ${Object(error).hint ?? ''}` : ''}`;
  expect(said).toContain(IMITATION);
  // The message repeats the name that was given.
  expect(said.replaceAll(TOLD, '').replaceAll(`${IMITATION}X`, '')).not.toContain(IMITATION);
});

test.each([[['balances', '--chart']], [['ledgers', 'rollforward', ...YEAR, '--chart']]])(
  'the chart of %j shows code points',
  async (args) => {
    const { stdout } = await endHere(args, sandbox.env);
    expect(stdout).toContain(IMITATION);
    expect(stdout.replaceAll(TOLD, '')).not.toContain(IMITATION);
  },
);

describe('two assets with one symbol', () => {
  const twins = ['asset_1', 'asset_2', null].flatMap((assetId, at) => [
    { ...leg(`old${at}`, '2024-11-01', 'TWIN', ['incoming', '0', '5']), assetId },
    { ...leg(`sold${at}`, '2025-02-01', 'TWIN', ['outgoing', '7', '-1']), assetId },
  ]);
  const TOLD_APART = ['TWIN (asset_1)', 'TWIN (asset_2)', 'TWIN (no asset id)'];

  test.each([
    [['balances', '--chart']],
    [['ledgers', 'rollforward', ...YEAR, '--chart']],
    [['ledgers', 'rollforward', ...YEAR, '--chart', '--by', 'asset']],
    [['ledgers', 'negative', ...YEAR]],
  ])('are told apart by their ids in the output of %j', async (args) => {
    const other = await createSandbox({ data: { ledgers: twins } });
    onTestFinished(() => other.close());
    const { stdout, stderr } = await endHere([...args, '-o', 'table'], other.env);
    for (const text of [stdout, stderr]) {
      if (!text.includes('TWIN')) continue;
      for (const name of TOLD_APART) expect(text).toContain(name);
      expect(text.replaceAll(/TWIN \((asset_\d|no asset id)\)/g, '')).not.toContain('TWIN');
    }
  });

  test('are shown by symbol alone in a finding about all of these assets', async () => {
    const other = await createSandbox({ data: { ledgers: twins } });
    onTestFinished(() => other.close());
    const { stdout } = await endHere(['audit', ...YEAR, '-o', 'table'], other.env);
    for (const name of TOLD_APART) expect(stdout).toContain(name);
    expect(stdout).toMatch(/^info +imitated-asset +- +TWIN {2,}/m);
    const report = join(temporary(), 'report.html');
    await endHere(['audit', ...YEAR, '--report', report], other.env);
    expect(readFileSync(report, 'utf8')).toMatch(/<t[dh][^>]*>TWIN<\//);
    const { stdout: json } = await endHere(
      ['audit', ...YEAR, '--check', 'imitated-asset', '--json'],
      other.env,
    );
    const assets = ['asset_1', 'asset_2', null].map((assetId) => ({ assetId, symbol: 'TWIN' }));
    expect(JSON.parse(json).findings).toMatchObject([{ assetId: null, symbol: 'TWIN', assets }]);
  });

  test('get ids in their names only if their shown names are equal', () => {
    const asset = (symbol: string, assetId: string | null) => ({ symbol, assetId });
    const all = [asset('A', '1'), asset('A', null), asset('AB', '2'), asset('B', '3'), asset('B', '3')];
    const named = (shown?: (text: string) => string) => all.map(assetNames(all, shown));
    expect(named()).toEqual(['A (1)', 'A (no asset id)', 'AB', 'B', 'B']);
    expect(named((text) => text.slice(0, 1))).toEqual(['A (1)', 'A (no asset id)', 'A (2)', 'B', 'B']);
  });
});
