import { describe, expect, test } from 'vitest';
import type { Span } from '../../src/core/span.ts';
import { gaps, type Stretch, splitSpan, windowSize } from '../../src/export/plan.ts';

test('windowSize returns a thirtieth of the total, but at least 2,000 and at most 16,000', () => {
  const totals = [0, 60_000, 60_001, 60_030, 60_031, 480_000, 480_001, 1e9];
  expect(totals.map(windowSize)).toEqual([2000, 2000, 2001, 2001, 2002, 16_000, 16_000, 16_000]);
});

describe('cut', () => {
  const SIZE = 100;

  /** Calls `cut` with a service that reports `rowsIn(span)` as the total of each span. */
  async function cutOf(stretch: Stretch, rowsIn: (span: Span) => number | undefined, more?: boolean) {
    const asked: string[] = [];
    const result = await splitSpan(stretch, SIZE, async (span) => {
      asked.push(`${span.from}-${span.to}`);
      const total = rowsIn(span);
      return { total, more: more ?? (total ?? 0) > SIZE };
    });
    const parts = result.parts.map(({ span: { from, to }, count, more }) =>
      [`${from}-${to}`, count, more].filter((value) => value !== undefined).join(' '),
    );
    return { parts, asked, inconsistent: result.inconsistent };
  }
  const span = { from: 1000, to: 1999 };
  /** Returns the number of rows in a span that contains one row per millisecond. */
  const dense = ({ from, to }: Span) => to - from + 1;

  test('requests the count of a span if the count is unknown or exceeds the window size', async () => {
    const alone = (count: number) => ({ parts: [`1000-1999 ${count}`], asked: [], inconsistent: false });
    expect(await cutOf({ span, count: 0 }, dense)).toEqual(alone(0));
    expect(await cutOf({ span, count: SIZE }, dense)).toEqual(alone(SIZE));
    expect(await cutOf({ span, count: 500, more: false }, dense)).toEqual(alone(500));
    expect((await cutOf({ span, count: undefined }, () => 7)).asked).toEqual(['1000-1999']);
    expect((await cutOf({ span, count: SIZE + 1 }, () => 7)).asked).toEqual(['1000-1999']);
    expect((await cutOf({ span, count: SIZE + 1, more: true }, dense)).asked[0]).not.toBe('1000-1999');
  });

  test('does not split a span if its count is unknown or its rows fit in one window', async () => {
    expect(await cutOf({ span, count: undefined }, () => undefined, true)).toMatchObject({
      parts: ['1000-1999'],
    });
    expect(await cutOf({ span, count: undefined }, () => 5000, false)).toMatchObject({
      ...{ parts: ['1000-1999 5000'], inconsistent: false },
    });
  });

  test('does not split a span of one millisecond with too many rows for one window', async () => {
    const one = { from: 5, to: 5 };
    expect(await cutOf({ span: one, count: 500 }, dense)).toMatchObject({ parts: ['5-5 500'], asked: [] });
    expect(await cutOf({ span: one, count: 500, more: true }, dense)).toMatchObject({ parts: ['5-5 500'] });
    expect(await cutOf({ span: one, count: undefined }, () => 500, true)).toMatchObject({
      parts: ['5-5 500'],
    });
    expect(await cutOf({ span: { from: 5, to: 6 }, count: 500, more: true }, () => 250)).toEqual({
      ...{ parts: ['5-5 250 true', '6-6 250'], asked: ['5-5'], inconsistent: false },
    });
  });

  test('splits a span into parts of equal duration, and calculates the count of the last part from the total', async () => {
    expect(await cutOf({ span, count: 250, more: true }, () => 80)).toEqual({
      ...{ parts: ['1000-1332 80 false', '1333-1665 80 false', '1666-1999 90'] },
      ...{ asked: ['1000-1332', '1333-1665'], inconsistent: false },
    });
    // 200 rows fit in two parts of 100, but 201 rows need three parts.
    expect((await cutOf({ span, count: 200, more: true }, () => 99)).asked).toHaveLength(1);
    expect((await cutOf({ span, count: 201, more: true }, () => 99)).asked).toHaveLength(2);
  });

  test('splits a span into at most 16 parts, or into 2 parts if the total is capped', async () => {
    expect((await cutOf({ span, count: 1e6, more: true }, dense)).asked).toHaveLength(15);
    expect(await cutOf({ span, count: 40, more: true }, () => 30)).toEqual({
      ...{ parts: ['1000-1499 30 false', '1500-1999 71'], asked: ['1000-1499'], inconsistent: false },
    });
  });

  test('joins adjacent parts that fit in one window', async () => {
    const rows = (counts: readonly number[]) => {
      let at = 0;
      return cutOf({ span, count: 300, more: true }, () => counts[at++]);
    };
    expect((await rows([50, 50])).parts).toEqual(['1000-1665 100', '1666-1999 200']);
    expect((await rows([50, 51])).parts).toEqual([
      '1000-1332 50 false',
      '1333-1665 51 false',
      '1666-1999 199',
    ]);
    expect((await rows([250, 20])).parts).toEqual(['1000-1332 250 true', '1333-1999 50']);
    // The last part is not counted. Its number of rows is the number of remaining rows, but at least 1.
    expect((await rows([299, 0])).parts).toEqual(['1000-1332 299 true', '1333-1999 1']);
    expect((await rows([400, 0])).parts).toEqual(['1000-1332 400 true', '1333-1999 1']);
  });

  test('estimates the number of rows in a part if the service reports no total for the part', async () => {
    let at = 0;
    const totals = [undefined, 120];
    const { parts } = await cutOf({ span, count: 300, more: true }, () => totals[at++]);
    expect(parts).toEqual(['1000-1332 180 false', '1333-1665 120 true', '1666-1999 180']);
  });

  test('a part that has more rows than its reported total is not joined to an adjacent part', async () => {
    const { parts } = await cutOf({ span, count: 300, more: true }, () => 10, true);
    expect(parts).toEqual(['1000-1332 10 true', '1333-1665 10 true', '1666-1999 280']);
  });

  test('reports an inconsistency if the parts together have more than twice as many rows as the whole span', async () => {
    const known = async (rows: number) =>
      (await cutOf({ span, count: 150, more: true }, () => rows)).inconsistent;
    // The limit is 302: twice 150 rows, plus one row for each of the two parts.
    expect(await known(302)).toBe(false);
    expect(await known(303)).toBe(true);
  });
});

test('`gaps` returns the parts of a range that are not covered by the given spans', () => {
  const range = { from: 10, to: 99 };
  const found = (...spans: [number, number][]) =>
    gaps(
      range,
      spans.map(([from, to]) => ({ from, to })),
    ).map(({ from, to }) => [from, to]);
  expect(found()).toEqual([[10, 99]]);
  expect(found([10, 99])).toEqual([]);
  expect(found([50, 59], [20, 29])).toEqual([
    [10, 19],
    [30, 49],
    [60, 99],
  ]);
  expect(found([10, 19], [20, 98])).toEqual([[99, 99]]);
  expect(found([11, 99])).toEqual([[10, 10]]);
  expect(found([10, 19], [21, 99])).toEqual([[20, 20]]);
});
