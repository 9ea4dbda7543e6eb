import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chained } from '../../src/books/chain.ts';
import { Leg } from '../../src/books/leg.ts';
import { bestOrders, type Orders } from '../../src/books/order.ts';
import { ZERO } from '../../src/core/decimal.ts';
import { runs } from '../runs.ts';

/** In `1 5`, the balance before the leg is 1 and the balance after the leg is 5. A `?` is an unknown balance. */
const legOf = (text: string): Leg => {
  const [beforeBalance, afterBalance] = text.split(' ').map((part) => (part === '?' ? null : part));
  return new Leg({ id: text, beforeBalance, afterBalance });
};
const textsOf = (legs: readonly Leg[]) => legs.map(({ id }) => id);

/** Returns the number of breaks, and one order for each final balance. */
function orders(texts: readonly string[], start: string | null = null) {
  const [found] = bestOrders(texts.map(legOf), [start], () => (start === null ? ZERO : null));
  const { breaks, byEnd, isOpen } = found as Orders;
  return [
    breaks,
    ...[...byEnd].map(([end, { legs }]) => [end, ...textsOf(legs)]),
    ...(isOpen ? ['open'] : []),
  ];
}

test.each<[string, string[], string | null, unknown[]]>([
  ['are ordered by their balances', ['3 10', '0 5', '5 3'], '0', [0, ['10', '0 5', '5 3', '3 10']]],
  [
    'are ordered by their balances, even if the balance before them is unknown',
    ['3 10', '0 5', '5 3'],
    null,
    [0, ['10', '0 5', '5 3', '3 10']],
  ],
  ['are ordered by their balances in any notation', ['5.0 3', '0 5'], '0', [0, ['3', '0 5', '5.0 3']]],
  ['that form a circle begin at the given balance', ['0 5', '5 0'], '5', [0, ['5', '5 0', '0 5']]],
  [
    'that form a circle can end with either balance if the start is unknown',
    ['5 0', '0 5'],
    null,
    [0, ['0', '0 5', '5 0'], ['5', '5 0', '0 5']],
  ],
  ['with one break end with the balance after the break', ['7 8', '0 5'], '0', [1, ['8', '0 5', '7 8']]],
  [
    'that start from the same balance can end with either balance',
    ['4 6', '4 5'],
    '4',
    [1, ['5', '4 6', '4 5'], ['6', '4 5', '4 6']],
  ],
  [
    'are ordered by their known balances if one balance is unknown',
    ['3 ?', '0 3'],
    '0',
    [0, [null, '0 3', '3 ?']],
  ],
  [
    'begin at the given balance, even if another balance is unknown',
    ['? 3', '0 ?'],
    '0',
    [0, ['3', '0 ?', '? 3']],
  ],
])('legs with the same time %s', (_, legs, start, expected) => {
  expect(orders(legs, start)).toEqual(expected);
});

test('the order of more than eight legs with the same time is unknown if one of them lacks a balance', () => {
  const legs = Array.from({ length: 9 }, (_, at) => `${at} ${at + 1}`);
  expect(orders(legs.toReversed(), '0')).toEqual([0, ['9', ...legs]]);
  expect(orders([...legs, '? 4'], '0')).toContain('open');
});

/** Counts the breaks of an order. */
function breaksIn(legs: readonly Leg[], start: string | null): number {
  let [breaks, previous] = [0, start];
  for (const { record } of legs) {
    const before = record['beforeBalance'] as string | null;
    if (previous !== null && before !== null && previous !== before) breaks += 1;
    previous = record['afterBalance'] as string | null;
  }
  return breaks;
}

const endOf = (legs: readonly Leg[]) => legs.at(-1)?.record['afterBalance'] as string | null;

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    permutations(items.filter((_, other) => other !== at)).map((rest) => [item, ...rest]),
  );
}

test('among the orders with the fewest breaks, finds one order for each final balance', () => {
  const balance = fc.constantFrom('0', '1', '2', '?');
  const leg = fc.tuple(balance, balance).map(([before, after]) => `${before} ${after}`);
  const starts = ['0', '1', '8', '9', null];
  fc.assert(
    fc.property(fc.array(leg, { minLength: 1, maxLength: 5 }), (texts) => {
      const legs = texts.map(legOf);
      const orders = bestOrders(legs, starts, () => null);
      starts.forEach((start, at) => {
        const found = orders[at] as Orders;
        const all = permutations(legs).map((order) => ({ order, breaks: breaksIn(order, start) }));
        const fewest = Math.min(...all.map(({ breaks }) => breaks));
        const ends = all.filter(({ breaks }) => breaks === fewest).map(({ order }) => endOf(order));
        expect(found.breaks).toBe(fewest);
        expect(new Set(found.byEnd.keys())).toEqual(new Set(ends));
        for (const [end, { legs: order, firsts }] of found.byEnd) {
          const ending = all.filter((one) => one.breaks === fewest && endOf(one.order) === end);
          // If no quantities are given, each gap after the first leg is a break.
          const gapsIn = ([first, ...rest]: readonly Leg[]) => breaksIn(rest, first ? endOf([first]) : null);
          const fewestGaps = Math.min(...ending.map(({ order }) => gapsIn(order)));
          const right = ending.filter(({ order }) => gapsIn(order) === fewestGaps);
          const rightFirsts = new Set(right.map((one) => one.order[0]));
          // `firsts` may contain further legs, if they and all right first legs start from one balance.
          const starts = new Set([...rightFirsts].map((one) => one?.record['beforeBalance']));
          expect(new Set([...rightFirsts].filter((one) => one && firsts.includes(one)))).toEqual(rightFirsts);
          for (const one of firsts) {
            if (!rightFirsts.has(one)) expect(starts).toEqual(new Set([one.record['beforeBalance']]));
          }
          expect(textsOf(order).sort()).toEqual([...texts].sort());
          expect(breaksIn(order, start)).toBe(fewest);
          expect(endOf(order)).toBe(end);
        }
      });
    }),
    { numRuns: runs(300) },
  );
});

test('orders any number of shuffled legs so that each leg starts from the balance of the previous leg', () => {
  const balances = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 30 });
  const walks = balances.chain((walk) => {
    const legs = walk.slice(1).map((to, at) => `${walk[at]} ${to}`);
    const mixed = fc.shuffledSubarray(legs, { minLength: legs.length });
    return fc.record({ start: fc.constant(String(walk[0])), end: fc.constant(String(walk.at(-1))), mixed });
  });
  fc.assert(
    fc.property(walks, ({ start, end, mixed }) => {
      const found = chained(mixed.map(legOf), start) ?? [];
      expect(textsOf(found).sort()).toEqual([...mixed].sort());
      expect(breaksIn(found, start)).toBe(0);
      expect(found.at(-1)?.record['afterBalance']).toBe(end);
    }),
    { numRuns: runs(500) },
  );
});
