import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { writeBooks } from './books.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 200 });
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-rollforward-'));
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

type Line = Readonly<Record<string, unknown>>;

async function rollforward(...args: string[]): Promise<readonly Line[]> {
  return JSON.parse((await runHere(['ledgers', 'rollforward', ...args, '--json'], sandbox.env)).stdout);
}

/** Returns a decimal in units of 10^-30. The test can then compute sums without the code that it tests. */
function unitsOf(decimal: unknown): bigint {
  const [whole = '', fraction = ''] = String(decimal).replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(30, '0'));
  return String(decimal).startsWith('-') ? -units : units;
}

const keyOf = ({ walletId, assetId, symbol }: Line) => `${walletId} ${assetId ?? symbol}`;

test('the lines of a roll-forward add up, and a quarter opens with the closing balances of the previous quarter', async () => {
  const [first, second] = [
    await rollforward('--period', '2024-Q1'),
    await rollforward('--period', '2024-Q2'),
  ];
  const closing = new Map(first.map((line) => [keyOf(line), line['closing']]));
  const known = second.filter(({ tiesOut }) => tiesOut !== null);
  expect(known.length).toBeGreaterThan(10);
  for (const line of known) {
    expect(line).toMatchObject({ difference: '0', tiesOut: true });
    const [opening, into, out, fees] = ['opening', 'in', 'out', 'fees'].map((name) => unitsOf(line[name]));
    expect((opening ?? 0n) + (into ?? 0n) - (out ?? 0n) - (fees ?? 0n)).toBe(unitsOf(line['closing']));
  }
  const carried = second.filter((line) => closing.get(keyOf(line)) != null);
  expect(carried.length).toBeGreaterThan(10);
  for (const line of carried) expect(line['opening'], keyOf(line)).toBe(closing.get(keyOf(line)));
});

test('"ledgers rollforward" counts every leg exactly once, both by wallet and by asset', async () => {
  for (const by of ['wallet', 'asset']) {
    const lines = await rollforward('--by', by);
    expect(lines.reduce((sum, { legs }) => sum + Number(legs), 0)).toBe(sandbox.truth.ledgers);
  }
});

test('"ledgers rollforward" counts the lines that cannot be checked', async () => {
  const { stderr, found, error } = await endHere(['ledgers', 'rollforward', '--exit-code'], sandbox.env);
  expect(error).toBeUndefined();
  expect(found).toBe(0);
  const unknown = (await rollforward()).filter(({ tiesOut }) => tiesOut === null);
  expect(unknown.length).toBeGreaterThan(1);
  expect(stderr).toContain(
    `${unknown.length} lines cannot be checked, because a balance or a quantity is unknown.`,
  );
});

/** An incoming leg of 1 ETH, `at` days after 1 January 2025. The balance before the leg is `at`. */
function leg(at: number, more: JsonRecord = {}): JsonRecord {
  return {
    ...{
      id: `led_${at}`,
      transactionId: `txn_${at}`,
      timestamp: Date.UTC(2025, 0, 1 + at),
      type: 'incoming',
    },
    ...{ quantity: '1', beforeBalance: String(at), afterBalance: String(at + 1), walletId: 'kraken' },
    ...{ assetId: 'ast_eth', asset: { symbol: 'ETH' }, price: { price: 5 }, baseCurrency: 'EUR' },
    ...{ value: 5, costbasis: '5', proceeds: '5', profit: '0', ...more },
  };
}

test('"ledgers rollforward" never adds values in different currencies, and lists the sums of each currency', async () => {
  const file = await writeBooks(join(directory, 'mixed.jsonl'), [
    leg(0),
    leg(1, { baseCurrency: 'USD', profit: '7' }),
    leg(2, { profit: null }),
  ]);
  for (const by of ['wallet', 'asset']) {
    const args = ['ledgers', 'rollforward', '--file', file, '--by', by];
    const { stdout, stderr } = await endHere([...args, '--json'], sandbox.env);
    const lines: readonly Line[] = JSON.parse(stdout);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      ...{ legs: 3, opening: '0', closing: '3', tiesOut: true, profit: null, baseCurrency: null },
      byCurrency: [
        { baseCurrency: 'EUR', costbasis: '10', profit: '0', profitUnknown: 1 },
        { baseCurrency: 'USD', costbasis: '5', profit: '7', profitUnknown: 0 },
      ],
    });
    expect(stderr).toContain('Values in several currencies are not added up: ETH');
  }
});

test('"ledgers rollforward" shows quantities as unknown if a leg has a type without a direction', async () => {
  const file = await writeBooks(join(directory, 'types.jsonl'), [leg(0), leg(1, { type: 'staked' })]);
  const args = ['ledgers', 'rollforward', '--file', file];
  const { stdout, stderr } = await endHere([...args, '--json'], sandbox.env);
  expect(JSON.parse(stdout)).toMatchObject([
    { opening: '0', in: null, out: null, fees: null, closing: '2', difference: null, tiesOut: null },
  ]);
  expect(stderr).toContain(
    '1 leg is not as specified: 1 neither incoming nor outgoing nor a fee: staked (led_1).',
  );
});

test('"ledgers rollforward" lists the lines that do not add up if another wallet has an unknown balance', async () => {
  const leg = (id: string, walletId: string, more: JsonRecord) => ({
    ...{ id, transactionId: id, walletId, assetId: 'x', asset: { symbol: 'XYZ' }, type: 'incoming' },
    ...{ quantity: '1', baseCurrency: 'USD', timestamp: Date.UTC(2025, 0, Number(id)), ...more },
  });
  const file = await writeBooks(join(directory, 'gap.jsonl'), [
    leg('1', 'w', { beforeBalance: '0', afterBalance: '1' }),
    leg('2', 'w', { beforeBalance: '3', afterBalance: '4' }),
    leg('3', 'v', { beforeBalance: null, afterBalance: null }),
  ]);
  const args = ['ledgers', 'rollforward', '--period', '2025', '--tz', 'UTC', '--file', file];
  expect((await endHere(args, sandbox.env)).stderr).toContain(
    '1 line does not add up: XYZ in w. Find out why:',
  );
  expect((await endHere([...args, '--by', 'asset'], sandbox.env)).stderr).toContain(
    '1 line does not add up: XYZ. Find out why:',
  );
});

test.each([
  [1, 0, '1 of 1 line adds up.'],
  [0, 1, '0 of 1 line adds up.'],
  [1, 1, '1 of 2 lines add up.'],
  [2, 0, '2 of 2 lines add up.'],
])(
  '"ledgers rollforward" counts %i right and %i wrong lines in correct English',
  async (right, wrong, said) => {
    const legs = [...Array(right + wrong).keys()].map((at) => ({
      ...{ id: `l${at}`, transactionId: `t${at}`, timestamp: Date.UTC(2025, 0, 1 + at), type: 'incoming' },
      ...{ walletId: `w${at}`, assetId: 'x', asset: { symbol: 'X' }, quantity: '1', baseCurrency: 'USD' },
      ...{ beforeBalance: '0', afterBalance: at < right ? '1' : '2' },
    }));
    const file = await writeBooks(join(directory, `lines-${right}-${wrong}.jsonl`), legs);
    const { stderr } = await runHere(['ledgers', 'rollforward', '--file', file], sandbox.env);
    expect(stderr).toContain(said);
  },
);
