import { describe, expect, test } from 'vitest';
import { nearMatches } from '../../src/core/nearest.ts';

const near = (text: string, ...values: string[]) =>
  nearMatches(
    text,
    values.map((value) => ({ value, names: [] })),
  ).map(({ value }) => value);

describe('near matches', () => {
  test.each(['LNIK', 'ILNK', 'LIKN', 'lnik'])(
    'near matches include LINK for %s, despite swapped letters or case',
    (text) => {
      expect(near(text, 'ETH', 'LINK', 'USDC')).toEqual(['LINK']);
    },
  );

  test('near matches exclude names that share only two letters with a short text', () => {
    expect(near('LKNI', 'LINK')).toEqual([]);
    expect(near('LNIX', 'LINK')).toEqual([]);
  });
});
