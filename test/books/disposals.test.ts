import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Amount } from '../../src/books/amount.ts';
import {
  DisposalTotals,
  disposalKind,
  disposalOf as disposalOfLeg,
  isProcessed,
  reconciled,
} from '../../src/books/disposals.ts';
import { Leg } from '../../src/books/leg.ts';
import { reportFigures } from '../../src/books/report.ts';
import { ZERO } from '../../src/core/decimal.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { isWithin } from '../../src/core/span.ts';
import { runs } from '../runs.ts';
import { books, PERIOD } from './random-books.ts';

const leg = {
  ...{ id: 'led_1', transactionId: 'txn_1', walletId: 'w', assetId: 'a', asset: { symbol: 'X' } },
  ...{ type: 'outgoing', quantity: '1.50', timestamp: 7, baseCurrency: 'EUR', label: 'Trade' },
  ...{ proceeds: '3.0', costbasis: '2', profit: '1.0' },
};

const OWN = ['w', 'w2'];
const disposalOf = (record: JsonRecord) => disposalOfLeg(new Leg(record), (id) => OWN.includes(id));

test('returns outgoing legs and fees as disposals, without changing their digits', () => {
  expect(disposalOf(leg)).toEqual({
    ...{ walletId: 'w', assetId: 'a', symbol: 'X', timestamp: 7, type: 'outgoing', quantity: '1.50' },
    ...{ proceeds: '3.0', costbasis: '2', profit: '1.0', baseCurrency: 'EUR', label: 'Trade' },
    ...{ ledgerId: 'led_1', transactionId: 'txn_1', kind: 'disposal', mismatch: false },
  });
  expect(disposalOf({ ...leg, type: 'fee' })).toMatchObject({ type: 'fee', kind: 'disposal' });
  expect(disposalOf({ ...leg, proceeds: null, costbasis: null })).toMatchObject({
    ...{ proceeds: null, profit: '1.0', mismatch: null },
  });
});

test('returns no disposal for an incoming leg', () => {
  expect(disposalOf({ ...leg, type: 'incoming' })).toBeUndefined();
});

test('isProcessed() is false only if cost basis, proceeds and profit are all missing', () => {
  const none = { proceeds: null, costbasis: null, profit: null };
  const legs = [none, { ...none, profit: '0' }, {}].map((part) => new Leg({ ...leg, ...part }));
  expect(legs.map(isProcessed)).toEqual([false, true, true]);
});

const to = (walletId: unknown) => ({ toAccount: { provider: 'p', walletId } });

test.each([
  ['an outgoing leg without a receiver', {}, 'disposal'],
  ['a leg to a wallet that is not own', to('w9'), 'disposal'],
  ['a leg to an account without an id', to(null), 'disposal'],
  ['a leg that refers only to its own wallet', { fromAccount: { walletId: 'w' }, ...to('w') }, 'disposal'],
  ['a leg to another own wallet', to('w2'), 'transfer'],
  ['a fee of a transfer', { type: 'fee', ...to('w2') }, 'disposal'],
  ['a leg of fiat money', { asset: { symbol: 'EUR', type: 'fiat' } }, 'fiat'],
  [
    'a leg of fiat money to another own wallet',
    { asset: { symbol: 'EUR', type: 'fiat' }, ...to('w2') },
    'fiat',
  ],
  ['a leg whose type has no direction', { type: 'reward' }, 'unknown'],
  ['a leg without a type', { type: null }, 'unknown'],
])('recognises the kind of %s', (_, part, kind) => {
  expect(disposalOf({ ...leg, ...part })).toMatchObject({ kind });
});

test('marks a profit that is not exactly the proceeds minus the cost basis', () => {
  const mismatch = (part: JsonRecord) => disposalOf({ ...leg, ...part })?.mismatch;
  expect(mismatch({ profit: '1.000000000000000001' })).toBe(true);
  expect(mismatch({ proceeds: '1', costbasis: '2.5', profit: '-1.50' })).toBe(false);
  expect(mismatch({ profit: null })).toBeNull();
  expect(mismatch({ profit: 'many' })).toBeNull();
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
        for (const one of given) totals.add(new Leg({ ...leg, ...one, proceeds: '1' }));
        for (const { baseCurrency, disposals, figures } of totals.all()) {
          const own = given.filter((one) => one.baseCurrency === baseCurrency);
          // An amount without a currency is counted as unknown.
          const known = baseCurrency === null ? [] : own.flatMap(({ profit }) => profit ?? []);
          expect(disposals).toBe(own.length);
          expect([figures.proceeds.part?.toFixed(), figures.proceeds.unknown]).toEqual(
            baseCurrency === null ? [undefined, own.length] : [String(own.length), 0],
          );
          expect(figures.profit.unknown).toBe(own.length - known.length);
          const sum = figures.profit.part?.toFixed(PLACES);
          expect(sum === undefined ? null : unitsOf(sum)).toBe(
            known.length === 0 ? null : known.reduce((total, text) => total + unitsOf(text), 0n),
          );
        }
        expect(totals.all()).toHaveLength(new Set(given.map((one) => one.baseCurrency)).size);
      },
    ),
  );
});

