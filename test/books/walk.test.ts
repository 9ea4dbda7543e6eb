import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { WalkStep } from '../../src/books/step.ts';
import { walk, walkSteps } from '../../src/books/walk.ts';
import { ZERO } from '../../src/core/decimal.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { runs } from '../runs.ts';

/** In `1 +4 5`, a leg of 4 leads from 1 to 5. A `?` is unknown. */
function leg(id: string, timestamp: number | null, text: string, more: JsonRecord = {}): JsonRecord {
  const [before = '', change = '', after = ''] = text.split(' ');
  const known = (part: string) => (part === '?' ? null : part);
  const type = change.startsWith('-') ? 'outgoing' : change.startsWith('+') ? 'incoming' : 'reward';
  return {
    ...{ id, timestamp, walletId: 'w', assetId: 'a', type, quantity: known(change.replace(/[+-]/, '')) },
    ...{ beforeBalance: known(before), afterBalance: known(after), ...more },
  };
}

async function steps(...legs: readonly JsonRecord[]): Promise<WalkStep[]> {
  const found: WalkStep[] = [];
  for await (const step of walkSteps(legs)) found.push(step);
  return found;
}

const order = async (...legs: readonly JsonRecord[]) =>
  (await steps(...legs)).map(({ leg }) => leg.id).join(' ');
const text = (value: { toFixed(): string } | null) => value?.toFixed() ?? null;

test('orders legs with the same time by their balances, separately for each wallet', async () => {
  const circle = [leg('a', 2, '0 +5 5'), leg('b', 2, '5 -5 0')];
  expect(await order(leg('z', 1, '3 +2 5'), ...circle)).toBe('z b a');
  expect(await order(leg('z', 1, '3 -3 0'), ...circle)).toBe('z a b');
  const legs = [leg('c', 1, '0 +1 1'), leg('a', 1, '1 +1 2'), leg('d', 1, '0 +7 7', { walletId: 'v' })];
  expect(await order(...legs)).toBe('c a d');
  expect(await order(...legs.toReversed())).toBe('c a d');
});

test('puts legs without a time at the end, ordered by id, with unknown balances', async () => {
  const untimed = [leg('y', null, '9 +0 9'), leg('x', null, '9 +0 9')];
  const found = await steps(leg('b', 1, '1 +1 2'), ...untimed, leg('a', 2, '0 +1 1'));
  expect(found.map(({ leg }) => leg.id)).toEqual(['b', 'a', 'x', 'y']);
  expect(found.map(({ balance }) => text(balance))).toEqual(['2', '1', null, null]);
});

test('yields a leg as soon as a later leg arrives', async () => {
  const taken: unknown[] = [];
  function* legs() {
    for (const time of [1, 2, 3]) {
      yield leg(`l${time}`, time, '0 +0 0');
      taken.push(`took ${time}`);
    }
  }
  for await (const { leg } of walkSteps(legs())) taken.push(leg.id);
  expect(taken).toEqual(['took 1', 'l1', 'took 2', 'l2', 'took 3', 'l3']);
});

test('if several orders have equally few breaks, the next leg decides between them', async () => {
  const open = [leg('a', 1, '? +8 8'), leg('b', 1, '? +5 5')];
  const after = async (...next: readonly JsonRecord[]) =>
    (await steps(...open, ...next)).map(({ leg, balance, openLegs }) => [leg.id, text(balance), openLegs]);
  expect(await after()).toEqual([
    ['a', null, 2],
    ['b', null, 2],
  ]);
  expect((await after(leg('c', 2, '8 +1 9'))).map(([id, balance]) => [id, balance])).toEqual([
    ['b', '5'],
    ['a', '8'],
    ['c', '9'],
  ]);
  expect((await after(leg('c', 2, '5 +1 6')))[1]).toEqual(['b', '5', 0]);
  // The next leg has no balance before it, so it does not show which order is right.
  expect((await after(leg('c', 2, '? +1 6')))[1]).toEqual(['b', null, 2]);
});

