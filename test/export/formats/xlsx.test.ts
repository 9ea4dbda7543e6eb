import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, LosslessNumber } from '../../../src/base/json.ts';
import { ledgerKind } from '../../../src/export/formats/kinds.ts';
import { createXlsx, type XlsxOptions } from '../../../src/export/formats/xlsx.ts';
import { columnLetters, sheetName } from '../../../src/export/formats/xlsx-parts.ts';
import { fitsExcel } from '../../../src/export/formats/xlsx-text.ts';
import { columnValue } from '../../../src/output/columns.ts';
import { cellText, guardCell, unguardCell } from '../../../src/output/text.ts';
import { text } from '../../output/arbitrary.ts';
import { columns, fill, Kept, ledger, many, unscaled, view } from './support.ts';

async function write(records: Iterable<JsonRecord>, options: Partial<XlsxOptions> = {}): Promise<Kept> {
  const sink = new Kept();
  await fill(createXlsx(sink, { columns, view, guard: true, numbers: false, ...options }), records);
  return sink;
}

type Sheet = { readonly name: string; readonly rows: readonly (readonly unknown[])[] };

/** The sheets as a reader of another author gives them; an empty cell is null, also at the end of a row. */
async function read(file: Kept, width = columns.length): Promise<Sheet[]> {
  const { sheets } = await readXlsx(file.whole());
  return sheets.map(({ name, rows }) => ({
    name,
    rows: rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? null)),
  }));
}

