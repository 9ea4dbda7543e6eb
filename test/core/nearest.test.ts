import { describe, expect, test } from 'vitest';
import { nearest, nearMatches } from '../../src/core/nearest.ts';

const near = (text: string, ...values: string[]) =>
  nearMatches(
    text,
    values.map((value) => ({ value, names: [] })),
  ).map(({ value }) => value);

describe('near matches', () => {
  test.each(['LNIK', 'ILNK', 'LIKN', 'lnik'])(
    'LINK is a near match for %s, despite swapped letters or a different letter case',
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

describe('the nearest name', () => {
  test.each([
    ['ledgrs', 'ledgers'],
    ['cvs', 'csv'],
    ['jsn', 'json'],
    ['tabel', 'table'],
    ['USD', 'usd'],
    ['to', 'to'],
  ])('for %s, the nearest name is %s', (text, name) => {
    expect(nearest(text, ['to', 'csv', 'json', 'ledgers', 'table', 'usd'])).toBe(name);
  });

  test.each(['by', 'x', 'foo', ''])('for "%s", no name is near, because too few letters match', (text) => {
    expect(nearest(text, ['to', 'n', 'json', 'bar', 'table'])).toBeUndefined();
  });

  test('for a very long text, no name is near, because a comparison would take minutes', () => {
    const long = 'ab'.repeat(1_000_000);
    expect(nearest(long, ['table', `${long}a`, long.replace('a', 'x')])).toBeUndefined();
    expect(near(long, 'LINK', `${long.slice(1)}c`)).toEqual([]);
    expect(near(`${long}LINK`, 'LINK')).toEqual(['LINK']);
  });
});
