import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, type ComparedRow, compareRows, startComparison } from '../../src/export/compare.ts';

const row = fc.tuple(
  fc.integer({ min: 0, max: 30 }),
  fc.constantFrom('x', 'y', null),
  fc.constantFrom('1', '2'),
);
const side = fc.uniqueArray(row, { selector: ([key]) => key, maxLength: 25 });
type Side = readonly (readonly [number, string | null, string])[];

async function* rowsOf(side: Side): AsyncGenerator<ComparedRow> {
  for (const [key, a, b] of side)
    yield {
      key: `k${key}`,
      fields: new Map<string, unknown>([
        ['a', a],
        ['b', b],
      ]),
    };
}

async function compare(before: Side, after: Side, held?: number) {
  const comparison = startComparison();
  const changes: Change[] = [];
  const options = held === undefined ? {} : { held };
  for await (const change of compareRows(rowsOf(before), rowsOf(after), comparison, options))
    changes.push(change);
  return {
    comparison,
    changes: changes.map(({ change, id, field, from, to }) => [change, id, field, from, to]),
  };
}

/** A simple, slow comparison with the same result. */
function expected(before: Side, after: Side): unknown[][] {
  const [old, now] = [before, after].map((rows) => new Map(rows.map(([key, a, b]) => [`k${key}`, { a, b }])));
  return [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])].flatMap((id): unknown[][] => {
    const [from, to] = [old?.get(id), now?.get(id)];
    if (!from || !to) return [[from ? 'removed' : 'added', id, null, null, null]];
    return (['a', 'b'] as const).flatMap((field) =>
      from[field] === to[field] ? [] : [['changed', id, field, from[field], to[field]]],
    );
  });
}

const sorted = (changes: readonly unknown[][]) => changes.map((change) => JSON.stringify(change)).sort();

test('finds every difference for any row order, in memory and on disk', async () => {
  await fc.assert(
    fc.asyncProperty(side, side, fc.constantFrom(undefined, 0, 3), async (before, after, held) => {
      const { comparison, changes } = await compare(before, after, held);
      const wanted = expected(before, after);
      expect(sorted(changes)).toEqual(sorted(wanted));
      const kinds = (kind: string) => wanted.filter(([change]) => change === kind);
      expect(comparison).toEqual({
        ...{ before: before.length, after: after.length, duplicates: 0 },
        ...{ added: kinds('added').length, removed: kinds('removed').length },
        ...{ fields: kinds('changed').length, changed: new Set(kinds('changed').map(([, id]) => id)).size },
      });
    }),
    { numRuns: 150 },
  );
});

test('reports duplicate keys for any row order, in memory and on disk', async () => {
  const before: Side = [
    [1, 'x', '1'],
    [1, 'x', '1'],
    [2, 'x', '1'],
    [3, 'x', '1'],
    [2, 'x', '1'],
  ];
  const after: Side = [
    [2, 'x', '1'],
    [1, 'x', '1'],
    [3, 'x', '1'],
  ];
  for (const held of [undefined, 0]) {
    const { comparison, changes } = await compare(before, after, held);
    expect(sorted(changes)).toEqual(
      sorted([
        ['duplicate', 'k1', null, null, null],
        ['duplicate', 'k2', null, null, null],
      ]),
    );
    expect(comparison).toMatchObject({
      before: 5,
      after: 3,
      removed: 0,
      added: 0,
      changed: 0,
      duplicates: 2,
    });
  }
});
