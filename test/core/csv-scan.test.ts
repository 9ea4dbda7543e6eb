import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CsvRow, Scanner, stopText } from '../../src/core/csv-scan.ts';
import { runs } from '../runs.ts';

function scanned(text: string, chunk: number, options: ConstructorParameters<typeof Scanner>[2] = {}) {
  const rows: CsvRow[] = [];
  const scanner = new Scanner(',', (row) => rows.push(row), options);
  for (let at = 0; at < text.length; at += chunk) scanner.push(text.slice(at, at + chunk));
  scanner.end();
  return { rows, stop: scanner.stop };
}

test('in chunks of any size, the scanner reads the same cells as csv-parse, with the first line of each record', () => {
  const cell = fc
    .oneof(fc.string({ maxLength: 6 }), fc.constantFrom('a"b', 'x\ny', 'x\r\ny', 'x\ry', '""', ' ', ',', 'ü'))
    .map((text) => text.replaceAll('\0', ''));
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(table, lineEnd, fc.integer({ min: 1, max: 30 }), (records, end, chunk) => {
      const text = stringify(records, { record_delimiter: end, quoted_match: /[\r\n]/ });
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

test.each([1, 3, 1000])('the scanner reports where an unclosed quote opens, in chunks of %i', (chunk) => {
  const { rows, stop } = scanned('a,b\r\n1,"x\r\ny"\r\n2,"z\r\n3,4\r\n', chunk);
  expect(rows.map(({ line }) => line)).toEqual([1, 2]);
  expect(stop).toMatchObject({ reason: 'open quote', line: 4, column: 2 });
});

const MISPLACED = 'a,b\n1,"x\ny"z\n2,"ok"\n3,a"b\n';

test.each([1, 3, 1000])(
  'the scanner reports each quote that closes too early exactly once, and continues, in chunks of %i',
  (chunk) => {
    const found: unknown[] = [];
    const { rows, stop } = scanned(MISPLACED, chunk, {
      onMisplaced: (text, line) => found.push([text, line]),
    });
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['a', 'b'],
      ['1', '"x\ny"z'],
      ['2', 'ok'],
      ['3', 'a"b'],
    ]);
    expect([found, stop]).toEqual([[['x\ny', 2]], undefined]);
  },
);

test.each([1, 3, 1000])(
  'without onMisplaced, the scanner stops at a quote in the wrong place, in chunks of %i',
  (chunk) => {
    const early = scanned(MISPLACED, chunk);
    expect([early.rows.length, early.stop]).toEqual([
      1,
      expect.objectContaining({ reason: 'misplaced quote', line: 2, column: 2 }),
    ]);
    const inside = scanned(MISPLACED.replace('z', ''), chunk);
    expect([inside.rows.length, inside.stop]).toEqual([
      3,
      expect.objectContaining({ reason: 'misplaced quote', line: 5, column: 2 }),
    ]);
  },
);

test('the scanner stops in a cell or line that is too long', () => {
  const long = 'x\n'.repeat(600_000);
  const limit = { longest: 1_000_000 };
  expect(scanned(`a,b\n1,"${long}`, 50_000).stop).toEqual({
    reason: 'long quote',
    line: 2,
    column: 2,
    ...limit,
  });
  expect(scanned(`a,b\n${'y'.repeat(1_200_000)}`, 50_000).stop).toEqual({
    reason: 'long',
    line: 2,
    ...limit,
  });
  expect(scanned(`a,b\n1,"${long}"`, 50_000, { longest: 2_000_000 }).stop).toBeUndefined();
});

test('stopText contains the line, the cell and the limit', () => {
  const place = { line: 4, column: 2, longest: 1_000_000 };
  expect(
    (['open quote', 'long quote', 'long', 'misplaced quote'] as const).map((reason) =>
      stopText({ reason, ...place }),
    ),
  ).toEqual([
    'the quote that opens in line 4 (cell 2) is never closed',
    'the quote that opens in line 4 (cell 2) is not closed within 1,000,000 characters',
    'line 4 has more than 1,000,000 characters',
    'a quote in line 4 (cell 2) is in the wrong place',
  ]);
});
