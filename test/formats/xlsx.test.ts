import fc from 'fast-check';
import { strFromU8, unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';
import { exact } from '../../src/core/decimal.ts';
import { type JsonRecord, LosslessNumber } from '../../src/core/json.ts';
import { isDecimal } from '../../src/core/plain.ts';
import { columnValue } from '../../src/formats/columns.ts';
import { ledgerKind } from '../../src/formats/kinds.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { isoText } from '../../src/formats/moments.ts';
import { sheetsText } from '../../src/formats/sheets.ts';
import { cellText, guardCell, unguardCell } from '../../src/formats/text.ts';
import { createXlsx, type XlsxOptions } from '../../src/formats/xlsx/index.ts';
import { columnLetters, sheetName } from '../../src/formats/xlsx/parts.ts';
import { amountOf, serialOf } from '../../src/formats/xlsx/text.ts';
import { runs } from '../runs.ts';
import { text } from './arbitrary.ts';
import { columns, fill, Kept, ledger, many, view } from './support.ts';

async function write(records: Iterable<JsonRecord>, options: Partial<XlsxOptions> = {}): Promise<Kept> {
  const sink = new Kept();
  await fill(createXlsx(sink, { columns, view, guard: true, ...options }), records);
  return sink;
}

type Sheet = { readonly name: string; readonly rows: readonly (readonly unknown[])[] };

/** Reads the sheets with an independent library. Empty cells are null, even at the end of a row. */
async function read(file: Kept, width = columns.length): Promise<Sheet[]> {
  const { sheets } = await readXlsx(file.whole());
  return sheets.map(({ name, rows }) => ({
    name,
    rows: rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? null)),
  }));
}

/** The headings of a sheet. Amounts and times have a second column, which contains their exact text. */
const HEADINGS = columns.flatMap(({ key }) => {
  const kind = ledgerKind({ key, isTime: key === 'time' });
  if (kind === 'decimal' || kind === 'number') return [key, `${key}_exact`];
  if (kind === 'time' || key === 'price.timestamp') return [`${key} (${view.timeZone})`, `${key}_exact`];
  return [key];
});

describe('an XLSX file', () => {
  test('XLSX sheets contain every ledger value, and the exact text of amounts and times', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ledger, { maxLength: 30 }),
        fc.integer({ min: 2, max: 40 }),
        fc.boolean(),
        async (records, sheetRows, guard) => {
          const all = await read(await write(records, { sheetRows, guard }), HEADINGS.length);
          const sheets = all.slice(0, -1);
          expect(all.at(-1)?.name).toBe('About');
          expect(sheets.map(({ rows }) => rows[0])).toEqual(sheets.map(() => HEADINGS));
          const cells = sheets.flatMap(({ rows }) => rows.slice(1));
          expect(cells).toHaveLength(records.length);
          for (const [at, record] of records.entries()) {
            for (const column of columns) {
              const value = columnValue(record, column, view);
              const exact = HEADINGS.indexOf(`${column.key}_exact`);
              const kind = ledgerKind(column);
              const isMoment = exact >= 0 && kind === 'moment' && Number.isInteger(value);
              const text = (isMoment && isoText(value, view.timeZone)) || cellText(value);
              const cell = cells[at]?.[exact < 0 ? HEADINGS.indexOf(column.key) : exact];
              const isTyped =
                exact < 0 &&
                ((kind === 'moment' && Number.isInteger(value) && Math.abs(Number(value)) < 1e15) ||
                  (kind === 'boolean' && typeof value === 'boolean'));
              expect(cell).toEqual(
                value === null || value === undefined
                  ? null
                  : isTyped
                    ? value
                    : guard && !(exact >= 0 && kind !== 'moment' && isDecimal(text))
                      ? guardCell(text)
                      : text,
              );
              if (kind === 'decimal' || kind === 'number')
                expect(cells[at]?.[exact - 1]).toEqual(amountOf(value) ?? null);
            }
          }
          const full = Math.max(1, Math.ceil(records.length / (sheetRows - 1)));
          expect(sheets.map(({ name }) => name)).toEqual(
            Array.from({ length: full }, (_, at) => (at === 0 ? 'ledgers' : `ledgers (${at + 1})`)),
          );
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test('any text can be read back from XLSX, with and without the guard', async () => {
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
      { numRuns: runs(60) },
    );
  });
});

