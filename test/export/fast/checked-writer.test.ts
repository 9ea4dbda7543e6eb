import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readList } from '../../../src/client/response.ts';
import { parseJson } from '../../../src/core/json.ts';
import { rowEncoder } from '../../../src/export/row-text.ts';
import { recordCheck } from '../../../src/export/target.ts';
import { asServed } from '../../../src/formats/columns.ts';
import type { PartitionKey } from '../../../src/formats/data-set/hive.ts';
import type { Layout, RecordCheck } from '../../../src/formats/format.ts';
import { LEDGER_COLUMNS } from '../../../src/formats/ledger-columns.ts';
import { exportedFormat } from '../../../src/formats/registry.ts';
import { FastRow, type Row, rowOf } from '../../../src/read/rows.ts';
import { decimalText, numberText, text } from '../../formats/arbitrary.ts';
import { textOf } from '../../rows.ts';
import { runs } from '../../runs.ts';

function layoutOf(format: 'parquet' | 'xlsx', parquetNumbers: Layout['parquetNumbers']): Layout {
  return {
    ...{ format: exportedFormat(format), columns: LEDGER_COLUMNS.csv, known: LEDGER_COLUMNS.csv },
    ...{ shape: asServed, whole: true, view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
    ...{ parquetDecimals: 'decimal', parquetNumbers },
  };
}

interface Checked {
  readonly layout: Layout;
  readonly check: RecordCheck;
}

async function checked(layout: Layout, partitionBy?: readonly PartitionKey[]): Promise<Checked> {
  const check = await recordCheck(layout, { partitionBy });
  if (!check) throw new Error('no check');
  return { layout, check };
}

const XLSX = await checked(layoutOf('xlsx', 'string'));
const FILES: Readonly<Record<string, Checked>> = {
  'a Parquet file with numbers as text': await checked(layoutOf('parquet', 'string')),
  'a Parquet file with numbers as doubles': await checked(layoutOf('parquet', 'double')),
  'a data set': await checked(layoutOf('parquet', 'string'), ['year', 'walletId']),
  'a workbook': XLSX,
};

/** Reads the rows twice, and returns the rows of the second read. In the first read, the reader learns their shape. */
function rowsOf({ layout, check }: Checked, texts: readonly string[]): readonly Row[] {
  const encoder = rowEncoder(layout, check);
  const reader = encoder.newReader?.();
  const page = Buffer.from(`{"data":[${texts.join()}]}`);
  reader?.read(page);
  return readList(reader?.read(page)).rows.map((row) => rowOf(row, encoder));
}

const rowWith = (fields: Readonly<Record<string, string>>) => {
  const row = { id: '"a"', timestamp: '1', quantity: '"1.5"', walletId: '"w"', ...fields };
  return `{${Object.entries(row).map(([name, value]) => `"${name}":${value}`)}}`;
};

const digits = (most: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: most });
const value = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  decimalText.map((value) => JSON.stringify(value)),
  fc.tuple(digits(22), digits(20)).map(([whole, places]) => `"${whole}.${places}"`),
  fc
    .tuple(fc.constantFrom('/', 'é', 'x', '\\n', '='), fc.nat(260))
    .map(([one, count]) => `"${one.repeat(count)}"`),
  fc.constantFrom(32_766, 32_767, 32_768).map((length) => `"=${'x'.repeat(length - 1)}"`),
  numberText,
  fc.constantFrom(
    'null',
    'true',
    'false',
    '""',
    '1e40000',
    '1e400',
    '9007199254740993',
    '[]',
    '{"price":"x"}',
  ),
);
const decimal = fc.oneof(
  value,
  fc.integer().map((number) => `"${number}.5"`),
);
const name = fc.oneof(value, fc.constantFrom('"w1"', '"w2"'));
const fields = fc.record(
  {
    quantity: decimal,
    walletId: name,
    description: value,
    isEdited: fc.oneof(value, fc.constantFrom('true', 'false')),
    price: fc.oneof(
      value,
      fc.constant('{"price":1.5,"timestamp":1}'),
      fc.tuple(value, value).map(([price, time]) => `{"price":${price},"timestamp":${time}}`),
    ),
  },
  { requiredKeys: [] },
);

/** The message of the error that the step throws. */
function messageOf(step: () => unknown): string | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe('an encoder with a check', () => {
  test('accepts exactly the records that the file can store', () => {
    const counts = { fast: 0, rejected: 0 };
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(FILES)),
        fc.array(fields, { minLength: 1, maxLength: 4 }),
        (file, all) => {
          const texts = all.map(rowWith);
          rowsOf(file, texts).forEach((row, at) => {
            const record = parseJson(texts[at] ?? '') as Parameters<RecordCheck['check']>[0];
            if (row instanceof FastRow) counts.fast += 1;
            const why = messageOf(() => file.check.check(record));
            if (why !== undefined) counts.rejected += 1;
            expect(messageOf(() => textOf(row))).toBe(why);
          });
        },
      ),
      { numRuns: runs(600, 150) },
    );

    expect(Math.min(counts.fast, counts.rejected)).toBeGreaterThan(10);
  });

  test.each(Object.entries(FILES))('writes usual records to %s without parsing them', (_, file) => {
    const full = rowWith({
      quantity: '"-12345678901234567890.123456789012345678"',
      beforeBalance: '"0"',
      price: '{"price":1.5,"timestamp":1700000000000}',
      description: '"Größe, \\n"',
      isEdited: 'true',
      walletId: `"${'w'.repeat(80)}"`,
    });
    expect(rowsOf(file, [full, rowWith({ walletId: 'null' })]).map((row) => row instanceof FastRow)).toEqual([
      true,
      true,
    ]);
  });
});
