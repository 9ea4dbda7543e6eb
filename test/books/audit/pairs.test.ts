import { describe, expect, test } from 'vitest';
import { auditLegs } from '../../../src/books/audit/index.ts';
import { exact } from '../../../src/core/decimal.ts';
import type { JsonRecord } from '../../../src/core/json.ts';

interface Part {
  readonly type?: string;
  readonly quantity?: unknown;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly [name: string]: unknown;
}

/** Creates legs of one wallet and asset, a day apart. Fields that are missing in `parts` have defaults. */
function legs(...parts: readonly Part[]): JsonRecord[] {
  return parts.map(({ before, after, ...more }, at) => ({
    ...{ id: `l${at + 1}`, transactionId: `t${at + 1}`, timestamp: (at + 1) * 86_400_000 },
    ...{
      walletId: 'w',
      assetId: 'a',
      asset: { symbol: 'X' },
      label: 'Payment',
      type: 'outgoing',
      quantity: '1',
    },
    ...{ costbasis: '1', proceeds: '2', profit: '1', price: { price: 2 } },
    ...{ beforeBalance: before, afterBalance: after },
    ...more,
  }));
}

async function findings(check: string, records: readonly JsonRecord[], period = {}) {
  const result = await auditLegs(records, { fromStart: true, period });
  return result.findings.filter((finding) => finding.check === check);
}

const START = { type: 'incoming', quantity: '10', before: '0', after: '10' };

describe('opening-balance', () => {
  test('"opening-balance" reports a first leg that does not start from 0', async () => {
    const [finding, ...more] = await findings(
      'opening-balance',
      legs({ type: 'incoming', before: '3.50', after: '4.5' }),
    );
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ ledgerId: 'l1', legs: 1, expected: '0', actual: '3.5', amount: '3.5' });
    expect(finding?.message).toBe(
      'The first leg starts from 3.5 X instead of 0: earlier transactions are missing.',
    );
  });

  test('"opening-balance" reports the type and quantity of a first leg that spends from an empty balance', async () => {
    const message = async (part: Part) => (await findings('opening-balance', legs(part)))[0]?.message;
    const spends = 'but no earlier leg brought in any X.';
    expect(await message({ before: '0', after: '-1' })).toBe(`The first leg is outgoing (1 X), ${spends}`);
    expect(await message({ type: 'fee', before: null, after: '-1' })).toBe(
      `The first leg is a fee (1 X), ${spends}`,
    );
    expect(await message({ before: '0', after: null })).toBe(`The first leg is outgoing (1 X), ${spends}`);
    expect(await message({ quantity: 'many', before: '0', after: '-1' })).toBe(
      `The first leg is outgoing (an unknown quantity of X), ${spends}`,
    );
  });

  test.each<[string, Part]>([
    ['is incoming and starts from zero', START],
    ['is incoming and its balances are unknown', { type: 'incoming', before: null, after: null }],
    ['is incoming and the balance before it is unknown', { type: 'incoming', before: null, after: '1' }],
    ['has no balances at all', { before: null, after: null }],
  ])('"opening-balance" reports nothing if the first leg %s', async (_, part) => {
    expect(await findings('opening-balance', legs(part))).toEqual([]);
  });

  test('"opening-balance" checks only the first leg of each wallet and asset', async () => {
    const found = await findings('opening-balance', [
      ...legs(START, { before: '10', after: '9' }),
      ...legs({ before: '0', after: '-1' }).map((leg) => ({
        ...leg,
        id: 'other',
        walletId: 'v',
        transactionId: 'u',
      })),
    ]);
    expect(found.map(({ ledgerId }) => ledgerId)).toEqual(['other']);
  });
});

