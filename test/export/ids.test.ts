import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Ids, idsIn, markOf, marksIn } from '../../src/export/ids.ts';

const plain = fc.stringMatching(/^[a-z]{2,4}_[0-9a-f]{4,40}$/);
const id = fc.oneof(
  { weight: 3, arbitrary: plain },
  fc.constantFrom('', 'a', '1', '#1'),
  fc.string(),
  fc.string({ unit: 'grapheme' }),
);

describe('ids of a window', () => {
  test('are what a set of strings would hold, in the order in which they came', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 300 }), fc.array(id), (list, earlier) => {
        const ids = new Ids();
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
        // Half of a surrogate pair is written by JSON as an escape, and by no file as itself.
        expect(idsIn(ids.json())).toEqual([...set]);
        expect([...marksIn(ids.json(), set.size)]).toEqual([...set].map(markOf));
      }),
    );
  });

  test('thousands of them are told apart, though more come than there is room for at first', () => {
    const ids = new Ids();
    const list = Array.from({ length: 20_000 }, (_, at) => `led_${(at * 2_654_435_761).toString(16)}`);
    for (const one of list) expect(ids.add(one)).toBe(true);
    for (const one of list) expect(ids.add(one)).toBe(false);
    expect(idsIn(ids.json())).toEqual(list);
    expect(new Set(marksIn(ids.json(), list.length)).size).toBe(list.length);
  });
});
