import { describe, expect, test } from 'vitest';
import { balancesAfter, balancesByAsset } from '../../src/books/balances.ts';
import type { JsonRecord } from '../../src/core/json.ts';

const leg = (id: string, timestamp: number | null, afterBalance: unknown, more: JsonRecord = {}) => ({
  ...{ id, timestamp, afterBalance, beforeBalance: null, walletId: 'w', assetId: 'a' },
  ...{ asset: { symbol: 'X' }, ...more },
});

test('returns the last running balance without changing its digits', async () => {
  const [balance] = await balancesAfter([leg('1', 1, '5.10'), leg('2', 2, '0.000000000000000010')]);
  expect(balance).toEqual({
    ...{ walletId: 'w', assetId: 'a', symbol: 'X', legs: 2, balance: '0.000000000000000010' },
    ...{
      lastLegAt: 2,
      ledgerId: '2',
      openLegs: 0,
      untimed: 0,
      lastKnown: '0.000000000000000010',
      lastKnownAt: 2,
    },
  });
});

describe('unknown balances', () => {
  test.each([
    ['after a leg without a running balance', [leg('1', 1, '5'), leg('2', 2, null)], ['5', 1]],
    ['after a running balance that is not a number', [leg('1', 1, '5'), leg('2', 2, 'many')], ['5', 1]],
    ['if a leg has no time', [leg('1', 1, '5'), leg('2', null, '7')], ['5', 1]],
    ['if no leg has a running balance', [leg('1', 1, null)], [null, null]],
  ])('reports the balance as unknown %s', async (_, legs, [lastKnown, lastKnownAt]) => {
    const [balance] = await balancesAfter(legs);
    expect(balance).toMatchObject({ balance: null, lastKnown, lastKnownAt, legs: legs.length });
  });
});

test('the last known balance is the balance before the first leg whose order is unknown', async () => {
  const moment = [leg('a', 2, '8'), leg('b', 2, '5')];
  for (const legs of [moment, moment.toReversed()]) {
    const [balance] = await balancesAfter([leg('z', 1, '3'), ...legs]);
    expect(balance).toMatchObject({
      balance: null,
      lastKnown: '3',
      lastKnownAt: 1,
      ledgerId: null,
      openLegs: 2,
    });
    expect((await balancesAfter(legs))[0]).toMatchObject({ lastKnown: null, lastKnownAt: null });
  }
});

test('orders legs with the same time by their balances, and returns the balance after the last leg', async () => {
  const moment = [
    leg('c', 5, '1', { beforeBalance: '3' }),
    leg('a', 5, '10', { beforeBalance: '0' }),
    leg('b', 5, '3', { beforeBalance: '10' }),
  ];
  for (const legs of [moment, [...moment].reverse()]) {
    expect((await balancesAfter(legs))[0]).toMatchObject({ balance: '1', ledgerId: 'c' });
  }
});

test('the balance of an asset is the exact sum over all wallets, and wallets with unknown balances are counted', async () => {
  const balances = await balancesAfter([
    leg('1', 1, '0.1'),
    leg('2', 2, '0.000000000000000002', { walletId: 'v' }),
    leg('3', 3, '-4', { assetId: 'b' }),
    leg('4', 4, null, { assetId: 'b', walletId: 'v' }),
    leg('5', 5, '1', { assetId: null, assetRaw: { symbol: 'X' }, asset: null }),
  ]);
  expect(balancesByAsset(balances)).toEqual([
    expect.objectContaining({ assetId: 'a', wallets: 2, balance: '0.100000000000000002', unknownWallets: 0 }),
    expect.objectContaining({ assetId: 'b', wallets: 2, balance: null, known: '-4', unknownWallets: 1 }),
    expect.objectContaining({ assetId: null, symbol: 'X', wallets: 1, balance: '1' }),
  ]);
});
