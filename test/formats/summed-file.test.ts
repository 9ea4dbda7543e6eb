import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { figureColumns, keyColumns, Sums, sumKeys } from '../../src/books/sums.ts';
import { parseJson } from '../../src/core/json.ts';
import { rowEncoder } from '../../src/export/row-text.ts';
import { assemble } from '../../src/export/target.ts';
import type { Layout } from '../../src/formats/format.ts';
import { type ExportFormat, exportedFormat } from '../../src/formats/registry.ts';
import { ask } from './duck.ts';
import { Kept, view } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-sums-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const KEYS = sumKeys(['asset', 'month'], ['baseCurrency']);

function layout(format: ExportFormat): Layout {
  const columns = [...keyColumns(KEYS), ...figureColumns(KEYS)].map((key) => ({ key }));
  return {
    ...{ format: exportedFormat(format), columns, known: columns, shape: (row) => row, whole: true, view },
    ...{
      guard: true,
      dialect: 'plain',
      parquetDecimals: 'decimal',
      parquetNumbers: 'string',
    },
    sums: {
      by: ['asset', 'month'],
      gaps: () => [],
      begin: () => {
        const sums = new Sums(KEYS, (timestamp) => new Date(timestamp).toISOString());
        return {
          add: (row) => sums.add(row),
          rows: () => sums.rows(),
          get size() {
            return sums.size;
          },
        };
      },
    },
  };
}

/** Writes rows to segment files, and assembles these into one file, as an export does. */
async function write(format: ExportFormat): Promise<{ bytes: Buffer; groups: number | undefined }> {
  const form = layout(format);
  const { encode } = rowEncoder(form);
  const kept = new Kept();
  const assembly = await assemble(kept, form);
  for (const segment of [0, 1]) {
    const rows = Array.from({ length: 500 }, (_, index) =>
      Object(
        parseJson(
          `{"type":"incoming","assetId":"a${index % 3}","asset":{"symbol":"S${index % 3}"},"baseCurrency":"EUR",
          "timestamp":${Date.UTC(2025, segment)},"quantity":"0.000000000000000001","value":0.1234567890123456789012,
          "costbasis":null,"proceeds":"1234567890123456.5","profit":"-1"}`,
        ),
      ),
    );
    const path = join(directory, `${format}-${segment}.seg`);
    writeFileSync(path, rows.map(encode).join(''));
    await assembly.add(path);
  }
  await assembly.finish();
  return { bytes: kept.whole(), groups: assembly.groups?.() };
}

test('each format contains one row per group, with sums over all segments', async () => {
  const { bytes, groups } = await write('jsonl');
  const rows = bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(groups).toBe(6);
  expect(rows).toHaveLength(6);
  expect(rows[0]).toMatchObject({
    ...{ asset: 'S0', assetId: 'a0', month: '2025-01', legs: 167, incoming: '0.000000000000000167' },
    ...{ incomingValue: '20.6172837650617283765004', proceeds: '206172837650617235.5', costbasis: null },
    ...{ costbasisUnknown: 167, profit: '-167' },
  });
  const json = await write('json');
  expect(JSON.parse(json.bytes.toString())).toEqual(rows);
  const csv = await write('csv');
  expect(csv.bytes.toString().split('\n')).toHaveLength(8);
  expect((await write('xlsx')).groups).toBe(6);
});

test('in Parquet, sums of decimal fields are decimals, and sums of the field `value` are text', async () => {
  const path = join(directory, 'sums.parquet');
  const { bytes } = await write('parquet');
  writeFileSync(path, bytes);
  const [row] = await ask(
    `SELECT typeof(incoming) AS kind, typeof(incomingValue) AS value, sum(legs) AS legs,
     sum(incoming)::VARCHAR AS incoming, sum(profit)::VARCHAR AS profit, count(costbasis) AS costbasis
     FROM '${path}' GROUP BY ALL`,
  );
  expect(row).toEqual({
    ...{ kind: 'DECIMAL(38,18)', value: 'VARCHAR', legs: 1000 },
    ...{ incoming: '0.000000000000001000', profit: '-1000.000000000000000000', costbasis: 0n },
  });
});
