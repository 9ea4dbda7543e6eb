import { expect, test } from 'vitest';
import { Leg } from '../../src/books/leg.ts';
import { NeighbourSearch, neighboursOf } from '../../src/books/neighbours.ts';
import { cleanBooks, shuffled } from './audit/books.ts';

test('returns the ten legs before a leg and the five legs after it, all of the same wallet and asset', async () => {
  const { legs, pairs } = cleanBooks(3, 2000);
  const indexes = [...pairs.values()].find((pair) => pair.length > 40) ?? [];
  const own = indexes.map((index) => legs[index]);
  for (const at of [0, 3, 20, own.length - 2]) {
    // Legs with the same time may arrive in any order.
    const mixed = shuffled(legs, at).sort((a, b) => Number(a['timestamp']) - Number(b['timestamp']));
    const id = String(own[at]?.['id']);
    const found = (await neighboursOf(mixed, [id])).get(id);
    expect(found?.leg).toBe(own[at]);
    const balances = (list: readonly (object | undefined)[] = []) =>
      list.map((leg) => (leg as { afterBalance: string }).afterBalance);
    expect(balances(found?.before)).toEqual(balances(own.slice(Math.max(0, at - 10), at)));
    expect(balances(found?.after)).toEqual(balances(own.slice(at + 1, at + 6)));
  }
});

test('returns nothing for an unknown leg', async () => {
  expect([...(await neighboursOf(cleanBooks(3, 50).legs, ['led_none'])).keys()]).toEqual([]);
});

test('finds the requested number of neighbours for several legs at once', () => {
  const around = (ids: readonly string[], before: number, after: number) => {
    const search = new NeighbourSearch(ids, { before, after });
    const complete = [1, 2, 3, 4, 5, 6].filter((number) => {
      search.step({ leg: new Leg({ id: String(number) }), pair: 'p' });
      search.step({ leg: new Leg({ id: `other${number}` }), pair: 'q' });
      return search.isComplete;
    });
    const texts = [...search.found.values()].map(({ before, leg, after }) =>
      [before, [leg], after].map((list) => list.map(({ id }) => id).join('')).join('|'),
    );
    return [texts, complete[0]];
  };
  expect(around(['3', '4'], 2, 2)).toEqual([['12|3|45', '23|4|56'], 6]);
  expect(around(['2', '5'], 1, 1)).toEqual([['1|2|3', '4|5|6'], 6]);
  expect(around(['3'], 1, 0)).toEqual([['2|3|'], 3]);
  expect(around(['6'], 9, 2)).toEqual([['12345|6|'], undefined]);
});
