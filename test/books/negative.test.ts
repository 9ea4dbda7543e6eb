import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { negativeBalances } from '../../src/books/negative.ts';

interface Row {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly walletId: string;
  readonly assetId: string | null;
  readonly afterBalance: string | null;
  readonly timestamp: number;
}

const leg = (id: string, timestamp: number, afterBalance: string | null, more: Partial<Row> = {}): Row => ({
  id,
  transactionId: `t-${id}`,
  walletId: 'w1',
  assetId: 'a1',
  asset: { symbol: 'ETH' },
  timestamp,
  afterBalance,
  ...more,
});

describe('negative balances', () => {
  test('first offending leg and deepest point, per wallet and asset', async () => {
    const { found } = await negativeBalances([
      leg('3', 30, '-0.000000000000000002'),
      leg('1', 10, '5'),
      leg('2', 20, '-0.000000000000000001'),
      leg('4', 40, '-7', { walletId: 'w2' }),
      leg('5', 50, '-0.0000000000000000021'),
    ]);
    expect(found).toEqual([
      {
        walletId: 'w1',
        assetId: 'a1',
        symbol: 'ETH',
        legs: 3,
        first: { id: '2', transactionId: 't-2', timestamp: 20, afterBalance: '-0.000000000000000001' },
        deepest: { id: '5', transactionId: 't-5', timestamp: 50, afterBalance: '-0.0000000000000000021' },
      },
      expect.objectContaining({ walletId: 'w2', legs: 1 }),
    ]);
  });

  test('zero in any spelling, no balance, and what is no decimal are not negative', async () => {
    const rows = ['0', '-0', '-0.000', '0.0', null, 'n/a', '-'].map((balance, at) =>
      leg(String(at), at, balance),
    );
    expect(await negativeBalances(rows)).toEqual({ found: [], unreadable: 2 });
  });

  test('unresolved assets are told apart by their symbol, and from a resolved one of the same name', async () => {
    const { found } = await negativeBalances([
      leg('1', 1, '-1', { assetId: null, asset: null, assetRaw: { symbol: 'XYZ' } }),
      leg('2', 2, '-1', { assetId: null, asset: null, assetRaw: { symbol: 'ABC' } }),
      leg('3', 3, '-1', { assetId: 'XYZ', asset: { symbol: 'XYZ' } }),
    ]);
    expect(found.map(({ assetId, symbol }) => [assetId, symbol])).toEqual([
      [null, 'XYZ'],
      [null, 'ABC'],
      ['XYZ', 'XYZ'],
    ]);
  });

  test('agrees with a plain scan, whatever the order of the legs', async () => {
    const units = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    const text = (unit: bigint) => new Decimal(unit.toString()).div(new Decimal(10).pow(18)).toFixed();
    Decimal.set({ precision: 100 });
    const rows = fc.array(
      fc.record({
        wallet: fc.constantFrom('w1', 'w2'),
        asset: fc.constantFrom('a', 'b'),
        unit: units,
        time: fc.nat(50),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(rows, async (drawn) => {
        const legs = drawn.map(({ wallet, asset, unit, time }, at) =>
          leg(String(at), time, text(unit), { walletId: wallet, assetId: asset }),
        );
        const below = drawn.map((row, at) => ({ ...row, id: String(at) })).filter(({ unit }) => unit < 0n);
        const { found } = await negativeBalances(legs);
        expect(found.reduce((sum, { legs }) => sum + legs, 0)).toBe(below.length);
        for (const { walletId, assetId, first, deepest, legs: count } of found) {
          const own = below.filter(({ wallet, asset }) => wallet === walletId && asset === assetId);
          expect(count).toBe(own.length);
          expect(first.timestamp).toBe(Math.min(...own.map(({ time }) => time)));
          const lowest = own.reduce((low, { unit }) => (unit < low ? unit : low), 0n);
          expect(deepest.afterBalance).toBe(text(lowest));
        }
      }),
    );
  });
});
