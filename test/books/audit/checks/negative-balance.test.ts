import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OpenSpan } from '../../../../src/core/span.ts';
import { DAY, findings, type Part, payments, resultOf, START } from '../support.ts';

const UP = { type: 'incoming', quantity: '4' };
const FALL = { quantity: '12', before: '10', after: '-2' };
const below = (...later: readonly Part[]) =>
  payments({ ...START, quantity: '1', after: '1' }, { quantity: '3', before: '1', after: '-2' }, ...later);
const message = async (...later: readonly Part[]) =>
  (await findings('negative-balance', below(...later)))[0]?.message;
const still = 'The balance falls to -2 X and stays negative: at least 2 X is missing.';

test('"negative-balance" reports how far the balance falls and whether the balance recovers', async () => {
  expect(await message()).toBe(still);
  expect(await message({ type: 'incoming', quantity: '5', before: '-2', after: '3' })).toBe(
    'The balance falls to -2 X: at least 2 X is missing.',
  );
  const [finding] = await findings('negative-balance', below());
  const timestamp = 2 * DAY;
  const numbers = { expected: '0', actual: '-2', amount: '2', legs: 1 };
  expect(finding).toMatchObject({ ledgerId: 'l2', transactionId: 't2', timestamp, ...numbers });
});

test('"negative-balance" values the missing quantity at the last price in the period, and shows the time of the price', async () => {
  const records = below(
    { before: '-2', after: '-2', price: { price: 7 } },
    { before: '-2', after: '-2', price: null },
    { before: '-2', after: '-2', price: { price: 9 } },
  );
  const value = async (period = {}) => (await findings('negative-balance', records, { period }))[0];
  expect(await value({ to: 4 * DAY })).toMatchObject({ value: '14', pricedAt: 3 * DAY });
  expect(await value()).toMatchObject({ value: '18', pricedAt: 5 * DAY });
  const unpriced = records.map((record) => ({ ...record, price: null }));
  expect((await findings('negative-balance', unpriced))[0]).toMatchObject({ value: null, pricedAt: null });
});

const costless = (number: number) =>
  ` While the balance is below zero, ${number === 1 ? '1 disposal has' : `${number} disposals have`} a missing or zero cost basis.`;

test('"negative-balance" counts disposals with a missing or zero cost basis while the balance is below zero', async () => {
  const sold = (costbasis: unknown, more: Part = {}) => ({ before: '-2', after: '-2', costbasis, ...more });
  expect(await message(sold(null), sold('0.00'), sold(''), sold(0))).toBe(still + costless(4));
  expect(await message(sold('1'), sold(undefined), sold('unknown'))).toBe(still);
  expect(await message(sold(null, { type: 'incoming' }), sold('0', { type: 'fee' }))).toBe(
    still + costless(1),
  );
});

test('"negative-balance" and "ledgers disposals" count the same legs as disposals', async () => {
  const sold = (more: Part) => ({ before: '-2', after: '-2', costbasis: '0', ...more });
  const to = (walletId: string) => sold({ toAccount: { provider: 'p', walletId } });
  const fiat = sold({ asset: { symbol: 'X', type: 'fiat' } });
  const legs = below(sold({ type: 'staking' }), fiat, to('v'), to('known'), to('stranger'), to('w'));
  const later = { ...payments({ ...START, walletId: 'v' })[0], timestamp: 20 * DAY, id: 'l20' };
  const service = { integrations: [{ walletId: 'known' }] };
  const [finding] = await findings('negative-balance', [...legs, later], { service });
  expect(finding?.message).toBe(still + costless(2));
  // Without the list of accounts, a wallet without legs may be an own wallet.
  const [unclear] = await findings('negative-balance', [...legs, later]);
  expect(unclear?.message).toBe(
    `${still} While the balance is below zero, 1 disposal and 2 legs that may be transfers have a missing or zero cost basis.`,
  );
  const [only] = await findings('negative-balance', below(to('stranger')));
  expect(only?.message).toBe(
    `${still} While the balance is below zero, 1 leg that may be a transfer has a missing or zero cost basis.`,
  );
});