describe('an amount in XLSX', () => {
  test.each([
    ['1.5', 1.5],
    ['-0.000000000000000001', -1e-18],
    ['123456789012345', 123456789012345],
    ['0.00123456789012345000', 0.00123456789012345],
    ['1234567890123456', 1234567890123460],
    ['1.234567890123455', 1.23456789012346],
    ['-1.234567890123454999', -1.23456789012345],
    ['999999999999999.5', 1e15],
    ['1e-18', 1e-18],
    ['0', 0],
    ['-0.0', 0],
    ['1e400', undefined],
    [`1${'0'.repeat(309)}`, undefined],
    ['1e-400', undefined],
    ['n/a', undefined],
    ['NaN', undefined],
    ['Infinity', undefined],
    ['0x10', undefined],
    ['1,5', undefined],
  ])('amountOf(%j) returns %j', (text, number) => {
    expect(amountOf(text)).toBe(number);
    if (!/^[nNI01],|0x/.test(text) && /^-?[0-9]/.test(text) && !text.includes(','))
      expect(amountOf(new LosslessNumber(text))).toBe(number);
  });

  test('rounds amounts in XLSX to 15 significant digits', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.boolean(), digits, fc.option(digits), (negative, whole, places) => {
        const text = `${negative ? '-' : ''}${whole}${places === null ? '' : `.${places}`}`;
        const rounded = exact(text)?.toSignificantDigits(15, 4);
        expect(exact(String(amountOf(text)))?.equals(rounded ?? 0)).toBe(true);
      }),
    );
  });

  test('an amount that is too large for Excel has an empty cell and its text in the next column, and is counted', async () => {
    const file = await write([{ quantity: '1.5' }, { quantity: '1e400' }, {}], {
      columns: [{ key: 'quantity' }],
    });
    const [sheet, about] = await read(file, 2);
    expect(sheet?.rows).toEqual([
      ['quantity', 'quantity_exact'],
      [1.5, '1.5'],
      [null, '1e400'],
    ]);
    expect(about?.rows).toEqual([
      ['No number', expect.stringMatching(/^1 value/)],
      ['quantity', '1 of 3 rows have a number'],
    ]);
  });
});

