import { describe, expect, test } from 'vitest';
import {
  EXPORT_FORMATS,
  exportedFormat,
  FORMATS,
  formatFor,
  isJson,
  OUTPUT_FORMATS,
  outputFormat,
  ROW_FORMATS,
} from '../../src/formats/registry.ts';

const JOURNAL_FORMATS = ['hledger', 'ledger', 'beancount', 'xero', 'quickbooks', 'sage'];

test('every format is listed for -o, for --format, or for both', () => {
  expect(OUTPUT_FORMATS).toEqual(['table', 'json', 'jsonl', 'csv']);
  expect(EXPORT_FORMATS).toEqual([...ROW_FORMATS, ...JOURNAL_FORMATS]);
  expect(new Set([...OUTPUT_FORMATS, ...EXPORT_FORMATS])).toEqual(new Set(Object.keys(FORMATS)));
});

test('outputFormat returns "table" if the configured format is not an output format', () => {
  expect(OUTPUT_FORMATS.map(outputFormat)).toEqual(OUTPUT_FORMATS);
  expect(['xlsx', 'none'].map(outputFormat)).toEqual(['table', 'table']);
});

test('no two formats share an extension', () => {
  const extensions = EXPORT_FORMATS.flatMap((name) => exportedFormat(name).file.extensions);
  expect(new Set(extensions).size).toBe(extensions.length);
});

test.each(EXPORT_FORMATS)('finds the format %s by each file extension, in upper or lower case', (name) => {
  for (const extension of exportedFormat(name).file.extensions) {
    expect(formatFor(`a${extension}`, undefined)).toBe(name);
    expect(formatFor(`a${extension.toUpperCase()}`, name)).toBe(name);
  }
});

describe('the format of an output file', () => {
  test('accepts an unknown extension if --format is given', () => {
    expect(formatFor('a.txt', 'csv')).toBe('csv');
  });

  test('rejects a file extension that contradicts --format', () => {
    expect(() => formatFor('a.csv', 'parquet')).toThrow(
      expect.objectContaining({ code: 'FORMAT_MISMATCH', hint: expect.stringContaining('a.parquet') }),
    );
  });

  test('rejects a file extension if the format writes a folder', () => {
    expect(() => formatFor('a.csv', 'xero')).toThrow(
      expect.objectContaining({
        code: 'FORMAT_MISMATCH',
        hint: "Change the folder name to a, or use `format: 'csv'`.",
      }),
    );
    expect(formatFor('a', 'xero')).toBe('xero');
  });

  test('without an extension and --format, suggests extensions and formats', () => {
    const hint =
      'Use an extension (.json, .jsonl, .ndjson, .csv, .xlsx, .parquet, .journal, .hledger, .ledger, .ldg, .beancount, .bean) or set `format` to json, jsonl, csv, xlsx, parquet, hledger, ledger, beancount, xero, quickbooks, sage.';
    expect(() => formatFor('a', undefined)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_FORMAT', hint }),
    );
  });
});

test('isJson accepts json and jsonl, and no other format', () => {
  expect(['table', 'json', 'jsonl', 'csv', 'nosuch'].filter(isJson)).toEqual(['json', 'jsonl']);
});