test('"negative-balance" ignores a missing cost basis of a disposal that is not processed for tax', async () => {
  const none = { before: '-2', after: '-2', costbasis: null, proceeds: null, profit: null };
  expect(await message(none)).toBe(still);
  expect(await message(none, { ...none, proceeds: '5' })).toBe(still + costless(1));
});

test('"negative-balance" counts the disposals of an episode from the leg that makes the balance negative', async () => {
  const free = { costbasis: '0' };
  const records = payments(
    { ...START, quantity: '2', after: '2' },
    { before: '2', after: '1', ...free },
    { quantity: '3', before: '1', after: '-2', ...free },
    { type: 'fee', before: '-2', after: null, ...free },
    { type: 'incoming', quantity: '6', before: '-3', after: '3' },
    { before: '3', after: '2', ...free },
  );
  const [finding] = await findings('negative-balance', records);
  expect(finding?.message).toBe(`The balance falls to -2 X: at least 2 X is missing.${costless(2)}`);
});

test('"negative-balance" counts all disposals of an episode that began before the period', async () => {
  const records = payments(
    { ...START, quantity: '1', after: '1' },
    { quantity: '2', before: '1', after: '-1', costbasis: null },
    { before: '-1', after: '-2', costbasis: null },
    { type: 'incoming', quantity: '5', before: '-2', after: '3' },
    { quantity: '4', before: '3', after: '-1', costbasis: null },
  );
  const counts = async (period = {}) =>
    (await findings('negative-balance', records, { period })).map(
      ({ message }) => /zero, (\d+) disposal/.exec(message)?.[1],
    );
  expect(await counts()).toEqual(['2', '1']);
  // The first episode began a day before the period.
  const period = { from: 3 * DAY };
  expect(await counts(period)).toEqual(['2', '1']);
  const found = await findings('negative-balance', records, { period });
  expect(found.map(({ ledgerId }) => ledgerId)).toEqual(['l2', 'l5']);
});

test('a balance that is negative throughout a period without legs is reported with its lowest value', async () => {
  const records = below({ quantity: '7', before: '-2', after: '-9' }, { ...UP, before: '-9', after: '-5' });
  const options = { period: { from: 9 * DAY, to: 10 * DAY } };
  const [finding, ...more] = await findings('negative-balance', records, options);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ ledgerId: 'l2', legs: 0, actual: '-5', amount: '9' });
  expect(finding?.message).toBe(
    'The balance is -5 X at the start of the period and stays negative. The lowest balance was -9 X, before the period (1970-01-04): at least 9 X is missing.',
  );
  expect(await resultOf('negative-balance', records, options)).toMatchObject({ status: 'failed' });
  const refill = { ...UP, timestamp: 5 * DAY, quantity: '6', before: '-5', after: '1' };
  const refilled = [...records, { ...payments(refill)[0], id: 'l5', transactionId: 't5' }];
  expect(await findings('negative-balance', refilled, options)).toEqual([]);
});

test('"negative-balance" omits an unknown balance at the start of a period', async () => {
  const records = below({ before: null, after: null });
  const [finding] = await findings('negative-balance', records, { period: { from: 9 * DAY, to: 10 * DAY } });
  expect(finding).toMatchObject({ actual: null, amount: '2', legs: 0 });
  expect(finding?.message).toBe(
    'The balance was below zero before the period and is unknown at the start of the period. The lowest balance was -2 X, before the period (1970-01-03): at least 2 X is missing.',
  );
});