describe('negative-balance', () => {
  const below = (...later: readonly Part[]) =>
    legs({ ...START, quantity: '1', after: '1' }, { quantity: '3', before: '1', after: '-2' }, ...later);
  const message = async (...later: readonly Part[]) =>
    (await findings('negative-balance', below(...later)))[0]?.message;
  const still = 'The balance falls to -2 X and stays negative: at least 2 X is missing.';

  test('"negative-balance" reports how far the balance falls and whether the balance recovers', async () => {
    expect(await message()).toBe(still);
    expect(await message({ type: 'incoming', quantity: '5', before: '-2', after: '3' })).toBe(
      'The balance falls to -2 X: at least 2 X is missing.',
    );
    const [finding] = await findings('negative-balance', below());
    const timestamp = 2 * 86_400_000;
    const numbers = { expected: '0', actual: '-2', amount: '2', legs: 1 };
    expect(finding).toMatchObject({ ledgerId: 'l2', transactionId: 't2', timestamp, ...numbers });
  });

  test('after a balance becomes negative, "negative-balance" counts disposals with a missing or zero cost basis', async () => {
    const sold = (costbasis: unknown, more: Part = {}) => ({ before: '-2', after: '-2', costbasis, ...more });
    const later = (number: number) => `${still} ${number} later disposals have a missing or zero cost basis.`;
    expect(await message(sold(null), sold('0.00'), sold(0))).toBe(later(3));
    expect(await message(sold('1'), sold(undefined), sold('unknown'))).toBe(still);
    expect(await message(sold(null, { type: 'incoming' }), sold('0', { type: 'fee' }))).toBe(still);
  });

  test('"negative-balance" also counts the disposal that makes the balance negative', async () => {
    const records = legs(
      { ...START, quantity: '2', after: '2' },
      { before: '2', after: '1', costbasis: null },
      { quantity: '3', before: '1', after: '-2', costbasis: null },
    );
    const [finding] = await findings('negative-balance', records);
    expect(finding?.message).toMatch(/ 1 later disposal has a missing or zero cost basis\.$/);
  });

  test('if an episode began before the period, "negative-balance" counts only disposals in the period', async () => {
    const records = legs(
      { ...START, quantity: '1', after: '1' },
      { quantity: '2', before: '1', after: '-1', costbasis: null },
      { before: '-1', after: '-2', costbasis: null },
      { type: 'incoming', quantity: '5', before: '-2', after: '3' },
      { quantity: '4', before: '3', after: '-1', costbasis: null },
    );
    const counts = async (period = {}) =>
      (await findings('negative-balance', records, period)).map(
        ({ message }) => /(\d+) later/.exec(message)?.[1],
      );
    expect(await counts()).toEqual(['3', '1']);
    // The first episode began a day before the period.
    const period = { from: 3 * 86_400_000 };
    expect(await counts(period)).toEqual(['2', '1']);
    const found = await findings('negative-balance', records, period);
    expect(found.map(({ ledgerId }) => ledgerId)).toEqual(['l2', 'l5']);
  });

  test('"negative-balance" does not report an episode that has no legs in the period', async () => {
    const records = below({ before: '-2', after: '-3' });
    expect(await findings('negative-balance', records, { from: 9 * 86_400_000 })).toEqual([]);
  });
});

describe('broken-chain', () => {
  const chain = (after: unknown, before: unknown) =>
    findings('broken-chain', legs({ ...START, after }, { before, after: '8' }));

  test('"broken-chain" reports both legs and the difference between their balances', async () => {
    const [finding] = await chain('10', '9.50');
    expect(finding).toMatchObject({ ledgerId: 'l2', legs: 1, expected: '10', actual: '9.5', amount: '0.5' });
    expect(finding?.message).toBe('The leg starts from 9.5 X, but the previous leg (l1) ends at 10.');
  });

  test.each([
    ['equal in another notation', '10', '10.0'],
    ['unknown after the earlier leg', null, '10'],
    ['unknown before the later leg', '10', null],
  ])('"broken-chain" reports nothing if the balance is %s', async (_, after, before) => {
    expect(await chain(after, before)).toEqual([]);
  });

  test('"broken-chain" does not report a break before the period', async () => {
    const records = legs(START, { before: '9', after: '8' }, { before: '8', after: '7' });
    expect(await findings('broken-chain', records)).toHaveLength(1);
    expect(await findings('broken-chain', records, { from: 3 * 86_400_000 })).toEqual([]);
  });
});

