import { expect, test } from 'vitest';
import { NameWatch } from '../../src/output/columns.ts';

const KNOWN = [{ key: 'quantity' }, { key: 'asset.symbol' }];

async function complaints(
  chosen: readonly string[],
  rows: readonly Record<string, unknown>[],
): Promise<string[]> {
  const watch = new NameWatch(chosen, KNOWN);
  const given = [];
  for await (const row of watch.over(rows)) given.push(row);
  expect(given).toEqual(rows);
  return watch.complaints();
}

test('a column that no record has is told, with the name that was meant', async () => {
  expect(await complaints(['quantty', '+asset.symbl'], [{ quantity: '1' }])).toEqual([
    'No record has quantty. Did you mean quantity?',
    'No record has asset.symbl. Did you mean asset.symbol?',
  ]);
});

test('a path that any record has, even as null, and a known column that is empty, are no mistakes', async () => {
  const rows = [{ id: '1' }, { id: '2', raw: { chain: null } }];
  expect(await complaints(['raw.chain', 'quantity'], rows)).toEqual([]);
});

test('without a record nothing is known', async () => {
  expect(await complaints(['quantty'], [])).toEqual([]);
});