test('"negative-balance" says that a balance falls only if the balance falls in the period', async () => {
  const period = { from: 2.5 * DAY };
  const said = async (...later: readonly Part[]) =>
    (await findings('negative-balance', below(...later), { period }))[0]?.message;
  expect(await said({ ...UP, quantity: '1', before: '-2', after: '-1' })).toBe(
    'The balance is -2 X at the start of the period and stays negative: at least 2 X is missing.',
  );
  expect(await said({ quantity: '7', before: '-2', after: '-9' })).toBe(
    'The balance is -2 X at the start of the period, falls to -9 X and stays negative: at least 9 X is missing.',
  );
  expect(await said({ ...UP, before: '-2', after: '2' })).toBe(
    'The balance is -2 X at the start of the period: at least 2 X is missing.',
  );
});

test('"negative-balance" adds "as far as is known" to the message if the balance after the leg is unknown', async () => {
  expect(await message({ before: '-2', after: null })).toBe(
    'The balance falls to -2 X and stays negative as far as is known: at least 2 X is missing.',
  );
  const at = { timestamp: 2 * DAY, before: null };
  const open = await findings(
    'negative-balance',
    payments(START, { ...at, after: '-4' }, { ...at, after: '7' }),
  );
  expect(open.map(({ message }) => message)).toEqual([
    expect.stringContaining('falls to -4 X and stays negative as far as is known'),
  ]);
});

test('"negative-balance" counts the legs that cannot be checked because their order or balance is unknown', async () => {
  const at = { timestamp: 2 * DAY, before: null };
  const records = payments(START, { ...at, after: '4' }, { ...at, after: '7' });
  expect(await resultOf('negative-balance', records)).toMatchObject({
    ...{ status: 'partial', findings: 0, why: 'The balance after 2 legs is unknown.' },
  });
});

test('the missing quantity depends on the whole episode, but the field "actual" is the lowest balance in the period', async () => {
  const records = below(
    ...[
      { quantity: '7', before: '-2', after: '-9' },
      { ...UP, before: '-9', after: '-5' },
    ],
    { ...UP, before: '-5', after: '-1' },
  );
  const [finding] = await findings('negative-balance', records, { period: { from: 5 * DAY } });
  expect(finding).toMatchObject({ actual: '-5', amount: '9', legs: 1 });
});

test('the missing quantity includes a negative balance at the start if the earlier legs are unknown', async () => {
  const [finding] = await findings('negative-balance', payments({ ...UP, before: '-9', after: '-5' }), {
    ...{ period: { from: 0 }, readFrom: 0 },
  });
  expect(finding).toMatchObject({ actual: '-9', amount: '9', legs: 1 });
});

test('"negative-balance" reports the first leg of a period if the balance before the leg is below zero', async () => {
  const period = { from: 0 };
  const found = (readFrom: number | undefined, ...parts: readonly Part[]) =>
    findings('negative-balance', payments(...parts), { period, readFrom });
  const numbers = { ledgerId: 'l1', legs: 0, expected: '0', actual: '-4', amount: '4', value: '8' };
  for (const readFrom of [0, undefined]) {
    const [finding, ...more] = await found(readFrom, { ...UP, quantity: '9', before: '-4', after: '5' });
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: 'error', ...numbers });
    expect(finding?.message).toBe('The balance is -4 X before this leg: at least 4 X is missing.');
  }
  // The balance recovers after a leg without a balance.
  const open = { ...UP, before: '-4', after: null };
  const [recovered, ...rest] = await found(0, open, { before: '1', after: '0' });
  expect(rest).toEqual([]);
  expect(recovered).toMatchObject({ ...numbers, message: expect.stringContaining('before this leg: at') });
  const [lasting] = await found(0, open);
  expect(lasting?.message).toBe(
    'The balance is -4 X before this leg and stays negative as far as is known: at least 4 X is missing.',
  );
  // A later leg continues this episode, or begins a new episode.
  expect(await found(0, open, { before: null, after: '-5' })).toMatchObject([{ legs: 1, amount: '5' }]);
  const again = await found(0, open, { before: '1', after: '-5' });
  expect(again.map(({ legs, amount }) => [legs, amount])).toEqual([
    [0, '4'],
    [1, '5'],
  ]);
  expect(await found(0, { ...UP, before: '0', after: '5' })).toEqual([]);
});

