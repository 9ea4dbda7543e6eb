import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Coverage, coverages, gapsIn } from '../../src/books/coverage.ts';
import { ZERO } from '../../src/core/decimal.ts';

const dateOf = (time: number) => new Date(time).toISOString();
const day = (text: string) => Date.parse(`${text}T12:00:00Z`);

function covered(known: readonly (number | undefined)[], unknown: readonly (number | undefined)[]): Coverage {
  const coverage = new Coverage();
  for (const time of known) coverage.add(ZERO, time);
  for (const time of unknown) coverage.add(null, time);
  return coverage;
}

describe('Coverage', () => {
  test.each([
    [
      [day('2025-01-01'), day('2025-09-30')],
      [day('2025-10-01')],
      'known for 2 of 3 legs, none after 2025-09-30',
    ],
    [[day('2025-09-30')], [day('2025-01-01')], 'known for 1 of 2 legs, none before 2025-09-30'],
    [
      [day('2025-03-01'), day('2025-03-02')],
      [day('2025-01-01'), day('2025-10-01')],
      'known for 2 of 4 legs, none before 2025-03-01 and none after 2025-03-02',
    ],
    [[day('2025-01-01'), day('2025-09-30')], [day('2025-05-01')], 'known for 2 of 3 legs'],
    // If only some legs of a day have a value, the description does not mention the day.
    [[day('2025-01-01')], [day('2025-01-01') + 1], 'known for 1 of 2 legs'],
    [[], [day('2025-01-01')], 'known for 0 of 1 leg'],
    [[day('2025-01-01')], [day('2025-01-02'), undefined], 'known for 1 of 3 legs'],
    [[day('2025-01-01'), undefined], [day('2025-01-02')], 'known for 2 of 3 legs'],
  ])('describes known values at %j and unknown values at %j as %j', (known, unknown, expected) => {
    expect(covered(known, unknown).gap(dateOf)).toBe(expected);
  });

  test('if all values of a sum are known, the sum has no gap', () => {
    expect(covered([day('2025-01-01')], []).gap(dateOf)).toBeUndefined();
    expect(covered([], []).gap(dateOf)).toBeUndefined();
  });

  test('merging the counts of two groups of legs gives the same description as counting all legs at once', () => {
    const times = fc.array(fc.oneof(fc.integer({ min: 0, max: 1e12 }), fc.constant(undefined)), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(times, times, times, times, (a, b, c, d) => {
        const parts = covered(a, b);
        parts.merge(covered(c, d));
        expect(parts.gap(dateOf)).toBe(covered([...a, ...c], [...b, ...d]).gap(dateOf));
      }),
    );
  });
});

test('if several columns have the same gap, one sentence describes all of them', () => {
  const all = coverages();
  all.value.add(null, day('2025-01-01'));
  for (const figure of ['proceeds', 'profit'] as const) {
    all[figure].add(ZERO, day('2025-01-01'));
    all[figure].add(null, day('2025-01-02'));
  }
  expect(gapsIn(all, dateOf)).toEqual([
    'value is known for 0 of 1 leg',
    'proceeds and profit are known for 1 of 2 legs, none after 2025-01-01',
  ]);
});
