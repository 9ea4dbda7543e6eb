import { expect, test, vi } from 'vitest';
import { Leg } from '../../../../src/books/leg.ts';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { findings, leg, resultOf } from '../support.ts';

const START = 1_000_000;
const first = leg('l1', { timestamp: START });
const second = (more: JsonRecord = {}) => leg('l2', { timestamp: START, ...more });
const duplicates = (...legs: readonly JsonRecord[]) => findings('duplicate', legs);

test.each<[string, JsonRecord, boolean]>([
  ['a second leg 10 seconds later is a duplicate', { timestamp: START + 10_000 }, true],
  ['a second leg more than 10 seconds later is not a duplicate', { timestamp: START + 10_001 }, false],
  ['the same quantity in another notation is a duplicate', { quantity: '1.00' }, true],
  ['a second leg with another quantity is not a duplicate', { quantity: '1.01' }, false],
  ['a second leg of another type is not a duplicate', { type: 'fee' }, false],
  ['a second leg of another wallet is not a duplicate', { walletId: 'b' }, false],
  ['a second leg of another asset is not a duplicate', { assetId: 'y' }, false],
  ['a second leg of the same transaction is not a duplicate', { transactionId: 't-l1' }, false],
])('if all other fields are equal, %s', async (_, more, isDuplicate) => {
  expect(await duplicates(first, second(more))).toHaveLength(isDuplicate ? 1 : 0);
});

test('legs without a quantity or a time are never duplicates', async () => {
  const unknown = { quantity: null };
  expect(await duplicates(leg('l1', unknown), leg('l2', unknown))).toEqual([]);
  const untimed = { timestamp: null };
  expect(await duplicates(leg('l1', untimed), leg('l2', untimed))).toEqual([]);
  expect(await resultOf('duplicate', [leg('l1', untimed)])).toMatchObject({
    ...{ status: 'partial', why: '1 leg has no time, so its place in the order is unknown.' },
  });
});

test('reports a single error if two records have the same leg id', async () => {
  const found = await duplicates(first, first);
  expect(found).toMatchObject([
    { severity: 'error', message: 'Leg l1 is listed more than once.', legs: 1, amount: '1' },
  ]);
  expect(await duplicates(leg('', { label: 'a' }), leg('', { timestamp: 1, label: 'b' }))).toEqual([]);
});

test('"duplicate" warns if both legs have the same time or different syncs, and otherwise reports info', async () => {
  const later = { timestamp: START + 1 };
  const text = 'The same wallet has another outgoing leg of 1 X within 10 seconds: l1';
  const found = async (one: JsonRecord, other: JsonRecord) => {
    const [finding] = await duplicates({ ...first, ...one }, second(other));
    return [finding?.severity, finding?.message];
  };
  const elsewhere = `${text} (from another sync, or entered by hand).`;
  expect(await found({ syncId: 's1' }, { syncId: 's2', ...later })).toEqual(['warning', elsewhere]);
  expect(await found({ syncId: 's1' }, later)).toEqual(['warning', elsewhere]);
  // The order of two legs with the same time is unknown, so the finding may contain either leg.
  expect(await found({ syncId: 's1' }, { syncId: 's1' })).toEqual([
    'warning',
    expect.stringMatching(/^The same wallet has another .*: l[12]\.$/),
  ]);
  expect(await found({ syncId: 's1' }, { syncId: 's1', ...later })).toEqual(['info', `${text}.`]);
  expect(await found({ syncId: null }, later)).toEqual(['info', `${text}.`]);
  expect(await found({}, { syncId: null, ...later })).toEqual(['info', `${text}.`]);
});

test('"duplicate" compares each leg with all legs in the 10 seconds before it', async () => {
  const legs = [0, 8000, 12_000, 20_000].map((later, at) => leg(`l${at + 1}`, { timestamp: START + later }));
  const found = await duplicates(...legs);
  expect(found.map(({ ledgerId, message }) => [ledgerId, message.slice(-3)])).toEqual([
    ['l2', 'l1.'],
    ['l3', 'l2.'],
    ['l4', 'l3.'],
  ]);
});

test('a duplicate is only info if both legs fit into one correct chain of balances', async () => {
  const balances = (beforeBalance: string, afterBalance: string) => ({ beforeBalance, afterBalance });
  const found = async (one: JsonRecord, other: JsonRecord) => {
    const legs = [
      { ...first, syncId: 's1', ...one },
      second({ timestamp: START + 1, syncId: 's2', ...other }),
    ];
    return (await duplicates(...legs)).map(({ severity }) => severity);
  };
  expect(await found(balances('9', '8'), balances('8', '7'))).toEqual(['info']);
  expect(await found(balances('9', '8'), balances('9', '8'))).toEqual(['warning']);
  expect(await found({}, {})).toEqual(['warning']);
});

test('the report of a duplicate names the earliest equal leg of another transaction in the 10 seconds before', async () => {
  const transactions = 'aabcbbaacc';
  const legs = [...transactions].map((transactionId, at) =>
    leg(`l${at}`, { transactionId, timestamp: START + 3000 * at, label: 'Payment' }),
  );
  const found = await duplicates(...legs);
  const expected = legs.flatMap(({ id }, at) => {
    const recent = [at - 3, at - 2, at - 1].filter((one) => one >= 0);
    const other = recent.find((one) => transactions[one] !== transactions[at]);
    return other === undefined ? [] : [`${id} l${other}`];
  });
  expect(found.map(({ ledgerId, message }) => `${ledgerId} ${message.match(/l\d(?=\.$)/)}`)).toEqual(
    expected,
  );
});

test.each([
  ['one transaction', () => 't'],
  ['many transactions', (at: number) => `t${at}`],
])('"duplicate" compares few pairs if many legs of %s are equal', async (_, transactionOf) => {
  const legs = Array.from({ length: 2000 }, (_, at) =>
    leg(`l${at}`, { transactionId: transactionOf(at), timestamp: START + at, label: 'Payment' }),
  );
  const compared = vi.spyOn(Leg.prototype, 'transaction', 'get');
  await duplicates(...legs);
  expect(compared.mock.calls.length / legs.length).toBeLessThan(20);
  compared.mockRestore();
});
