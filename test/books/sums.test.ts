import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { figureColumns, keyColumns, Sums, sumKeys } from '../../src/books/sums.ts';
import { parseJson } from '../../src/core/json.ts';
import { isoText } from '../../src/formats/moments.ts';
import { runs } from '../runs.ts';

const FIELDS = ['assetId', 'asset.symbol', 'walletId', 'type', 'label', 'isEdited', 'baseCurrency'];
const utc = (timestamp: number) => new Date(timestamp).toISOString();
const at = (text: string) => Date.parse(text);

type Leg = Record<string, unknown>;
const leg = (more: Leg = {}): Leg => ({
  ...{ type: 'incoming', assetId: 'a1', asset: { symbol: 'ETH' }, baseCurrency: 'EUR' },
  ...{ quantity: '1', value: 2, timestamp: at('2025-07-01T12:00:00Z'), walletId: 'w1' },
  ...{ costbasis: null, proceeds: null, profit: null },
  ...more,
});

function sum(by: readonly string[], legs: readonly Leg[], dateOf = utc): Leg[] {
  const sums = new Sums(sumKeys(by, FIELDS), dateOf);
  for (const row of legs) sums.add(row);
  return [...sums.rows()];
}

describe('sum keys', () => {
  test('sum keys always include "baseCurrency", and include "asset" and "assetId" only together', () => {
    const names = (by: readonly string[]) => keyColumns(sumKeys(by, FIELDS));
    expect(names(['month'])).toEqual(['month', 'baseCurrency']);
    expect(names(['baseCurrency', 'asset', 'assetId', 'asset'])).toEqual([
      'baseCurrency',
      'asset',
      'assetId',
    ]);
    expect(names(['assetId', 'walletId'])).toEqual(['asset', 'assetId', 'walletId', 'baseCurrency']);
  });

  test.each([
    ['walletID', 'Did you mean walletId?'],
    ['mnth', 'Did you mean month?'],
    [
      'xxxxxxxxxxxx',
      'Use asset, day, month, quarter, year, or the name of a leg field, for example --sum-by asset,month.',
    ],
    ['profit', 'Use other fields, for example --sum-by asset,month.'],
  ])('rejects the sum key %s', (name, hint) => {
    expect(() => sumKeys([name], FIELDS)).toThrow(
      expect.objectContaining({ kind: 'usage', code: 'BAD_SUM_KEY', hint }),
    );
  });

  test('sums include quantities only if "asset" is a key', () => {
    const keys = sumKeys(['walletId'], FIELDS);
    expect(figureColumns(keys)).not.toContain('net');
    const [row] = sum(['walletId'], [leg(), leg({ assetId: 'a2' })]);
    expect(Object.keys(row ?? {})).toEqual([...keyColumns(keys), ...figureColumns(keys)]);
    expect(row).toMatchObject({ legs: 2, incomingValue: '4' });
  });
});