test('a later leg decides between the equally good orders of several milliseconds', async () => {
  const first = [leg('a', 1, '0 -6 -6'), leg('b', 1, '-6 -9 -15'), leg('c', 1, '-15 -3 ?')];
  const second = [leg('d', 2, '-18 +2 -16'), leg('e', 2, '-15 -2 -17'), leg('f', 2, '-17 +5 -12')];
  const found = async (...last: readonly JsonRecord[]) =>
    (await steps(...first, ...second, ...last)).map(({ leg, before, openLegs }) =>
      openLegs > 0 ? `${leg.id}?` : `${leg.id} ${text(before)}`,
    );
  const known = ['a 0', 'b -6', 'c -15', 'd -18', 'e -15', 'f -17'];
  expect(await found(leg('g', 3, '-12 +1 -11'))).toEqual([...known, 'g -12']);
  expect((await found()).filter((text) => text.endsWith('?'))).toHaveLength(6);
});

test('holds back at most 100 legs of a pair until later legs show their order', async () => {
  const taken: number[] = [];
  function* legs() {
    for (let time = 1; time <= 1000; time++) {
      yield* [leg(`${time}a`, time, '? +8 8'), leg(`${time}b`, time, '? +5 5')];
      taken.push(time);
    }
    yield leg('z', 1001, '8 +1 9');
  }
  const found: WalkStep[] = [];
  let held = 0;
  for await (const step of walkSteps(legs())) {
    found.push(step);
    held = Math.max(held, (taken.at(-1) ?? 0) * 2 - found.length);
  }
  expect(held).toBeLessThanOrEqual(104);
  expect(found).toHaveLength(2001);
  expect(found.slice(-3).map(({ leg, openLegs }) => [leg.id, openLegs])).toEqual([
    ['1000b', 0],
    ['1000a', 0],
    ['z', 0],
  ]);
});

/** All orders with the fewest breaks, as the orders of each millisecond. */
function bestPaths(moments: readonly (readonly JsonRecord[])[]): JsonRecord[][][] {
  let paths: JsonRecord[][][] = [[]];
  let fewest = 0;
  for (const moment of moments) {
    const longer = paths.flatMap((path) => permutations(moment).map((order) => [...path, order]));
    const breaks = longer.map((path) => breaksIn(path.flat()));
    fewest = Math.min(...breaks);
    paths = longer.filter((_, at) => breaks[at] === fewest);
  }
  return paths;
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first, at) => permutations(all.toSpliced(at, 1)).map((others) => [first, ...others]));
}

function breaksIn(order: readonly JsonRecord[]): number {
  return order.filter((leg, at) => {
    const [after, before] = [order[at - 1]?.['afterBalance'] ?? null, leg['beforeBalance'] ?? null];
    return after !== null && before !== null && after !== before;
  }).length;
}

test('a balance is known if it is the same in all orders with the fewest breaks, and the walk takes one of these orders', async () => {
  const balance = fc.constantFrom('0', '1', '2', '?');
  const moment = fc.array(fc.tuple(balance, balance), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 4 }), async (drawn) => {
      const moments = drawn.map((legs, time) =>
        legs.map(([before, after], at) => leg(`${time}${at}`, time, `${before} ? ${after}`)),
      );
      const paths = bestPaths(moments);
      const found = await steps(...moments.flat());
      const idsOf = (orders: readonly (readonly JsonRecord[])[]) =>
        orders
          .flat()
          .map(({ id }) => id)
          .join();
      expect(paths.map(idsOf)).toContain(found.map(({ leg }) => leg.id).join());
      const befores = new Set(paths.map((path) => path[0]?.[0]?.['beforeBalance'] ?? null));
      expect(text(found[0]?.before ?? null)).toBe(befores.size === 1 ? [...befores][0] : null);
      for (const [time, legs] of moments.entries()) {
        const ends = new Set(paths.map((path) => path[time]?.at(-1)?.['afterBalance']));
        const open = found.filter(({ leg }) => leg.time === time).map(({ openLegs }) => openLegs);
        expect(open).toEqual(legs.map(() => (ends.size === 1 ? 0 : legs.length)));
      }
    }),
    { numRuns: runs(2000, 200) },
  );
});

