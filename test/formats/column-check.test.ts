import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { ColumnCheck, LOOKED_THROUGH, requireColumns } from '../../src/formats/column-check.ts';
import { runs } from '../runs.ts';

const DECLARED = [{ key: 'id' }];

async function through(chosen: readonly string[], rows: readonly JsonRecord[]): Promise<JsonRecord[]> {
  const given: JsonRecord[] = [];
  for await (const row of new ColumnCheck(chosen, DECLARED).over(rows)) given.push(row);
  return given;
}

test('returns every row once and in order if a selected column first occurs in a later row', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 450 }), fc.nat(), async (count, place) => {
      const first = place % Math.min(count, LOOKED_THROUGH);
      const rows = Array.from({ length: count }, (_, id) => (id === first ? { id, colour: 'red' } : { id }));
      expect(await through(['colour'], rows)).toEqual(rows);
    }),
    { numRuns: runs(60) },
  );
});

test('rejects a column that does not occur in the first 200 rows', async () => {
  const rows = (first: number) =>
    Array.from({ length: 201 }, (_, id) => (id === first ? { id, colour: 'red' } : { id }));
  expect(await through(['colour'], rows(199))).toHaveLength(201);
  await expect(through(['colour'], rows(200))).rejects.toMatchObject({ code: 'BAD_COLUMN' });
});

test('accepts only declared columns if there are no rows', async () => {
  expect(await through(['id'], [])).toEqual([]);
  await expect(through(['colour'], [])).rejects.toMatchObject({ code: 'BAD_COLUMN' });
});

test('yields rows at once if all columns are declared, or else after each undeclared column has occurred', async () => {
  const pulled = async (chosen: readonly string[], wanted: number) => {
    let asked = 0;
    function* rows() {
      for (let id = 0; id < 10; id++) {
        asked += 1;
        yield id === 4 ? { id, colour: 'red' } : { id };
      }
    }
    const reading = new ColumnCheck(chosen, DECLARED).over(rows());
    for (let row = 0; row < wanted; row++) await reading.next();
    return asked;
  };
  expect(await pulled(['id'], 1)).toBe(1);
  expect(await pulled(['+id'], 1)).toBe(1);
  expect(await pulled(['colour'], 1)).toBe(5);
  expect(await pulled(['+colour'], 5)).toBe(5);
  expect(await pulled(['colour'], 6)).toBe(6);
});

test('warns that undeclared columns of an empty list of unspecified fields were not checked', async () => {
  const check = new ColumnCheck(['colour', '+size', 'id'], DECLARED, true);
  for await (const _ of check.over([])) throw new Error('a row');
  expect(check.isOpen).toBe(true);
  expect(check.complaints()).toEqual(['Cannot check the column "colour", "size": there are no records.']);
  for await (const _ of check.over([{ id: 1, colour: 'red', size: 2 }])) expect(check.isOpen).toBe(false);
  expect(check.complaints()).toEqual([]);
  expect(new ColumnCheck(['id'], DECLARED).complaints()).toEqual([]);
  const failed = new ColumnCheck(['colour'], DECLARED);
  await expect(failed.over([{ id: 1 }]).next()).rejects.toThrow();
  expect(failed.complaints()).toEqual([]);
});

describe('the error for an unknown column', () => {
  const known = [{ key: 'id' }, { key: 'asset.symbol', header: 'asset' }];
  const columns = 'The columns are id, asset.symbol.';
  test.each([
    [['symbl'], 'Unknown column "symbl"', `Did you mean asset.symbol? ${columns}`],
    [['+assett'], 'Unknown column "assett"', `Did you mean asset? ${columns}`],
    [['symbl', 'sybol'], 'Unknown column "symbl", "sybol"', `Did you mean asset.symbol? ${columns}`],
    [['ix', 'symbl'], 'Unknown column "ix", "symbl"', `Did you mean id, asset.symbol? ${columns}`],
    [['zzzzzz'], 'Unknown column "zzzzzz"', columns],
    [['id', 'zzzzzz'], 'Unknown column "zzzzzz"', columns],
  ])(
    'the error for the columns %j lists the known columns and suggests similar names',
    (chosen, message, hint) => {
      expect(() => requireColumns(chosen, known)).toThrow(
        expect.objectContaining({ code: 'BAD_COLUMN', message, hint }),
      );
    },
  );

  test('the error for an unknown column lists the fields of the first rows', async () => {
    const rows = [{ id: 1, shape: { colour: 'red' } }];
    await expect(new ColumnCheck(['color'], DECLARED).over(rows).next()).rejects.toMatchObject({
      message: 'Unknown column "color"',
      hint: 'Did you mean shape.colour? The columns are id, shape.colour.',
    });
  });

  test('requireColumns accepts declared columns', () => {
    expect(() => requireColumns(['id', '+asset', 'ASSET'], known)).not.toThrow();
  });
});
