import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBBlobValue, DuckDBDecimalValue, DuckDBTimestampTZValue } from '@duckdb/node-api';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { columnValue } from '../../src/formats/columns.ts';
import { ledgerKind } from '../../src/formats/kinds.ts';
import { WIDTH, writeDecimal } from '../../src/formats/parquet/decimal128.ts';
import { createParquet, type ParquetOptions } from '../../src/formats/parquet/index.ts';
import { storableText, storedText } from '../../src/formats/parquet/text.ts';
import { cellText } from '../../src/formats/text.ts';
import { runs } from '../runs.ts';
import { text } from './arbitrary.ts';
import { ask } from './duck.ts';
import { columns, figure, fill, Kept, ledger, many, unscaled, view } from './support.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-parquet-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, 'file.parquet');

async function write(records: Iterable<JsonRecord>, options: Partial<ParquetOptions> = {}): Promise<Kept> {
  const sink = new Kept();
  await fill(createParquet(sink, { columns, view, decimals: 'decimal', ...options }), records);
  writeFileSync(path, sink.whole());
  return sink;
}

function failure(record: JsonRecord, options: Partial<ParquetOptions> = {}): Promise<unknown> {
  return write([{ id: 'led_1' }, record], options).catch((error: unknown) => error);
}

describe('DECIMAL(38, 18)', () => {
  const read = (bytes: Uint8Array) => BigInt.asIntN(128, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));

  test('writeDecimal stores every decimal that fits DECIMAL(38, 18), and leaves adjacent bytes unchanged', () => {
    fc.assert(
      fc.property(figure, (decimal) => {
        const bytes = Buffer.alloc(WIDTH + 2);
        expect(writeDecimal(decimal, bytes, 1)).toBe(true);
        expect(read(bytes.subarray(1, WIDTH + 1))).toBe(unscaled(decimal));
        expect([bytes[0], bytes[WIDTH + 1]]).toEqual([0, 0]);
      }),
      { numRuns: runs(3000) },
    );
  });

  test.each([
    `${'9'.repeat(20)}.${'9'.repeat(18)}`,
    `-${'9'.repeat(20)}.${'9'.repeat(18)}`,
    '-0.000000000000000001',
    '99999999999999999999e0',
    `${'0'.repeat(50)}1.${'0'.repeat(50)}`,
  ])('accepts %s', (decimal) => {
    const bytes = Buffer.alloc(WIDTH);
    expect(writeDecimal(decimal, bytes, 0)).toBe(true);
    expect(read(bytes)).toBe(unscaled(decimal));
  });

  test.each([
    `1${'0'.repeat(20)}`,
    `-1${'0'.repeat(20)}`,
    '1e20',
    '0.0000000000000000001',
    '1e-19',
    '1e999999999',
    '1e-999999999',
    '',
    '-',
    '.',
    '1.2.3',
    '1,5',
    ' 1',
    'NaN',
    '0x10',
    '１',
  ])('writeDecimal rejects %j and writes no bytes', (decimal) => {
    const bytes = Buffer.alloc(WIDTH);
    expect(writeDecimal(decimal, bytes, 0)).toBe(false);
    expect(bytes).toEqual(Buffer.alloc(WIDTH));
  });
});

test('storedText reverses storableText for any text, including text that UTF-8 cannot represent', () => {
  fc.assert(
    fc.property(text, (one) => {
      const stored = storableText(one);
      expect(stored).toBe(Buffer.from(stored).toString());
      expect(storedText(stored)).toBe(one);
    }),
    { numRuns: runs(2000) },
  );
});

