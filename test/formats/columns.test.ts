import { describe, expect, test, vi } from 'vitest';
import { LosslessNumber } from '../../src/core/json.ts';
import {
  chooseColumns,
  declaredColumn,
  isPlainValue,
  jsonShape,
  namesAll,
  viewOf,
} from '../../src/formats/columns.ts';
import { holdsAllFields } from '../../src/formats/format.ts';
import { machineZone } from '../../src/formats/moments.ts';
import { exportedFormat } from '../../src/formats/registry.ts';

const usual = [{ key: 'id' }, { key: 'wallet.name', header: 'wallet' }];
const known = [...usual, { key: 'wallet' }, { key: 'price', header: 'unit price' }];
const chosen = (...wanted: readonly string[]) => chooseColumns(usual, known, wanted).map(({ key }) => key);

test('--columns NAME selects a column, --columns +NAME adds a column, and duplicates are ignored', () => {
  expect(chosen('price', 'id')).toEqual(['price', 'id']);
  expect(chosen('+price', '+price', '+id')).toEqual(['id', 'wallet.name', 'price']);
  expect(chosen('price', '+id')).toEqual(['price', 'id']);
  expect(chosen('other.field')).toEqual(['other.field']);
});

test('finds a column by its key or heading, and searches the default columns first', () => {
  const found = (name: string) => declaredColumn(name, usual, known)?.key;
  expect([found('wallet'), found('WALLET'), found('ID')]).toEqual(['wallet.name', 'wallet.name', 'id']);
  expect([found('Unit Price'), found('price'), found('none')]).toEqual(['price', 'price', undefined]);
  // The name of a column may be the heading of a table column. If the format has its own column for the field, the column of
  // the format is used.
  const own = { key: 'wallet.name' };
  expect(declaredColumn('wallet', [own], usual)).toBe(own);
  // If a column has a heading, the key of the column is case-sensitive.
  expect(found('PRICE')).toBeUndefined();
});

test('only a JSON or JSONL file with complete records contains all fields', () => {
  const holds = (name: 'jsonl' | 'csv', whole: boolean) =>
    holdsAllFields({ format: exportedFormat(name), whole });
  expect([holds('jsonl', true), holds('jsonl', false), holds('csv', true), holds('csv', false)]).toEqual([
    ...[true, false, false, false],
  ]);
});

test('a column of --columns NAME is never hidden, and --columns +NAME keeps the default columns', () => {
  const droppable = [{ key: 'id' }, { key: 'note', drop: 1 }];
  expect(chooseColumns(droppable, droppable, ['note'])).toEqual([{ key: 'note' }]);
  expect(chooseColumns(droppable, droppable, ['+id'])).toEqual(droppable);
});

test('a view determines the time zone of the machine on first use, and uses UTC if the zone is unknown', () => {
  expect(viewOf('Asia/Tokyo').timeZone).toBe('Asia/Tokyo');
  let unknown = 0;
  const view = viewOf(undefined, () => {
    unknown += 1;
  });
  expect(unknown).toBe(0);
  expect(view.timeZone).toBe(machineZone() ?? 'UTC');
  expect(unknown).toBe(machineZone() === undefined ? 1 : 0);
});

test('a view reports that the time zone of the machine is unknown', () => {
  const before = process.env['TZ'];
  try {
    process.env['TZ'] = 'Nowhere/Unknown';
    const onUnknown = vi.fn();
    expect(viewOf(undefined, onUnknown).timeZone).toBe('UTC');
    expect(onUnknown).toHaveBeenCalledOnce();
  } finally {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  }
});

describe('JSON fields', () => {
  const record = { id: 'a', asset: { symbol: 'BTC', name: null }, 'x.y': 1, x: { y: 2 }, none: null };
  const columns = [
    { key: 'id', derive: () => 'derived' },
    { key: 'asset.symbol', header: 'asset' },
    { key: 'time', derive: () => 'noon' },
  ];
  const shaped = (...chosen: readonly string[]) => jsonShape(columns, chosen, { timeZone: 'UTC' })(record);

  test('JSON contains all fields of the record, unchanged, if no column is selected', () => {
    expect(shaped()).toBe(record);
  });

  test('the value of each selected JSON field comes from the service, is derived, or is null', () => {
    expect(shaped('id', 'time', 'missing', 'none')).toEqual({
      id: 'a',
      time: 'noon',
      missing: null,
      none: null,
    });
    expect(shaped('asset', 'asset.symbol', 'x.y')).toEqual({
      asset: record.asset,
      'asset.symbol': 'BTC',
      'x.y': 1,
    });
  });

  test('--columns +NAME adds a column to the complete JSON record', () => {
    expect(shaped('+time')).toEqual({ ...record, time: 'noon' });
    expect(shaped('+time', 'id')).toEqual({ time: 'noon', id: 'a' });
    expect([namesAll([]), namesAll(['+a']), namesAll(['+a', 'b'])]).toEqual([false, false, true]);
  });
});

test('isPlainValue rejects objects and arrays, and accepts all other values', () => {
  const plain = [null, undefined, 0, '', false, new LosslessNumber('1')];
  expect(plain.map(isPlainValue)).toEqual(plain.map(() => true));
  expect([{}, []].map(isPlainValue)).toEqual([false, false]);
});
