import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balancesAfter } from '../../src/books/balances.ts';
import { disposalOf } from '../../src/books/disposals.ts';
import { LegFaults } from '../../src/books/faults.ts';
import { DIRECTIONS, Leg } from '../../src/books/leg.ts';
import { negativeEpisodes } from '../../src/books/negative.ts';
import { rollForward } from '../../src/books/rollforward.ts';
import { Sums, sumKeys } from '../../src/books/sums.ts';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { numberDigits } from '../../src/core/plain.ts';
import { runs } from '../runs.ts';
import { audit, DAY, findings, HOUR, leg, payments, resultOf, START } from './audit/support.ts';
import { books } from './random-books.ts';

const ALL = {};
const line = async (...legs: readonly JsonRecord[]) => (await rollForward(legs, ALL)).lines()[0];

function sums(keys: readonly string[], ...legs: readonly JsonRecord[]): JsonRecord[] {
  const all = new Sums(sumKeys(keys, ['walletId', 'baseCurrency']), (time) => new Date(time).toISOString());
  for (const record of legs) all.add(record);
  return [...all.rows()];
}

test.each(['constructor', 'toString', '__proto__', 'Incoming', 'INCOMING', ' fee'])(
  'the type %j has no direction',
  async (type) => {
    expect(new Leg(leg('l1', { type })).sign).toBeNull();
    expect(await line(leg('l1', { type }))).toMatchObject({ in: null, out: null, fees: null });
  },
);

test('a field that is a list or an object is never read as text', () => {
  const { id, type, walletId, sign } = new Leg(leg('l1', { type: ['incoming'], id: {}, walletId: ['w'] }));
  expect({ id, type, walletId, sign }).toEqual({ id: '', type: '', walletId: '', sign: null });
});

describe('an empty id counts as a missing id', () => {
  test('an asset with an empty id is unresolved, and has its symbol as name', async () => {
    const [empty, missing] = [leg('l1', { assetId: '' }), leg('l2', { assetId: null })];
    expect(new Leg(empty).asset).toBe(new Leg(missing).asset);
    expect(await balancesAfter([empty, missing])).toMatchObject([{ assetId: null, symbol: 'X', legs: 2 }]);
    expect(await findings('missing-asset', [empty])).toHaveLength(1);
    expect(new Leg(leg('l1', { assetId: '', asset: null })).isNameless).toBe(true);
  });

  test('sums group an empty and a missing value together', () => {
    expect(sums(['walletId'], leg('l1', { walletId: '' }), leg('l2', { walletId: null }))).toMatchObject([
      { walletId: null, legs: 2 },
    ]);
  });
});

describe('a leg without a transaction id is a transaction of its own', () => {
  const alone = (more: JsonRecord) => leg('', { transactionId: null, ...more });
  const coded = { debitCoaCode: '1', creditCoaCode: '2' };

  test('legs that have neither an id nor a transaction id are not grouped into one transaction', async () => {
    const legs = [alone(coded), alone({ timestamp: 101 * HOUR }), alone({ transactionId: '' })];
    expect(await findings('half-posted', legs)).toEqual([]);
  });

  test('equal legs that have neither an id nor a transaction id are duplicates', async () => {
    expect(await findings('duplicate', [alone({}), alone({})])).toHaveLength(1);
  });
});

