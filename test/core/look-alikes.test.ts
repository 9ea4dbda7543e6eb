import { expect, test } from 'vitest';
import { nameOfAsset, toldApart } from '../../src/core/look-alikes.ts';

test('a symbol with letters that look like Latin letters is shown with their code points', () => {
  expect(toldApart('U\u0405D\u0421')).toBe('U\u0405D\u0421 (with U+0405, U+0421)');
  for (const symbol of ['USDC', 'LP-0x8f3c', '\u{1f48e}', '人民币', ''])
    expect(toldApart(symbol)).toBe(symbol);
});

test.each([
  ['Cherokee capital letters', '\u13a0AI', 'U+13A0'],
  ['fullwidth letters', '\uff35SDC', 'U+FF35'],
  ['accents', 'US\u010eC', 'U+010E'],
  ['a space at the end', 'USDC ', 'U+0020'],
  ['a no-break space', 'USDC\u00a0', 'U+00A0'],
])('a symbol with %s is shown with its code points', (_, symbol, code) => {
  expect(toldApart(symbol)).toBe(`${symbol} (with ${code})`);
});

test('the text of an asset is its symbol with code points, its id, or a fallback', () => {
  expect(nameOfAsset({ symbol: 'U\u0405DC', assetId: 'a1' })).toBe('U\u0405DC (with U+0405)');
  expect(nameOfAsset({ symbol: '', assetId: 'a1' })).toBe('a1');
  expect(nameOfAsset({ symbol: null, assetId: null })).toBe('unknown asset');
});
