import { describe, expect, test } from 'vitest';
import { nearest, nearMatches } from '../../src/core/nearest.ts';

const near = (text: string, ...values: string[]) =>
  nearMatches(
    text,
    values.map((value) => ({ value, names: [] })),
  ).map(({ value }) => value);

describe('near matches', () => {
  test.each(['LNIK', 'ILNK', 'LIKN', 'lnik'])(
    'LINK is a near match for %s, despite swapped letters or a different case',
    (text) => {
      expect(near(text, 'ETH', 'LINK', 'USDC')).toEqual(['LINK']);
    },
  );

  test('an empty text is never suggested', () => {
    expect(near('a', '')).toEqual([]);
    expect(nearest('ab', ['', '  '])).toBeUndefined();
  });

  test('a four-letter text is not a near match for a name that differs in two or more letters', () => {
    expect(near('LKNI', 'LINK')).toEqual([]);
    expect(near('LNIX', 'LINK')).toEqual([]);
  });
});
