import { readFileSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/json.ts';
import { parseStrict } from '../../src/core/strict-json.ts';
import { checkSource } from '../../src/legacy/check.ts';
import { COLUMNS } from '../../src/legacy/fields.ts';
import { decodePayload, readCsvSource, readJsonSource } from '../../src/legacy/source.ts';
import { readTime } from '../../src/legacy/times.ts';
import { runs } from '../runs.ts';
import { cellsOf, NOW, transactions } from './arbitrary.ts';

// These tests are about characters and digits, so `force` accepts all transactions: one-sided transactions, and amounts of zero
// or less.
const OPTIONS = {
  allowLong: false,
  force: true,
  readTime: (value: unknown) => readTime(value, { zone: 'UTC', unit: 'ms', now: NOW }),
};
const HEAD = 'timestamp,transactionType,transactionId';

describe('the CSV reader', () => {
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    record_delimiter: fc.constantFrom('unix', 'windows'),
    bom: fc.boolean(),
    shuffle: fc.boolean(),
  });

  test('reads every character and every digit from CSV in any dialect', () => {
    fc.assert(
      fc.property(transactions, dialect, (rows, { delimiter, record_delimiter, bom, shuffle }) => {
        const order = [...COLUMNS.keys()].map((_, index) => index);
        if (shuffle) order.reverse();
        const pick = (cells: readonly string[]) => order.map((index) => cells[index] ?? '');
        const lines = [pick([...COLUMNS.keys()]), ...rows.map((row) => pick(cellsOf(row)))];
        const text = `${bom ? '\ufeff' : ''}${stringify(lines, { delimiter, record_delimiter, quoted_match: /[\r\n]/ })}`;
        const source = readCsvSource(decodePayload(Buffer.from(text), 'x.csv'), 'x.csv');
        expect(source.problems).toEqual([]);
        const { payload, problems } = checkSource(source, { ...OPTIONS, walletId: 'w' });
        expect(problems).toEqual([]);
        expect(payload).toEqual({ walletId: 'w', transactions: rows });
        const lineAt = (index: number) => text.slice(0, offsetOf(text, index)).split('\n').length;
        expect(source.rows.map(({ row }) => row)).toEqual(rows.map((_, index) => index + 1));
        if (!rows.some((row) => JSON.stringify(row).includes('\\n'))) {
          expect(source.rows.map(({ line }) => line)).toEqual(rows.map((_, index) => lineAt(index + 1)));
        }
      }),
      { numRuns: runs(150) },
    );
  });

  test('line numbers are correct after quoted line breaks, blank lines and rows with only separators', () => {
    const text = `${HEAD},label\r\n1,deposit,a,"x\r\ny"\r\n\r\n,,,\r\n2,deposit,b,\r\n3,deposit,c,"p\nq"\r\n4,deposit,d,`;
    expect(readCsvSource(text, 'x').rows.map(({ row, line }) => [row, line])).toEqual([
      [1, 2],
      [2, 6],
      [3, 7],
      [4, 9],
    ]);
  });

  test.each([
    ['', 'is empty'],
    [`${HEAD},amont`, '"amont"'],
    ['timestamp,transactionType', 'does not have the column transactionId'],
    [`${HEAD},timestamp`, 'duplicate column: timestamp'],
    [`${HEAD},walletId`, '"walletId"'],
    ['Timestamp;Type;transactionId', 'has unknown columns: "Timestamp", "Type"'],
    [`${HEAD}\n1,deposit,"open`, 'is not valid CSV'],
  ])('rejects the CSV %j', (text, words) => {
    expect(() => readCsvSource(text, 'x')).toThrow(expect.objectContaining({ code: 'BAD_CSV' }));
    expect(() => readCsvSource(text, 'x')).toThrow(words);
  });

  test.each(['sep=;\n', 'SEP=;\r\n'])('skips the first line %j, which contains the separator', (line) => {
    const { rows } = readCsvSource(`${line}${HEAD.replaceAll(',', ';')}\n1;deposit;"a,b"\n`, 'x');
    expect(rows).toEqual([
      { row: 1, line: 3, value: { timestamp: '1', transactionType: 'deposit', transactionId: 'a,b' } },
    ]);
  });

  test('reports rows with too few or too many cells, and no other rows', () => {
    const source = readCsvSource(`${HEAD}\n1,deposit,a\n1,deposit\n1,deposit,b,c\n`, 'x');
    expect(source.problems.map(({ row, line }) => [row, line])).toEqual([
      [2, 3],
      [3, 4],
    ]);
  });
});

