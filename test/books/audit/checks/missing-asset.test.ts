import { expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { findings, leg } from '../support.ts';

const unresolved = (id: string, symbol = 'X') => leg(id, { assetId: null, asset: { symbol } });
const messages = async (...legs: readonly JsonRecord[]) =>
  (await findings('missing-asset', legs)).map(({ message }) => message);

test('"missing-asset" counts legs without a resolved asset, grouped by wallet and symbol', async () => {
  expect(await messages(unresolved('l1'))).toEqual(['1 leg of X in this wallet has no resolved asset.']);
  expect(await messages(unresolved('l1'), unresolved('l2'))).toEqual([
    '2 legs of X in this wallet have no resolved asset.',
  ]);
  expect(await messages(unresolved('l1', ''))).toEqual([
    '1 leg of an asset without a symbol in this wallet has no resolved asset.',
  ]);
});

test('"missing-asset" adds up the values of the legs in a group, and the sum is unknown if one value is unknown', async () => {
  const value = async (...more: JsonRecord[]) => {
    const legs = [unresolved('l1'), ...more.map((part, at) => ({ ...unresolved(`m${at}`), ...part }))];
    const [finding] = await findings('missing-asset', legs);
    return [finding?.value, finding?.baseCurrency];
  };
  expect(await value({ price: { price: 5 }, quantity: '3' })).toEqual(['17', 'USD']);
  expect(await value({ price: null })).toEqual([null, null]);
  expect(await value({ quantity: null })).toEqual([null, null]);
  expect(await value({ baseCurrency: 'EUR' })).toEqual([null, null]);
});
