import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { asServed } from '../../src/formats/columns.ts';
import { csvText } from '../../src/formats/csv.ts';
import type { Layout } from '../../src/formats/format.ts';
import { FORMATS } from '../../src/formats/registry.ts';
import { textFile } from '../../src/formats/text-file.ts';
import { Kept, view } from './support.ts';

const COLUMNS = ['id', 'quantity', 'note'].map((key) => ({ key }));
const form = (more: Partial<Layout> = {}) =>
  csvText({
    ...{ format: FORMATS.csv, columns: COLUMNS, known: COLUMNS, shape: asServed, whole: true, view },
    ...{ guard: true, dialect: 'plain', parquetDecimals: 'decimal', parquetNumbers: 'string' },
    ...more,
  });

async function written(rows: readonly JsonRecord[], more: Partial<Layout> = {}): Promise<string> {
  const kept = new Kept();
  const file = textFile(kept, form(more));
  for (const row of rows) await file.add(row);
  await file.finish();
  return kept.whole().toString();
}

describe('a CSV file', () => {
  test('a CSV file without rows has a header', async () => {
    expect(await written([{ id: 'a', quantity: '1.5' }, { note: 'x' }])).toBe(
      'id,quantity,note\na,1.5,\n,,x\n',
    );
    expect(await written([])).toBe('id,quantity,note\n');
    expect(await written([{ id: 'a' }], { columns: [] })).toBe('');
  });

  test('quotes an empty cell if it is the only cell of its line', async () => {
    const [first] = COLUMNS;
    expect(await written([{}, { id: '' }, { id: 'a' }], { columns: first ? [first] : [] })).toBe(
      'id\n""\n""\na\n',
    );
  });

  test('a CSV file for Excel has a byte-order mark and CRLF', async () => {
    expect(await written([{ id: 'a' }], { dialect: 'excel' })).toBe('\ufeffid,quantity,note\r\na,,\r\n');
  });

  test('adds the formula guard to text only if the guard is on', async () => {
    const rows = [{ id: '=1', quantity: '-1' }];
    expect(await written(rows)).toBe("id,quantity,note\n'=1,-1,\n");
    expect(await written(rows, { guard: false })).toBe('id,quantity,note\n=1,-1,\n');
  });

  test('a row contains an item that was added to a list after the previous row was written', async () => {
    const note = ['a'];
    const { row } = form();
    expect(row({ note })).toBe(',,"[""a""]"\n');
    note.push('b');
    expect(row({ note })).toBe(',,"[""a"",""b""]"\n');
  });

  test('writes decimal commas in numbers and in decimal columns, but not in other text', async () => {
    const rows = [{ id: '1.5', quantity: '1.5', note: 2.5 }];
    const more = { decimalComma: true, separator: ';' } as const;
    expect(await written(rows, more)).toBe('id;quantity;note\n1.5;1,5;2,5\n');
    expect(await written(rows, { separator: ';' })).toBe('id;quantity;note\n1.5;1.5;2.5\n');
  });

  test('with `openFields`, writes decimal commas in the quantities of nested legs', () => {
    const columns = ['legs.quantity', 'quantity', 'legs.note'].map((key) => ({ key }));
    const row = { legs: { quantity: '1.5', note: '2.5' }, quantity: '3.5' };
    const more = { columns, decimalComma: true, separator: ';' } as const;
    expect(form({ ...more, openFields: true }).row(row)).toBe('1,5;3,5;2.5\n');
    // In ledgers, decimal text in a field that the specification does not list is an amount.
    expect(form(more).row(row)).toBe('1,5;3,5;2,5\n');
  });

  test('writes decimal commas in sums and in amounts, but not in the symbol of an asset', () => {
    const columns = ['asset', 'net', 'quantity', 'feeValue'].map((key) => ({ key }));
    const sums = { by: ['asset'], gaps: () => [], begin: () => ({ add() {}, rows: () => [], size: 0 }) };
    const row = form({ columns, sums, decimalComma: true, separator: ';' }).row;
    expect(row({ asset: '1.5', net: '1.5', quantity: '1.5', feeValue: '0.1' })).toBe('1.5;1,5;1,5;0,1\n');
  });

  test('uses the fast path if the separator is a comma and the decimal mark is a point', () => {
    expect(form().cells).toBeDefined();
    expect(form({ separator: ',' }).cells).toBeDefined();
    expect(form({ separator: ';' }).cells).toBeUndefined();
    expect(form({ decimalComma: true }).cells).toBeUndefined();
    expect(form({ decimalComma: true, separator: ';' }).cells).toBeUndefined();
  });
});
