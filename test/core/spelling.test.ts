import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pattern } from '../../src/core/pattern.ts';
import { canonical } from '../../src/core/spelling.ts';

test.each([
  ['a%2Fb', 'a/b'],
  ['a%252fb', 'a/b'],
  ['a%25252fb', 'a/b'],
  ['a\\/b', 'a/b'],
  ['a\\\\u002fb', 'a/b'],
  ['a%5Cu002Fb', 'a/b'],
  ['a\\u{2f}b', 'a/b'],
  ['a\\u00252fb', 'a/b'],
  ['\\ud83d\\ude00', '😀'],
  ['%F0%9F%98%80', '😀'],
  ['\\u{1f600}', '😀'],
  ['a\nb', 'a\\nb'],
  ['a b', 'a+b'],
  ['a%20b', 'a+b'],
  ['a%0ab', 'a\\nb'],
])('%j and %j have the same canonical spelling', (left, right) => {
  expect(canonical(left).text).toBe(canonical(right).text);
});

test.each([
  ['au002fb', 'a/b'],
  ['a%2gb', 'a+gb'],
  ['\\u{110000}', '\\u{10ffff}'],
  ['ä', 'Ã¤'],
])('%j and %j have different canonical spellings', (left, right) => {
  expect(canonical(left).text).not.toBe(canonical(right).text);
});

test('each byte of a canonical spelling is mapped to its position in the original text', () => {
  const { text, starts, ends } = canonical('x%252Fy\\"z');
  expect(text).toBe('x/y"z');
  expect(starts).toEqual([0, 1, 6, 7, 9]);
  expect(ends).toEqual([1, 6, 7, 9, 10]);
});

test('finds every occurrence of a pattern, including overlapping occurrences', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '…'), maxLength: 40 });
  fc.assert(
    fc.property(letters, letters, (text, pattern) => {
      const places = [...text].flatMap((_, at) => (pattern && text.startsWith(pattern, at) ? [at] : []));
      expect(new Pattern(pattern).in(text).map(({ start }) => start)).toEqual(places);
    }),
  );
});

test('finds the longest prefix of a pattern before an ellipsis, if the prefix has at least six characters', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 20 });
  fc.assert(
    fc.property(letters, letters, (before, pattern) => {
      const lengths = [...pattern].map((_, at) => at + 1).filter((n) => before.endsWith(pattern.slice(0, n)));
      const longest = lengths.at(-1) ?? 0;
      expect(new Pattern(pattern).cutIn(`${before}… ${before}`)).toEqual(
        longest < 6 ? [] : [{ start: before.length - longest, end: before.length }],
      );
    }),
  );
});
