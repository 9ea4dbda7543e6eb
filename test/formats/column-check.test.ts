import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { ColumnCheck, LOOKED_THROUGH } from '../../src/formats/column-check.ts';

const DECLARED = [{ key: 'id' }];

async function through(chosen: readonly string[], rows: readonly JsonRecord[]): Promise<JsonRecord[]> {
  const given: JsonRecord[] = [];
  for await (const row of new ColumnCheck(chosen, DECLARED).over(rows)) given.push(row);
  return given;
}

test('returns every row once and in order if a field first appears in a later row', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 450 }), fc.nat(), async (count, place) => {
      const first = place % Math.min(count, LOOKED_THROUGH);
      const rows = Array.from({ length: count }, (_, id) => (id === first ? { id, colour: 'red' } : { id }));
      expect(await through(['colour'], rows)).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});

test('rejects a column that does not occur in the first 200 rows', async () => {
  const rows = (first: number) =>
    Array.from({ length: LOOKED_THROUGH + 1 }, (_, id) => (id === first ? { id, colour: 'red' } : { id }));
  expect(await through(['colour'], rows(LOOKED_THROUGH - 1))).toHaveLength(LOOKED_THROUGH + 1);
  await expect(through(['colour'], rows(LOOKED_THROUGH))).rejects.toMatchObject({ code: 'BAD_COLUMN' });
});

test('accepts any column if there are no rows', async () => {
  expect(await through(['id'], [])).toEqual([]);
  expect(await through(['colour'], [])).toEqual([]);
  expect(new ColumnCheck(['colour'], DECLARED).complaints()).toEqual([expect.stringContaining('colour')]);
});