describe('summed values', () => {
  test('sums are exact for 18 decimals, exponents and long JSON numbers', () => {
    const value = Object(parseJson('{"value": 123456789012345678901234567890.123456789}')).value;
    expect(
      sum(
        ['asset'],
        [
          leg({ quantity: '0.000000000000000001', value: 0.1 }),
          leg({ quantity: '99999999999999999999.999999999999999999', value: 0.2 }),
          leg({ quantity: '1E3', value }),
          leg({ quantity: '+1e-18', value: 1e-7 }),
          leg({ type: 'outgoing', quantity: '.5', value: 1 }),
          leg({ type: 'fee', quantity: '0.25', value: 0.5 }),
        ],
      ),
    ).toEqual([
      {
        ...{ asset: 'ETH', assetId: 'a1', baseCurrency: 'EUR', legs: 6 },
        incoming: '100000000000000001000.000000000000000001',
        ...{
          outgoing: '0.5',
          fee: '0.25',
          net: '100000000000000000999.250000000000000001',
          quantityUnknown: 0,
        },
        incomingValue: '123456789012345678901234567890.423456889',
        ...{ outgoingValue: '1', feeValue: '0.5', valueUnknown: 0 },
        ...{ costbasis: null, costbasisUnknown: 6, proceeds: null, proceedsUnknown: 6 },
        ...{ profit: null, profitUnknown: 6 },
        incomplete: 'cost basis, proceeds and profit are known for 0 of 6 legs',
      },
    ]);
  });

  test('unknown values are counted, are omitted from sums of money, and make sums of quantities null', () => {
    const [row] = sum(
      ['asset'],
      [
        leg({ quantity: null, value: null, profit: '1.5' }),
        leg({ type: 'fee', quantity: 'n/a', value: 1, profit: '-2' }),
        leg({ type: 'fee', quantity: '3', value: null }),
        leg({ type: 'outgoing', quantity: '4', value: 3 }),
        leg({ type: 'transfer', quantity: '5', value: 7, profit: '1e99999' }),
      ],
    );
    expect(row).toMatchObject({
      ...{ legs: 5, incoming: null, outgoing: '4', fee: null, net: null, quantityUnknown: 3 },
      ...{ incomingValue: null, outgoingValue: '3', feeValue: '1', valueUnknown: 3 },
      ...{ profit: '-0.5', profitUnknown: 3, proceeds: null, proceedsUnknown: 5 },
    });
  });

  test('a leg of a type without direction makes only the net quantity unknown', () => {
    const [row] = sum(['asset'], [leg({ quantity: '3' }), leg({ type: 'reward', quantity: '1' })]);
    expect(row).toMatchObject({ incoming: '3', outgoing: '0', fee: '0', net: null, quantityUnknown: 1 });
    expect(row?.['incomplete']).toContain('quantity and value are known for 1 of 2 legs');
  });

  test('sums treat a value with too many digits as unknown', () => {
    const [row] = sum(['asset'], [leg({ quantity: '1e500' }), leg({ quantity: '1e-500' }), leg()]);
    expect(row).toMatchObject({ incoming: null, net: null, quantityUnknown: 2 });
  });
});

