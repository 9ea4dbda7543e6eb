import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRecord, type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import type { Columns } from '../../src/formats/columns.ts';
import { columnsAfter, OpenFields, openColumns } from '../../src/formats/open.ts';

const keys = (columns: Columns['table']) => columns.map(({ key }) => key);

describe('columns of records with fields that the specification does not define', () => {
  test('a file has one column for every field path that occurs in at least one record, in order of appearance', () => {
    const { csv } = openColumns([
      { b: 1, a: { x: null } },
      { c: [], a: { y: {} } },
    ]);
    expect(keys(csv)).toEqual(['b', 'a.x', 'c', 'a.y']);
  });

  test('a field that is null or an object has columns only for its inner fields', () => {
    expect(keys(openColumns([{ fee: null }, { fee: { id: 1 } }]).csv)).toEqual(['fee.id']);
    expect(keys(openColumns([{ fee: { id: 1 } }, { fee: null }]).csv)).toEqual(['fee.id']);
    expect(keys(openColumns([{ fee: null }]).csv)).toEqual(['fee']);
    expect(keys(openColumns([{ fee: 'x' }, { fee: { id: 1 } }]).csv)).toEqual(['fee', 'fee.id']);
  });

  test('every leaf value except null has a column, so that no value is lost', () => {
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

  test('an object nested beyond the maximum depth is written to a single cell', () => {
    const deep = (levels: number): JsonRecord => (levels === 0 ? { end: 1 } : { a: deep(levels - 1) });
    const { csv, table } = openColumns([deep(3000)]);
    expect(keys(csv)).toEqual([`${'a.'.repeat(12)}a`]);
    expect(keys(table)).toEqual(keys(csv));
  });

  test('streamed records get the same columns as a list of records', () => {
    const records = [{ a: 1, b: { c: 'x' } }, { d: null }];
    const fields = new OpenFields();
    for (const record of records) fields.add(record);
    expect(keys(fields.columns().csv)).toEqual(keys(openColumns(records).csv));
  });
});

describe('a table of records with fields that the specification does not define', () => {
  const table = (...records: readonly JsonRecord[]) => openColumns(records).table;

  test('a table orders its columns as follows: id, names, other ids, values, inner fields, lists', () => {
    const record = {
      ...{ tags: [], amount: 1, walletId: 'w', inner: { id: 'i', x: 1 } },
      ...{ asset: { name: 'n' }, status: 's', note: 't', uid: 'u' },
    };
    const order = [
      'uid',
      'status',
      'walletId',
      'amount',
      'note',
      'asset.name',
      'inner.id',
      'inner.x',
      'tags',
    ];
    expect(keys(table(record))).toEqual(order);
    expect(keys(table({ list: [], a: { b: { c: { d: { e: 1 } } } } }))).toEqual(['a.b.c.d.e', 'list']);
    const deep = { a: { b: { c: { d: { e: { f: { g: { h: { i: { j: { k: 1 } } } } } } } } } } };
    expect(keys(table({ list: [], ...deep }))).toEqual(['a.b.c.d.e.f.g.h.i.j.k', 'list']);
  });

  test('a table shows at most nine columns, and omits columns without values', () => {
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`f${at}`, at === 3 ? null : at]));
    expect(keys(table(many))).toEqual(['f0', 'f1', 'f2', 'f4', 'f5', 'f6', 'f7', 'f8', 'f9']);
    expect(keys(table({ a: null, b: null }))).toEqual(['a', 'b']);
    expect(keys(table({ a: null, b: 1 }))).toEqual(['b']);
  });

  test('a column is numeric if all its values are numbers or decimals', () => {
    const figures = (...values: readonly unknown[]) => {
      const columns = openColumns(values.map((value) => ({ value })));
      return [columns.table[0]?.figure, columns.csv[0]?.figure];
    };
    expect(figures(1, '-2.5', null, new LosslessNumber('1e400'))).toEqual([true, true]);
    for (const decimal of ['1.', '.5', '+1', '-1e-18']) expect(figures(1, decimal)).toEqual([true, true]);
    for (const other of ['x', '1,5', '0x1', true, ''])
      expect(figures(1, other)).toEqual([undefined, undefined]);
    expect(figures(null)).toEqual([undefined, undefined]);
    expect(figures([])).toEqual([undefined, undefined]);
  });

  test('a table shows a list as the number of its items', () => {
    const [column] = table({ tags: ['a'] });
    const shown = (tags: unknown) => column?.derive?.({ tags }, { timeZone: 'UTC' });
    expect([shown([]), shown(['a']), shown(['a', 'b']), shown('none')]).toEqual([
      '0 items',
      '1 item',
      '2 items',
      'none',
    ]);
    expect(table({ count: new LosslessNumber('12') })[0]?.derive).toBeUndefined();
    expect(table({ empty: {} })[0]?.derive).toBeDefined();
  });
});

describe('columns of records with declared and undeclared fields', () => {
  const named: Columns = {
    table: [{ key: 'id' }, { key: 'roi', derive: () => undefined }, { key: 'gone' }],
    csv: [{ key: 'id' }, { key: 'gone' }],
  };
  const columns = columnsAfter(named, (key) => key === 'hidden');

  test('a file contains every declared column, but a table contains only declared columns that occur', () => {
    const { table, csv } = columns([{ more: 1, id: 'x', hidden: 2 }]);
    expect(keys(csv)).toEqual(['id', 'gone', 'more', 'hidden']);
    expect(keys(table)).toEqual(['id', 'more']);
  });

  test('a table shows at most four undeclared fields, and omits hidden fields', () => {
    const record = { a: 1, b: 1, c: 1, hidden: 1, d: 1, e: 1 };
    expect(keys(columns([record]).table)).toEqual(['a', 'b', 'c', 'd']);
    expect(keys(columnsAfter(named)([record]).table)).toEqual(['a', 'b', 'c', 'hidden']);
  });

  test('declared columns are included if there are no records', () => {
    expect(keys(columns([]).csv)).toEqual(['id', 'gone']);
    expect(keys(columns([]).table)).toEqual(['id', 'roi', 'gone']);
  });
});