describe('a time in XLSX', () => {
  test.each([
    ['2025-07-01T12:00:00.000+02:00', 45839.5],
    ['1900-03-01T00:00:00.000Z', 61],
    ['1900-02-28T23:59:59.999Z', undefined],
    ['9999-12-31T23:59:59.999Z', 2958465 + 86_399_999 / 86_400_000],
    ['+010000-01-01T00:00:00.000Z', undefined],
    ['', undefined],
    ['soon', undefined],
  ])('serialOf(%j) returns %j', (iso, serial) => {
    expect(serialOf(iso)).toBe(serial);
  });

  test('times in XLSX are exact to the millisecond', () => {
    const moment = fc.integer({ min: Date.UTC(1900, 2, 1), max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(moment, (time) => {
        const serial = serialOf(new Date(time).toISOString()) ?? 0;
        expect(Math.round((serial - 25_569) * 86_400_000)).toBe(time);
      }),
    );
  });

  test('XLSX contains local times, with the time zone in the heading and the offset in the exact text', async () => {
    const time = Date.parse('2025-10-26T00:30:00Z');
    const time2 = Date.parse('2025-10-26T01:30:00Z');
    const named = { columns: LEDGER_COLUMNS.csv.filter(({ key }) => /^(id|time|timestamp)$/.test(key)) };
    const file = await write([{ timestamp: time }, { timestamp: time2 }], {
      ...named,
      view: { timeZone: 'Europe/Berlin' },
    });
    const { sheets } = await readXlsx(file.whole());
    const local = new Date('2025-10-26T02:30:00Z');
    expect(sheets[0]?.rows.map((row) => row.slice(1))).toEqual([
      ['timestamp', 'time (Europe/Berlin)', 'time_exact'],
      [time, local, '2025-10-26T02:30:00.000+02:00'],
      [time2, local, '2025-10-26T02:30:00.000+01:00'],
    ]);
  });

  test('each `_exact` column of times in XLSX contains ISO 8601; a value that is not a valid time is unchanged', async () => {
    const named = { columns: LEDGER_COLUMNS.csv.filter(({ key }) => /^(id|price\.timestamp)$/.test(key)) };
    const served = [Date.parse('2025-10-26T00:30:00.007Z'), 1.5, 'soon'];
    const records = served.map((timestamp) => ({ price: { timestamp } }));
    const file = await write(records, { ...named, view: { timeZone: 'Europe/Berlin' } });
    const { sheets } = await readXlsx(file.whole());
    expect(sheets[0]?.rows.map((row) => row.at(-1))).toEqual([
      'price.timestamp_exact',
      ...['2025-10-26T02:30:00.007+02:00', '1.5', 'soon'],
    ]);
  });
});

test('XLSX shows internal columns only if `showInternal` is set', async () => {
  const hidden = async (showInternal: boolean) => {
    const file = await write([], { columns: LEDGER_COLUMNS.csv, showInternal });
    const xml = strFromU8(unzipSync(file.whole())['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    const columns = [...xml.matchAll(/<col min="(\d+)"[^>]*?(hidden="1")?\/>/g)];
    const { sheets } = await readXlsx(file.whole());
    return columns.flatMap(([, at, mark]) => (mark ? String(sheets[0]?.rows[0]?.[Number(at) - 1]) : []));
  };
  expect(await hidden(false)).toEqual([
    'workspaceId',
    'price.timestamp (UTC)',
    'price.timestamp_exact',
    'timestamp',
    'time_exact',
    'syncId',
    'asset.logoUrl',
  ]);
  expect(await hidden(true)).toEqual(['price.timestamp_exact', 'time_exact']);
});

test('an XLSX file with the same records has the same bytes in any time zone of the machine', async () => {
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

test('rows are written to the stream as they arrive', async () => {
  const sink = new Kept();
  const file = createXlsx(sink, { columns, view, guard: true });
  const seen = new Set<number>();
  for (const record of many(3000)) {
    await file.add(record);
    seen.add(sink.bytes);
  }
  expect(seen.size).toBeGreaterThan(10);
  await file.finish();
});

test("starts a new sheet at Excel's row limit, and the sheet About lists the sheets", async () => {
  const sink = new Kept();
  const file = createXlsx(sink, { columns: [{ key: 'id' }], view, guard: false });
  const nothing = {};
  for (let at = 0; at < 1_048_576; at += 1) await file.add(nothing);
  await file.add({ id: 'on the second' });
  await file.finish();
  expect(file.sheets?.()).toEqual(['ledgers', 'ledgers (2)']);
  const { sheets } = await readXlsx(sink.whole(), { sheets: ['ledgers (2)', 'About'] });
  expect(sheets.map(({ name, rows }) => ({ name, rows }))).toEqual([
    { name: 'ledgers (2)', rows: [['id'], [null], ['on the second']] },
    { name: 'About', rows: [['Sheets', sheetsText(['ledgers', 'ledgers (2)'])]] },
  ]);
});

test('whole numbers of more than 15 digits are text, because spreadsheets would lose the last digits', async () => {
  const timestamps = [999_999_999_999_999, 1_000_000_000_000_000, 1_234_567_890_123_456];
  const [sheet] = await read(await write(timestamps.map((timestamp) => ({ timestamp }))), HEADINGS.length);
  expect(sheet?.rows.slice(1).map((cells) => cells[HEADINGS.indexOf('timestamp')])).toEqual([
    timestamps[0],
    ...timestamps.slice(1).map(String),
  ]);
});

test('fails if a text is too long for a cell, and the error contains the row', async () => {
  const one = 'x'.repeat(32_767);
  const [sheet] = await read(await write([{ id: one }]));
  expect(sheet?.rows[1]?.[0]).toBe(one);
  // The first text is too long by itself. The second text is too long only because the guard adds a character.
  for (const description of [`${one}x`, `=${one.slice(1)}`]) {
    await expect(write([{ id: 'led_1' }, { id: 'led_2', description }])).rejects.toMatchObject({
      kind: 'output',
      code: 'XLSX_CELL',
      message: `Row "led_2": description has ${description.length.toLocaleString('en')} characters; an XLSX cell can contain at most 32,767, including those added by the guard against formulas`,
    });
  }
});

test('column letters and sheet names are valid in Excel', () => {
  expect([0, 25, 26, 701, 702, 16_383].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD']);
  expect(sheetName('ledgers', 1)).toBe('ledgers (2)');
  expect(sheetName("'a[b]:*?/\\\u0000", 0)).toBe('_a_b_______');
  expect(sheetName('x'.repeat(40), 11)).toHaveLength(31);
  expect(sheetName('  ', 0)).toBe('export');
});

test('only the amounts of a ledger are columns of the kind decimal', () => {
  expect(columns.filter((column) => ledgerKind(column) === 'decimal').map(({ key }) => key)).toEqual([
    'quantity',
    'beforeBalance',
    'afterBalance',
    'costbasis',
    'proceeds',
    'profit',
  ]);
});
