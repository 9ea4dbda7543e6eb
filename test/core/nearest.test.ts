import { describe, expect, test } from 'vitest';
import { nearMatches } from '../../src/core/nearest.ts';

const near = (text: string, ...values: string[]) =>
  nearMatches(
    text,
    values.map((value) => ({ value, names: [] })),
  ).map(({ value }) => value);

describe('near matches', () => {
  test.each(['LNIK', 'ILNK', 'LIKN', 'lnik'])('%s suggests LINK despite two swapped letters', (text) => {
    expect(near(text, 'ETH', 'LINK', 'USDC')).toEqual(['LINK']);
  });

  test('a short text does not suggest names with only two letters in common', () => {
    expect(near('LKNI', 'LINK')).toEqual([]);
    expect(near('LNIX', 'LINK')).toEqual([]);
  });
});