test('adds up the quantities of legs whose order is unknown, and assumes no gap between them', async () => {
  const open = [leg('a', 2, '4 +2 6'), leg('b', 2, '4 +1 5')];
  const found = await steps(leg('z', 1, '0 +4 4'), ...open, leg('c', 3, '9 +1 10'));
  expect(found.map(({ gap }) => text(gap))).toEqual([null, null, null, '2']);
  expect(found.map(({ carried }) => text(carried))).toEqual([null, null, null, '7']);
});

test('if many legs have the same time and one of them lacks a balance, all their balances are unknown', async () => {
  const many = Array.from({ length: 10 }, (_, at) =>
    leg(`m${at}`, 2, at === 3 ? '? +1 ?' : `? -1 ${at - 5}`),
  );
  const found = await steps(leg('z', 1, '0 +5 5'), ...many);
  expect(found.map(({ isKnown }) => isKnown)).toEqual([true, ...many.map(() => false)]);
  // The leg with the lowest balance comes last, so that no negative balance seems to recover.
  expect(found.at(-1)?.leg.id).toBe('m0');
});

test.each([
  ['is known if only one leg can be the first', ['0 +3 3', '? +5 8', '? +2 5'], '0', ['0 +3 3']],
  ['is known if their quantities determine their order', ['6 -2 ?', '1 +5 ?'], '1', ['1 +5 ?']],
  ['is unknown if their quantities fit no order', ['6 -2 ?', '1 +4 ?'], null, ['6 -2 ?', '1 +4 ?']],
  ['is unknown if it depends on which leg is the first', ['0 +5 5', '3 +2 5'], null, ['0 +5 5', '3 +2 5']],
  ['is known if it is equal for every possible first leg', ['0 +5 5', '0 -3 -3'], '0', ['0 +5 5', '0 -3 -3']],
  ['is unknown if they form a circle', ['0 +5 5', '5 -5 0'], null, ['0 +5 5', '5 -5 0']],
  [
    'is unknown for more than eight legs if one of them lacks a balance',
    [...'012345678', '?'].map((n) => `${n} +1 ?`),
    null,
    undefined,
  ],
])('the balance before the first legs with the same time %s', async (_, texts, before, firsts) => {
  const legs = texts.map((text, at) => leg(`l${at}`, 1, text));
  for (const given of [legs, legs.toReversed()]) {
    const [first, second] = await steps(...given);
    expect([first?.isFirst, text(first?.before ?? null), second?.isFirst]).toEqual([true, before, false]);
    const names = first?.firsts?.map(({ id }) => texts[Number(id.slice(1))]);
    expect(names).toEqual(firsts ?? texts);
  }
});

test('the leg that starts from the carried balance comes first among legs with the same time', async () => {
  const moment = [leg('a', 2, '3 +1 ?'), leg('b', 2, '1 +1 2'), leg('c', 2, '2 +1 3')];
  const first = async (...earlier: readonly JsonRecord[]) =>
    (await steps(...earlier, ...moment))[earlier.length];
  const opening = (step: WalkStep | undefined) => text(step?.before ?? null);
  expect(opening(await first(leg('z', 1, '0 +1 ?')))).toBe('1');
  expect(opening(await first(leg('z', 1, '? +1 ?')))).toBeNull();
});

test('the next leg can decide which of two legs with the same time comes first', async () => {
  const circle = [leg('a', 1, '0 +5 5'), leg('b', 1, '5 -5 0')];
  const start = async (next: string) => {
    const [first] = await steps(...circle, leg('c', 2, next));
    return [first?.leg.id, text(first?.before ?? null), first?.firsts?.length];
  };
  expect(await start('5 +1 6')).toEqual(['b', '5', 1]);
  expect(await start('0 +1 1')).toEqual(['a', '0', 1]);
});

