import { expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/core/json.ts';
import { lookOf } from '../../../../src/core/look-alikes.ts';
import { audit, findings, HOUR, leg, resultOf } from '../support.ts';

test.each([
  ['Cyrillic letters', 'USDC', 'USD\u0421'],
  ['Greek letters', 'BTC', '\u0392\u03a4C'],
  ['Armenian letters', 'SUN', 'S\u054dN'],
  ['Cherokee letters', 'ETH', '\u13acTH'],
  ['full-width letters', 'USDT', '\uff35\uff33\uff24\uff34'],
  ['a zero-width space', 'ETH', 'E\u200bTH'],
  ['a space', 'ETH', 'ETH '],
  ['another letter case', 'wBTC', 'WBTC'],
  ['an accent', 'SOL', 'S\u00d6L'],
  ['a zero', 'SOL', 'S0L'],
])('a symbol with %s imitates another symbol', async (_, symbol, imitation) => {
  expect(lookOf(imitation)).toBe(lookOf(symbol));
  const legs = [leg('l1', { asset: { symbol } }), leg('l2', { assetId: 'y', asset: { symbol: imitation } })];
  expect(await findings('imitated-asset', legs)).toMatchObject([{ severity: 'warning', legs: 2 }]);
});

test('the message of "imitated-asset" contains both symbols, the characters beyond ASCII and the assets', async () => {
  const legs = [
    leg('l1', { asset: { symbol: 'USDC' } }),
    leg('l2', { assetId: 'y', asset: { symbol: 'USD\u0421' } }),
  ];
  expect((await findings('imitated-asset', legs))[0]?.message).toBe(
    'The symbols USDC, USD\u0421 (with U+0421) look alike, but are 2 different symbols (assets x, y). Check that none of them is an imitation.',
  );
});

test('"imitated-asset" reports a symbol that several assets share, and counts the legs with that symbol', async () => {
  const found = await findings('imitated-asset', [
    leg('l1', { assetId: 'y', timestamp: 1 }),
    leg('l2'),
    leg('l3', { assetId: 'y' }),
    leg('l4', { assetId: 'z', asset: { symbol: 'Z' } }),
    leg('l5', { assetId: null, asset: { symbol: 'Z' } }),
    leg('l6', { assetId: 'one', asset: { symbol: '' } }),
    leg('l7', { assetId: 'two', asset: { symbol: '' } }),
  ]);
  expect(found).toMatchObject([
    {
      ...{ severity: 'info', ledgerId: 'l1', walletId: null, assetId: null, symbol: 'X', legs: 3 },
      message: 'X is the symbol of 2 assets: x, y. Check that none of these assets is an imitation.',
    },
  ]);
});

test('symbols that look different are not reported', async () => {
  const legs = ['ETH', 'ETC', 'WETH', 'BTC'].map((symbol) =>
    leg(symbol, { assetId: symbol, asset: { symbol } }),
  );
  expect(await findings('imitated-asset', legs)).toEqual([]);
});

test('if all imitations are marked as spam, the finding is set aside', async () => {
  const legs = [leg('l1'), leg('l2', { assetId: 'y' }), leg('l3', { assetId: 'z' })];
  const status = async (...ids: string[]) =>
    (await resultOf('imitated-asset', legs, { service: { spamAssetIds: new Set(ids) } }))?.status;
  expect([await status('y'), await status('y', 'z')]).toEqual(['failed', 'set-aside']);
  // The asset that is not spam is in two wallets.
  legs.push(leg('l4', { walletId: 'b' }));
  expect(await status('y', 'z')).toBe('set-aside');
});

test('the message lists the assets that are marked as spam, and advises to check only the other assets', async () => {
  const messages = async (legs: readonly JsonRecord[], ...ids: string[]) => {
    const found = await audit(legs, { service: { spamAssetIds: new Set(ids) } });
    const all = [...found.findings, ...found.setAside].filter(({ check }) => check === 'imitated-asset');
    return all.map(({ message }) => message);
  };
  const same = [leg('l1'), leg('l2', { assetId: 'y' }), leg('l3', { assetId: 'z' })];
  expect(await messages(same, 'y')).toEqual([
    'X is the symbol of 3 assets: x, y (marked as spam), z. Check that none of the others is an imitation.',
  ]);
  expect(await messages(same, 'y', 'z')).toEqual([
    'X is the symbol of 3 assets: x, y (marked as spam), z (marked as spam).',
  ]);
  const alike = ['USDC', 'USD\u0421'].map((symbol, at) =>
    leg(`l${at}`, { assetId: `a${at}`, asset: { symbol } }),
  );
  expect(await messages(alike, 'a1')).toEqual([
    'The symbols USDC, USD\u0421 (with U+0421) look alike, but are 2 different symbols (assets a0, a1 (marked as spam)).',
  ]);
});

test('an audit of a single asset finds imitations of this asset, and assets that this asset imitates', async () => {
  const legs = [
    leg('l1', { asset: { symbol: 'USDC' } }),
    leg('l2', { assetId: 'y', asset: { symbol: 'USD\u0421' } }),
  ];
  const found = async (chosen: string) =>
    (await audit(legs, { isChosen: ({ assetId }) => assetId === chosen })).findings.map(({ check }) => check);
  expect(await found('x')).toContain('imitated-asset');
  expect(await found('y')).toContain('imitated-asset');
  expect(await found('z')).not.toContain('imitated-asset');
});

test('an audit of a single wallet finds only imitations with legs in this wallet', async () => {
  const legs = [
    leg('l1'),
    leg('l2', { walletId: 'b', assetId: 'y' }),
    leg('l3', { walletId: 'c', assetId: 'z' }),
  ];
  legs.push(leg('l4', { walletId: 'd', assetId: 'other', asset: { symbol: 'OTHER' } }));
  const found = async (chosen: string) =>
    (
      await audit(legs, { isChosen: ({ walletId }) => walletId === null || walletId === chosen })
    ).findings.map(({ check }) => check);
  for (const wallet of ['a', 'b', 'c']) expect(await found(wallet)).toContain('imitated-asset');
  expect(await found('d')).not.toContain('imitated-asset');
});

test('"imitated-asset" reports an imitation without legs in the period if its balance carries over into the period', async () => {
  const before = { assetId: 'y', asset: { symbol: 'UЅDС' }, timestamp: 1 * HOUR };
  const usdc = { assetId: 'x', asset: { symbol: 'USDC' } };
  const period = { from: 50 * HOUR, to: 200 * HOUR };
  const found = await findings('imitated-asset', [leg('1', before), leg('2', usdc)], { period });
  expect(found.map(({ legs, timestamp }) => [legs, timestamp])).toEqual([[1, 1 * HOUR]]);
});
