import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SumChanges } from '../../src/books/sum-changes.ts';
import { exact } from '../../src/core/decimal.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';

const LEG = {
  ...{ timestamp: 7, assetId: 'a', 'asset.symbol': 'X', baseCurrency: 'USD', type: 'incoming' },
  ...{ quantity: '2', value: '10', costbasis: '1', proceeds: '3', profit: '2' },
};
type Part = JsonRecord;
const fields = (part: Part) => new Map(Object.entries({ ...LEG, ...part }));
type Pairs = readonly (readonly [before: Part | null, after: Part | null])[];

/**
 * Returns the sums of the given changes. Each change is a pair: the leg before and after the change. `null` stands for the leg
 * before an addition, or after a removal.
 */
const changes = (...pairs: Pairs) => changesAmong([], ...pairs);

/** @param others legs that do not change */
async function changesAmong(others: readonly Part[], ...pairs: Pairs) {
  const sums = new SumChanges((time) => (time < 0 ? '' : `2025-0${time}`));
  for (const [before, after] of pairs) {
    sums.add(before === null ? undefined : fields(before), after === null ? undefined : fields(after));
  }
  const now = pairs.flatMap(([, after]) => (after === null ? [] : [after]));
  for (const part of [...others, ...now]) sums.count({ fields: fields(part) });
  return sums.records();
}

const step = (from: string | null, to: string | null, fromUnknown = 0, toUnknown = 0) => ({
  ...{ from, to, fromUnknown, toUnknown },
});
const GROUP = { month: '2025-07', assetId: 'a', symbol: 'X', baseCurrency: 'USD' };
const NO_COUNTS = {
  ...{ added: 0, removed: 0, changed: 0, quantityChanged: 0, priceChanged: 0 },
  ...{ costBasisChanged: 0, proceedsChanged: 0, profitChanged: 0 },
  ...{ labelChanged: 0, accountCodeChanged: 0, otherChanged: 0 },
};

test('the sums before and after the change include the legs that did not change', async () => {
  expect(await changes([null, {}])).toEqual([
    {
      ...GROUP,
      ...{ quantity: step('0', '2'), value: step('0', '10'), costbasis: step('0', '1') },
      ...{ proceeds: step('0', '3'), profit: step('0', '2') },
      ...NO_COUNTS,
      added: 1,
    },
  ]);
  const others = [{ quantity: '100' }, { assetId: 'b', quantity: '7' }, { timestamp: 8 }];
  expect(await changesAmong(others, [null, {}], [null, {}], [{ quantity: '5' }, null])).toMatchObject([
    { quantity: step('105', '104'), profit: step('4', '6'), added: 2, removed: 1 },
  ]);
});

test('shows no sums if no leg differs', async () => {
  expect(await changesAmong([{}])).toEqual([]);
  expect(new SumChanges(String).isEmpty).toBe(true);
});

test('counts quantities of outgoing legs and fees as negative', async () => {
  expect(await changes([null, { type: 'outgoing' }], [null, { type: 'fee' }])).toMatchObject([
    { quantity: step('0', '-4'), value: step('0', '20') },
  ]);
});

test('a value that becomes unknown is shown as a change to unknown, not as a change by its amount', async () => {
  const profit = { profit: '-235.30' };
  expect(await changes([profit, { profit: null }])).toMatchObject([{ profit: step('-235.3', null, 0, 1) }]);
  expect(await changesAmong([{ profit: '1' }], [profit, { profit: 'many' }])).toMatchObject([
    { profit: step('-234.3', '1', 0, 1) },
  ]);
  expect(await changesAmong([{}], [{ quantity: null }, {}])).toMatchObject([
    { quantity: step(null, '4', 1, 0) },
  ]);
});

