// Runs the commands about the books on selections without legs. No sentence may say more than the command has seen.

import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { endHere } from './in-process.ts';

function leg(id: string, day: string, walletId: string, more: object = {}) {
  return {
    ...{
      id,
      transactionId: `t-${id}`,
      type: 'incoming',
      quantity: '1',
      timestamp: Date.parse(day),
      walletId,
    },
    ...{ assetId: 'asset_X', asset: { symbol: 'X' }, assetRaw: { symbol: 'X' }, baseCurrency: 'USD' },
    ...{ beforeBalance: '0', afterBalance: '1', costbasis: null, proceeds: null, profit: null, ...more },
  };
}

const sandbox = await createSandbox({
  data: {
    ledgers: [
      leg('old', '2023-05-01', 'w1', { afterBalance: null }),
      leg('into', '2024-05-01', 'w2'),
      leg('sold', '2025-05-01', 'w2', { type: 'outgoing', beforeBalance: '1', afterBalance: '0' }),
    ],
  },
});
afterAll(() => sandbox.close());

const run = async (line: string) => {
  const { stdout, stderr } = await endHere(line.split(' '), sandbox.env);
  return stdout + stderr;
};
const NONE_CHOSEN = 'The selected wallets and assets have no legs in the period.\n';

test.each([
  ['--period 2022', 'There are no legs in the period.\n'],
  ['--period 2022 --types fee', 'There are no matching legs in the period.\n'],
  ['--types fee', 'There are no matching legs.\n'],
  ['--wallet w2', 'No leg with a negative balance matches the filters.\n'],
  ['--wallet w1 --period 2025', 'No leg with a negative balance in the period matches the filters.\n'],
])('"ledgers negative %s" says "%s"', async (flags, sentence) => {
  const output = await run(`ledgers negative ${flags}`);
  expect(output).toContain(sentence);
  expect(output).not.toMatch(/No (matching )?leg( in the period)? has a negative balance/);
});

test.each(['ledgers rollforward', 'ledgers disposals', 'audit'])(
  '"%s" says that the selected wallet has no legs in the period, if other wallets have legs',
  async (words) => {
    expect(await run(`${words} --wallet w1 --period 2025`)).toContain(NONE_CHOSEN);
    expect(await run(`${words} --wallet w2 --period 2025`)).not.toContain(NONE_CHOSEN);
  },
);

test('"balances" says that the selected wallet has no legs up to the requested time', async () => {
  const sentence = 'The selected wallets and assets have no legs up to the requested time.\n';
  expect(await run('balances --wallet w2 --as-of 2023-12-31')).toContain(sentence);
  expect(await run('balances --wallet w1 --as-of 2023-12-31')).not.toContain(sentence);
});

test('"balances --hide-zero" distinguishes hidden zero balances from missing balances', async () => {
  for (const more of ['', ' --chart']) {
    const output = await run(`balances --wallet w2 --hide-zero${more}`);
    expect(output).toContain('Every balance is 0.\n');
    expect(output).not.toContain('No balances');
  }
});

test('without lines, "ledgers rollforward" does not say how many lines add up', async () => {
  expect(await run('ledgers rollforward --period 2022')).not.toContain('add up');
});

test('if the period has no legs, "ledgers rollforward --chart" prints that the chart is empty', async () => {
  for (const flags of ['--period 2022', '--wallet w1 --period 2025']) {
    const output = await run(`ledgers rollforward ${flags} --chart`);
    expect(output).not.toContain('No balance changed');
    expect(output).toContain('The chart is empty, because no line has legs in the period.\n');
  }
});

test('"ledgers disposals" reports missing values only if legs were read', async () => {
  const sold = await run('ledgers disposals --wallet w2 --period 2025');
  expect(sold).toContain('There are no disposals with a cost basis, proceeds or a profit in the period.\n');
  expect(sold).not.toContain('There are no disposals in the period.');
  expect(await run('ledgers disposals --period 2022')).not.toContain('There are no disposals');
});
