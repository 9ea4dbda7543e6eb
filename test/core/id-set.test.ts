import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IdSet } from '../../src/core/id-set.ts';

const id = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[a-z]{2,4}_[0-9a-f]{4,40}$/) },
  fc.constantFrom('', 'a', '1', '#1', '\ud800', '\ufffd'),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
);

describe('an id set', () => {
  test('an id set contains the same ids in the same order as a set of strings', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), fc.array(id), (list, earlier) => {
        const ids = new IdSet();
        for (const one of earlier) ids.add(one);
        ids.clear();
        const set = new Set<string>();
        for (const one of list) {
          expect(ids.add(one)).toBe(!set.has(one));
          set.add(one);
        }
        expect(ids.size).toBe(set.size);
        expect([...ids]).toEqual([...set]);
        expect([...set].map((_, number) => ids.at(number))).toEqual([...set]);
      }),
    );
  });

  test('an id set grows beyond its initial size', () => {
    const ids = new IdSet();
    const list = Array.from({ length: 20_000 }, (_, at) => `led_${(at * 2_654_435_761).toString(16)}`);
    for (const one of list) expect(ids.add(one)).toBe(true);
    for (const one of list) expect(ids.add(one)).toBe(false);
    expect([...ids]).toEqual(list);
  });
});
