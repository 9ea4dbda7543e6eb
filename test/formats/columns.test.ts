import { expect, test } from 'vitest';
import { chooseColumns, declaredColumn } from '../../src/formats/columns.ts';
import { holdsAllFields } from '../../src/formats/format.ts';
import { exportedFormat } from '../../src/formats/registry.ts';

const usual = [{ key: 'id' }, { key: 'wallet.name', header: 'wallet' }];
const known = [...usual, { key: 'wallet' }, { key: 'price', header: 'unit price' }];
const chosen = (...wanted: readonly string[]) => chooseColumns(usual, known, wanted).map(({ key }) => key);

test('--columns selects the named columns, or adds columns with a plus, each once', () => {
  expect(chosen('price', 'id')).toEqual(['price', 'id']);
  expect(chosen('+price', '+price', '+id')).toEqual(['id', 'wallet.name', 'price']);
  expect(chosen('price', '+id')).toEqual(['price', 'id']);
  expect(chosen('other.field')).toEqual(['other.field']);
});

test('finds a column by key, then by heading, and searches the default columns first', () => {
  const found = (name: string) => declaredColumn(name, usual, known)?.key;
  expect([found('wallet'), found('WALLET'), found('ID')]).toEqual(['wallet.name', 'wallet.name', 'id']);
  expect([found('Unit Price'), found('price'), found('none')]).toEqual(['price', 'price', undefined]);
  // A column with a heading is not found by its key in other letters.
  expect(found('PRICE')).toBeUndefined();
});

test('only whole records in JSON or JSONL contain all fields', () => {
  const holds = (name: 'jsonl' | 'csv', whole: boolean) =>
    holdsAllFields({ format: exportedFormat(name), whole });
  expect([holds('jsonl', true), holds('jsonl', false), holds('csv', true), holds('csv', false)]).toEqual([
    ...[true, false, false, false],
  ]);
});