test.each<[string, Part]>([
  ['a type without direction', { type: 'reward' }],
  ['no type', { type: undefined }],
  ['no quantity', { quantity: null }],
])('a net quantity is unknown if a leg has %s', async (_, part) => {
  expect(await changesAmong([part], [{}, { quantity: '5' }])).toMatchObject([
    { quantity: step(null, null, 1, 1), value: step('20', '20') },
  ]);
  expect(await changes([{}, part])).toMatchObject([{ quantity: step('2', null, 0, 1) }]);
});

test.each([['type'], ['assetId']])(
  'net quantities are unknown if the field %s was not compared',
  async (name) => {
    const sums = new SumChanges(() => '2025-07');
    const part = (more: Part) => new Map([...fields(more)].filter(([field]) => field !== name));
    sums.add(part({}), part({ quantity: '5' }));
    sums.count({ fields: part({ quantity: '5' }) });
    const [record] = sums.records();
    expect(record).toMatchObject({ quantity: step(null, null, 1, 1), value: step('10', '10') });
  },
);

test('shows the quantity of one leg without asset id and symbol, but not the sum of several such legs', async () => {
  const none = { assetId: null, 'asset.symbol': null };
  expect(await changes([none, { ...none, quantity: '3' }])).toMatchObject([{ quantity: step('2', '3') }]);
  expect(await changesAmong([none], [none, { ...none, quantity: '3' }])).toMatchObject([
    { quantity: step(null, null, 2, 2), value: step('20', '20') },
  ]);
  expect(await changesAmong([none], [null, none])).toMatchObject([{ quantity: step('2', null, 0, 2) }]);
});

test('an amount of money without a currency counts as unknown', async () => {
  expect(await changes([{ baseCurrency: null }, { baseCurrency: null, value: '11' }])).toMatchObject([
    { baseCurrency: null, value: step(null, null, 1, 1), quantity: step('2', '2') },
  ]);
});

test.each<[string, Part, string[]]>([
  ['quantity', { quantity: '3' }, ['quantityChanged']],
  ['type', { type: 'fee' }, ['quantityChanged']],
  ['price', { price: null }, ['priceChanged']],
  ['part of the price', { 'price.source': 'user' }, ['priceChanged']],
  ['value', { value: '11' }, ['priceChanged']],
  ['cost basis', { costbasis: '4' }, ['costBasisChanged']],
  ['proceeds', { proceeds: '4' }, ['proceedsChanged']],
  ['profit', { profit: null }, ['profitChanged']],
  ['label', { label: 'Gift' }, ['labelChanged']],
  ['internal label', { internalLabel: 'x' }, ['labelChanged']],
  ['account code', { debitCoaCode: '1' }, ['accountCodeChanged']],
  ['quantity and label', { quantity: '3', label: 'Gift' }, ['quantityChanged', 'labelChanged']],
  ['other field', { provider: 'x', labels: 'y', prices: 'z' }, ['otherChanged']],
  ['label and other field', { label: 'Gift', isEdited: true }, ['labelChanged', 'otherChanged']],
])('increments the matching counters if this part of a leg changes: %s', async (_, part, counts) => {
  const base = { price: '1', 'price.source': 'market' };
  const expected = { ...NO_COUNTS, changed: 1, ...Object.fromEntries(counts.map((name) => [name, 1])) };
  expect(await changes([base, { ...base, ...part }])).toMatchObject([expected]);
  expect(await changes([{ ...base, ...part }, base])).toMatchObject([expected]);
});

test('replacing a missing label with null does not count as a changed label', async () => {
  expect(await changes([{}, { label: null }])).toMatchObject([
    { quantity: step('2', '2'), profit: step('2', '2'), ...NO_COUNTS, changed: 1 },
  ]);
});

test('a leg that moves to another group is counted as removed from the old group and added to the new group', async () => {
  for (const moved of [{ timestamp: 8 }, { assetId: 'b' }, { baseCurrency: 'EUR' }]) {
    const found = await changes([{}, moved]);
    expect(found.map(({ added, removed, changed, quantity }) => [added, removed, changed, quantity])).toEqual(
      expect.arrayContaining([
        [0, 1, 0, step('2', '0')],
        [1, 0, 0, step('0', '2')],
      ]),
    );
  }
});

