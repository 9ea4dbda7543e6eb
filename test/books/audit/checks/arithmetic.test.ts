import { expect, test } from 'vitest';
import { findings, type Part, payments, resultOf, START } from '../support.ts';

test.each([
  ['outgoing', '10 − 1 is 9 X, but the balance after the leg is 8.', '1'],
  ['fee', '10 − 1 is 9 X, but the balance after the leg is 8.', '1'],
  ['incoming', '10 + 1 is 11 X, but the balance after the leg is 8.', '3'],
])(
  'the check "arithmetic" reports the expected balance of a leg of type %s',
  async (type, message, amount) => {
    const records = payments({ type, before: '10', after: '8' });
    expect(await findings('arithmetic', records)).toMatchObject([
      { ledgerId: 'l1', legs: 1, message, amount, actual: '8' },
    ]);
  },
);

test.each(['before', 'after', 'quantity'])(
  'the check "arithmetic" skips a leg if "%s" is unknown',
  async (name) => {
    expect(await findings('arithmetic', payments({ before: '10', after: '8', [name]: null }))).toEqual([]);
  },
);

test('"arithmetic" is partial if it skips a leg of an unknown type or with an unknown amount', async () => {
  const result = (...parts: readonly Part[]) => resultOf('arithmetic', payments(START, ...parts));
  expect(await result({ type: 'swap', before: '10', after: '3' })).toMatchObject({
    ...{ status: 'partial', findings: 0 },
    why: '1 leg has an unknown balance or quantity, or a type without a direction.',
  });
  expect(await result({ quantity: null, before: '10', after: '3' })).toMatchObject({ status: 'partial' });
  expect(await result({ before: null, after: null })).toMatchObject({ status: 'partial' });
  expect(await result({ before: null, after: '7' })).toMatchObject({ status: 'partial' });
  expect(await result({ before: '8', after: '7' })).toMatchObject({ status: 'passed' });
});

test('"arithmetic" passes for a chosen wallet if the leg of an unknown type is in another wallet', async () => {
  const legs = payments(START, { id: 'l9', walletId: 'other', type: 'swap' });
  const of = (wallet: string) =>
    resultOf('arithmetic', legs, { isChosen: ({ walletId }) => walletId === wallet });
  expect(await of('w')).toMatchObject({ status: 'passed', why: null });
  expect(await of('other')).toMatchObject({ status: 'partial' });
});
