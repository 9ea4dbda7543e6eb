import { expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { audit, DAY, findings, HOUR, leg } from '../support.ts';

const coded = { debitCoaCode: '1', creditCoaCode: '2' };
const inOne = (id: string, more: JsonRecord = {}) => leg(id, { transactionId: 't', ...more });
const found = async (...legs: readonly JsonRecord[]) =>
  (await findings('half-posted', legs)).map(({ ledgerId, message }) => [ledgerId, message]);

async function onDay(day: number, legs: readonly JsonRecord[]) {
  const period = { from: day * DAY, to: (day + 1) * DAY - 1 };
  return (await findings('half-posted', legs, { period })).map(({ ledgerId }) => ledgerId);
}

test('"half-posted" reports a leg that has only one account code', async () => {
  expect(
    await found(leg('l1', { debitCoaCode: '1' }), leg('l2', { creditCoaCode: '1', debitCoaCode: '' })),
  ).toEqual([
    ['l1', 'The leg has a debit account code, but no credit account code.'],
    ['l2', 'The leg has a credit account code, but no debit account code.'],
  ]);
});

test('if only some legs of a transaction have account codes, "half-posted" reports the first leg without codes', async () => {
  const legs = [inOne('l3'), inOne('l1', coded), inOne('l2'), inOne('l4', coded)];
  expect(await found(...legs)).toEqual([['l2', 'Only 2 of 4 legs of the transaction have account codes.']]);
});

test('the check "half-posted" needs at least one leg with an account code', async () => {
  const status = async (...legs: readonly JsonRecord[]) =>
    (await audit(legs)).checks.find(({ check }) => check === 'half-posted')?.status;
  expect(await status(leg('l1', coded))).toBe('passed');
  expect(await status(leg('l1', coded), leg('l2'))).toBe('passed');
  expect(await status(leg('l1'), leg('l2'))).toBe('not-possible');
});

test('"half-posted" groups the legs of a transaction across midnight', async () => {
  const legs = [
    inOne('l1', { ...coded, timestamp: DAY - 2 * HOUR }),
    inOne('l2', { timestamp: DAY + 2 * HOUR }),
  ];
  const one = [['l2', 'Only 1 of 2 legs of the transaction have account codes.']];
  expect(await found(...legs, leg('l3', { timestamp: DAY }))).toEqual(one);
  // The finding belongs to the day of the leg without codes.
  const other = leg('l3', { ...coded, timestamp: DAY });
  expect([await onDay(0, legs), await onDay(1, [...legs, other])]).toEqual([[], ['l2']]);
});

test('"half-posted" reports a transaction on each day on which it has legs without codes', async () => {
  const legs = [
    inOne('l1', { timestamp: DAY - 2 }),
    inOne('l2', { ...coded, timestamp: DAY - 1 }),
    inOne('l3', { timestamp: DAY }),
    leg('l4', { ...coded, timestamp: DAY }),
  ];
  expect([await onDay(0, legs), await onDay(1, legs)]).toEqual([['l1'], ['l3']]);
});

test('"half-posted" counts all legs of a transaction over several days', async () => {
  const between = [2, 3, 4, 5].map((day) => leg(`b${day}`, { timestamp: day * DAY }));
  const first = inOne('l1', { timestamp: 1 * DAY });
  const legs = [first, ...between, inOne('l2', { ...coded, timestamp: 6 * DAY })];
  expect(await found(...legs)).toEqual([['l1', 'Only 1 of 2 legs of the transaction have account codes.']]);
  const third = inOne('l0', { timestamp: 1 * DAY });
  expect(await found(third, ...legs)).toEqual([
    ['l0', 'Only 1 of 3 legs of the transaction have account codes.'],
  ]);
});
