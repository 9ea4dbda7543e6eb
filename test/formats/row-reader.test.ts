import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { type Column, columnValue } from '../../src/formats/columns.ts';
import { isoText } from '../../src/formats/moments.ts';
import { rowReader } from '../../src/formats/row-reader.ts';
import { runs } from '../runs.ts';

const view = { timeZone: 'UTC' };

// A small set of names, so that fields, paths and columns often have the same name. Some of the names are built-in properties
// of objects and arrays.
const name = fc.constantFrom(
  'a',
  'b',
  'a.b',
  'a.b.a',
  'b.a',
  '',
  'length',
  'constructor',
  '__proto__',
  'value',
  '0',
);
const { record } = fc.letrec<{ value: unknown; record: JsonRecord }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(
      null,
      0,
      -1.5,
      true,
      '',
      'text',
      [1, { a: 2 }],
      new LosslessNumber('0.10000000000000000000001'),
    ),
    tie('record'),
  ),
  // Like JSON.parse, Object.fromEntries turns every name into an ordinary field, even `__proto__`.
  record: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries) as JsonRecord),
}));
const column: fc.Arbitrary<Column> = fc.oneof(
  name.map((key) => ({ key })),
  fc.constant({ key: 'a', derive: (row: JsonRecord) => Object.keys(row).length }),
);

test('reading all columns in one pass returns the same values as reading each column separately', () => {
  fc.assert(
    fc.property(fc.array(column), fc.array(record, { minLength: 1 }), (columns, records) => {
      const read = rowReader(columns, view);
      for (const one of records) {
        expect([...read(one)]).toEqual(columns.map((each) => columnValue(one, each, view)));
      }
    }),
    { numRuns: runs(500) },
  );
});

test('isoText writes UTC times as Date.toISOString does', () => {
  const moment = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: -2 * 86_400_000, max: 2 * 86_400_000 }),
    fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
  );
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      expect(moments.map((each) => isoText(each, 'UTC'))).toEqual(
        moments.map((each) => new Date(each).toISOString()),
      );
    }),
    { numRuns: runs(500) },
  );
});