describe('groups of sums', () => {
  test('two assets with the same symbol have separate sums, and one asset with two symbols has one sum', () => {
    const rows = sum(
      ['asset'],
      [
        leg({ assetId: 'b', asset: { symbol: 'USDC' } }),
        leg({ assetId: 'a', asset: { symbol: 'USDC' } }),
        leg({ assetId: 'a', asset: null, assetRaw: { symbol: 'usd-coin' } }),
        leg({ assetId: null, asset: null, assetRaw: { symbol: 'USDC' } }),
      ],
    );
    expect(rows.map(({ asset, assetId, legs }) => [asset, assetId, legs])).toEqual([
      ['USDC', 'a', 2],
      ['USDC', 'b', 1],
      ['USDC', null, 1],
    ]);
  });

  test('shows the quantities of one leg without asset id and symbol, but not the sums of several such legs', () => {
    const none = { assetId: null, asset: null, assetRaw: {} };
    const one = { asset: null, incoming: '1', outgoing: '0', fee: '0', net: '1', quantityUnknown: 0 };
    expect(sum(['asset'], [leg(none)])).toMatchObject([{ ...one, legs: 1 }]);
    const [row] = sum(['asset'], [leg(none), leg({ ...none, type: 'fee' }), leg(none)]);
    const several = { incoming: null, outgoing: null, fee: null, net: null, quantityUnknown: 3 };
    expect(row).toMatchObject({ asset: null, ...several, legs: 3, incomingValue: '4', feeValue: '2' });
    expect(row?.['incomplete']).toMatch(/^quantity, .* are known for 0 of 3 legs$/);
    // An asset id or an original symbol is enough to identify the asset.
    const known = { asset: null, assetRaw: {} };
    for (const one of [
      { ...known, assetId: 'a9' },
      { ...none, assetRaw: { symbol: 'X' } },
    ]) {
      const [sums] = sum(['asset'], [leg(one), leg(one)]);
      expect(sums).toMatchObject({ incoming: '2', net: '2', quantityUnknown: 0 });
    }
  });

  test('sums are separate for each currency, and omit amounts in an unknown currency', () => {
    const rows = sum(['walletId'], [leg(), leg({ baseCurrency: 'USD' }), leg({ baseCurrency: undefined })]);
    expect(rows.map(({ baseCurrency, incomingValue }) => [baseCurrency, incomingValue])).toEqual([
      ['EUR', '2'],
      ['USD', '2'],
      [null, null],
    ]);
    expect(rows.map(({ legs, valueUnknown }) => [legs, valueUnknown])).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
  });

  test('the periods in sums depend on the time zone, and have the same format as --period', () => {
    const berlin = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' });
    const legs = [
      leg({ timestamp: at('2024-12-31T22:59:59.999Z') }),
      leg({ timestamp: at('2024-12-31T23:00:00Z') }),
      leg({ timestamp: at('2025-06-30T22:00:00Z') }),
      leg({ timestamp: 'soon' }),
    ];
    const names = (by: string, dateOf?: (timestamp: number) => string) =>
      sum([by], legs, dateOf).map((row) => row[by]);
    expect(names('day', berlin.format)).toEqual(['2024-12-31', '2025-01-01', '2025-07-01', null]);
    expect(names('quarter', berlin.format)).toEqual(['2024-Q4', '2025-Q1', '2025-Q3', null]);
    expect(names('year')).toEqual(['2024', '2025', null]);
    expect(names('month')).toEqual(['2024-12', '2025-06', null]);
  });

  test('a leg belongs to the day of its local time if the clock goes back in the first minute of a day', () => {
    const change = at('2010-11-07T02:31:00Z'); // At 00:01 in St. John's, the clock went back to 23:01.
    const legs = [change - 30_000, change, change + 30_000, change + 3_600_000];
    const rows = sum(
      ['day'],
      legs.map((timestamp) => leg({ timestamp })),
      (time) => isoText(time, 'America/St_Johns'),
    );
    expect(rows.map(({ day, legs }) => [day, legs])).toEqual([
      ['2010-11-06', 2],
      ['2010-11-07', 2],
    ]);
  });

  test('sums by day use the same local days as Intl.DateTimeFormat, in every time zone', () => {
    const day = 86_400_000;
    fc.assert(
      fc.property(
        fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
        fc.integer({ min: at('1970-01-01') / day, max: at('2038-01-01') / day }),
        (timeZone, first) => {
          const intl = new Intl.DateTimeFormat('sv-SE', { timeZone });
          // With a leg every seven minutes for thirty days, most clock changes in these days are covered.
          const times = Array.from({ length: (30 * day) / 420_000 }, (_, at) => first * day + at * 420_000);
          const counts = new Map<string, number>();
          for (const time of times) counts.set(intl.format(time), (counts.get(intl.format(time)) ?? 0) + 1);
          const rows = sum(
            ['day'],
            times.map((timestamp) => leg({ timestamp })),
            (time) => isoText(time, timeZone),
          );
          expect(rows.map(({ day, legs }) => [day, legs])).toEqual([...counts].sort());
        },
      ),
      { numRuns: runs(15) },
    );
  });

  test('any field can be a sum key, and its values can have any type', () => {
    const rows = sum(['isEdited'], [leg({ isEdited: true }), leg({ isEdited: false }), leg(), leg()]);
    expect(rows.map(({ isEdited, legs }) => [isEdited, legs])).toEqual([
      [false, 1],
      [true, 1],
      [null, 2],
    ]);
    const strange = sum(['label'], [leg({ label: '__proto__' }), leg({ label: ['x'] }), leg({ label: '' })]);
    expect(strange).toHaveLength(3);
  });
});

/** The independent calculation counts in units of 10^-18. */
const UNIT = 10n ** 18n;
const units = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });

