import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { readXlsx } from 'hucre';
import { afterAll, expect, test } from 'vitest';
import { writeList } from '../../src/export/list-export.ts';
import { OutputFile } from '../../src/export/output-file.ts';
import type { Layout } from '../../src/formats/format.ts';
import { type ExportFormat, exportedFormat } from '../../src/formats/registry.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-list-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Records whose fields are not in the specification. Some fields have the name of a ledger field, but a different type. */
const RECORDS = [
  { id: 'a', timestamp: 'yesterday', quantity: 'many', isEdited: 'yes' },
  { id: 'b', timestamp: 1.5, quantity: null, isEdited: 'no' },
];
const columns = ['id', 'timestamp', 'quantity', 'isEdited'].map((key) => ({ key }));

async function written(format: ExportFormat): Promise<string> {
  const path = join(directory, `x.${format}`);
  const layout: Layout = {
    ...{
      format: exportedFormat(format),
      columns,
      known: columns,
      shape: (row) => row,
      whole: true,
      openFields: true,
    },
    ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
    ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
  };
  const file = await OutputFile.open(path);
  async function* records() {
    yield* RECORDS;
  }
  await writeList(file, records(), layout);
  await file.finish();
  return path;
}

test('fields outside the specification are text in Parquet, including those with the name of a ledger field', async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const found = await connection.runAndReadAll(`SELECT * FROM '${await written('parquet')}'`);
  expect(found.getRowsJS()).toEqual([
    ['a', 'yesterday', 'many', 'yes'],
    ['b', '1.5', null, 'no'],
  ]);
});

test('fields that are not in the specification are text in XLSX, and the sheet is named after the list', async () => {
  const [sheet] = (await readXlsx(readFileSync(await written('xlsx')))).sheets;
  expect(sheet?.name).toBe('transactions');
  expect(sheet?.rows[1]).toEqual(['a', 'yesterday', 'many', 'yes']);
});
