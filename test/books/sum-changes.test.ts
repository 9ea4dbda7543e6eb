import { expect, test } from 'vitest';
import { SumChanges } from '../../src/books/sum-changes.ts';
import type { JsonRecord } from '../../src/core/json.ts';

const LEG = {
  ...{ timestamp: 7, assetId: 'a', 'asset.symbol': 'X', baseCurrency: 'USD', type: 'incoming' },
  ...{ quantity: '2', value: '10', costbasis: '1', proceeds: '3', profit: '2' },
};
type Part = JsonRecord;
const fields = (part: Part) => new Map(Object.entries({ ...LEG, ...part }));

/** Returns the sums of the given changes. An added leg is `null` before the change, and a removed leg is `null` after it. */
function changes(...pairs: readonly [before: Part | null, after: Part | null][]) {
  const sums = new SumChanges((time) => (time < 0 ? '' : `2025-0${time}`));
  for (const [before, after] of pairs) {
    sums.add(before === null ? undefined : fields(before), after === null ? undefined : fields(after));
  }
  return sums.records();
}

const GROUP = { month: '2025-07', assetId: 'a', symbol: 'X', baseCurrency: 'USD' };
const NO_SUMS = { quantity: '0', value: '0', costbasis: '0', proceeds: '0', profit: '0' };
const NO_COUNTS = {
  ...{ added: 0, removed: 0, changed: 0, quantityChanged: 0, priceChanged: 0 },
  ...{ costBasisChanged: 0, labelChanged: 0, accountCodeChanged: 0 },
};

test('an added leg increases the sums, and a removed leg reduces them', () => {
  const figures = { quantity: '2', value: '10', costbasis: '1', proceeds: '3', profit: '2' };
  expect(changes([null, {}])).toEqual([{ ...GROUP, ...figures, ...NO_COUNTS, added: 1 }]);
  expect(changes([null, {}], [null, {}], [{ quantity: '5' }, null])).toEqual([
    { ...GROUP, ...figures, quantity: '-1', ...NO_COUNTS, added: 2, removed: 1 },
  ]);
});

test('counts quantities of outgoing legs and fees as negative, and ignores unknown values', () => {
  const [change] = changes(
    [null, { type: 'outgoing' }],
    [null, { type: 'fee', value: null, profit: 'many' }],
  );
  expect(change).toMatchObject({ quantity: '-4', value: '10', profit: '2', costbasis: '2' });
});

test.each<[string, Part, string[]]>([
  ['quantity', { quantity: '3' }, ['quantityChanged']],
  ['type', { type: 'fee' }, ['quantityChanged']],
  ['price', { price: null }, ['priceChanged']],
  ['part of the price', { 'price.source': 'user' }, ['priceChanged']],
  ['value', { value: '11' }, ['priceChanged']],
  ['cost basis', { costbasis: '4' }, ['costBasisChanged']],
  ['profit', { profit: null }, ['costBasisChanged']],
  ['label', { label: 'Gift' }, ['labelChanged']],
  ['internal label', { internalLabel: 'x' }, ['labelChanged']],
  ['account code', { debitCoaCode: '1' }, ['accountCodeChanged']],
  ['quantity and label', { quantity: '3', label: 'Gift' }, ['quantityChanged', 'labelChanged']],
  ['other field', { provider: 'x', labels: 'y', prices: 'z' }, []],
])('increments the matching counters if this part of a leg changes: %s', (_, part, counts) => {
  const base = { price: '1', 'price.source': 'market' };
  const expected = { ...NO_COUNTS, changed: 1, ...Object.fromEntries(counts.map((name) => [name, 1])) };
  expect(changes([base, { ...base, ...part }])).toMatchObject([expected]);
  expect(changes([{ ...base, ...part }, base])).toMatchObject([expected]);
});

test('if a leg without a label gets the label null, this is not counted as a changed label', () => {
  expect(changes([{}, { label: null }])).toMatchObject([{ ...NO_SUMS, ...NO_COUNTS, changed: 1 }]);
});

test('if a leg changes, the differences are added to the sums', () => {
  expect(changes([{ profit: '2' }, { profit: '5', quantity: '2.5' }], [{}, { profit: '1' }])).toEqual([
    {
      ...GROUP,
      ...NO_SUMS,
      quantity: '0.5',
      profit: '2',
      ...NO_COUNTS,
      changed: 2,
      quantityChanged: 1,
      costBasisChanged: 2,
    },
  ]);
});

test('a leg that moves to another group is counted as removed from the old group and added to the new group', () => {
  for (const moved of [{ timestamp: 8 }, { assetId: 'b' }, { baseCurrency: 'EUR' }]) {
    const found = changes([{}, moved]);
    expect(
      found.map(({ added, removed, changed, quantity }) => [added, removed, changed, quantity]).sort(),
    ).toEqual([
      [0, 1, 0, '-2'],
      [1, 0, 0, '2'],
    ]);
  }
});

test('groups legs by asset id, otherwise by resolved symbol, otherwise by original symbol', () => {
  const unresolved = { assetId: null, 'asset.symbol': '' };
  const found = changes(
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
    ['a', 'renamed', 2],
    [null, null, 1],
  ]);
});

test('leaves the month empty for a leg without a valid time', () => {
  const months = (timestamp: unknown) => changes([null, { timestamp }]).map(({ month }) => month);
  expect([months(null), months('soon'), months(-1), months(3)]).toEqual([
    [null],
    [null],
    [null],
    ['2025-03'],
  ]);
});

test('orders records by month, symbol, asset and currency', () => {
  const order = [
    {},
    { baseCurrency: 'ZAR' },
    { assetId: 'b' },
    { assetId: '0', 'asset.symbol': 'Y' },
    { timestamp: 9, 'asset.symbol': 'A', assetId: 'c' },
  ];
  const pairs = order.map((part): [null, Part] => [null, part]);
  expect(changes(...pairs.toReversed())).toEqual(changes(...pairs));
  expect(
    changes(...pairs).map(({ month, symbol, assetId, baseCurrency }) =>
      [month, symbol, assetId, baseCurrency].join(' '),
    ),
  ).toEqual(['2025-07 X a USD', '2025-07 X a ZAR', '2025-07 X b USD', '2025-07 Y 0 USD', '2025-09 A c USD']);
});