describe('another reader gives back', () => {
  const expected = (value: unknown, guard: boolean): unknown => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'boolean') return value;
    if (typeof value === 'number' && !(Number.isInteger(value) && Math.abs(value) >= 1e15)) return value + 0;
    return guard ? guardCell(cellText(value)) : cellText(value);
  };

  test('every cell of any ledger, on one sheet or many', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ledger, { maxLength: 30 }),
        fc.integer({ min: 2, max: 40 }),
        fc.boolean(),
        async (records, sheetRows, guard) => {
          const sheets = await read(await write(records, { sheetRows, guard }));
          const header = columns.map(({ key }) => key);
          expect(sheets.map(({ rows }) => rows[0])).toEqual(sheets.map(() => header));
          expect(sheets.flatMap(({ rows }) => rows.slice(1))).toEqual(
            records.map((record) =>
              columns.map((column) => expected(columnValue(record, column, view), guard)),
            ),
          );
          const full = Math.max(1, Math.ceil(records.length / (sheetRows - 1)));
          expect(sheets.map(({ name }) => name)).toEqual(
            Array.from({ length: full }, (_, at) => (at === 0 ? 'ledgers' : `ledgers (${at + 1})`)),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  test('any text, as it is without the guard and with the guard undone', async () => {
    const escapes = fc.string({
      unit: fc.constantFrom('_', 'x', 'X', '0', '4', '1', 'F', '\u0001', '\r', '&', '<'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(text, escapes), { maxLength: 60 }),
        fc.boolean(),
        async (texts, guard) => {
          const options = { columns: [{ key: 'label' }, { key: 'last' }], guard };
          const records = texts.map((label) => ({ label, last: true }));
          const [sheet] = await read(await write(records, options), 2);
          const cells = sheet?.rows.slice(1).map(([cell]) => String(cell));
          expect(guard ? cells?.map(unguardCell) : cells).toEqual(texts);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('with numbers', () => {
  const cellsOf = async (decimals: readonly unknown[], key = 'quantity') => {
    const records = decimals.map((decimal) => ({ [key]: decimal }));
    const [sheet] = await read(await write(records, { columns: [{ key }], numbers: true }), 1);
    return sheet?.rows.slice(1).map(([cell]) => cell);
  };

  test('a decimal is a number where Excel keeps all its digits, else it stays text', async () => {
    const decimals = [
      '1.5',
      '-0.000000000000000001',
      '123456789012345',
      '0.00123456789012345000',
      '1234567890123456',
      '1.2345678901234567',
      '1e-18',
      'n/a',
    ];
    expect(await cellsOf(decimals)).toEqual([
      1.5,
      -1e-18,
      123456789012345,
      0.00123456789012345,
      '1234567890123456',
      '1.2345678901234567',
      '1e-18',
      'n/a',
    ]);
    expect(await cellsOf([new LosslessNumber('0.1234567890123456789')])).toEqual(['0.1234567890123456789']);
  });

  test('digits in other columns are no figures', async () => {
    expect(await cellsOf(['007', '12'], 'assetId')).toEqual(['007', '12']);
  });

  test('and the number that fits is the decimal', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.boolean(), digits, fc.option(digits), (negative, whole, places) => {
        const decimal = `${negative ? '-' : ''}${whole}${places === null ? '' : `.${places}`}`;
        fc.pre(fitsExcel(decimal));
        // Fifteen digits are what Excel shows of a number, and they are the decimal's own.
        expect(unscaled(Number(decimal).toPrecision(15))).toBe(unscaled(decimal));
        expect(
          BigInt(Math.round(Number(decimal))) === BigInt(whole) * (negative ? -1n : 1n) || places !== null,
        ).toBe(true);
      }),
    );
  });
});

test('the same records give the same bytes, whatever the clock and the zone', async () => {
  const first = await write(many(2000));
  const zone = process.env['TZ'];
  process.env['TZ'] = 'Pacific/Auckland';
  try {
    expect((await write(many(2000))).whole().equals(first.whole())).toBe(true);
  } finally {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  }
});

test('rows leave memory as they come', async () => {
  const sink = new Kept();
  const file = createXlsx(sink, { columns, view, guard: true, numbers: false });
  const seen = new Set<number>();
  for (const record of many(3000)) {
    await file.add(record);
    seen.add(sink.bytes);
  }
  expect(seen.size).toBeGreaterThan(10);
  await file.finish();
});

test('a sheet is full where Excel says so, and the next one begins', async () => {
  const sink = new Kept();
  const file = createXlsx(sink, { columns: [{ key: 'id' }], view, guard: false, numbers: false });
  const nothing = {};
  for (let at = 0; at < 1_048_576; at += 1) await file.add(nothing);
  await file.add({ id: 'on the second' });
  await file.finish();
  const { sheets } = await readXlsx(sink.whole(), { sheets: ['ledgers (2)'] });
  expect(sheets.map(({ name, rows }) => ({ name, rows }))).toEqual([
    { name: 'ledgers (2)', rows: [['id'], [null], ['on the second']] },
  ]);
});

test('a text that no cell can hold ends the export and names the row', async () => {
  const one = 'x'.repeat(32_767);
  const [sheet] = await read(await write([{ id: one }]));
  expect(sheet?.rows[1]?.[0]).toBe(one);
  // With its guard it is too long.
  for (const description of [`${one}x`, `=${one.slice(1)}`]) {
    await expect(write([{ id: 'led_1' }, { id: 'led_2', description }])).rejects.toMatchObject({
      kind: 'output',
      code: 'XLSX_CELL',
      message: `Row "led_2": description has ${description.length.toLocaleString('en')} characters; a cell of XLSX holds 32,767, its guard included`,
    });
  }
});

test('letters of columns, and names of sheets that Excel takes', () => {
  expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
  expect(sheetName('ledgers', 1)).toBe('ledgers (2)');
  expect(sheetName("'a[b]:*?/\\\u0000", 0)).toBe('_a_b_______');
  expect(sheetName('x'.repeat(40), 11)).toHaveLength(31);
  expect(sheetName('  ', 0)).toBe('export');
});

test('figures are known by their columns', () => {
  expect(columns.filter((column) => ledgerKind(column) === 'decimal').map(({ key }) => key)).toEqual([
    'quantity',
    'beforeBalance',
    'afterBalance',
    'costbasis',
    'proceeds',
    'profit',
  ]);
});
