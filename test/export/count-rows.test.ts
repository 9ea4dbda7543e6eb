import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rowCounter } from '../../src/export/count-rows.ts';
import { csvForm } from '../../src/formats/csv.ts';
import type { ExportFormat } from '../../src/formats/registry.ts';

function count(format: ExportFormat, text: string | Buffer, size = 1 << 20) {
  const counter = rowCounter(format);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) counter?.take(bytes.subarray(at, at + size));
  return counter?.end();
}

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', '\\', '[', '{', '}', ']', "'", ' ', 'ä') }),
);
const sizes = fc.integer({ min: 1, max: 40 });

describe('the row counter', () => {
  test('counts CSV rows, regardless of the chunk size', async () => {
    const forms = fc.constantFrom('plain' as const, 'excel' as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ a: texts, b: texts }), { maxLength: 20 }),
        fc.constantFrom(['a'], ['a', 'b']),
        forms,
        sizes,
        async (rows, keys, dialect, size) => {
          const columns = keys.map((key) => ({ key }));
          const form = csvForm(columns, { view: { timeZone: 'UTC' }, dialect });
          const text = form.head + rows.map((row) => form.line(row)).join('');
          expect(count('csv', text, size)).toBe(rows.length);
        },
      ),
    );
  });

  test('counts JSON rows, regardless of chunk size and whitespace', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.nat(3),
        sizes,
        async (rows, indent, size) => {
          expect(count('json', JSON.stringify(rows, undefined, indent), size)).toBe(rows.length);
        },
      ),
    );
  });

  test('counts JSONL rows, regardless of the chunk size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 20 }),
        fc.boolean(),
        sizes,
        async (rows, end, size) => {
          const text = rows.map((row) => JSON.stringify(row)).join('\n') + (end ? '\n' : '');
          expect(count('jsonl', text, size)).toBe(rows.length);
        },
      ),
    );
  });
});

test.each([
  ['json', '[{"a":1}'],
  ['json', '[{"a":"]}'],
  ['json', '{"a":[1,2]}'],
  ['json', '[1][2]'],
  ['json', ''],
  ['csv', 'a,b\n1,"2\n3,4\n'],
  ['csv', ''],
] as const)('returns no count for an incomplete or invalid %s file: %j', async (format, text) => {
  expect(count(format, text)).toBeUndefined();
});

test('does not count the rows of XLSX and Parquet files', () => {
  for (const format of ['xlsx', 'parquet', undefined] as const) expect(rowCounter(format)).toBeUndefined();
});

test('ignores blank lines in JSONL files', async () => {
  expect(count('jsonl', '{}\n\n \r\n{}\r\n')).toBe(2);
});

test.each<[ExportFormat, string, number | undefined]>([
  ['jsonl', '', 0],
  ['jsonl', '\n', 0],
  ['jsonl', '\n1\n2', 2],
  ['jsonl', '1\n2\n', 2],
  ['jsonl', ' \t\r\n!\n', 1],
  ['csv', '', undefined],
  ['csv', 'a', 0],
  ['csv', 'a\n', 0],
  ['csv', 'a\n\n', 1],
  ['csv', 'a\nb', 1],
  ['csv', 'a\n"b', undefined],
  ['json', '', undefined],
  ['json', '[]', 0],
  ['json', '["",1]', 2],
  ['json', '["\\"",[1,2],{"a":[]}]', 3],
  ['json', '[1', undefined],
  ['json', '["1', undefined],
  ['json', '5', undefined],
  ['json', '[1]5', undefined],
  ['json', '[1][2]', undefined],
  ['json', '{"a":1}', undefined],
])('the row count of the %s file %j is %s', (format, text, rows) => {
  for (const size of [1, 2, 100]) expect(count(format, text, size)).toBe(rows);
});
