import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvRow, Scanner } from '../../src/csv/scan.ts';
import { runs } from '../runs.ts';

function scanned(text: string, chunk: number, delimiter = ','): { rows: CsvRow[]; scanner: Scanner } {
  const rows: CsvRow[] = [];
  const scanner = new Scanner(delimiter, (row) => rows.push(row));
  for (let at = 0; at < text.length; at += chunk) scanner.push(text.slice(at, at + chunk));
  scanner.end();
  return { rows, scanner };
}

test('the scanner reads the cells that csv-parse reads, with the line where each record begins, in chunks of any size', () => {
  const cell = fc
    .oneof(fc.string({ maxLength: 6 }), fc.constantFrom('a"b', 'x\ny', 'x\r\ny', 'x\ry', '""', ' ', ',', 'ü'))
    .map((text) => text.replaceAll('\0', ''));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(table, lineEnd, fc.integer({ min: 1, max: 30 }), (records, end, chunk) => {
      // A record of blanks only counts as a blank line.
      const full = records.map((cells) => ['x', ...cells]);
      const text = stringify(full, { record_delimiter: end, quoted_match: /[\r\n]/ });
      const { rows } = scanned(text, chunk);
      expect(rows.map(({ cells }) => cells)).toEqual(
        parse(text, { relax_column_count: true, record_delimiter: end }),
      );
      let line = 1;
      for (const [at, { raw, line: found }] of rows.entries()) {
        expect(found, String(at)).toBe(line);
        line += raw.split(/\r\n|\n|\r/).length;
      }
    }),
    { numRuns: runs(400) },
  );
});

test.each([1, 3, 1000])('the scanner names where an open quote opens, in chunks of %i', (chunk) => {
  const { rows, scanner } = scanned('a,b\r\n1,"x\r\ny"\r\n2,"z\r\n3,4\r\n', chunk);
  expect(rows.map(({ line }) => line)).toEqual([1, 2]);
  expect(scanner.stop).toEqual({ reason: 'open quote', line: 4, column: 2 });
});

test('the scanner reads a cell with text after its closing quote as it is, and reports the quote', () => {
  const { rows, scanner } = scanned('a,b\n"x"y,1\n2,"ok"\n', 100);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ['a', 'b'],
    ['"x"y', '1'],
    ['2', 'ok'],
  ]);
  expect(scanner.misplaced).toMatchObject({ count: 1, first: [{ line: 2 }] });
});

test('the scanner stops in a cell or line of more than a million characters', () => {
  const long = 'x\n'.repeat(600_000);
  expect(scanned(`a,b\n1,"${long}`, 50_000).scanner.stop).toEqual({
    reason: 'long quote',
    line: 2,
    column: 2,
  });
  expect(scanned(`a,b\n${'y'.repeat(1_200_000)}`, 50_000).scanner.stop).toEqual({ reason: 'long', line: 2 });
});