test('groups legs by asset id, otherwise by resolved symbol, otherwise by original symbol', async () => {
  const unresolved = { assetId: null, 'asset.symbol': '' };
  const found = await changes(
    [null, { 'asset.symbol': 'renamed' }],
    [null, {}],
    [null, { ...unresolved, 'asset.symbol': 'Q' }],
    [null, { ...unresolved, 'assetRaw.symbol': 'R' }],
    [null, { ...unresolved, 'assetRaw.symbol': 'R' }],
    [null, unresolved],
  );
  expect(found.map(({ assetId, symbol, added }) => [assetId, symbol, added])).toEqual([
    [null, 'Q', 1],
    [null, 'R', 2],
    ['a', 'X', 2],
    [null, null, 1],
  ]);
});

test('leaves the month empty for a leg without a valid time', async () => {
  const months = async (timestamp: unknown) =>
    (await changes([null, { timestamp }])).map(({ month }) => month);
  expect([await months(null), await months('soon'), await months(-1), await months(3)]).toEqual([
    [null],
    [null],
    [null],
    ['2025-03'],
  ]);
});

test('orders records by month, symbol, asset and currency', async () => {
  const order = [
    {},
    { baseCurrency: 'ZAR' },
    { assetId: 'b' },
    { assetId: '0', 'asset.symbol': 'Y' },
    { timestamp: 9, 'asset.symbol': 'A', assetId: 'c' },
  ];
  const pairs = order.map((part): [null, Part] => [null, part]);
  expect(await changes(...pairs.toReversed())).toEqual(await changes(...pairs));
  expect(
    (await changes(...pairs)).map(({ month, symbol, assetId, baseCurrency }) =>
      [month, symbol, assetId, baseCurrency].join(' '),
    ),
  ).toEqual(['2025-07 X a USD', '2025-07 X a ZAR', '2025-07 X b USD', '2025-07 Y 0 USD', '2025-09 A c USD']);
});

test('the sums match a simple calculation over all legs before and after the change', async () => {
  const figure = fc.option(fc.integer({ min: -50, max: 50 }).map(String));
  const leg = fc.option(fc.record({ profit: figure, assetId: fc.constantFrom('a', 'b') }));
  const same = (left: Part | null, right: Part | null) => JSON.stringify(left) === JSON.stringify(right);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(leg, leg), { maxLength: 8 }), async (pairs) => {
      const others = pairs.flatMap(([before, after]) => (same(before, after) ? (after ?? []) : []));
      const differing = pairs.filter(([before, after]) => !same(before, after));
      for (const record of await changesAmong(others, ...differing)) {
        const side = (at: 0 | 1) => {
          const legs = pairs.map((pair) => pair[at]).filter((one) => one?.assetId === record['assetId']);
          const own = legs.map((one) => one?.profit ?? null);
          const known = own.filter((profit) => profit !== null);
          const sum = known.reduce((total, profit) => total + Number(profit), 0);
          return [known.length === 0 && own.length > 0 ? null : String(sum), own.length - known.length];
        };
        const [[from, fromUnknown], [to, toUnknown]] = [side(0), side(1)];
        expect(record['profit']).toEqual({ from, to, fromUnknown, toUnknown });
      }
    }),
    { numRuns: runs(200) },
  );
});

test('sums are exact', async () => {
  const [long, longer] = ['99999999999999999999.000000000000000001', '0.000000000000000000000000000001'];
  expect(await changesAmong([{ quantity: long }], [{ quantity: '1' }, { quantity: longer }])).toMatchObject([
    { quantity: step('100000000000000000000.000000000000000001', exact(long)?.plus(longer).toFixed() ?? '') },
  ]);
});