test('"negative-balance" is partial for a file if the balance before its first leg is unknown', async () => {
  const records = payments({ ...UP, before: null, after: '5' }, { before: '5', after: '4' });
  const judged = (readFrom: number | undefined) =>
    resultOf('negative-balance', records, { period: { from: 0 }, readFrom });
  expect(await judged(0)).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: expect.stringContaining(
      'The balance before the first leg of 1 pair of wallet and asset is unknown.',
    ),
  });
  expect(await judged(undefined)).toMatchObject({ status: 'passed' });
});

test('"negative-balance" is partial if the balance after a leg is unknown', async () => {
  const records = payments(START, { before: null, after: null });
  expect(await resultOf('negative-balance', records)).toMatchObject({
    ...{ status: 'partial', findings: 0, why: 'The balance after 1 leg is unknown.' },
  });
  expect(await resultOf('negative-balance', records, { period: { to: 1.5 * DAY } })).toMatchObject({
    status: 'passed',
  });
});

test('"negative-balance" is partial if the balance at the start of the period is unknown', async () => {
  const judged = (period: OpenSpan, ...parts: readonly Part[]) =>
    resultOf('negative-balance', payments(START, ...parts), { period });
  const unknown = {
    ...{ status: 'partial', findings: 0 },
    why: 'The balance of 1 pair of wallet and asset at the start of the period is unknown.',
  };
  const lost = { before: null, after: null };
  const later = { from: 2.5 * DAY };
  expect(await judged(later, lost)).toMatchObject(unknown);
  expect(await judged(later, lost, { before: null, after: '8' })).toMatchObject(unknown);
  expect(await judged(later, lost, { before: '9', after: '8' })).toMatchObject({
    status: 'passed',
    why: null,
  });
  expect(await judged(later, { before: '10', after: '9' })).toMatchObject({ status: 'passed', why: null });
  expect(await judged({ from: 0 })).toMatchObject({ status: 'passed', why: null });
});

test('a sync that dropped records is a cause of a negative balance, with low confidence if another sync wrote the leg', async () => {
  const dropped = new Map([['w', { syncId: 's1', recordsFailed: 2 }]]);
  const service = { integrations: [{ walletId: 'w', lastSyncedAt: 99 * DAY }], syncs: dropped };
  const causes = async (syncId: string) => {
    const [finding] = await findings('negative-balance', payments(START, { ...FALL, syncId }), { service });
    return finding?.causes.map(({ cause, confidence }) => `${cause} (${confidence})`);
  };
  expect(await causes('s1')).toEqual(['account that did not sync completely (high)']);
  expect(await causes('s2')).toEqual(['account that did not sync completely (low)']);
});

test('"negative-balance" passes for a chosen wallet if the unknown balance is in another wallet', async () => {
  const known = payments({ ...START });
  const unknown = payments({ walletId: 'other', id: 'l9' });
  const of = (wallet: string) =>
    resultOf('negative-balance', [...known, ...unknown], { isChosen: ({ walletId }) => walletId === wallet });
  expect(await of('w')).toMatchObject({ status: 'passed', why: null });
  expect(await of('other')).toMatchObject({ status: 'partial' });
});

test('if the message of "negative-balance" says that 9 X is missing, the message also contains the balance -9 X', async () => {
  const change = fc.integer({ min: -9, max: 9 }).filter((units) => units !== 0);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), fc.nat(9), async (changes, day) => {
      let balance = 0;
      const parts = changes.map((units): Part => {
        const before = `${balance}`;
        balance += units;
        const type = units > 0 ? 'incoming' : 'outgoing';
        return { type, quantity: `${Math.abs(units)}`, before, after: `${balance}` };
      });
      const period = { from: day * DAY };
      for (const { message, amount } of await findings('negative-balance', payments(...parts), { period })) {
        expect(message).toContain(`-${amount} X`);
        expect(message).toContain(`: at least ${amount} X is missing.`);
      }
    }),
  );
});