test('counts the disposals with a cost basis of 0, and the possible transfers, each with their profit', () => {
  const totals = new DisposalTotals();
  const add = (more: JsonRecord) =>
    totals.add(new Leg({ ...leg, baseCurrency: 'USD', proceeds: '5', costbasis: '3', profit: '2', ...more }));
  add({ label: 'Trade' });
  add({ label: 'Trade', costbasis: '0.00', profit: '5' });
  add({ label: 'Trade', costbasis: '0', proceeds: '0', profit: '0' });
  add({ label: 'Trade', costbasis: null, profit: null });
  add({ label: 'Withdrawal' });
  add({ label: null, profit: null });
  add({ label: 'Withdrawal', type: 'fee' });
  const [total] = totals.all();
  const counted = ({ legs, profit: { part, unknown } }: { legs: number; profit: Amount }) => [
    legs,
    part?.toFixed(),
    unknown,
  ];
  expect(total && counted(total.costless)).toEqual([2, '5', 0]);
  expect(total && counted(total.uncategorised)).toEqual([2, '2', 1]);
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

test('in a report, all kinds of profit add up to the total, and the disposal profit matches DisposalTotals', async () => {
  let others = 0;
  const isOwn = (walletId: string) => walletId === 'w2';
  await fc.assert(
    fc.asyncProperty(
      books,
      fc.array(fc.constantFrom('w1', 'w2', 'w9'), { minLength: 12, maxLength: 12 }),
      async (given, to) => {
        const legs = given.map(
          (leg, at): JsonRecord => ({
            ...leg,
            toAccount: { walletId: to[at] },
            asset: { symbol: 'X', type: at % 4 === 0 ? 'fiat' : 'crypto' },
          }),
        );
        const report = await reportFigures(legs, {
          ...{ period: PERIOD, fromStart: true, isOwn, findings: [], mostHistories: 0 },
          dateOf: (time) => new Date(time).toISOString(),
        });
        const totals = new DisposalTotals();
        for (const leg of legs.map((record) => new Leg(record))) {
          const isIn = isWithin(leg.time, PERIOD) && leg.sign !== 1;
          if (isIn && disposalKind(leg, isOwn) === 'disposal') totals.add(leg);
        }
        for (const own of report.profits) {
          const disposals = totals.all().find(({ baseCurrency }) => baseCurrency === own.baseCurrency);
          const { part, unknown } = own.kinds.disposal;
          const { figures } = disposals ?? {};
          expect([part?.toFixed(), unknown]).toEqual([
            figures ? figures.profit.part?.toFixed() : '0',
            figures?.profit.unknown ?? 0,
          ]);
          const all = report.totals.find((row) => row['baseCurrency'] === own.baseCurrency);
          const shown = reconciled(own);
          const kindOf = (leg: Leg) => (leg.sign === 1 ? 'incoming' : disposalOfLeg(leg, isOwn)?.kind);
          const mine = legs
            .map((record) => new Leg(record))
            .filter(({ time, currency }) => isWithin(Number(time), PERIOD) && currency === own.baseCurrency);
          const isOther = (leg: Leg) => kindOf(leg) !== 'disposal' && leg.money('profit')?.isZero() === false;
          expect(shown !== undefined).toBe(mine.some(isOther));
          if (!shown) continue;
          others += shown.parts.length - 1;
          const ofAll = shown.all;
          expect([ofAll.part?.toFixed() ?? null, ofAll.unknown]).toEqual([
            all?.['profit'],
            all?.['profitUnknown'],
          ]);
          // The numbers of legs of all kinds add up to the total number, and their profits add up to the total profit.
          expect(ofAll.known + ofAll.unknown).toBe(mine.length);
          for (const name of ['known', 'unknown'] as const) {
            expect(shown.parts.reduce((sum, { profit }) => sum + profit[name], 0)).toBe(ofAll[name]);
          }
          const sums = shown.parts.reduce((sum, { profit: { part } }) => (part ? sum.plus(part) : sum), ZERO);
          if (ofAll.part) expect(sums.toFixed()).toBe(ofAll.part.toFixed());
          const kinds = new Set([...mine.map(kindOf), 'disposal']);
          expect(new Set(shown.parts.map(({ kind }) => kind))).toEqual(kinds);
        }
      },
    ),
    { numRuns: runs(300, 75) },
  );
  expect(others).toBeGreaterThan(20);
});
