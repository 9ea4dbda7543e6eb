import { expect, test } from 'vitest';
import { lookOf, nameOfAsset, toldApart } from '../../src/core/look-alikes.ts';

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

test.each([
  ['Lisu letters', '\ua4d0\ua4d3\ua4f0\ua4d6\ua4e1\ua4e0\ua4f3\ua4e2\ua4d4\ua4f4', 'BDEGLNOSTU'],
  ['Coptic capital letters', '\u2c80\u2c82\u2ca4\u2c88\u2c8e\u2c94\u2c98\u2c9e\u2ca6', 'ABCEHKMOT'],
  ['Coptic small letters', '\u2c81\u2ca5\u2c95', 'ACK'],
  ['small capitals', '\u1d1c\ua731\u1d05\u1d1b', 'USDT'],
  ['letters with a stroke', 'US\u0110\u0166', 'USDT'],
])('%s look like Latin letters', (_, symbol, latin) => {
  expect(lookOf(symbol)).toBe(lookOf(latin));
  expect(toldApart(symbol)).not.toBe(symbol);
});

test('the text of an asset is its symbol with code points, its id, or a fallback', () => {
  expect(nameOfAsset({ symbol: 'U\u0405DC', assetId: 'a1' })).toBe('U\u0405DC (with U+0405)');
  expect(nameOfAsset({ symbol: '', assetId: 'a1' })).toBe('a1');
  expect(nameOfAsset({ symbol: null, assetId: null })).toBe('unknown asset');
});
