import { expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { findings, leg, type Options, resultOf } from '../support.ts';

const unpriced = (id: string, quantity: unknown) =>
  leg(id, { price: null, quantity, timestamp: Number(id.slice(1)) });

test('for each wallet and asset, "missing-price" counts the legs without a price and adds up their quantities', async () => {
  const others = [
    leg('l3'),
    leg('l4', { assetId: 'y', asset: { symbol: 'Y' } }),
    leg('l5', { walletId: 'b' }),
  ];
  const [finding, ...more] = await findings('missing-price', [
    unpriced('l1', '1.5'),
    unpriced('l2', '2'),
    ...others,
  ]);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({
    ...{ ledgerId: 'l1', walletId: 'a', assetId: 'x', legs: 2, amount: '3.5' },
    message: '2 of 3 legs of X in this wallet have no price (3.5 X in total). Their value is unknown.',
  });
});

test('"missing-price" reports no total quantity if the quantity of one leg is unknown', async () => {
  const legs = [unpriced('l1', '1'), unpriced('l2', null), unpriced('l3', '2')];
  expect(await findings('missing-price', legs)).toMatchObject([
    {
      ...{ legs: 3, amount: null },
      message:
        '3 of 3 legs of X in this wallet have no price (an unknown quantity of X in total). Their value is unknown.',
    },
  ]);
});

test('"missing-price" calls the value of a leg unknown only if the leg has no value', async () => {
  const valued = (id: string, value: unknown) => ({ ...unpriced(id, '1'), value });
  const message = async (...legs: ReturnType<typeof leg>[]) =>
    (await findings('missing-price', legs)).map(({ message }) => message.replace(/.*total\)\./, ''));
  expect(await message(valued('l1', 20))).toEqual(['']);
  expect(await message(valued('l1', 20), valued('l2', null))).toEqual([
    ' The value of 1 of them is unknown.',
  ]);
  expect(await message(valued('l1', null))).toEqual([' Its value is unknown.']);
});

test('legs of an unresolved asset without a price are listed, with a lower severity', async () => {
  const raw = { assetId: null, asset: null, assetRaw: { symbol: 'RAW' } };
  expect(await findings('missing-price', [{ ...unpriced('l1', '1'), ...raw }])).toMatchObject([
    {
      severity: 'info',
      legs: 1,
      message: '1 of 1 leg of RAW in this wallet has no price (1 RAW in total). Its value is unknown.',
    },
  ]);
});

test('"missing-price" does not pass if a leg with a price has an unknown value', async () => {
  const valued = leg('l1', { value: 2 });
  const judged = (more: JsonRecord, isChosen: Options['isChosen'] = () => true) =>
    resultOf('missing-price', [valued, leg('l2', more)], { isChosen });
  for (const more of [{}, { value: null }, { value: 'two' }, { value: 2, baseCurrency: null }])
    expect(await judged(more)).toMatchObject({
      ...{ status: 'partial', findings: 0, why: 'The value of 1 leg with a price is unknown.' },
    });
  expect(await judged({ value: '2' })).toMatchObject({ status: 'passed', why: null });
  expect(await judged({ walletId: 'b' }, ({ walletId }) => walletId === 'a')).toMatchObject({
    status: 'passed',
  });
});
