// The same books in files of every form: the answers and the differences must not depend on the form.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { temporary } from '../e2e/harness.ts';
import { stubLedgers } from '../e2e/stub.ts';
import { cases } from '../runs.ts';
import { endHere, runHere } from './in-process.ts';

const TIME = Date.UTC(2025, 6, 3);
const DAY = 86_400_000;
const usual = {
  ...{ assetId: 'a1', assetRaw: { symbol: 'X' }, asset: { symbol: 'X', type: 'crypto' }, walletId: 'w1' },
  ...{ type: 'incoming', baseCurrency: 'EUR', value: 2.5, label: null, fromAccount: null, toAccount: null },
  price: { price: 2.5, baseCurrency: 'EUR', timestamp: TIME, source: 's' },
  ...{ costbasis: null, proceeds: null, profit: null, beforeBalance: '0', afterBalance: '1', quantity: '1' },
};
const legs = [
  { id: '-Kx1', assetId: '=A', asset: { symbol: '=A', type: 'crypto' } },
  { id: '=2', assetId: "'=A", asset: { symbol: "'=A", type: 'crypto' } },
  { id: '\\u200b', label: '\u200b', walletId: '\u200b' },
  { id: '\u200b', assetId: 'a2', quantity: '1,000', afterBalance: '1000' },
  { id: 'l5', assetId: 'a3', timestamp: TIME + 4 * DAY + 2.5, quantity: '-1,5', label: 'a;b|c\t"d"' },
  { id: 'l6', assetId: 'a4', price: { ...usual.price, baseCurrency: 'USD' } },
  {
    ...{ id: 'l7', type: 'outgoing', quantity: '1', beforeBalance: '1', afterBalance: '0' },
    ...{ costbasis: '1', proceeds: '2.5', profit: '1.5' },
    toAccount: { provider: 'x', walletId: 'w2' },
  },
  { id: 'l8', walletId: 'w2', fromAccount: { provider: 'x', walletId: 'w1' } },
  // Against the specification, some amounts are JSON numbers.
  {
    ...{
      id: 'l9',
      assetId: 'a5',
      type: 'outgoing',
      quantity: 1e-7,
      beforeBalance: 1,
      afterBalance: 0.9999999,
    },
    ...{ costbasis: 0, proceeds: 2.5, profit: 2.5 },
  },
  // The time is a text, and a number with more digits than a double.
  { id: 'l10', assetId: 'a6', timestamp: `${TIME + 10 * DAY}` },
  { id: 'l11', assetId: 'a7', timestamp: `${TIME + 11 * DAY}.12345678901` },
  { id: 'l12', assetId: 'a8', timestamp: '0x10' },
].map((leg, at) => ({ ...usual, transactionId: `t${at}`, timestamp: TIME + at * DAY, ...leg }));

const WHOLE =
  'id,transactionId,type,quantity,timestamp,walletId,assetId,asset.symbol,asset.type,assetRaw,label,fromAccount,toAccount,price,value,baseCurrency,costbasis,proceeds,profit,beforeBalance,afterBalance';
/** The flags of an export, by file name. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'all.jsonl': [],
  'all.csv': [],
  'off.csv': ['--csv-guard', 'off'],
  'comma.csv': ['--decimal-comma', '--separator', ';'],
  'whole.csv': ['--columns', WHOLE],
  'whole.jsonl': ['--columns', WHOLE],
  'all.json': [],
  'excel.csv': ['--csv-dialect', 'excel', '--separator', 'tab', '--decimal-comma', '--csv-guard', 'off'],
};
const names = Object.keys(FORMS);
const folder = temporary();
const pathOf = (name: string) => join(folder, name);
const { env } = await stubLedgers(legs.map((leg) => JSON.stringify(leg)));

/** The records of an answer, without the names of wallets, because a file has no names. */
async function shown(args: readonly string[]): Promise<unknown> {
  const { stdout } = await runHere([...args, '--json'], env);
  return JSON.parse(stdout).map((row: object) => ({ ...row, wallet: undefined }));
}

beforeAll(async () => {
  for (const [name, flags] of Object.entries(FORMS))
    await runHere(['ledgers', 'export', '--tz', 'UTC', ...flags, '--out', pathOf(name)], env);
});

const QUESTIONS = [
  ['ledgers', 'rollforward', '--period', '2025-Q3', '--tz', 'UTC'],
  ['balances', '--as-of', '2025-09-30', '--tz', 'UTC'],
  ['ledgers', 'disposals', '--period', '2025-Q3', '--tz', 'UTC'],
];

describe.each(QUESTIONS.map((question) => ({ question, name: question.slice(0, 2).join(' ') })))(
  '$name',
  ({ question }) => {
    test.each(names)('has the same answer for the file %s as for the service', async (name) => {
      const own = await shown([...question, '--file', pathOf(name)]);
      expect(own).toEqual(await shown(question));
    });
  },
);

const PAIRS = names.flatMap((old, at) => names.slice(at + 1).map((now) => [old, now] as const));

test.each(cases(PAIRS, 12))('"ledgers diff" finds no difference between %s and %s', async (old, now) => {
  const args = ['ledgers', 'diff', pathOf(old), pathOf(now), '--json', '--exit-code'];
  const { stdout, stderr, error, found } = await endHere(args, env);
  expect([error, found, JSON.parse(stdout).changes]).toEqual([undefined, 0, []]);
  // Some fields are missing from the files with chosen columns, but no field that the files share in another form.
  expect(stderr).not.toMatch(/not compared.*(assetRaw|price|Account)/);
});

test.each(QUESTIONS)('"%s %s" has the same answer for a mirror as for the service', async (...question) => {
  const mirror = pathOf('mirror');
  await runHere(['mirror', mirror, '--tables', 'none'], env);
  expect(await shown([...question, '--mirror', mirror])).toEqual(await shown(question));
});

test('the time zone of a flag takes precedence over the time zone of the file', async () => {
  const question = [
    'ledgers',
    'rollforward',
    '--from',
    '2025-07-03',
    '--to',
    '2025-07-03',
    '--tz',
    'Asia/Kathmandu',
  ];
  const own = await shown([...question, '--file', pathOf('all.csv')]);
  expect(own).toEqual(await shown(question));
});