describe('DuckDB', () => {
  const expectsText = (column: (typeof columns)[number], decimals: string) =>
    ledgerKind(column) === 'text' || (ledgerKind(column) === 'decimal' && decimals === 'string');

  /** The value that DuckDB should return, computed independently of the writer. */
  function expected(record: JsonRecord, column: (typeof columns)[number], decimals: string): unknown {
    const value = columnValue(record, column, view) ?? null;
    const kind = ledgerKind(column);
    if (value === null) return null;
    if (kind === 'decimal' && decimals === 'decimal') return unscaled(cellText(value));
    if (kind === 'moment') return BigInt(Number(value)) * 1000n;
    if (kind === 'number' || kind === 'boolean') return value;
    return typeof value === 'string' ? storableText(value) : cellText(value);
  }
  const got = (value: unknown) => {
    if (value instanceof DuckDBDecimalValue) return value.value;
    if (value instanceof DuckDBTimestampTZValue) return value.micros;
    // Compare bytes, because the DuckDB client removes a byte-order mark from text.
    return value instanceof DuckDBBlobValue ? Buffer.from(value.bytes).toString() : value;
  };

  test('for any list of ledgers, DuckDB reads every value from a Parquet file with one or more row groups', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ledger, { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('decimal', 'string'),
        async (records, groupRows, decimals) => {
          await write(records, { groupRows, decimals });
          const texts = columns
            .filter((column) => expectsText(column, decimals))
            .map(({ key }) => `encode("${key}") AS "${key}"`);
          const rows = await ask(`SELECT * REPLACE (${texts.join(', ')}) FROM '${path}'`);
          expect(
            rows.map((row) =>
              Object.fromEntries(Object.entries(row).map(([key, value]) => [key, got(value)])),
            ),
          ).toEqual(
            records.map((record) =>
              Object.fromEntries(columns.map((column) => [column.key, expected(record, column, decimals)])),
            ),
          );
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test('DuckDB reads the column types of a Parquet file without rows', async () => {
    await write([]);
    const types = new Map(
      (await ask(`DESCRIBE FROM '${path}'`)).map((row) => [row['column_name'], row['column_type']]),
    );
    expect([...types.keys()]).toEqual(columns.map(({ key }) => key));
    const typed = {
      quantity: 'DECIMAL(38,18)',
      afterBalance: 'DECIMAL(38,18)',
      timestamp: 'TIMESTAMP WITH TIME ZONE',
      'price.timestamp': 'TIMESTAMP WITH TIME ZONE',
      time: 'VARCHAR',
      value: 'DOUBLE',
      'price.price': 'DOUBLE',
      isEdited: 'BOOLEAN',
      'asset.symbol': 'VARCHAR',
    };
    expect(Object.fromEntries(Object.keys(typed).map((key) => [key, types.get(key)]))).toEqual(typed);
    expect(await ask(`SELECT count(*) AS n FROM '${path}'`)).toEqual([{ n: 0n }]);
    // The row count (field 3, an i64) is 0, and the list of row groups (field 4) is empty.
    expect(readFileSync(path).includes(Buffer.from([0x16, 0x00, 0x19, 0x0c]))).toBe(true);
    await write([{}], { metadata: { 'cryptodata.total': '1' } });
    const metadata = await ask(
      `SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${path}')`,
    );
    expect(metadata).toEqual([{ key: 'cryptodata.total', value: '1' }]);
  });

  test('DuckDB computes exact sums from a Parquet file, and reads the statistics of each row group', async () => {
    const records = [...many(20_000)];
    await write(records, { groupRows: 3000 });
    const sum = (key: string) =>
      records.reduce((total, record) => total + unscaled(String(record[key] ?? '0')), 0n);
    const [row = {}] = await ask(
      `SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(quantity) AS quantity, sum(profit) AS profit, count("transactionId") AS some, count(DISTINCT "asset.symbol") AS symbols, sum(length("asset.name")) AS letters, min(timestamp) AS first FROM '${path}'`,
    );
    expect(Object.fromEntries(Object.entries(row).map(([key, value]) => [key, got(value)]))).toEqual({
      n: 20_000n,
      ids: 20_000n,
      quantity: sum('quantity'),
      profit: sum('profit'),
      some: 10_000n,
      symbols: 300n,
      letters: records.reduce(
        (total, { asset }) => total + BigInt(String((asset as JsonRecord)['name']).length),
        0n,
      ),
      first: 1_700_000_000_000_000n,
    });
    const groups = await ask(
      `SELECT row_group_num_rows AS n, stats_min_value AS least FROM parquet_metadata('${path}') WHERE path_in_schema = 'timestamp' ORDER BY row_group_id`,
    );
    expect(groups.map(({ n }) => n)).toEqual([3000n, 3000n, 3000n, 3000n, 3000n, 3000n, 2000n]);
    expect(groups[1]?.['least']).toBe('2023-11-17 01:03:20+00');
  });

  test('DuckDB skips each row group that a time filter excludes', async () => {
    const records = [...many(4000)];
    const whole = (await write(records, { groupRows: 1000 })).whole();
    const groups = await ask(
      `SELECT min(least(data_page_offset, coalesce(dictionary_page_offset, data_page_offset))) AS start, sum(total_compressed_size)::BIGINT AS size FROM parquet_metadata('${path}') GROUP BY row_group_id ORDER BY row_group_id`,
    );
    expect(groups).toHaveLength(4);
    for (const kept of [0, 1, 3]) {
      // Damage all other groups. DuckDB can skip a damaged group, but cannot read it.
      const damaged = Buffer.from(whole);
      for (const [at, { start, size }] of groups.entries()) {
        if (at !== kept) damaged.fill(0xff, Number(start), Number(start) + Number(size));
      }
      writeFileSync(path, damaged);
      const part = records.slice(kept * 1000, kept * 1000 + 1000);
      const [first, last] = [part[0], part.at(-1)].map((record) => Number(record?.['timestamp']));
      const within = `timestamp BETWEEN epoch_ms(${first})::TIMESTAMPTZ AND epoch_ms(${last})::TIMESTAMPTZ`;
      const read = (where: string) => ask(`SELECT id, quantity FROM '${path}' WHERE ${where}`);
      expect((await read(within)).map(({ id, quantity }) => [id, got(quantity)])).toEqual(
        part.map(({ id, quantity }) => [id, unscaled(String(quantity))]),
      );
      await expect(read('true')).rejects.toThrow();
    }
  });

  test('for any list of ledgers, DuckDB finds every row by its `timestamp` and by its `value`', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ledger, { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        async (records, groupRows) => {
          await write(records, { groupRows });
          for (const key of ['timestamp', 'value'] as const) {
            const values = records.map((record) => record[key]).filter((value) => typeof value === 'number');
            for (const value of new Set(values)) {
              // DuckDB parses an unquoted number as a decimal, and may round this decimal to a different double.
              const one =
                key === 'value'
                  ? `'${JSON.stringify(value)}'::DOUBLE`
                  : `make_timestamptz(${value}000::BIGINT)`;
              const [row = {}] = await ask(`SELECT count(*) AS n FROM '${path}' WHERE "${key}" = ${one}`);
              expect(row['n'], `${key} ${value}`).toBe(
                BigInt(values.filter((other) => other === value).length),
              );
            }
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

test('writing the same records again after a different file produces the same bytes', async () => {
  const first = await write(many(3000));
  await write([...many(500)].reverse());
  expect((await write(many(3000))).whole().equals(first.whole())).toBe(true);
});

test('long text is written early, before the row group is full, to save memory', async () => {
  const sink = new Kept();
  const file = createParquet(sink, { columns, view, decimals: 'decimal' });
  const seen = [];
  for (let at = 0; at < 640; at += 1) {
    await file.add({ id: `${at}`, description: `${at}`.padStart(100_000, 'x') });
    seen.push(sink.bytes);
  }
  // The writer buffers about 16 MB at most, so it writes the 64 MB of text in at least four parts.
  expect(new Set(seen).size).toBeGreaterThanOrEqual(4);
  await file.finish();
});

describe('a value that its column cannot store', () => {
  test.each([
    ['quantity', `1${'0'.repeat(20)}`],
    ['afterBalance', '0.0000000000000000001'],
    ['profit', 'n/a'],
    ['costbasis', true],
    ['quantity', new LosslessNumber('1e30')],
  ])('fails with an error that contains the row: %s %s', async (key, value) => {
    const error = await failure({ id: 'led_2', [key]: value });
    expect(error).toMatchObject({
      name: 'OutputError',
      kind: 'output',
      code: 'PARQUET_DECIMAL',
      hint: expect.stringContaining("parquetDecimals: 'string'"),
    });
    const { message } = error as Error;
    expect(message).toContain('"led_2"');
    expect(message).toContain(key);
    expect(message).toContain(JSON.stringify(cellText(value)));
  });

  test('a value that does not fit DECIMAL is stored as text if the option `decimals` is "string"', async () => {
    const spam = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
    await write([{ quantity: spam, profit: 'n/a' }], { decimals: 'string' });
    expect(await ask(`SELECT quantity, profit FROM '${path}'`)).toEqual([{ quantity: spam, profit: 'n/a' }]);
  });

  test.each([
    [{ value: '12.5' }, 'value'],
    [{ value: new LosslessNumber('0.12345678901234567890123') }, 'value'],
    [{ price: { price: '1' } }, 'price.price'],
    [{ timestamp: '2025-07-01T00:00:00Z' }, 'timestamp'],
    [{ timestamp: 1.5 }, 'timestamp'],
    [{ timestamp: new LosslessNumber('17000000000000000001') }, 'timestamp'],
    [{ isEdited: 'true' }, 'isEdited'],
    [{ isEdited: 0 }, 'isEdited'],
  ])('fails with an error that contains the row: %j', async (fields, key) => {
    const error = await failure(fields as JsonRecord);
    expect(error).toMatchObject({ kind: 'output', code: 'PARQUET_TYPE', hint: expect.any(String) });
    expect((error as Error).message).toMatch(`Row number 2: ${key} is `);
  });
});
