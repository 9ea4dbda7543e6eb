import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BalanceSeries, balanceSteps, endOf, extremesOf } from '../../src/books/series.ts';
import { type Exact, exact } from '../../src/core/decimal.ts';
import { runs } from '../runs.ts';

interface Leg {
  readonly time: number;
  readonly balance: Exact | null;
}

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, places]) => exact(`${digits}e-${places}`));

/** Generates legs in chronological order. Many legs have the same time. */
const histories = fc
  .array(
    fc.record({
      gap: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 1e10 })),
      balance: fc.oneof({ weight: 9, arbitrary: decimals }, { weight: 1, arbitrary: fc.constant(null) }),
    }),
    { maxLength: 400 },
  )
  .chain((gaps) =>
    fc.integer({ min: -1e12, max: 1e12 }).map((start) => {
      let time = start;
      return gaps.map(({ gap, balance }): Leg => {
        time += gap;
        return { time, balance };
      });
    }),
  );

const seriesOf = (legs: readonly Leg[], most: number) => {
  const series = new BalanceSeries(most);
  for (const { time, balance } of legs) series.add(time, balance);
  return series.buckets;
};

test('keeps the first, last, lowest and highest balance in each bucket', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 2, max: 40 }), (legs, most) => {
      const buckets = seriesOf(legs, most);
      expect(buckets.length).toBeLessThanOrEqual(most);
      let seen = 0;
      for (const bucket of buckets) {
        const { from, to, known, legs: counted, unknown } = bucket;
        const own = legs.filter(({ time }) => time >= from && time < to);
        const balances = own.flatMap(({ balance }) => balance ?? []);
        expect([counted, unknown?.legs ?? 0]).toEqual([own.length, own.length - balances.length]);
        expect(endOf(bucket)?.toFixed()).toBe(own.at(-1)?.balance?.toFixed());
        seen += own.length;
        const sorted = [...balances].sort((left, right) => left.comparedTo(right));
        const texts = known && {
          first: known.first.balance.toFixed(),
          last: known.last.balance.toFixed(),
          lowest: known.lowest.balance.toFixed(),
          highest: known.highest.balance.toFixed(),
        };
        expect(texts).toEqual(
          balances.length === 0
            ? undefined
            : {
                first: balances[0]?.toFixed(),
                last: balances.at(-1)?.toFixed(),
                lowest: sorted[0]?.toFixed(),
                highest: sorted.at(-1)?.toFixed(),
              },
        );
      }
      expect(seen).toBe(legs.length);
    }),
  );
});

test('the steps of a balance series are in chronological order, and include the lowest and the highest balance', () => {
  fc.assert(
    fc.property(histories, fc.integer({ min: 2, max: 40 }), (legs, most) => {
      const buckets = seriesOf(legs, most);
      const steps = balanceSteps(buckets);
      const times = steps.map(({ time }) => time);
      expect(times).toEqual([...times].sort((left, right) => left - right));
      expect(steps.length).toBeLessThanOrEqual(6 * most);
      const drawn = new Set(steps.map(({ balance }) => balance?.toFixed()));
      const all = extremesOf(buckets);
      for (const point of [all?.lowest, all?.highest])
        if (point) expect(drawn).toContain(point.balance.toFixed());
      expect(drawn.has(undefined)).toBe(legs.some(({ balance }) => balance === null));
      expect(steps.at(-1)?.balance?.toFixed()).toBe(legs.at(-1)?.balance?.toFixed());
    }),
  );
});

test('a bucket with unknown balances ends with the balance after its last leg', () => {
  const shown = (...balances: readonly (string | null)[]) => {
    const series = new BalanceSeries();
    for (const balance of balances) series.add(0, exact(balance));
    return balanceSteps(series.buckets).map(({ balance }) => balance?.toFixed() ?? null);
  };
  expect(shown('1', null, '2', null, '5')).toEqual(['1', null, null, '5']);
  expect(shown('1', '5', null)).toEqual(['1', '5', null]);
  expect(shown(null, '5')).toEqual([null, '5']);
});

const LEGS = runs(1_000_000, 100_000);
const DIP = 54_321;

test(`draws a single negative balance among ${LEGS} legs`, () => {
  const series = new BalanceSeries();
  const [plain, dip] = [exact('5'), exact('-0.000000000000000001')];
  for (let at = 0; at < LEGS; at++) series.add(at * 60_000, at === DIP ? dip : plain);
  const steps = balanceSteps(series.buckets);
  expect(steps.length).toBeLessThan(1500);
  expect(steps.filter(({ balance }) => balance?.isNegative())).toMatchObject([{ time: DIP * 60_000 }]);
});
