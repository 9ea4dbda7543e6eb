import { parse as parseCsv } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { type Column, jsonShape } from '../../src/formats/columns.ts';
import { csvLines } from '../../src/formats/csv-list.ts';
import { jsonArray, jsonLines } from '../../src/formats/json.ts';
import { renderTable } from '../../src/formats/table.ts';
import { cellText, unguardCell } from '../../src/formats/text.ts';
import { runs } from '../runs.ts';
import { decimalText, numberText, text } from './arbitrary.ts';

const view = { timeZone: 'UTC' };
const columns: readonly Column[] = [
  { key: 'quantity', figure: true },
  { key: 'asset.symbol' },
  { key: 'value', figure: true },
  { key: 'label' },
];

const record: fc.Arbitrary<JsonRecord> = fc.record({
  quantity: decimalText,
  asset: fc.oneof(fc.constant(null), fc.record({ symbol: text })),
  value: fc.oneof(fc.constant(null), numberText.map(parseJson)),
  label: fc.oneof(fc.constant(null), text, fc.boolean()),
});
const records = fc.array(record, { maxLength: 5 });

async function collect(chunks: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const chunk of chunks) all += chunk;
  return all;
}

/** The expected cells of a record. */
function cells({ quantity, asset, value, label }: JsonRecord): string[] {
  return [quantity, Object(asset).symbol, value, label].map(cellText);
}

describe('CSV', () => {
  test.for(['plain', 'excel'] as const)(
    'reading a CSV file in the %s dialect returns every value with every digit',
    async (dialect) => {
      await fc.assert(
        fc.asyncProperty(records, async (rows) => {
          const written = await collect(csvLines(rows, columns, { view, dialect }));
          const read: string[][] = parseCsv(written, { bom: true });
          expect(read[0]).toEqual(columns.map(({ key }) => key));
          expect(read.slice(1).map((row) => row.map(unguardCell))).toEqual(rows.map(cells));
        }),
        { numRuns: runs(300) },
      );
    },
  );

  test('CSV without the formula guard contains unchanged values', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (rows) => {
        const written = await collect(csvLines(rows, columns, { view, guard: false }));
        // UTF-8 cannot represent half of a surrogate pair, so a file without the guard loses this half.
        expect(parseCsv(written).slice(1)).toEqual(
          rows.map((row) => cells(row).map((cell) => Buffer.from(cell).toString())),
        );
      }),
    );
  });

  test('a CSV file with only one column preserves empty cells', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, fc.constant('')), { maxLength: 5 }), async (labels) => {
        const written = await collect(
          csvLines(
            labels.map((label) => ({ label })),
            [{ key: 'label' }],
            { view },
          ),
        );
        const read: string[][] = parseCsv(written);
        expect(read.slice(1).map(([cell = '']) => unguardCell(cell))).toEqual(labels);
      }),
    );
  });

  test('a CSV file without rows contains a header; in the excel dialect, it also contains a byte-order mark and CRLF', async () => {
    expect(await collect(csvLines([], columns, { view }))).toBe('quantity,asset.symbol,value,label\n');
    expect(await collect(csvLines([], columns, { view, dialect: 'excel' }))).toBe(
      '\ufeffquantity,asset.symbol,value,label\r\n',
    );
  });
});

test('invisible characters are escaped in CSV and in tables, but not in JSON', async () => {
  const rows = [{ 'na\u200bme': 'x\u2060y' }];
  const fields = [{ key: 'na\u200bme' }];
  expect(await collect(csvLines(rows, fields, { view }))).toBe('na\\u200bme\nx\\u2060y\n');
  const style = { colour: false, terminal: false, width: undefined };
  expect(renderTable(rows, fields, { view, style, full: true }).text).toBe('na\\u200bme\nx\\u2060y\n');
  expect(JSON.parse(await collect(jsonArray(rows)))).toEqual(rows);
});

describe('JSON', () => {
  test('JSON arrays and JSON Lines contain the same records, with every digit', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (rows) => {
        const array = await collect(jsonArray(rows));
        const lines = await collect(jsonLines(rows));
        expect(parseJson(array)).toEqual(parseJson(stringifyJson(rows)));
        const read = lines.split('\n').slice(0, -1).map(parseJson);
        expect(read).toEqual(parseJson(array));
        for (const written of [array, lines]) expect(/[^\P{Cc}\n]/u.test(written)).toBe(false);
      }),
    );
  });

  test('JSON contains only the selected fields, or the whole record plus the fields selected with +', async () => {
    const known = [{ key: 'time', derive: () => 'noon' }];
    const rows = [{ id: '1', asset: { symbol: 'ETH' } }];
    const made = async (chosen: string[]) =>
      parseJson(await collect(jsonArray(rows, jsonShape(known, chosen, view))));
    expect(await made(['time', 'asset.symbol'])).toEqual([{ time: 'noon', 'asset.symbol': 'ETH' }]);
    expect(await made(['+time'])).toEqual([{ id: '1', asset: { symbol: 'ETH' }, time: 'noon' }]);
    expect(await made([])).toEqual(rows);
  });

  test('an empty list is [] in JSON, and an empty text in JSON Lines', async () => {
    expect(await collect(jsonArray([]))).toBe('[]\n');
    expect(await collect(jsonLines([]))).toBe('');
  });
});

describe('a table', () => {
  const style = (width: number | undefined, colour = false) => ({
    terminal: width !== undefined,
    colour,
    width,
  });

  test('a table of any width shows amounts in full, and escapes control characters', () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 20, max: 200 }),
        (rows, width) => {
          const shown = renderTable(rows, columns, { view, style: style(width), full: true }).text;
          for (const { quantity, value } of rows) {
            expect(shown).toContain(String(quantity));
            if (value !== null) expect(shown).toContain(cellText(value));
          }
          expect(/[^\P{Cc}\n]/u.test(shown)).toBe(false);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('a table cuts text to fit, but not in columns marked `whole`', () => {
    const rows = [{ a: 'x'.repeat(60), b: 'y'.repeat(60) }];
    const shown = (whole: boolean) =>
      renderTable(rows, [{ key: 'a' }, { key: 'b', whole }], { view, style: style(80), full: true }).text;
    expect(shown(false)).not.toContain('y'.repeat(60));
    expect(shown(true)).toContain('y'.repeat(60));
    expect(shown(true)).not.toContain('x'.repeat(60));
  });

  test('a table printed to a pipe has exactly one line per row', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (rows) => {
        const lines = renderTable(rows, columns, { view, style: style(undefined), full: true }).text.split(
          '\n',
        );
        expect(lines).toHaveLength(rows.length + 2);
        expect(lines.join('')).not.toContain('─');
      }),
    );
  });
});
