// Runs `ledgers negative` against a sandbox that contains only a few legs.

import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { endHere } from '../in-process.ts';

const day = (text: string) => Date.parse(`${text}T12:00:00Z`);

function leg(
  id: string,
  date: string,
  type: string,
  before: string | null,
  after: string | null,
  symbol = 'LINK',
) {
  return {
    ...{ id, transactionId: `t-${id}`, type, quantity: '1', timestamp: day(date), walletId: 'w1' },
    ...{ assetId: `asset_${symbol}`, asset: { symbol }, assetRaw: { symbol } },
    ...{ beforeBalance: before, afterBalance: after },
  };
}

const sandbox = await createSandbox({
  data: {
    ledgers: [
      leg('sold', '2024-05-01', 'outgoing', '1', '-10'),
      leg('topup', '2025-02-01', 'incoming', '-10', '-6'),
      leg('refill', '2025-03-01', 'incoming', '-6', '4'),
      leg('again', '2025-04-01', 'outgoing', '4', '-2'),
      leg('later', '2026-01-05', 'incoming', '-2', '9'),
      leg('quiet', '2023-01-01', 'outgoing', '0', '-3', 'UNI'),
      leg('fine', '2025-01-01', 'incoming', '0', '3', 'ETH'),
    ],
  },
});
afterAll(() => sandbox.close());

type Found = Record<string, unknown> & Record<'began' | 'first' | 'deepest' | 'end', { id: string } | null>;

const negative = (...args: string[]) => endHere(['ledgers', 'negative', ...args], sandbox.env);

test('a table shows the lowest balance in the period, including the balance carried into the period', async () => {
  const { stdout } = await negative('--period', '2025', '--columns', 'asset,deepest', '-o', 'table');
  expect(
    stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ +/)),
  ).toEqual([
    ['UNI', '-3'],
    ['LINK', '-10'],
    ['LINK', '-2'],
  ]);
  const { stdout: all } = await negative(
    '--period',
    '2025',
    '--csv',
    '--columns',
    'symbol,deepest.afterBalance',
  );
  expect(all).toBe('symbol,deepest.afterBalance\nUNI,\nLINK,-6\nLINK,-2\n');
});

test('"ledgers negative" prints one record per negative episode, with the leg that started the episode', async () => {
  const { stdout, stderr } = await negative('--period', '2025', '--json');
  const brief = JSON.parse(stdout).map((record: Found) => [
    ...[
      record['symbol'],
      record['legs'],
      record['sinceBefore'] ?? false,
      record['openingBalance'],
      record['before'],
    ],
    ...[record.began, record.first, record.deepest, record.end].map((leg) => leg?.id ?? null),
  ]);
  expect(brief).toEqual([
    ['UNI', 0, true, '-3', null, 'quiet', null, null, null],
    ['LINK', 1, true, '-10', '-10', 'sold', 'topup', 'topup', 'refill'],
    ['LINK', 1, false, '-10', '4', 'again', 'again', 'again', null],
  ]);
  expect(stderr).toContain(
    '2 legs have a negative balance, across 1 wallet/asset pair, in 2 episodes. 1 balance was negative when the period began, and stayed negative until its end. No leg in the period has this negative balance.',
  );
  expect(stderr).toContain(
    'Balances that were already negative on 2025-01-01: UNI in customwallet, LINK in customwallet.',
  );
});

test('"ledgers negative" without a period prints the leg that ends each episode', async () => {
  const { stdout, stderr } = await negative('--json');
  const ends = JSON.parse(stdout).map((record: Found) => [record.began?.id, record.end?.id]);
  expect(ends).toEqual([
    ['quiet', undefined],
    ['sold', 'refill'],
    ['again', 'later'],
  ]);
  expect(stderr).not.toContain('Already negative');
});

test('"ledgers negative" selects whole episodes with a filter that matches only some of their legs', async () => {
  const { stdout } = await negative('--types', 'incoming', '--json');
  const [episode, ...others] = JSON.parse(stdout);
  expect(others).toEqual([]);
  expect(episode).toMatchObject({ legs: 2, began: { id: 'sold' }, end: { id: 'refill' } });
});

