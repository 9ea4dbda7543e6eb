import { expect, test } from 'vitest';
import { rollForward, rollForwardByAsset } from '../../src/books/rollforward.ts';
import { cleanBooks, decimalText, START, unitsOf } from './audit/books.ts';

const DAY = 86_400_000;

test('opening, movements and closing of every pair equal a plain recomputation, to the last digit', async () => {
  const { legs, pairs } = cleanBooks(5, 4000);
  const period = { from: START + 100 * DAY, to: START + 200 * DAY };
  const lines = await rollForward(
    legs.filter(({ timestamp }) => Number(timestamp) <= period.to),
    period,
  );
  let checked = 0;
  for (const indexes of pairs.values()) {
    const own = indexes
      .map((index) => legs[index] ?? {})
      .filter(({ timestamp }) => Number(timestamp) <= period.to);
    if (own.length === 0) continue;
    const before = own.filter(({ timestamp }) => Number(timestamp) < period.from);
    const within = own.filter(({ timestamp }) => Number(timestamp) >= period.from);
    const sum = (type: string) =>
      decimalText(
        within
          .filter((leg) => leg['type'] === type)
          .reduce((total, { quantity }) => total + unitsOf(String(quantity)), 0n),
      );
    const line = lines.find(
      ({ walletId, assetId }) => walletId === own[0]?.['walletId'] && assetId === own[0]?.['assetId'],
    );
    expect(line).toMatchObject({
      legs: within.length,
      opening: String(before.at(-1)?.['afterBalance'] ?? '0'),
      in: sum('incoming'),
      out: sum('outgoing'),
      fees: sum('fee'),
      closing: String(own.at(-1)?.['afterBalance']),
      difference: '0',
      tiesOut: true,
    });
    expect(line?.figures.profit).toEqual({
      sum: decimalText(125n * 10n ** 16n * BigInt(within.length)),
      unknown: 0,
    });
    checked += 1;
  }
  expect(checked).toBe(lines.length);
  for (const total of rollForwardByAsset(lines)) {
    const own = lines.filter(({ assetId }) => assetId === total.assetId);
    expect(total).toMatchObject({
      tiesOut: true,
      closing: decimalText(own.reduce((sum, { closing }) => sum + unitsOf(String(closing)), 0n)),
    });
  }
});

const leg = (id: string, timestamp: number, more: object) => ({
  ...{ id, timestamp, walletId: 'w', assetId: 'a', asset: { symbol: 'X' }, type: 'incoming', quantity: '1' },
  ...{ beforeBalance: '0', afterBalance: '1', baseCurrency: 'USD', profit: null },
  ...more,
});

test('a leg that is missing in the middle shows as a difference', async () => {
  const [line] = await rollForward(
    [leg('1', 1, {}), leg('2', 5, { beforeBalance: '4.5', afterBalance: '5.5' })],
    { from: 0, to: 10 },
  );
  expect(line).toMatchObject({ opening: '0', in: '2', closing: '5.5', difference: '3.5', tiesOut: false });
});

test('an unknown running balance is unknown, never 0', async () => {
  const unknown = { beforeBalance: null, afterBalance: null };
  const [line] = await rollForward([leg('1', 1, {}), leg('2', 5, unknown)], { from: 3, to: 10 });
  expect(line).toMatchObject({ opening: '1', in: '1', closing: null, difference: null, tiesOut: null });
  expect(line?.figures.profit).toEqual({ sum: null, unknown: 1 });
});

test('a pair without legs in the period keeps its balance', async () => {
  const [line] = await rollForward([leg('1', 1, {})], { from: 3, to: 10 });
  expect(line).toMatchObject({
    legs: 0,
    opening: '1',
    in: '0',
    out: '0',
    fees: '0',
    closing: '1',
    tiesOut: true,
  });
});

test('a quantity too long to add exactly is unknown, and is never written out', async () => {
  const [line] = await rollForward([leg('1', 1, { quantity: '1e999999999' })], { from: 0, to: 10 });
  expect(line).toMatchObject({ in: null, difference: null, tiesOut: null });
});

test('a wallet without legs in the period counts towards the balance of its asset', async () => {
  const lines = await rollForward([leg('1', 1, { walletId: 'v' }), leg('2', 5, {})], { from: 3, to: 10 });
  const [total, ...others] = rollForwardByAsset(lines);
  expect(others).toEqual([]);
  expect(total).toMatchObject({ opening: '1', in: '1', closing: '2', tiesOut: true, baseCurrency: 'USD' });
});