function decimalOf(value: bigint, form: number): string {
  const sign = value < 0n ? '-' : '';
  const size = value < 0n ? -value : value;
  if (form === 1) return `${value}e-18`;
  if (form === 2) return `${sign}${size}0.0E-19`;
  return `${sign}${size / UNIT}.${String(size % UNIT).padStart(18, '0')}`;
}

function unitsOf(decimal: unknown): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(decimal)) ?? [];
  const size = BigInt(whole) * UNIT + BigInt(part.padEnd(18, '0'));
  return sign === '-' ? -size : size;
}

const arbitraryLeg = fc.record({
  type: fc.constantFrom('incoming', 'outgoing', 'fee'),
  asset: fc.constantFrom('a', 'b', 'c'),
  wallet: fc.constantFrom('w1', 'w2', null),
  month: fc.constantFrom('2025-01', '2025-02', '2025-10'),
  quantity: fc.option(units),
  profit: fc.option(units),
  form: fc.nat(2),
});

test('the sums match an independent integer calculation, whatever the order of the legs', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryLeg, { maxLength: 60 }),
      fc.shuffledSubarray(['asset', 'walletId', 'month', 'type'], { minLength: 1 }),
      fc.infiniteStream(fc.nat()),
      (legs, by, lots) => {
        const rows = legs.map(({ type, asset, wallet, month, quantity, profit, form }) =>
          leg({
            ...{ type, assetId: asset, asset: { symbol: asset }, walletId: wallet },
            timestamp: at(`${month}-15T00:00:00Z`),
            quantity: quantity === null ? null : decimalOf(quantity, form),
            profit: profit === null ? null : decimalOf(profit, form),
          }),
        );
        const result = sum(by, rows);
        const shuffled = rows.map((row) => ({ row, lot: lots.next().value ?? 0 }));
        shuffled.sort((left, right) => left.lot - right.lot);
        expect(
          sum(
            by,
            shuffled.map(({ row }) => row),
          ),
        ).toEqual(result);
        let seen = 0;
        for (const row of result) {
          const mine = legs.filter(
            ({ type, asset, wallet, month }) =>
              (!by.includes('type') || row['type'] === type) &&
              (!by.includes('asset') || row['assetId'] === asset) &&
              (!by.includes('walletId') || row['walletId'] === wallet) &&
              (!by.includes('month') || row['month'] === month),
          );
          seen += mine.length;
          expect(row['legs']).toBe(mine.length);
          const profits = mine.flatMap(({ profit }) => profit ?? []);
          expect(row['profitUnknown']).toBe(mine.length - profits.length);
          if (profits.length === 0) expect(row['profit']).toBeNull();
          else expect(unitsOf(row['profit'])).toBe(profits.reduce((sum, one) => sum + one, 0n));
          if (!by.includes('asset')) continue;
          for (const type of ['incoming', 'outgoing', 'fee']) {
            const all = mine.filter((one) => one.type === type);
            const known = all.flatMap(({ quantity }) => quantity ?? []);
            if (known.length < all.length) expect(row[type]).toBeNull();
            else expect(unitsOf(row[type])).toBe(known.reduce((sum, one) => sum + one, 0n));
          }
        }
        expect(seen).toBe(legs.length);
      },
    ),
    { numRuns: runs(150) },
  );
});

test('the class Sums keeps only groups in memory, not legs', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const sums = new Sums(sumKeys(['asset', 'month'], FIELDS), utc);
  const legs: WeakRef<Leg>[] = [];
  for (let index = 0; index < 20_000; index++) {
    const row = leg({ assetId: `a${index % 7}`, quantity: `${index}.5` });
    if (index % 100 === 0) legs.push(new WeakRef(row));
    sums.add(row);
  }
  // JavaScript keeps the target of a new WeakRef until the current turn of the event loop ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(legs.filter((row) => row.deref() !== undefined)).toEqual([]);
  expect(sums.size).toBe(7);
  expect([...sums.rows()].reduce((total, { legs }) => total + Number(legs), 0)).toBe(20_000);
});