/** Returns the offset of the start of a line in a CSV text. The first line has index 0. No cell may contain a line break. */
function offsetOf(text: string, index: number): number {
  let at = 0;
  for (let line = 0; line < index; line += 1) at = text.indexOf('\n', at) + 1;
  return at;
}

describe('the JSON reader', () => {
  test('preserves every digit, both in a payload object and in a bare array of transactions', () => {
    fc.assert(
      fc.property(transactions, fc.boolean(), (rows, bare) => {
        const text = stringifyJson(bare ? rows : { walletId: 'w', transactions: rows });
        const source = readJsonSource(text, 'x.json');
        const { payload, problems } = checkSource(source, { ...OPTIONS, walletId: 'w' });
        expect(problems).toEqual([]);
        expect(stringifyJson(payload)).toBe(stringifyJson({ walletId: 'w', transactions: rows }));
      }),
    );
  });

  test('preserves the notation of every number, such as 1.50 and 1e-7', () => {
    const text = '{"a":[1.50,1e-7,0.10000000000000000000000000001,12345678901234567890,-0]}';
    expect(stringifyJson(parseStrict(text, 'x'))).toBe(text);
  });

  test.each([
    '{"a":1,"a":2}',
    '{"a":1,}',
    '',
    '[1] [2]',
    '{"walletId":"w","transactions":[{"x":1,"x":"1"}]}',
  ])('rejects the ambiguous or invalid JSON %s', (text) => {
    expect(() => parseStrict(text, 'x')).toThrow(expect.objectContaining({ code: 'BAD_JSON' }));
  });

  test.each(['{}', '5', '"x"', 'null', '{"transactions":{}}'])(
    'rejects %s, which contains no transactions',
    (text) => {
      expect(() => readJsonSource(text, 'x')).toThrow(expect.objectContaining({ code: 'NO_TRANSACTIONS' }));
    },
  );

  test('reports an unknown field, and suggests a known name', () => {
    const { problems } = readJsonSource('{"walletid":"w","transactions":[]}', 'x');
    expect(problems).toEqual([
      { row: null, field: 'walletid', problem: 'is an unknown field', hint: 'Did you mean walletId?' },
    ]);
  });
});

test.each(['504b0304', 'd0cf11e0'])('decodePayload reports a workbook if the file starts with %s', (hex) => {
  expect(() => decodePayload(Buffer.from(`${hex}1400`, 'hex'), 'x.xlsx')).toThrow('x.xlsx is a workbook');
});

test('decodePayload rejects text that is not UTF-8, and recognises UTF-16', () => {
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a', 'utf16le')]);
  expect(() => decodePayload(utf16, 'x')).toThrow('UTF-16');
  expect(() => decodePayload(Buffer.from([0x61, 0xe4]), 'x')).toThrow(
    expect.objectContaining({ code: 'BAD_ENCODING' }),
  );
  expect(decodePayload(Buffer.from('\ufeffaä'), 'x')).toBe('aä');
});

test('the CSV example in docs/legacy.md is valid', () => {
  const page = readFileSync(new URL('../../docs/legacy.md', import.meta.url), 'utf8');
  const [, csv = ''] = /```csv\n([^`]*)```/.exec(page) ?? [];
  const checked = checkSource(readCsvSource(csv, 'legacy.md'), {
    ...OPTIONS,
    force: false,
    walletId: 'w',
  });
  expect([checked.problems, checked.doubts, checked.payload.transactions.length]).toEqual([[], [], 2]);
});
