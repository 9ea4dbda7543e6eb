import { expect, test } from 'vitest';
import { toldApart } from '../../src/core/look-alikes.ts';

test('a symbol with letters that look like Latin letters is shown with their code points', () => {
  expect(toldApart('U\u0405D\u0421')).toBe('U\u0405D\u0421 (with U+0405, U+0421)');
  for (const symbol of ['USDC', 'LP-0x8f3c', '\u{1f48e}', '人民币', ''])
    expect(toldApart(symbol)).toBe(symbol);
});
