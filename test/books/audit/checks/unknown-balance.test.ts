import { expect, test } from 'vitest';
import { DAY, findings, payments, START } from '../support.ts';

const unknown = { before: null, after: null };

test('"unknown-balance" counts the legs without a balance and adds up their quantities', async () => {
  const [one] = await findings('unknown-balance', payments(START, { ...unknown, quantity: '0.5' }));
  expect(one).toMatchObject({ ledgerId: 'l2', legs: 1, amount: '0.5' });
  expect(one?.message).toBe(
    '1 leg has no running balance (0.5 X in total). Balance filters skip this leg. The closing balance is unknown.',
  );
  const [two] = await findings('unknown-balance', payments(unknown, { ...unknown, quantity: '2.50' }, START));
  expect(two).toMatchObject({ ledgerId: 'l1', legs: 2, amount: '3.5' });
  expect(two?.message).toBe(
    '2 legs have no running balance (3.5 X in total). Balance filters skip these legs.',
  );
});

test('"unknown-balance" reports no total quantity if the quantity of one leg is unknown', async () => {
  for (const quantities of [
    ['1', null],
    [null, '1'],
  ]) {
    const records = payments(...quantities.map((quantity) => ({ ...unknown, quantity })), START);
    const [finding] = await findings('unknown-balance', records);
    expect(finding).toMatchObject({ legs: 2, amount: null });
    expect(finding?.message).toBe('2 legs have no running balance. Balance filters skip these legs.');
  }
});

test('"unknown-balance" ignores legs before the period', async () => {
  const records = payments(unknown, START, unknown);
  const [finding] = await findings('unknown-balance', records, { period: { from: 2 * DAY } });
  expect(finding).toMatchObject({ ledgerId: 'l3', legs: 1 });
});

test('reports an unknown closing balance of a period in which every leg has a balance', async () => {
  const before = payments(START, unknown);
  const [finding, ...more] = await findings('unknown-balance', before, { period: { from: 5 * DAY } });
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ ledgerId: 'l2', legs: 0, walletId: 'w', assetId: 'a' });
  expect(finding?.message).toBe('The closing balance of X is unknown: the last leg has no running balance.');
  const at = { timestamp: DAY, type: 'incoming' };
  const open = payments(
    { ...at, quantity: '5', before: '0', after: '5' },
    { ...at, quantity: '7', before: '0', after: '7' },
  );
  expect((await findings('unknown-balance', open))[0]).toMatchObject({
    legs: 0,
    message:
      'The closing balance of X is unknown: the order of 2 legs at 1970-01-02T00:00:00.000Z is unknown.',
  });
});