test('correct legs with the same time have no gap if one of them has no balance', async () => {
  const found = await steps(leg('b', 1, '0 +3 ?'), leg('a', 1, '3 +8 11'), leg('c', 2, '11 -1 10'));
  expect(found.map(({ leg, gap }) => [leg.id, text(gap)])).toEqual([
    ['b', null],
    ['a', '0'],
    ['c', '0'],
  ]);
});

test('uses the quantities of legs without balances to find a gap around these legs', async () => {
  const found = await steps(
    leg('a', 1, '0 +5 5'),
    leg('b', 2, '? +2 ?'),
    leg('c', 3, '? -1 ?'),
    leg('d', 4, '9 +1 10'),
    leg('e', 5, '? +1 12'),
  );
  expect(found.map(({ carried }) => text(carried))).toEqual([null, '5', '7', '6', '10']);
  expect(found.map(({ gap }) => text(gap))).toEqual([null, null, null, '3', '1']);
});

test('the gap after more than eight unordered legs is the change of the balance minus their quantities', async () => {
  const many = Array.from({ length: 10 }, (_, at) => leg(`m${at}`, 2, `? +1 ${at === 0 ? '?' : '3'}`));
  const found = await steps(leg('a', 1, '0 +5 5'), ...many, leg('z', 3, '16 +1 17'));
  const last = found.at(-1);
  expect(found.slice(1, -1).every(({ gap, carried }) => gap === null && carried === null)).toBe(true);
  expect(found.at(-2)).toMatchObject({ openLegs: 10, balance: null });
  expect([text(last?.carried ?? null), text(last?.gap ?? null)]).toEqual(['15', '1']);
});

test('a leg of a type without direction is not checked, and the balance after it is unknown', async () => {
  const found = await steps(leg('a', 1, '0 +5 5'), leg('b', 2, '? 2 ?'), leg('c', 3, '9 +1 11'));
  expect(found.map(({ error }) => text(error))).toEqual(['0', null, '1']);
  expect(found.map(({ gap }) => text(gap))).toEqual([null, null, null]);
});

test('a leg without asset id and symbol counts as an asset of its own', async () => {
  const nameless = { assetId: null };
  const found = await steps(leg('a', 1, '0 +5 5', nameless), leg('b', 2, '9 +1 10', nameless));
  expect(found.map(({ isFirst, gap, balance }) => [isFirst, gap, text(balance)])).toEqual([
    [false, null, '5'],
    [false, null, '10'],
  ]);
});

test('returns the balance of each wallet/asset pair after each millisecond, in order of time', async () => {
  const settled: unknown[] = [];
  await walk(
    [
      leg('a', 1, '? +8 8'),
      leg('b', 1, '? +5 5'),
      leg('c', 1, '0 +2 2', { walletId: 'v' }),
      leg('d', 2, '8 +1 9'),
      leg('e', 3, '? +1 ?'),
    ],
    { settle: (pair, time) => settled.push([JSON.parse(pair.key)[0], time, text(pair.settled)]) },
  );
  expect(settled).toEqual([
    ['w', 1, null],
    ['v', 1, '2'],
    ['w', 2, '9'],
    ['w', 3, null],
  ]);
});

test('compares few balances per leg if legs with the same time have many possible balances', async () => {
  const legs = Array.from({ length: 160 }, (_, at) =>
    leg(`l${at}`, Math.floor(at / 8), `? ${at % 2 === 0 ? '+' : '-'}1 ${at % 11}`),
  );
  const compared = vi.spyOn(Object.getPrototypeOf(ZERO), 'equals');
  await walk(legs, {});
  expect(compared.mock.calls.length / legs.length).toBeLessThan(2 ** 8 * 8);
  compared.mockRestore();
});
