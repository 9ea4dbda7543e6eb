import { describe, expect, test } from 'vitest';
import { rollForward as read } from '../../src/books/rollforward.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import type { OpenSpan } from '../../src/core/span.ts';
import { cleanBooks, decimalText, START, unitsOf } from './audit/books.ts';

const DAY = 86_400_000;

const rollForward = async (legs: readonly JsonRecord[], period: OpenSpan) =>
  (await read(legs, period)).lines();

test('a roll-forward equals an independent calculation for each wallet/asset pair, to the last digit', async () => {
  const { legs, pairs } = cleanBooks(5, 4000);
  const period = { from: START + 100 * DAY, to: START + 200 * DAY };
  // Legs after the period are ignored.
  const books = await read(legs, period);
  const lines = books.lines();
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
    expect(line?.figures.profit).toMatchObject({
      sum: decimalText(125n * 10n ** 16n * BigInt(within.length)),
      unknown: 0,
    });
    checked += 1;
  }
  expect(checked).toBe(lines.length);
  for (const total of books.linesByAsset()) {
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

test('a roll-forward shows the quantity of a missing leg as a difference', async () => {
  const [line] = await rollForward(
    [leg('1', 1, {}), leg('2', 5, { beforeBalance: '4.5', afterBalance: '5.5' })],
    { from: 0, to: 10 },
  );
  expect(line).toMatchObject({ opening: '0', in: '2', closing: '5.5', difference: '3.5', tiesOut: false });
});

test('reports an unknown running balance as unknown, never as 0', async () => {
  const unknown = { beforeBalance: null, afterBalance: null };
  const [line] = await rollForward([leg('1', 1, {}), leg('2', 5, unknown)], { from: 3, to: 10 });
  expect(line).toMatchObject({ opening: '1', in: '1', closing: null, difference: null, tiesOut: null });
  expect(line?.figures.profit).toMatchObject({ sum: null, unknown: 1 });
});

test('the opening balance is unknown if the first legs have the same time and possibly start from different balances', async () => {
  const first = [
    leg('1', 1, { quantity: '5', afterBalance: '5' }),
    leg('2', 1, { quantity: '2', beforeBalance: '3', afterBalance: '5' }),
  ];
  for (const legs of [first, first.toReversed()]) {
    const [line] = await rollForward([...legs, leg('3', 2, { beforeBalance: '5', afterBalance: '6' })], {
      from: 0,
      to: 10,
    });
    expect(line).toMatchObject({ opening: null, in: '8', closing: '6', difference: null, tiesOut: null });
  }
});

test('the opening balance stays known if the balance after the first legs is unknown', async () => {
  const legs = [
    leg('1', 1, { quantity: '3', afterBalance: '3' }),
    leg('2', 1, { quantity: '5', beforeBalance: null, afterBalance: '8' }),
    leg('3', 1, { quantity: '2', beforeBalance: null, afterBalance: '5' }),
  ];
  const [line] = await rollForward(legs, { from: 0, to: 10 });
  expect(line).toMatchObject({ opening: '0', closing: null });
});

test('a leg without a time belongs to no period, and makes the balances of its wallet and asset unknown', async () => {
  const legs = [
    leg('1', 1, {}),
    { ...leg('2', 0, { beforeBalance: '1', afterBalance: '2' }), timestamp: null },
  ];
  const open = { opening: null, closing: null, difference: null, tiesOut: null };
  for (const given of [legs, legs.toReversed()]) {
    const books = await read(given, { from: 0, to: 10 });
    expect(books.lines()).toMatchObject([{ ...open, legs: 1, in: '1' }]);
    expect(books.untimed()).toBe(1);
    // Without a period, the roll-forward includes all legs.
    expect(await rollForward(given, {})).toMatchObject([{ ...open, legs: 2, in: '2' }]);
  }
});

test('legs after the period do not affect the order of legs in the period', async () => {
  const open = { beforeBalance: null };
  const legs = [
    leg('1', 1, { ...open, afterBalance: '8' }),
    leg('2', 1, { ...open, afterBalance: '5' }),
    leg('3', 12, { beforeBalance: '8', afterBalance: '9' }),
  ];
  expect(await rollForward(legs, { to: 10 })).toMatchObject([{ closing: null }]);
  expect(await rollForward(legs, { to: 11 })).toEqual(await rollForward(legs.slice(0, 2), { to: 11 }));
});

test('a roll-forward includes the balance of a wallet and asset that have no legs in the period', async () => {
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

test('treats a quantity with too many digits as unknown', async () => {
  const [line] = await rollForward([leg('1', 1, { quantity: '1e999999999' })], { from: 0, to: 10 });
  expect(line).toMatchObject({ in: null, difference: null, tiesOut: null });
});

test('the balance of an asset includes wallets that have no legs in the period', async () => {
  const books = await read([leg('1', 1, { walletId: 'v' }), leg('2', 5, {})], { from: 3, to: 10 });
  const [total, ...others] = books.linesByAsset();
  expect(others).toEqual([]);
  expect(total).toMatchObject({ opening: '1', in: '1', closing: '2', tiesOut: true, baseCurrency: 'USD' });
});

const ALL = { from: 0, to: 10 };

test('adds up the quantities of each leg type', async () => {
  const [line] = await rollForward(
    [
      leg('1', 1, { quantity: '9', afterBalance: '9' }),
      leg('2', 2, { type: 'outgoing', quantity: '2', beforeBalance: '9', afterBalance: '7' }),
      leg('3', 3, { type: 'fee', quantity: '1', beforeBalance: '7', afterBalance: '6' }),
      leg('4', 4, { type: 'outgoing', quantity: '3', beforeBalance: '6', afterBalance: '3' }),
    ],
    ALL,
  );
  expect(line).toMatchObject({ legs: 4, in: '9', out: '5', fees: '1', closing: '3', tiesOut: true });
});

test('adds up known profits, but never adds profits in different currencies', async () => {
  const figures = async (...parts: readonly object[]) => {
    const legs = parts.map((part, at) => leg(String(at), at, part));
    const [line] = await rollForward(legs, ALL);
    return [line?.figures.profit, line?.baseCurrency, line?.byCurrency.length];
  };
  expect(await figures({ profit: '1.5' }, { profit: '2' })).toMatchObject([
    { sum: '3.5', unknown: 0 },
    'USD',
    0,
  ]);
  expect(await figures({ profit: '1.5' }, {})).toMatchObject([{ sum: '1.5', unknown: 1 }, 'USD', 0]);
  expect(await figures({}, {})).toMatchObject([{ sum: null, unknown: 2 }, 'USD', 0]);
  expect(await figures({ profit: '1' }, { profit: '2', baseCurrency: 'EUR' })).toMatchObject([
    { sum: null, unknown: 0 },
    null,
    2,
  ]);
});

describe('a roll-forward by asset', () => {
  const byAsset = async (...legs: readonly JsonRecord[]) => (await read(legs, ALL)).linesByAsset();

  test('a roll-forward by asset adds up legs and known profits, and counts unknown profits', async () => {
    const [line, ...others] = await byAsset(
      leg('1', 1, { profit: '2' }),
      leg('2', 2, { walletId: 'v' }),
      leg('3', 3, { walletId: 'u', profit: '3' }),
    );
    expect(others).toEqual([]);
    expect(line).toMatchObject({
      walletId: '',
      legs: 3,
      in: '3',
      figures: { profit: { sum: '5', unknown: 1 } },
    });
    const [unknown] = await byAsset(leg('1', 1, {}), leg('2', 2, { walletId: 'v' }));
    expect(unknown?.figures.profit).toMatchObject({ sum: null, unknown: 2 });
  });

  test('an asset has no closing balance if the closing balance in one of its wallets is unknown', async () => {
    for (const unknown of ['v', 'w']) {
      const [line] = await byAsset(
        ...['v', 'w'].map((walletId, at) =>
          leg(walletId, at, { walletId, ...(walletId === unknown ? { afterBalance: null } : {}) }),
        ),
      );
      expect(line).toMatchObject({ opening: '0', in: '2', closing: null, difference: null, tiesOut: null });
    }
  });

  test('in a roll-forward by asset, assets without an id are grouped by symbol', async () => {
    const unresolved = (id: string, symbol: string) =>
      leg(id, 1, { walletId: id, assetId: null, asset: { symbol } });
    const lines = await byAsset(unresolved('1', 'X'), unresolved('2', 'X'), unresolved('3', 'Y'));
    expect(lines.map(({ symbol, legs }) => [symbol, legs])).toEqual([
      ['X', 2],
      ['Y', 1],
    ]);
  });

  test('a line by asset has one sum for each currency, and no sum over several currencies', async () => {
    const legs = [
      leg('1', -5, { walletId: '1', baseCurrency: 'GBP', profit: '9' }),
      leg('2', 2, { walletId: '2', baseCurrency: 'EUR', profit: '1' }),
      leg('3', 3, { walletId: '3', profit: '2' }),
      leg('4', 4, { walletId: '4', baseCurrency: 'EUR' }),
      leg('5', 5, { walletId: '4', baseCurrency: null, profit: '7', beforeBalance: '1', afterBalance: '2' }),
    ];
    const [line, ...others] = await byAsset(...legs);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ legs: 4, closing: '5', baseCurrency: null });
    expect(line?.figures.profit).toMatchObject({ sum: null, unknown: 2 });
    expect(line?.byCurrency.map(({ baseCurrency, figures }) => [baseCurrency, figures.profit])).toEqual([
      ['EUR', { sum: '1', known: 1, unknown: 1 }],
      ['USD', { sum: '2', known: 1, unknown: 0 }],
    ]);
  });

  test('differences in several wallets do not cancel each other out', async () => {
    const [line] = await byAsset(
      leg('1', 1, { walletId: '1', afterBalance: '2' }),
      leg('2', 2, { walletId: '2', afterBalance: '0' }),
    );
    expect(line).toMatchObject({ difference: '0', tiesOut: false });
  });
});

test('a leg of a type without direction makes the quantities of its line unknown', async () => {
  const legs = [leg('1', 1, {}), leg('2', 2, { type: 'reward', beforeBalance: '1', afterBalance: '2' })];
  const books = await read(legs, ALL);
  expect(books.lines()).toEqual([
    expect.objectContaining({ in: null, out: null, fees: null, closing: '2', tiesOut: null }),
  ]);
});

test('legs of a wallet without asset id and symbol share a line, and their quantities are not added up', async () => {
  const nameless = (id: string) => leg(id, 1, { assetId: null, asset: null });
  expect(await rollForward([nameless('1')], ALL)).toEqual([
    expect.objectContaining({ legs: 1, opening: '0', in: '1', closing: '1', tiesOut: true }),
  ]);
  expect(await rollForward([nameless('1'), nameless('2')], ALL)).toEqual([
    expect.objectContaining({ legs: 2, opening: null, in: null, closing: null, tiesOut: null }),
  ]);
});

test('takes the opening balance from the first leg if the balance before the period is unknown', async () => {
  const [line] = await rollForward(
    [leg('1', 1, { afterBalance: null }), leg('2', 5, { beforeBalance: '4', afterBalance: '5' })],
    { from: 3, to: 10 },
  );
  expect(line).toMatchObject({ opening: '4', closing: '5', tiesOut: true });
});
