import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../src/sandbox/index.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 1200 });
afterAll(() => sandbox.close());

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

test('"ledgers rollforward" counts the lines with an unknown balance', async () => {
  const { stderr, found, error } = await endHere(['ledgers', 'rollforward', '--exit-code'], sandbox.env);
  expect(error).toBeUndefined();
  expect(found).toBe(0);
  const unknown = (await rollforward()).filter(({ tiesOut }) => tiesOut === null);
  expect(unknown.length).toBeGreaterThan(1);
  expect(stderr).toContain(`${unknown.length} lines have an unknown balance.`);
});
