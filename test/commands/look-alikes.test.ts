// Two assets whose symbols look alike must never look the same on a terminal.

import { afterAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
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
  [['ledgers', 'list', '--asset', 'nothing']],
])('the notes of %j show code points', async (args) => {
  const { stderr, error } = await endHere([...args, '--json'], sandbox.env);
  const said = `${stderr}${error instanceof Error ? `${error.message} ${Object(error).hint ?? ''}` : ''}`;
  expect(said).not.toBe('');
  expect(said.replaceAll(TOLD, '')).not.toContain(IMITATION);
});

test.each([[['balances', '--chart']], [['ledgers', 'rollforward', ...YEAR, '--chart']]])(
  'the chart of %j shows code points',
  async (args) => {
    const { stdout } = await endHere(args, sandbox.env);
    expect(stdout).toContain(IMITATION);
    expect(stdout.replaceAll(TOLD, '')).not.toContain(IMITATION);
  },
);
