import { expect, test } from 'vitest';
import { DAY, findings, type Part, payments, resultOf, START } from '../support.ts';

test('"opening-balance" reports a first leg that does not start from 0', async () => {
  const [finding, ...more] = await findings(
    'opening-balance',
    payments({ type: 'incoming', before: '3.50', after: '4.5' }),
  );
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ ledgerId: 'l1', legs: 1, expected: '0', actual: '3.5', amount: '3.5' });
  expect(finding?.message).toBe(
    'The first leg starts from 3.5 X instead of 0: earlier transactions are missing.',
  );
});

test('"opening-balance" reports the type and quantity of a first leg that spends from an empty balance', async () => {
  const message = async (part: Part) => (await findings('opening-balance', payments(part)))[0]?.message;
  const spends = 'but no earlier leg brought in any X.';
  expect(await message({ before: '0', after: '-1' })).toBe(`The first leg is outgoing (1 X), ${spends}`);
  expect(await message({ type: 'fee', before: null, after: '-1' })).toBe(
    `The first leg is a fee (1 X), ${spends}`,
  );
  expect(await message({ before: '0', after: null })).toBe(`The first leg is outgoing (1 X), ${spends}`);
  expect(await message({ before: null, after: null })).toBe(`The first leg is outgoing (1 X), ${spends}`);
  expect(await message({ quantity: 'many', before: '0', after: '-1' })).toBe(
    `The first leg is outgoing (an unknown quantity of X), ${spends}`,
  );
});

test.each<[string, Part]>([
  ['is incoming and starts from zero', START],
  ['moves nothing', { quantity: '0', before: '0', after: '0' }],
  ['is incoming and its balances are unknown', { type: 'incoming', before: null, after: null }],
  ['is incoming and the balance before it is unknown', { type: 'incoming', before: null, after: '1' }],
])('"opening-balance" reports nothing if the first leg %s', async (_, part) => {
  expect(await findings('opening-balance', payments(part))).toEqual([]);
});

test('"opening-balance" is partial if the balance before a first leg is unknown', async () => {
  const result = (part: Part) => resultOf('opening-balance', payments({ type: 'incoming', ...part }));
  expect(await result({ before: null, after: null })).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: 'The balance before the first leg of 1 pair of wallet and asset is unknown.',
  });
  expect(await result({ before: null, after: '3' })).toMatchObject({ status: 'partial' });
  expect(await result({ before: null, after: '1' })).toMatchObject({ status: 'passed' });
});

test('"opening-balance" checks only the first leg of each wallet and asset', async () => {
  const found = await findings('opening-balance', [
    ...payments(START, { before: '10', after: '9' }),
    ...payments({ before: '0', after: '-1' }).map((leg) => ({
      ...leg,
      id: 'other',
      walletId: 'v',
      transactionId: 'u',
    })),
  ]);
  expect(found.map(({ ledgerId }) => ledgerId)).toEqual(['other']);
});

test('"opening-balance" does not guess which of several legs with the same time is the first', async () => {
  const at = { timestamp: DAY };
  const moment = payments(
    { ...at, type: 'incoming', before: '0', after: '1' },
    { ...at, before: '0', after: '-1' },
  );
  for (const legs of [moment, moment.toReversed()]) {
    expect(await resultOf('opening-balance', legs)).toMatchObject({
      ...{ status: 'partial', findings: 0 },
      why: 'The first leg of 1 pair of wallet and asset is unknown, because the order of legs with the same time is unknown.',
    });
  }
  const inward = moment.map((leg) => ({ ...leg, type: 'incoming' }));
  expect(await resultOf('opening-balance', inward)).toMatchObject({ status: 'passed' });
});
