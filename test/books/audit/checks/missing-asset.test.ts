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