test('the command that "ledgers negative" suggests contains the period and --tz', async () => {
  const { stdout, stderr } = await negative('--period', '2025', '--tz', 'Europe/Berlin', '--json');
  const began = JSON.parse(stdout).find((episode: { began: unknown }) => episode.began !== null).began;
  expect(stderr).toContain(`cryptodata ledgers explain ${began.id} --period 2025 --tz Europe/Berlin`);
});

test('a balance that is negative throughout the period counts as a finding', async () => {
  expect((await negative('--period', '2024-Q1', '--exit-code', '--json')).found).toBe(1);
  expect((await negative('--period', '2022', '--exit-code', '--json')).found).toBe(0);
});

test('reports a balance that is negative throughout a period without legs', async () => {
  const { stdout, stderr, found } = await negative('--period', '2023-Q4', '--asset', 'UNI', '--exit-code');
  expect(found).toBe(1);
  expect(stdout).toContain('UNI');
  expect(stderr).toContain(
    '1 balance was negative when the period began, and stayed negative until its end. No leg in the period has this negative balance.\n',
  );
  expect(stderr).not.toMatch(/^No leg|None in this period|overall|Every leg/m);
});

test('if a balance becomes unknown, "ledgers negative" says that the balance stayed negative as far as is known', async () => {
  const ledgers = [
    leg('debt', '2024-12-01', 'outgoing', '0', '-3'),
    leg('open', '2025-12-01', 'incoming', null, null),
  ];
  const other = await createSandbox({ data: { ledgers } });
  onTestFinished(() => other.close());
  const { stderr } = await endHere(['ledgers', 'negative', '--period', '2025'], other.env);
  expect(stderr).toContain(
    '1 balance was negative when the period began, and stayed negative until its end, as far as is known. No leg in the period has this negative balance.\n',
  );
});

test('reports a balance that was negative before the period and recovers with the first leg in the period', async () => {
  const { stderr, found } = await negative('--period', '2025-03', '--asset', 'LINK', '--exit-code');
  expect(found).toBe(1);
  expect(stderr).toContain(
    '1 balance was negative when the period began, and recovered during the period.\n',
  );
  expect(stderr).not.toContain('No leg');
});

test.each([
  [['--asset', 'ETH'], 'No leg with a negative balance matches the filters.'],
  [['--period', '2022', '--types', 'incoming'], 'There are no matching legs in the period.'],
])('"ledgers negative %j" does not mention legs that the filters exclude', async (flags, sentence) => {
  expect((await negative(...flags)).stderr).toContain(`${sentence}\n`);
});

test('"ledgers negative --wallet" counts only the legs of this wallet and period that have no running balance', async () => {
  const unknown = (id: string, date: string, walletId: string) => ({
    ...{ ...leg(id, date, 'incoming', null, null), walletId },
  });
  const books = await createSandbox({
    data: {
      ledgers: [
        leg('sold', '2025-05-01', 'outgoing', '1', '-10'),
        { ...leg('also', '2025-05-01', 'outgoing', '1', '-10'), walletId: 'w2' },
        unknown('old', '2024-06-01', 'w1'),
        unknown('here1', '2025-06-01', 'w1'),
        unknown('here2', '2025-06-02', 'w1'),
        ...['2025-06-01', '2025-07-01', '2025-08-01'].map((date, at) => unknown(`there${at}`, date, 'w3')),
      ],
    },
  });
  onTestFinished(() => books.close());
  const notes = async (...args: string[]) =>
    (await endHere(['ledgers', 'negative', ...args], books.env)).stderr;
  expect(await notes('--wallet', 'w1', '--period', '2025')).toContain('\n2 legs have no running balance');
  expect(await notes('--wallet', 'w1')).toContain('\n3 legs have no running balance');
  expect(await notes('--wallet', 'w2', '--period', '2025')).toContain('\nEvery leg has a running balance.');
  expect(await notes('--period', '2025')).toContain('\n5 legs have no running balance');
  expect(await notes('--wallet', 'w1')).toContain(
    'it read 2 legs with a negative balance, of which 1 matches.',
  );
});

test('"ledgers negative" reports the first and last day of the matching legs if none of them is in the period', async () => {
  const { stderr, found } = await negative('--period', '2022', '--exit-code');
  expect(found).toBe(0);
  expect(stderr).toContain('There are no legs in the period.\n');
  expect(stderr).toContain('None of the 7 matching legs is in this period. They are from ');
  expect(stderr).not.toContain('Every leg');
});
