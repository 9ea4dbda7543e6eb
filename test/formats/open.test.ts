import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord, type JsonRecord } from '../../src/core/json.ts';
import type { Columns } from '../../src/formats/columns.ts';
import { columnsAfter, OpenFields, openColumns } from '../../src/formats/open.ts';

const keys = (columns: Columns['table']) => columns.map(({ key }) => key);

describe('columns of open records', () => {
  test('are, in a file, all paths of all records, in order of appearance', () => {
    const { csv } = openColumns([
      { b: 1, a: { x: null } },
      { c: [], a: { y: {} } },
    ]);
    expect(keys(csv)).toEqual(['b', 'a.x', 'c', 'a.y']);
  });

  test('a field that is an object in one record and null in another has the columns of the object', () => {
    expect(keys(openColumns([{ fee: null }, { fee: { id: 1 } }]).csv)).toEqual(['fee.id']);
    expect(keys(openColumns([{ fee: { id: 1 } }, { fee: null }]).csv)).toEqual(['fee.id']);
    expect(keys(openColumns([{ fee: null }]).csv)).toEqual(['fee']);
    expect(keys(openColumns([{ fee: 'x' }, { fee: { id: 1 } }]).csv)).toEqual(['fee', 'fee.id']);
  });

  test('columns of open records include every leaf, so that no value is lost', () => {
    const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue()));
    fc.assert(
      fc.property(records, (rows) => {
        const columns = new Set(keys(openColumns(rows as JsonRecord[]).csv));
        const leaves = (record: JsonRecord, prefix: string): string[] =>
          Object.entries(record).flatMap(([name, value]) =>
            isRecord(value) && Object.keys(value).length > 0
              ? leaves(value, `${prefix}${name}.`)
              : value === null
                ? []
                : [`${prefix}${name}`],
          );
        for (const row of rows as JsonRecord[]) {
          for (const leaf of leaves(row, '')) expect(columns).toContain(leaf);
        }
      }),
    );
  });

  test('columns of open records end at a maximum depth, below which the rest is one cell', () => {
    const deep = (levels: number): JsonRecord => (levels === 0 ? { end: 1 } : { a: deep(levels - 1) });
    const { csv, table } = openColumns([deep(3000)]);
    expect(keys(csv)).toEqual([`${'a.'.repeat(12)}a`]);
    expect(keys(table)).toEqual(keys(csv));
  });

  test('columns of open records are the same for streamed records', () => {
    const records = [{ a: 1, b: { c: 'x' } }, { d: null }];
    const fields = new OpenFields();
    for (const record of records) fields.add(record);
    expect(keys(fields.columns().csv)).toEqual(keys(openColumns(records).csv));
  });
});

describe('columns after the declared ones', () => {
  const named: Columns = {
    table: [{ key: 'id' }, { key: 'roi', derive: () => undefined }, { key: 'gone' }],
    csv: [{ key: 'id' }, { key: 'gone' }],
  };
  const columns = columnsAfter(named, (key) => key === 'hidden');

  test('a file has all declared and found columns, and a table has the columns with values', () => {
    const { table, csv } = columns([{ more: 1, id: 'x', hidden: 2 }]);
    expect(keys(csv)).toEqual(['id', 'gone', 'more', 'hidden']);
    expect(keys(table)).toEqual(['id', 'more']);
  });

  test('columns after the declared ones include declared names even without records', () => {
    expect(keys(columns([]).csv)).toEqual(['id', 'gone']);
    expect(keys(columns([]).table)).toEqual(['id', 'roi', 'gone']);
  });
});
