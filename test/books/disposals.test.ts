import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DisposalTotals, disposalOf } from '../../src/books/disposals.ts';

const leg = {
  ...{ id: 'led_1', transactionId: 'txn_1', walletId: 'w', assetId: 'a', asset: { symbol: 'X' } },
  ...{ type: 'outgoing', quantity: '1.50', timestamp: 7, baseCurrency: 'EUR', label: 'Trade' },
  ...{ proceeds: '3.0', costbasis: '2', profit: '1.0' },
};

test('returns outgoing legs and fees as disposals, without changing their digits', () => {
  expect(disposalOf(leg)).toEqual({
    ...{ walletId: 'w', assetId: 'a', symbol: 'X', timestamp: 7, type: 'outgoing', quantity: '1.50' },
    ...{ proceeds: '3.0', costbasis: '2', profit: '1.0', baseCurrency: 'EUR', label: 'Trade' },
    ...{ ledgerId: 'led_1', transactionId: 'txn_1' },
  });
  expect(disposalOf({ ...leg, type: 'fee' })).toMatchObject({ type: 'fee' });
  expect(disposalOf({ ...leg, proceeds: null, costbasis: null })).toMatchObject({
    proceeds: null,
    profit: '1.0',
  });
});

test('returns no disposal for an incoming leg, or if cost basis, proceeds and profit are all missing', () => {
  expect(disposalOf({ ...leg, type: 'incoming' })).toBeUndefined();
  expect(disposalOf({ ...leg, proceeds: null, costbasis: null, profit: null })).toBe('no figures');
});

test('sums of disposals are exact for each currency, and unknown values are counted', () => {
  const figure = fc.option(
    fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }).map((units) => decimalOf(units)),
    { nil: null },
  );
  fc.assert(
    fc.property(
      fc.array(fc.record({ baseCurrency: fc.constantFrom('EUR', 'USD', null), profit: figure })),
      (given) => {
        const totals = new DisposalTotals();
        for (const one of given) {
          const disposal = disposalOf({ ...leg, ...one, proceeds: '1' });
          if (disposal && disposal !== 'no figures') totals.add(disposal);
        }
        for (const { baseCurrency, disposals, figures } of totals.all()) {
          const own = given.filter((one) => one.baseCurrency === baseCurrency);
          // An amount without a currency is counted as unknown.
          const known = baseCurrency === null ? [] : own.flatMap(({ profit }) => profit ?? []);
          expect(disposals).toBe(own.length);
          expect([figures.proceeds.sum?.toFixed(), figures.proceeds.unknown]).toEqual(
            baseCurrency === null ? [undefined, own.length] : [String(own.length), 0],
          );
          expect(figures.profit.unknown).toBe(own.length - known.length);
          const sum = figures.profit.sum?.toFixed(PLACES);
          expect(sum === undefined ? null : unitsOf(sum)).toBe(
            known.length === 0 ? null : known.reduce((total, text) => total + unitsOf(text), 0n),
          );
        }
        expect(totals.all()).toHaveLength(new Set(given.map((one) => one.baseCurrency)).size);
      },
    ),
  );
});

const PLACES = 18;

function decimalOf(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(PLACES + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`;
}

function unitsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.');
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return decimal.startsWith('-') ? -units : units;
}
