import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBListValue, DuckDBTimestampTZValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { checkFolder } from '../../src/formats/data-set/folder.ts';
import { escapeFolder } from '../../src/formats/data-set/hive.ts';
import { type DataSetOptions, openDataSet } from '../../src/formats/data-set/index.ts';
import type { FileFolder } from '../../src/formats/format.ts';
import { storableText } from '../../src/formats/parquet/text.ts';
import { runs } from '../runs.ts';
import { text } from './arbitrary.ts';
import { ask } from './duck.ts';
import { columns, fill, ledger, many, unscaled, view } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-data-set-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, 'data');
beforeEach(() => {
  rmSync(path, { recursive: true, force: true });
});

const options = (more: Partial<DataSetOptions>): DataSetOptions => ({
  columns,
  view,
  decimals: 'decimal',
  partitionBy: ['year', 'month'],
  ...more,
});

async function write(records: Iterable<JsonRecord>, more: Partial<DataSetOptions> = {}): Promise<FileFolder> {
  const dataSet = await openDataSet(path, options(more));
  try {
    await fill(dataSet, records);
  } catch (error) {
    await dataSet.discard();
    throw error;
  }
  return dataSet;
}

/** Lists the relative paths of all files below a folder. */
const below = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
const all = `read_parquet('${path}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;

describe('DuckDB', () => {
  test.each([
    { partitionBy: ['year', 'month'] as const },
    { partitionBy: ['walletId'] as const },
    { partitionBy: ['walletId', 'year'] as const },
    { partitionBy: ['year', 'month', 'walletId'] as const, heldRows: 25 },
    { partitionBy: ['month'] as const, heldRows: 100 },
  ])('DuckDB reads each row once, in the right partition and in time order: $partitionBy', async (more) => {
    const records = [...many(120)].map(
      (record, at): JsonRecord => ({ ...record, timestamp: 1_700_000_000_000 + at * 290_000_000 }),
    );
    const dataSet = await write(records, more);
    const rows = await ask(
      `SELECT id, walletId, timestamp, quantity, ${more.partitionBy.join(', ')} FROM ${all} ORDER BY timestamp`,
    );
    expect(rows.map(({ id, walletId }) => ({ id, walletId }))).toEqual(
      records.map(({ id, walletId }) => ({ id, walletId })),
    );
    for (const { timestamp, ...row } of rows) {
      const date = new Date(Number((timestamp as DuckDBTimestampTZValue).micros / 1000n)).toISOString();
      if ('year' in row) expect(row['year']).toBe(date.slice(0, 4));
      if ('month' in row) expect(row['month']).toBe(date.slice(5, 7));
    }
    const [sum] = await ask(`SELECT sum(quantity)::VARCHAR AS sum FROM ${all}`);
    const exact = records.reduce((total, { quantity }) => total + unscaled(String(quantity)), 0n);
    expect(unscaled(String(sum?.['sum']))).toBe(exact);

    const files = dataSet.files();
    expect(below(path)).toEqual(['_cryptodata.json', ...files.map((file) => file.path)].sort());
    const found = await ask(
      `SELECT filename, list(timestamp ORDER BY file_row_number) AS times FROM ${all.replace(')', ', filename = true, file_row_number = true)')} GROUP BY filename ORDER BY filename`,
    );
    const expected = [];
    for (const { filename, times } of found) {
      const bytes = readFileSync(String(filename));
      const micros = (times as DuckDBListValue).items.map((time) => (time as DuckDBTimestampTZValue).micros);
      expect(micros).toEqual([...micros].sort((left, right) => Number(left - right)));
      expected.push({
        path: String(filename).slice(path.length + 1),
        rows: micros.length,
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      });
    }
    expect(files).toEqual(expected);
  });

  test('DuckDB reads the partition of every wallet name, and the partition of the legs without a wallet', async () => {
    const name = fc.oneof(
      text.filter((one) => one !== '' && Buffer.byteLength(storableText(one)) < 80),
      fc.constantFrom(
        'NULL',
        'null',
        'nullable',
        '__HIVE_DEFAULT_PARTITION__',
        'x'.repeat(246),
        'a/b',
        '..',
        '.',
        'a=b',
        '50%',
        '%41',
        'a+b c',
        'C:\\x',
        '00123',
        '日本',
        'wal_1',
        'A.',
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { maxLength: 12 }), async (names) => {
        rmSync(path, { recursive: true, force: true });
        const records = [null, undefined, ...names].map((walletId, at) => ({
          id: `${at}`,
          timestamp: at,
          ...(walletId === undefined ? {} : { walletId }),
        }));
        await write(records, { partitionBy: ['walletId'] });
        const rows = await ask(`SELECT id, encode(walletId) AS wallet FROM ${all} ORDER BY id::INT`);
        expect(rows.map(({ wallet }) => (wallet === null ? null : text8(wallet)))).toEqual([
          null,
          null,
          ...names.map(storableText),
        ]);
      }),
      { numRuns: runs(20) },
    );
  });
});

test('DuckDB reads a wallet id that is not a string as text, and reads an empty wallet id as NULL', async () => {
  const ids = [7, true, '', { a: 1 }];
  await write(
    ids.map((walletId, at) => ({ id: `${at}`, timestamp: at, walletId })),
    { partitionBy: ['walletId'] },
  );
  const rows = await ask(`SELECT walletId FROM ${all} ORDER BY id::INT`);
  expect(rows.map(({ walletId }) => walletId)).toEqual(['7', 'true', null, '{"a":1}']);
});

function text8(blob: unknown): string {
  return Buffer.from((blob as { bytes: Uint8Array }).bytes).toString();
}

test('the year and month partitions of a row depend on the time zone of the export', async () => {
  const records = [
    { id: 'a', timestamp: Date.parse('2024-12-31T10:59:59.999Z') },
    { id: 'b', timestamp: Date.parse('2024-12-31T11:00:00Z') },
    { id: 'c', timestamp: null },
  ];
  const dataSet = await write(records, { view: { timeZone: 'Pacific/Auckland' } });
  expect(dataSet.files().map((file) => [file.path, file.rows])).toEqual([
    ['year=2024/month=12/part-0.parquet', 1],
    ['year=2025/month=01/part-0.parquet', 1],
    ['year=__HIVE_DEFAULT_PARTITION__/month=__HIVE_DEFAULT_PARTITION__/part-0.parquet', 1],
  ]);
});

test('starts a new part file when rows return to an earlier month', async () => {
  const january = Date.parse('2025-01-01T00:00:00Z');
  const february = Date.parse('2025-02-01T00:00:00Z');
  const dataSet = await write(
    [january, february, january, january].map((timestamp, at) => ({ id: `${at}`, timestamp })),
  );
  expect(dataSet.files().map((file) => [file.path, file.rows])).toEqual([
    ['year=2025/month=01/part-0.parquet', 1],
    ['year=2025/month=01/part-1.parquet', 2],
    ['year=2025/month=02/part-0.parquet', 1],
  ]);
});

test('files that are partitioned by wallet and year have no wallet column, but keep the time column', async () => {
  const dataSet = await write(many(3), { partitionBy: ['walletId', 'year'] });
  const [file] = dataSet.files();
  const names = (
    await ask(`DESCRIBE FROM read_parquet('${join(path, file?.path ?? '')}', hive_partitioning = false)`)
  ).map((row) => row['column_name']);
  expect(names).not.toContain('walletId');
  expect(names).toContain('timestamp');
});

test('buffers rows on disk and writes the files at the end', async () => {
  const dataSet = await openDataSet(path, options({ partitionBy: ['walletId'], heldRows: 50 }));
  for (const record of many(1000)) {
    await dataSet.add(record);
    expect(below(path).some((file) => file.endsWith('.parquet'))).toBe(false);
  }
  const waiting = below(path).reduce(
    (rows, file) => rows + readFileSync(join(path, file), 'utf8').trimEnd().split('\n').length,
    0,
  );
  expect(waiting).toBe(1000);
  await dataSet.finish();
  expect(dataSet.files().reduce((rows, file) => rows + file.rows, 0)).toBe(1000);
  expect(below(path).filter((file) => !file.endsWith('.parquet'))).toEqual(['_cryptodata.json']);
});

test('writes the same files with and without buffering on disk', async () => {
  const long = fc.constantFrom('', 'é'.repeat(150_000), '日本\n'.repeat(70_000));
  const record = fc
    .tuple(ledger, fc.constantFrom('a', 'b', null), long)
    .map(([one, walletId, description]) => ({ ...one, walletId, ...(description && { description }) }))
    // Convert the records to JSON and back, because reading JSON changes -0 to 0 in real records.
    .map((one) => parseJson(stringifyJson(one)) as JsonRecord);
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
      const written = [];
      for (const heldRows of [2, 1000]) {
        rmSync(path, { recursive: true, force: true });
        written.push((await write(records, { partitionBy: ['walletId'], heldRows })).files());
      }
      expect(written[0]).toEqual(written[1]);
    }),
    { numRuns: runs(8) },
  );
});

test('an unfinished data set has no listing, and discard closes its files', async () => {
  const dataSet = await openDataSet(path, options({ heldRows: 10 }));
  for (const record of many(100)) await dataSet.add(record);
  await dataSet.discard();
  expect(existsSync(join(path, '_cryptodata.json'))).toBe(false);
});

test('rejects a directory if its parent does not exist', async () => {
  await expect(openDataSet(join(path, 'deeper'), options({}))).rejects.toMatchObject({
    kind: 'output',
    code: 'ENOENT',
  });
});

describe('checkFolder', () => {
  const check = (overwrite = false) => checkFolder(path, { overwrite, hint: 'Use --overwrite.' });

  test('accepts a path that does not exist, and an empty directory', async () => {
    await check();
    mkdirSync(join(path, 'empty', 'too'), { recursive: true });
    await check();
  });

  test('accepts an earlier data set only if `overwrite` is set', async () => {
    await write(many(100), { partitionBy: ['walletId'] });
    await expect(check()).rejects.toMatchObject({
      kind: 'usage',
      code: 'FILE_EXISTS',
      hint: 'Use --overwrite.',
    });
    await check(true);
  });

  test.each([
    ['a file', { '': 'mine' }],
    ['a folder with files of the user', { 'mine.txt': 'mine' }],
    ['a folder with an invalid listing', { '_cryptodata.json': '{}', x: '' }],
  ])('rejects %s as the directory', async (_, files: Record<string, string>) => {
    if (!('' in files)) mkdirSync(path);
    for (const [name, data] of Object.entries(files)) writeFileSync(join(path, name), data);
    await expect(check(true)).rejects.toMatchObject({ kind: 'output', code: 'DATA_SET_EXISTS' });
  });

  test('rejects an earlier data set that also contains a file of the user', async () => {
    await write(many(10));
    writeFileSync(join(path, 'year=2023', 'mine.parquet'), 'mine');
    await expect(check(true)).rejects.toMatchObject({
      code: 'DATA_SET_EXISTS',
      message: expect.stringContaining('year=2023/mine.parquet'),
    });
  });
});

describe('a data set with an unusable partition', () => {
  test.each([
    [{ walletId: 'x'.repeat(247) }, 'walletId'],
    [{ walletId: '日'.repeat(83) }, 'walletId'],
    [{ timestamp: '2025-07-01' }, 'timestamp'],
    [{ timestamp: 9e15 }, 'timestamp'],
  ])('the error for an unusable partition value identifies the row: %j', async (fields, key) => {
    const error = await write([{ id: 'led_1' }, { id: 'led_2', ...fields }], {
      partitionBy: ['year', 'walletId'],
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'output', code: 'PARTITION_VALUE' });
    expect((error as Error).message).toContain(`Row "led_2": ${key} is `);
  });

  test('rejects a column that has the same name as a partition', async () => {
    await expect(openDataSet(path, options({ columns: [{ key: 'year' }] }))).rejects.toMatchObject({
      kind: 'usage',
      code: 'PARTITION_COLUMN',
    });
    const onlyWallet = options({ columns: [{ key: 'walletId' }], partitionBy: ['walletId'] });
    await expect(openDataSet(path, onlyWallet)).rejects.toMatchObject({ code: 'PARQUET_NO_COLUMNS' });
    expect(readdirSync(directory)).toEqual([]);
  });
});

test('escapes directory names as Hive does', () => {
  expect(escapeFolder('a/b=c%d e')).toBe('a%2Fb%3Dc%25d%20e');
  expect(escapeFolder('wal_1-x.y')).toBe('wal_1-x.y');
  expect(escapeFolder('..')).toBe('.%2E');
  expect(escapeFolder('日本')).toBe('日本');
});
