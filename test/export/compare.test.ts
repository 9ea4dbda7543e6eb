import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import {
  ComparedRecord,
  type ComparedRow,
  type CompareOptions,
  compareRows,
  fieldsOf,
  fieldValue,
  type RowChange,
  startComparison,
} from '../../src/export/compare.ts';
import { runs } from '../runs.ts';

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
  const changes: RowChange[] = [];
  const options = held === undefined ? {} : { held };
  for await (const change of compareRows(rowsOf(before), rowsOf(after), comparison, options))
    changes.push(change);
  return {
    comparison,
    changes: changes.map(({ change, id, field, from, to }) => [change, id, field, from, to]),
  };
}

/** A simple but slow comparison that computes the expected changes. */
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

test('finds every difference, regardless of row order, in memory and on disk', async () => {
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
    { numRuns: runs(150) },
  );
});

test('reports duplicate keys, regardless of row order, in memory and on disk', async () => {
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

describe('a change', () => {
  const leg = (key: string, fields: Readonly<Record<string, unknown>>, text?: string): ComparedRow => ({
    ...{ key, fields: new Map(Object.entries(fields)) },
    ...(text === undefined ? {} : { text }),
  });
  async function* each(rows: readonly ComparedRow[]) {
    yield* rows;
  }
  async function changesOf(
    before: readonly ComparedRow[],
    after: readonly ComparedRow[],
    options: CompareOptions = {},
  ) {
    const changes: RowChange[] = [];
    for await (const change of compareRows(each(before), each(after), startComparison(), options))
      changes.push(change);
    return changes;
  }

  test('an added or removed row is reported with a summary and a numeric timestamp', async () => {
    const full = { type: 'fee', quantity: '1.5', 'asset.symbol': 'ETH' };
    expect(
      await changesOf(
        [leg('a', { ...full, timestamp: '1700000000000' })],
        [leg('b', { ...full, timestamp: 5 })],
      ),
    ).toEqual([
      ...[
        {
          change: 'removed',
          id: 'a',
          timestamp: 1_700_000_000_000,
          field: null,
          from: 'fee 1.5 ETH',
          to: null,
        },
      ],
      ...[{ change: 'added', id: 'b', timestamp: 5, field: null, from: null, to: 'fee 1.5 ETH' }],
    ]);
    const described = async (fields: Readonly<Record<string, unknown>>) =>
      (await changesOf([], [leg('a', fields)]))[0]?.to;
    expect(await described({ type: 'fee', quantity: '', 'assetRaw.symbol': 'RAW' })).toBe('fee RAW');
    expect(await described({ type: null, quantity: 2 })).toBeNull();
  });

  test.each([
    ['123456789012345', 123_456_789_012_345],
    ['1234567890123456', '1234567890123456'],
    ['12x', '12x'],
    ['', ''],
  ])('reports the timestamp %j of a row as %j', async (timestamp, shown) => {
    const [change] = await changesOf([], [leg('a', { timestamp })]);
    expect(change?.timestamp).toBe(shown);
  });

  test('reports each field that differs, and treats missing fields as null', async () => {
    const [before, after] = [leg('a', { x: 1, y: null, z: [1] }), leg('a', { x: 2, z: [1], w: 3 })];
    expect((await changesOf([before], [after])).map(({ field, from, to }) => [field, from, to])).toEqual([
      ['x', 1, 2],
      ['w', null, 3],
    ]);
    // If the texts of two rows are equal, their fields are not compared.
    expect(await changesOf([leg('a', { x: 1 }, 't')], [leg('a', { x: 2 }, 't')])).toEqual([]);
    expect(await changesOf([leg('a', { x: 1 }, 't')], [leg('a', { x: 2 }, 'u')])).toHaveLength(1);
    expect(await changesOf([leg('a', { x: 1 })], [leg('a', { x: 2 })])).toHaveLength(1);
  });

  test('a change shows values without the formula guard, except a change of only the guard', async () => {
    const show = (value: unknown) => (typeof value === 'string' ? value.replace(/^'/, '') : value);
    const shown = async (from: string, to: string) => {
      const [change] = await changesOf([leg('a', { x: from })], [leg('a', { x: to })], { show });
      return [change?.from, change?.to];
    };
    expect(await shown("'=1", "'=2")).toEqual(['=1', '=2']);
    expect(await shown("'=1", '=1')).toEqual(["'=1", '=1']);
  });

  test('calls onDifference once for each row that was added, removed or changed', async () => {
    const rows = [leg('same', { x: 1 }), leg('old', { x: 1 }), leg('gone', {}), leg('same', { x: 1 })];
    const later = [leg('new', {}), leg('old', { x: 2, y: 3 }), leg('same', { x: 1 })];
    for (const held of [undefined, 0]) {
      const passed: (string | undefined)[][] = [];
      const onDifference: CompareOptions['onDifference'] = (from, to) => passed.push([from?.key, to?.key]);
      await changesOf(rows, later, held === undefined ? { onDifference } : { onDifference, held });
      expect(passed.sort()).toEqual([
        [undefined, 'new'],
        ['gone', undefined],
        ['old', 'old'],
      ]);
    }
  });

  test('a comparison that buffered rows on disk removes its temporary files', async () => {
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('cryptodata-compare-')).length;
    const before = left();
    const rows = [leg('a', {}), leg('b', {}), leg('c', {})];
    const counts: number[] = [];
    const watched = async function* (given: readonly ComparedRow[]) {
      for (const one of given) {
        counts.push(left() - before);
        yield one;
      }
    };
    const comparison = startComparison();
    for await (const _ of compareRows(watched(rows), watched([]), comparison, { held: 1 }));
    // At most one row is kept in memory, so the second row is written to disk.
    expect(counts).toEqual([0, 0, 1]);
    expect(left()).toBe(before);
  });
});

test('fieldsOf flattens nested objects to dotted names, but does not flatten lists', () => {
  expect([...fieldsOf({ a: 1, b: { c: null, d: { e: [1] } }, f: {} })]).toEqual([
    ['a', 1],
    ['b.c', null],
    ['b.d.e', [1]],
  ]);
});

test('compareRows finds the same changes in records as in rows with flattened fields', async () => {
  const value = fc.constantFrom<unknown>('1', '2', null, undefined, ['1'], { x: '1' }, { x: null }, {});
  const record = fc.record({ id: fc.constant('k'), a: value, b: value });
  await fc.assert(
    fc.asyncProperty(record, record, async (left, right) => {
      const changes = async (rowOf: (record: JsonRecord) => ComparedRow) => {
        const rows = async function* (record: JsonRecord) {
          yield rowOf(record);
        };
        const found: RowChange[] = [];
        for await (const change of compareRows(rows(left), rows(right), startComparison()))
          found.push(change);
        return found;
      };
      expect(await changes((record) => new ComparedRecord('k', record))).toEqual(
        await changes((record) => ({ key: 'k', fields: fieldsOf(record) })),
      );
    }),
    { numRuns: runs(300) },
  );
});

test.each<[string, unknown]>([
  ['timestamp', 7],
  ['asset.symbol', 'X'],
  ['asset', undefined],
  ['other', undefined],
  ['other.symbol', undefined],
  ['label', null],
])('reads the field %s of a parsed record without converting it', (path, expected) => {
  const record = { timestamp: 7, asset: { symbol: 'X' }, label: null };
  expect(fieldValue(new ComparedRecord('k', record), path)).toBe(expected);
  expect(fieldValue({ key: 'k', fields: fieldsOf(record) }, path)).toBe(expected);
});