describe('a finding about a leg without an id', () => {
  const broken = (after: string) =>
    payments(START, { id: undefined, before: '7', after: '6' }, { id: '', before: '6', after }).concat(
      payments({ ...START, id: 'm' }).map((one) => ({ ...one, walletId: 'v' })),
    );
  const idsOf = async (check: 'arithmetic' | 'broken-chain' | 'profit' | 'duplicate', legs: JsonRecord[]) =>
    (await findings(check, legs)).map(({ id }) => id);

  test('the id of a finding about a leg without an id depends on the content of the leg', async () => {
    const wrong = (profit: string) => leg('', { costbasis: '1', proceeds: '2', profit });
    const both = await idsOf('profit', [wrong('3'), wrong('4')]);
    expect(new Set(both).size).toBe(2);
    expect(both).toEqual(expect.arrayContaining(await idsOf('profit', [wrong('3')])));
    const [gap] = await idsOf('broken-chain', broken('5'));
    const reordered = broken('5').map((record) => Object.fromEntries(Object.entries(record).reverse()));
    expect(await idsOf('broken-chain', reordered)).toEqual([gap]);
    expect(await idsOf('arithmetic', broken('4'))).not.toEqual(await idsOf('arithmetic', broken('3')));
  });

  test('two negative episodes that begin with a leg without an id have different ids', async () => {
    const below = payments(
      ...[START, { id: '', before: '10', after: '-1' }, { before: '-1', after: '3' }],
      ...[{ id: '', before: '3', after: '-2' }],
    );
    const ids = (await findings('negative-balance', below)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  test('an episode that begins with a leg without an id counts only its own disposals', async () => {
    const free = { id: '', costbasis: '0' };
    const below = payments(
      ...[START, { ...free, quantity: '11', before: '10', after: '-1' }],
      ...[{ ...free, before: '-1', after: '-2' }],
      ...[{ type: 'incoming', quantity: '3', before: '-2', after: '1' }],
      { ...free, quantity: '2', before: '1', after: '-1' },
    );
    expect(
      (await findings('negative-balance', below)).map(({ message }) => message.split('missing.')[1]),
    ).toEqual([
      ' While the balance is below zero, 2 disposals have a missing or zero cost basis.',
      ' While the balance is below zero, 1 disposal has a missing or zero cost basis.',
    ]);
  });

  test('a message about a leg without an id contains "without an id"', async () => {
    const messages = async (...legs: JsonRecord[]) =>
      (await audit(legs)).findings.map(({ message }) => message);
    const all = [
      ...(await messages(...payments({ ...START, id: '' }, { before: '20', after: '19' }))),
      ...(await messages(...[1, 2].map((at) => leg('', { transactionId: `t${at}`, label: 'Payment' })))),
      ...(await messages(
        leg('', { transactionId: 't1', quantity: '100' }),
        leg('', { type: 'incoming', walletId: 'b', quantity: '98', timestamp: 103 * HOUR }),
      )),
    ].join('\n');
    expect(all).toContain('the legs up to the previous one (without an id) lead to 10');
    expect(all).toContain('within 10 seconds: a leg without an id');
    expect(all.match(/\(leg without an id\)/g)).toHaveLength(2);
  });

  test('a finding about a leg without an id, and its causes, suggest no command for this leg', async () => {
    for (const { next, causes } of await findings('negative-balance', broken('-1'))) {
      for (const { next: command } of [{ next }, ...causes]) expect(command).not.toMatch(/ (''|undefined)/);
    }
  });
});

describe('a JSON number', () => {
  test('an amount is read from a JSON number as from a decimal string, and counted as a fault', () => {
    const amounts = ['quantity', 'beforeBalance', 'afterBalance', 'costbasis', 'proceeds', 'profit'] as const;
    const number = fc.oneof(
      ...[fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.constantFrom(0, 1e21, 1e-7)],
      fc
        .constantFrom('0.1234567890123456789', '12345678901234567890')
        .map((text) => new LosslessNumber(text)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...amounts), number, (name, value) => {
        const one = new Leg(leg('l1', { [name]: value }));
        const text = new Leg(leg('l1', { [name]: numberDigits(value) }));
        expect(one.faults.filter((fault) => fault !== 'json-number')).toEqual(text.faults);
        expect(one.faults).toContain('json-number');
        expect(amounts.map((each) => one.decimal(each))).toEqual(amounts.map((each) => text.decimal(each)));
        expect(one.has(name)).toBe(true);
        expect([one.change, one.error, one.hasRightProfit]).toEqual([
          text.change,
          text.error,
          text.hasRightProfit,
        ]);
      }),
    );
  });

  test('a price that is not an object cannot be read', () => {
    for (const price of [2.5, '2.5', [2.5]]) {
      const one = new Leg(leg('l1', { timestamp: 1e12, price }));
      expect([one.price, one.hasPrice, one.isPriced, one.faults]).toEqual([null, true, false, ['money']]);
    }
  });

  test('a value or price is read from a JSON number or from text', () => {
    const priced = (value: unknown, price: unknown) =>
      new Leg(leg('l1', { timestamp: 1e12, value, price: { price, baseCurrency: 'USD' } }));
    for (const one of [priced(2.5, 2.5), priced('2.5', '2.5')]) {
      expect([one.money('value')?.toFixed(), one.price?.toFixed(), one.faults]).toEqual(['2.5', '2.5', []]);
    }
  });
});

test('an empty cost basis, proceeds or profit counts as missing', async () => {
  const empty = { costbasis: '', proceeds: '', profit: '' };
  const done = { costbasis: '1', proceeds: '2', profit: '1' };
  expect(await findings('unfinished-accounting', [leg('l1', done), leg('l2', empty)])).toMatchObject([
    { ledgerId: 'l2', legs: 1 },
  ]);
  expect((await resultOf('unfinished-accounting', [leg('l1', empty)]))?.status).toBe('not-possible');
  expect((await resultOf('profit', [leg('l1', empty)]))?.status).toBe('not-possible');
});

describe('a price that is not in the currency of the leg', () => {
  const foreign = leg('l1', { value: 3, price: { price: 3, baseCurrency: 'EUR' } });

  test('a price in a foreign currency, and the value calculated from it, count as missing', async () => {
    expect(await findings('missing-price', [foreign, leg('l2')])).toMatchObject([
      { ledgerId: 'l1', legs: 1, message: expect.stringContaining('has no price in the base currency') },
    ]);
    expect(sums(['asset'], foreign)).toMatchObject([{ outgoingValue: null, valueUnknown: 1 }]);
    expect((await line(foreign))?.figures.value).toMatchObject({ sum: null, unknown: 1 });
  });

  test('a price without an amount is missing', async () => {
    expect(await findings('missing-price', [leg('l1', { price: { price: null } })])).toHaveLength(1);
  });
});

test('"half-posted" compares a leg with the legs of its transaction up to 16 hours outside the period', async () => {
  const near = (id: string, hour: number, more: JsonRecord = {}) =>
    leg(id, { transactionId: 't', timestamp: 100 * HOUR + hour * HOUR, ...more });
  const coded = { debitCoaCode: '1', creditCoaCode: '2' };
  const period = { from: 100 * HOUR, to: 101 * HOUR };
  for (const hour of [-15, -3, 3, 15]) {
    const legs = [near('l1', 0), near('l2', hour, coded), leg('l3', { ...coded, timestamp: 100 * HOUR })];
    expect(await findings('half-posted', legs, { period })).toMatchObject([{ ledgerId: 'l1' }]);
  }
});

describe('the count of legs that are not as specified', () => {
  const T = Date.UTC(2025, 0, 1);
  const good = (more: JsonRecord = {}) => leg('l1', { timestamp: T, ...more });
  const faultsOf = (more: JsonRecord) => new Leg(good(more)).faults;

  test.each<[JsonRecord, string[]]>([
    [{}, []],
    [{ id: null }, ['no-id']],
    [{ id: '' }, ['no-id']],
    [{ walletId: '' }, ['no-wallet']],
    [{ timestamp: null }, ['no-time']],
    [{ timestamp: '2025-01-01' }, ['no-time']],
    [{ timestamp: T / 1000 }, ['odd-time']],
    [{ timestamp: T + 0.5 }, ['odd-time']],
    [{ timestamp: T * 1000 }, ['odd-time']],
    [{ type: 'Incoming' }, ['type']],
    [{ quantity: null }, ['quantity']],
    [{ quantity: '1,5' }, ['quantity']],
    [{ quantity: 1.5 }, ['json-number']],
    [{ quantity: '-1' }, ['negative-quantity']],
    [{ beforeBalance: 'n/a' }, ['balance']],
    [{ afterBalance: 1 }, ['json-number']],
    [{ afterBalance: '' }, []],
    [{ costbasis: 'n/a' }, ['money']],
    [{ value: 'n/a' }, ['money']],
    [{ price: { price: 'n/a', baseCurrency: 'USD' } }, ['money']],
    [{ price: { price: 1, baseCurrency: 'EUR' } }, ['price-currency']],
    [{ baseCurrency: null, price: { price: 1, baseCurrency: 'EUR' } }, []],
  ])('%j has the faults %j', (more, faults) => {
    expect(faultsOf(more)).toEqual(faults);
  });

  test('one sentence lists each fault of the chosen wallets with the number of legs and the first leg ids', () => {
    const faults = new LegFaults();
    faults.add(new Leg(good()));
    expect(faults.text()).toBeUndefined();
    for (const id of ['b', 'c', 'd', 'e']) faults.add(new Leg(good({ id, quantity: '-1' })));
    faults.add(new Leg(good({ id: 'f', type: 'reward', walletId: 'w' })));
    faults.add(new Leg(good({ id: '' })));
    expect(faults.text()).toBe(
      '6 legs are not as specified: 1 without an id; 1 neither incoming nor outgoing nor a fee: reward (f); 4 with a negative quantity (b, c, d, …). Unreadable values count as unknown; all other values are used as served.',
    );
    expect(faults.text(({ walletId }) => walletId === 'w')).toMatch(/^1 leg is not as specified: 1 neither/);
    expect(faults.counts()).toEqual([
      { fault: 'no-id', legs: 1, ledgerIds: [] },
      { fault: 'type', legs: 1, ledgerIds: ['f'] },
      { fault: 'negative-quantity', legs: 4, ledgerIds: ['b', 'c', 'd'] },
    ]);
  });

  test('a leg with a time in seconds is counted in every period, because its real time is unknown', () => {
    const faults = new LegFaults();
    const period = { from: T, to: T + DAY };
    faults.addWithin(period, new Leg(good({ timestamp: T / 1000 })));
    faults.addWithin(period, new Leg(good({ timestamp: T - DAY, quantity: '-1' })));
    expect(faults.counts()).toMatchObject([{ fault: 'odd-time', legs: 1 }]);
  });
});

const JUNK = fc.constantFrom<unknown>(
  null,
  '',
  'n/a',
  '-1',
  '1,5',
  '0x1',
  'constructor',
  -1,
  1.5,
  1e30,
  {},
  [],
  true,
);
const FIELDS = [
  ...['id', 'transactionId', 'timestamp', 'type', 'walletId', 'quantity', 'beforeBalance', 'afterBalance'],
  ...['price', 'value', 'baseCurrency', 'costbasis', 'proceeds', 'profit', 'label', 'syncId', 'assetRaw'],
  ...['fromAccount', 'toAccount', 'debitCoaCode', 'creditCoaCode'],
];

test('no calculation fails because of unusual values in a leg, and the results for other assets do not change', async () => {
  const answers = async (legs: readonly JsonRecord[]) => {
    const isOther = (line: object) => (line as { assetId?: unknown }).assetId !== 'bad';
    const all = sums(['asset'], ...legs);
    const { findings: found, checks } = await audit(legs);
    const ordered = [...legs].sort((a, b) => Number(a['timestamp'] ?? 1e99) - Number(b['timestamp'] ?? 1e99));
    const episodes = (await negativeEpisodes(ordered)).episodes;
    const lines = [await balancesAfter(ordered), (await rollForward(ordered, ALL)).lines(), all, episodes];
    // Omit what a bad leg may change elsewhere: the causes, because only some are listed, and "unfinished-accounting", which
    // compares legs.
    const others = found
      .filter((finding) => isOther(finding) && finding.check !== 'unfinished-accounting')
      .map(({ causes: _, ...finding }) => finding);
    return { lines: lines.map((some) => some.filter(isOther)), others, checks: checks.length };
  };
  await fc.assert(
    fc.asyncProperty(books, fc.dictionary(fc.constantFrom(...FIELDS), JUNK), async (good, junk) => {
      const bad = { ...leg('bad', { walletId: 'b', asset: { symbol: 'BAD' } }), ...junk, assetId: 'bad' };
      expect(await answers([...good, bad])).toEqual(await answers(good));
      const one = new Leg(bad);
      disposalOf(one, () => true);
      const faults = new LegFaults();
      faults.add(one);
      expect(faults.counts().map(({ fault }) => fault)).toEqual(one.faults);
    }),
    { numRuns: runs(400) },
  );
});

test.each([
  ['1', 2, 2, false],
  ['1', 2, 2.01, false],
  ['1', 2, 2.05, true],
  ['0.0003', 3, 0.01, false],
  ['1000', 7, 6_950, false],
  ['1000', 7, 6_900, true],
  ['-1', 2, 2, true],
  ['-1', 2, -2, false],
  ['1', 100, -100, true],
  ['1', -100, 100, true],
  ['1', -100, -100, false],
  ['-1', -100, 100, false],
  ['1', 0.004, -0.004, false],
  ['1', null, 709.13, false],
  ['1', 2, null, false],
  [null, 2, 5, false],
])(
  'with the quantity %j and the price %j, the value %j is marked as wrong: %j',
  (quantity, price, value, isOther) => {
    expect(new Leg(leg('1', { quantity, price: { price }, value })).hasOtherValue).toBe(isOther);
  },
);

test('a value with the wrong sign is marked as wrong, for legs of every type', () => {
  const sign = fc.constantFrom(1, -1);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e6 }),
      sign,
      sign,
      sign,
      fc.constantFrom(...DIRECTIONS),
      (...given) => {
        const [amount, ofQuantity, ofPrice, ofValue, type] = given;
        const quantity = String(ofQuantity * amount);
        const one = leg('1', { type, quantity, price: { price: ofPrice * 3 }, value: ofValue * 3 * amount });
        expect(new Leg(one).hasOtherValue).toBe(ofQuantity * ofPrice !== ofValue);
      },
    ),
  );
});

