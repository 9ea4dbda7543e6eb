import { describe, expect, test } from 'vitest';
import { nearMatches } from '../../src/core/nearest.ts';

const near = (text: string, ...values: string[]) =>
  nearMatches(
    text,
    values.map((value) => ({ value, names: [] })),
  ).map(({ value }) => value);

describe('near matches', () => {
  test.each(['LNIK', 'ILNK', 'LIKN', 'lnik'])('%s, with two letters swapped, finds LINK', (text) => {
    expect(near(text, 'ETH', 'LINK', 'USDC')).toEqual(['LINK']);
  });

  test('a short text does not find others of which it shares two letters', () => {
    expect(near('LKNI', 'LINK')).toEqual([]);
    expect(near('LNIX', 'LINK')).toEqual([]);
  });
});
