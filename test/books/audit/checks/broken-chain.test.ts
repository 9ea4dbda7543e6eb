import { expect, test } from 'vitest';
import { audit, DAY, findings, type Part, payments, resultOf, START } from '../support.ts';

const chain = (after: unknown, before: unknown) =>
  findings('broken-chain', payments({ ...START, after }, { before, after: '9' }));

test('"broken-chain" reports both legs and the difference between their balances', async () => {
  const [finding] = await chain('10', '9.50');
  expect(finding).toMatchObject({ ledgerId: 'l2', legs: 1, expected: '10', actual: '9.5', amount: '0.5' });
  expect(finding?.message).toBe(
    'The leg starts from 9.5 X, but the legs up to the previous one (l1) lead to 10.',
  );
});

test.each([
  ['equal in another notation', '10', '10.0'],
  ['unknown after the first leg, and follows from its quantity', null, '10'],
  ['unknown before the later leg', '10', null],
])('"broken-chain" reports nothing if the balance is %s', async (_, after, before) => {
  expect(await chain(after, before)).toEqual([]);
});

test('"broken-chain" does not report a break before the period', async () => {
  const records = payments(START, { before: '9', after: '8' }, { before: '8', after: '7' });
  expect(await findings('broken-chain', records)).toHaveLength(1);
  expect(await findings('broken-chain', records, { period: { from: 3 * DAY } })).toEqual([]);
});

test('"broken-chain" finds a gap between two legs across legs without a balance', async () => {
  const unknown = { before: null, after: null };
  const records = (before: string) =>
    payments(START, { ...unknown, quantity: '3' }, { ...unknown, type: 'fee' }, { before, after: '4' });
  expect(await findings('broken-chain', records('6'))).toEqual([]);
  expect(await findings('broken-chain', records('5'))).toMatchObject([
    { ledgerId: 'l4', expected: '6', actual: '5', amount: '1' },
  ]);
});

test('"broken-chain" reports nothing for correct legs with the same time and one null balance', async () => {
  const at = { timestamp: 2 * DAY };
  const records = payments(
    START,
    { ...at, quantity: '4', before: '8', after: null },
    { ...at, quantity: '2', before: '10', after: '8' },
    { type: 'incoming', timestamp: 3 * DAY, before: '4', after: '5' },
  );
  const { findings: found } = await audit(records);
  expect(found.map(({ check, ledgerId }) => `${check} ${ledgerId}`)).toEqual(['unknown-balance l2']);
});

test('"broken-chain" is partial if the balance before a leg is unknown, and not possible without balances', async () => {
  const unknown = { before: null, after: null };
  const result = (...parts: readonly Part[]) => resultOf('broken-chain', payments(...parts));
  expect(await result(START, { ...unknown, quantity: null }, { before: '8', after: '7' })).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: '2 legs could not be compared with the legs before them, because a balance is unknown.',
  });
  expect(await result(unknown, unknown)).toMatchObject({
    ...{ status: 'not-possible', why: 'No leg in the period has a running balance.' },
  });
});

test('"broken-chain" reports opposite gaps in two wallets separately', async () => {
  const wallet = (walletId: string, before: string, after: string) =>
    payments(START, { before, after }).map((leg) => ({ ...leg, walletId, id: `${walletId}${leg['id']}` }));
  const found = await findings('broken-chain', [...wallet('v', '11', '10'), ...wallet('w', '9', '8')]);
  expect(found.map(({ walletId, amount }) => [walletId, amount])).toEqual(
    expect.arrayContaining([
      ['v', '1'],
      ['w', '1'],
    ]),
  );
});

test('"broken-chain" calculates a missing balance before a leg from the balance after it', async () => {
  expect(await chain('10', null)).toEqual([]);
  expect(await chain('11', null)).toMatchObject([{ expected: '11', actual: '10', amount: '1' }]);
});

test('the message of "broken-chain" does not call a leg "first" or "previous" if the order of the legs is unknown', async () => {
  const at = { timestamp: 2 * DAY };
  const open = [
    { ...at, quantity: '2', before: '9', after: '7' },
    { ...at, quantity: '3', before: '9', after: '6' },
  ];
  const messages = async (...parts: Part[]) =>
    (await findings('broken-chain', payments({ ...START, after: null }, ...parts))).map(
      ({ message }) => message,
    );
  expect(await messages(...open)).toEqual([
    'The leg starts from 9 X, but the legs up to the previous one (l1) lead to 10. Another leg with the same time may come first, because the order of these legs is unknown.',
  ]);
  expect((await messages(...open, { timestamp: 3 * DAY, before: '8', after: '7' })).at(-1)).toBe(
    'The leg starts from 8 X, but the legs up to the previous one lead to 4. The order of the legs before it is unknown.',
  );
});
