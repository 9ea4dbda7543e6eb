import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  count,
  escapeHostile,
  HOSTILE_CHARACTER,
  isHarmless,
  plural,
  showText,
  someOf,
} from '../../src/core/text.ts';

test('count() groups digits in the same way as toLocaleString()', () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), fc.nat(), fc.bigInt({ min: 0n, max: 10n ** 30n })), (number) => {
      expect(count(number)).toBe(number.toLocaleString('en'));
    }),
  );
  expect(count(-1234)).toBe('-1,234');
});

test('someOf() lists the first items, and counts the others', () => {
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(someOf([])).toBe('');
  expect(someOf(items.slice(0, 5))).toBe('a, b, c, d, e');
  expect(someOf(items)).toBe('a, b, c, d, e, and 1 more');
  expect(someOf(items, { most: 2, by: '; ' })).toBe('a; b; and 4 more');
  expect(someOf(['a'], { all: 1001 })).toBe('a, and 1,000 more');
});

test('plural uses the singular only for 1', () => {
  const all = [0, 1, 1n, 2, 1000].map((number) => plural(number, 'leg', 'legs'));
  expect(all).toEqual(['0 legs', '1 leg', '1 leg', '2 legs', '1,000 legs']);
});

test('isHarmless rejects every ASCII control character except the line feed', () => {
  const hostile = new RegExp(HOSTILE_CHARACTER, 'u');
  for (let code = 0; code < 128; code += 1) {
    const text = String.fromCharCode(code);
    expect(isHarmless(text)).toBe(text === '\n' || !hostile.test(text));
  }
  expect(isHarmless('\u202e')).toBe(false);
});

test('showText escapes line breaks, but escapeHostile keeps line breaks', () => {
  expect(showText('a\nb')).toBe('a\\u000ab');
  expect(showText('a\nb\u001b')).toBe('a\\u000ab\\u001b');
  expect(escapeHostile('a\nb')).toBe('a\nb');
  expect(escapeHostile('a\nb\u001b')).toBe('a\nb\\u001b');
});