test.each([
  ['USD', false],
  ['KWD', true],
  ['JPY', false],
  ['BTC', true],
  ['ETH', true],
  [null, false],
])('a value in %s that is 0.003 too large is marked as wrong: %j', (baseCurrency, isOther) => {
  const small = leg('1', { quantity: '0.0005', price: { price: 2 }, value: 0.004, baseCurrency });
  expect(new Leg(small).hasOtherValue).toBe(isOther);
  const exact = leg('1', { quantity: '0.0005', price: { price: 2 }, value: 0.001, baseCurrency });
  expect(new Leg(exact).hasOtherValue).toBe(false);
});

test.each([
  [1.5e-8, false],
  [3e-8, true],
])(
  'in a currency without a minor unit, the value %j of a quantity worth 1e-8 is marked as wrong: %j',
  (value, isOther) => {
    const tiny = leg('1', { quantity: '0.00000001', price: { price: 1 }, value, baseCurrency: 'BTC' });
    expect(new Leg(tiny).hasOtherValue).toBe(isOther);
  },
);

test.each([
  ['JPY', false],
  ['USD', true],
])(
  'a value in %s that differs from the correct value by 0.5 is marked as wrong: %j',
  (baseCurrency, isOther) => {
    const rounded = leg('1', { quantity: '0.5', price: { price: 3 }, value: 2, baseCurrency });
    expect(new Leg(rounded).hasOtherValue).toBe(isOther);
  },
);
