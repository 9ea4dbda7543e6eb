import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chained } from '../../src/books/chain.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';

/** In `1 5`, the balance before the leg is 1 and the balance after the leg is 5. A `?` is an unknown balance. */
const legOf = (text: string): JsonRecord => {
  const [beforeBalance, afterBalance] = text.split(' ').map((part) => (part === '?' ? null : part));
  return { text, beforeBalance, afterBalance };
};
const order = (legs: readonly string[], start: string | null = null) =>
  chained(legs.map(legOf), start).map(({ text }) => String(text));

test.each<[string, string[], string | null, string[]]>([
  ['follow the balances', ['3 10', '0 5', '5 3'], '0', ['0 5', '5 3', '3 10']],
  ['follow the balances without a known start', ['3 10', '0 5', '5 3'], null, ['0 5', '5 3', '3 10']],
  ['follow equal balances in any spelling', ['5.0 3', '0 5'], '0.00', ['0 5', '5.0 3']],
  ['that form a circle begin at the given balance', ['0 5', '5 0'], '5', ['5 0', '0 5']],
  ['that form a circle keep their first leg without a known start', ['5 0', '0 5'], null, ['5 0', '0 5']],
  [
    'that form a circle keep their first leg if the start is not among their balances',
    ['5 0', '0 5'],
    '7',
    ['5 0', '0 5'],
  ],
  ['may return to the same balance several times', ['0 2', '1 0', '0 1'], '0', ['0 1', '1 0', '0 2']],
  [
    'keep their order if they have the same balances',
    ['0 1', '1 0', '0 1', '1 0'],
    '0',
    ['0 1', '1 0', '0 1', '1 0'],
  ],
  ['keep their order if their balances do not connect', ['7 8', '0 5', '5 3'], '0', ['7 8', '0 5', '5 3']],
  ['keep their order if two start from the same balance', ['4 6', '4 5'], '4', ['4 6', '4 5']],
  ['with an unknown balance come last', ['? 1', '5 3', '9 ?', '0 5'], '0', ['0 5', '5 3', '? 1', '9 ?']],
  ['keep their order if all have unknown balances', ['? 1', '? ?'], '0', ['? 1', '? ?']],
])('legs with the same time %s', (_, legs, start, expected) => {
  expect(order(legs, start)).toEqual(expected);
});

test('orders shuffled legs so that each leg starts from the balance of the previous leg', () => {
  const balances = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 12 });
  const walks = balances.chain((walk) => {
    const legs = walk.slice(1).map((to, at) => `${walk[at]} ${to}`);
    return fc.record({
      start: fc.constant(String(walk[0])),
      legs: fc.constant(legs),
      mixed: fc.shuffledSubarray(legs, { minLength: legs.length }),
    });
  });
  fc.assert(
    fc.property(walks, ({ start, legs, mixed }) => {
      const found = order(mixed, start);
      expect([...found].sort()).toEqual([...legs].sort());
      let balance = found[0]?.split(' ')[0];
      for (const leg of found) {
        expect(leg.split(' ')[0]).toBe(balance);
        balance = leg.split(' ')[1];
      }
      expect(found[0]?.split(' ')[0]).toBe(start);
    }),
    { numRuns: runs(500) },
  );
});