describe('arithmetic', () => {
  test.each([
    ['outgoing', '10 − 1 is 9 X, but the balance after the leg is 8.', '1'],
    ['fee', '10 − 1 is 9 X, but the balance after the leg is 8.', '1'],
    ['incoming', '10 + 1 is 11 X, but the balance after the leg is 8.', '3'],
  ])(
    'the check "arithmetic" reports the expected balance of a leg of type %s',
    async (type, message, amount) => {
      const records = legs({ type, before: '10', after: '8' });
      expect(await findings('arithmetic', records)).toMatchObject([
        { ledgerId: 'l1', legs: 1, message, amount, actual: '8' },
      ]);
    },
  );

  test.each(['before', 'after', 'quantity'])(
    'the check "arithmetic" skips a leg if "%s" is unknown',
    async (name) => {
      expect(await findings('arithmetic', legs({ before: '10', after: '8', [name]: null }))).toEqual([]);
    },
  );
});

describe('unknown-balance', () => {
  const unknown = { before: null, after: null };

  test('"unknown-balance" counts the legs without a balance and adds up their quantities', async () => {
    const [one] = await findings('unknown-balance', legs(START, { ...unknown, quantity: '0.5' }));
    expect(one).toMatchObject({ ledgerId: 'l2', legs: 1, amount: '0.5' });
    expect(one?.message).toBe(
      '1 leg has no running balance (0.5 X in total). Filters and checks of balances skip this leg.',
    );
    const [two] = await findings('unknown-balance', legs(unknown, { ...unknown, quantity: '2.50' }, START));
    expect(two).toMatchObject({ ledgerId: 'l1', legs: 2, amount: '3.5' });
    expect(two?.message).toBe(
      '2 legs have no running balance (3.5 X in total). Filters and checks of balances skip these legs.',
    );
  });

  test('"unknown-balance" reports no total quantity if the quantity of one leg is unknown', async () => {
    for (const quantities of [
      ['1', null],
      [null, '1'],
    ]) {
      const records = legs(...quantities.map((quantity) => ({ ...unknown, quantity })), START);
      const [finding] = await findings('unknown-balance', records);
      expect(finding).toMatchObject({ legs: 2, amount: null });
      expect(finding?.message).toBe(
        '2 legs have no running balance. Filters and checks of balances skip these legs.',
      );
    }
  });

  test('"unknown-balance" ignores legs before the period', async () => {
    const records = legs(unknown, START, unknown);
    const [finding] = await findings('unknown-balance', records, { from: 2 * 86_400_000 });
    expect(finding).toMatchObject({ ledgerId: 'l3', legs: 1 });
  });
});

test('the ids of findings never change, because users list these ids in ignore files', async () => {
  const found: string[] = [];
  for (const assetId of ['a', null]) {
    const records = legs(
      { before: '3', after: '-1' },
      { before: '-2', after: '-3.5' },
      { before: null, after: null },
    ).map((leg) => ({ ...leg, assetId }));
    for (const check of [
      'opening-balance',
      'negative-balance',
      'broken-chain',
      'arithmetic',
      'unknown-balance',
    ])
      for (const { id } of await findings(check, records)) found.push(id);
  }
  expect(found).toEqual([
    'opening-balance-277b5fb309',
    'negative-balance-2f2a41bbec',
    'broken-chain-e4fcc33c9f',
    'arithmetic-c62ce27cb3',
    'arithmetic-bac9e45446',
    'unknown-balance-aa76960f48',
    'opening-balance-8bf32bb465',
    'negative-balance-07cb62b1a4',
    'broken-chain-e4fcc33c9f',
    'arithmetic-c62ce27cb3',
    'arithmetic-bac9e45446',
    'unknown-balance-88b550248d',
  ]);
});

test('the last known price decides whether a finding is dust, and a finding without a price is never dust', async () => {
  const priced = async (...parts: readonly Part[]) => {
    const dust = exact('5') ?? undefined;
    const result = await auditLegs(legs(...parts), { fromStart: true, dust });
    return result.setAside.map(({ check }) => check);
  };
  const fall = { quantity: '12', before: '10', after: '-2' };
  // The balance falls 2 X below zero. These 2 X are worth 4 at the earlier price, and 6 at the later price. Findings worth
  // less than 5 are dust.
  expect(await priced(START, fall)).toEqual(['negative-balance']);
  expect(await priced(START, { ...fall, price: { price: 3 } })).toEqual([]);
  expect(await priced(START, { ...fall, price: null })).toContain('negative-balance');
  expect(await priced({ ...START, price: null }, { ...fall, price: null })).toEqual([]);
});
