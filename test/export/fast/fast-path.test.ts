import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readList } from '../../../src/client/response.ts';
import { parseJson, stringifyJson } from '../../../src/core/json.ts';
import { rowEncoder } from '../../../src/export/row-text.ts';
import { asServed, type Column, jsonShape, valueAt } from '../../../src/formats/columns.ts';
import type { Layout } from '../../../src/formats/format.ts';
import { LEDGER_COLUMNS } from '../../../src/formats/ledger-columns.ts';
import { type ExportFormat, exportedFormat } from '../../../src/formats/registry.ts';
import { FastRow, type RowEncoder, rowOf } from '../../../src/read/rows.ts';
import { decimalText, numberText, text } from '../../formats/arbitrary.ts';
import { textOf } from '../../rows.ts';
import { runs } from '../../runs.ts';

const COLUMNS: readonly Column[] = [
  { key: 'id' },
  { key: 'label' },
  { key: 'price.price' },
  { key: 'timestamp' },
  ...LEDGER_COLUMNS.csv.filter(({ key }) => key === 'time'),
  { key: 'price.source' },
  { key: 'missing' },
  { key: 'label' },
  { key: '1' },
];

function layout(format: ExportFormat, more: Partial<Layout> = {}): Layout {
  return {
    ...{ format: exportedFormat(format), columns: COLUMNS, known: COLUMNS, shape: asServed, whole: true },
    ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
    ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
    ...more,
  };
}

/** A derived column whose cells show the values passed to `derive`. */
const DERIVED: Column = {
  key: 'derived',
  from: ['label'],
  derive: ({ label }) => (label === undefined ? 'absent' : stringifyJson(label)),
};

/** A derived column that reads two fields inside objects. */
const PAIR: Column = {
  key: 'pair',
  names: 'asset',
  from: ['price.source', 'label.x'],
  derive: (record) =>
    ['price.source', 'label.x'].map((path) => stringifyJson(valueAt(record, path) ?? null)).join(' '),
};

/** A derived column with the name of a field that many rows have. */
const TAKEN: Column = { ...DERIVED, key: 'x' };

/** A layout in which each row is a whole record with added columns. */
function adding(format: 'json' | 'jsonl', ...added: readonly Column[]): Layout {
  const view = { timeZone: 'UTC' };
  const chosen = added.map(({ key }) => `+${key}`);
  return layout(format, { shape: jsonShape(added, chosen, view), added, view });
}

const LAYOUTS: readonly Layout[] = [
  layout('csv'),
  layout('csv', { guard: false, dialect: 'excel', view: { timeZone: 'Asia/Kolkata' } }),
  layout('csv', { columns: [{ key: 'label' }] }),
  layout('csv', { columns: [DERIVED] }),
  layout('csv', { columns: [PAIR, { key: 'price.source' }] }),
  layout('csv', { columns: [PAIR], known: [] }),
  layout('csv', { columns: [DERIVED, PAIR], known: [] }),
  layout('csv', { columns: [{ key: 'price.x.y' }], known: [{ key: 'price.x.y' }] }),
  layout('csv', { columns: [{ key: 'price' }, { key: 'label.x' }] }),
  layout('jsonl'),
  layout('json'),
  adding('jsonl', DERIVED, PAIR),
  adding('json', TAKEN),
  layout('parquet'),
];

/** A JSON string in which one character may be escaped unnecessarily. */
const jsonText = fc.tuple(fc.oneof(text, decimalText), fc.nat(40)).map(([value, spelt]) => {
  const units =
    JSON.stringify(value)
      .slice(1, -1)
      .match(/\\u....|\\.|./gs) ?? [];
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `"${units.map((unit, at) => (at === spelt && unit.length === 1 ? escaped(unit) : unit)).join('')}"`;
});
const scalar = fc.oneof(
  { weight: 4, arbitrary: jsonText },
  { weight: 2, arbitrary: numberText },
  {
    weight: 2,
    arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  },
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1.50',
    '0.000001',
    '0.0000001',
    '1E5',
    '"},{"',
    '"]}"',
    '"a,b"',
  ),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 8, arbitrary: scalar },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 2 }).map((items) => `[${items}]`) },
    {
      weight: 1,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom('price', 'source', 'x', 'y'), tie('value')), { maxLength: 3 })
        .map((members) => `{${members.map(([key, member]) => `"${key}":${member}`)}}`),
    },
  ),
}));

const key = fc.constantFrom(
  'label',
  'label',
  'price',
  'x',
  'x',
  'a.b',
  '1',
  '0',
  '__proto__',
  'é',
  'q"',
  'id',
);
const mostly = (usual: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: value });
const row = fc.record({
  shape: fc.nat(2),
  id: mostly(fc.nat(999).map((number) => `"led_${number}"`)),
  time: mostly(fc.integer({ min: -9e12, max: 9e12 }).map(String)),
  values: fc.tuple(value, value, value, value),
  space: fc.nat(20).map((dice) => (dice === 0 ? ' ' : '')),
});
/** Rows as JSON text, with at most three different shapes. */
const rowTexts = fc
  .tuple(
    fc.array(fc.array(key, { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
    fc.array(row, { minLength: 1, maxLength: 10 }),
  )
  .map(([shapes, rows]) =>
    rows.map(({ shape, id, time, values, space }) => {
      const more = shapes[shape]?.map((name, at) => `,${JSON.stringify(name)}:${values[at]}`) ?? [];
      return `{"id":${id},${space}"timestamp":${time}${more.join('')}}`;
    }),
  );
const envelope = fc.constantFrom<[string, string]>(
  ['{"data":[', '],"meta":{"total":9,"limit":200,"offset":0}}'],
  ['{"success":true,"data":[', '],"totalCount":3}'],
  ['{"success":false,"message":"no","data":[', ']}'],
  ['{"data":[', '],"data":[{"id":"other"}]}'],
  ['{"data":[', '],"\\u0064ata":[]}'],
  ['{"x":{"data":[', ']},"meta":{}}'],
  ['{"x":"\\"data\\":[{","data":[', ']}'],
  ['{"data":{"ledgers":[', ']}}'],
  ['[', ']'],
  ['{ "data": [', '] }'],
  ['{"data":[', ']} '],
  ['\ufeff{"data":[', ']}'],
);
const usual = fc.constant<[string, string]>(['{"data":[', '],"meta":{"total":9,"limit":200,"offset":0}}']);
const pages = fc
  .tuple(
    rowTexts,
    fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: envelope }),
    fc.constantFrom(',', ',', ',', ', '),
  )
  .map(([rows, [head, tail], comma]) => head + rows.join(comma) + tail);

const layouts = fc.constantFrom(...LAYOUTS);

describe('the fast page reader', () => {
  test('the fast page reader reads the same rows as the parser', () => {
    let fast = 0;
    fc.assert(
      fc.property(layouts, fc.array(pages, { minLength: 1, maxLength: 2 }), (form, texts) => {
        const rows = rowEncoder(form);
        // Read each page twice, because the reader learns the row shapes during the first read.
        for (const page of [...texts, ...texts]) fast += compare(rows, Buffer.from(page));
      }),
      { numRuns: runs(600, 150) },
    );
    expect(fast).toBeGreaterThan(100);
  });

  test.each(LAYOUTS)(
    'counts the nested fields of a field that is an object in only some of the rows: layout %#',
    (form) => {
      const rows = rowEncoder(form);
      const prices = ['0', 'null', '{"price":1,"more":2}', 'null', '"x"', '{}', '[]'];
      const page = prices.map((price, at) => `{"id":"led_${at}","timestamp":${at},"price":${price}}`);
      for (const _ of [1, 2]) compare(rows, Buffer.from(`{"data":[${page}]}`));
      expect(compare(rows, Buffer.from(`{"data":[${page}]}`))).toBeGreaterThan(1);
    },
  );

  test.each([
    ['true', 'true'],
    ['false', 'false'],
    ['null', 'null'],
    ['"true"', '"""true"""'],
    ['999999999999999', '999999999999999'],
    // The smallest positive integer that a double cannot represent, and a fraction with 17 digits.
    ['9007199254740993', '9007199254740993'],
    ['0.12345678901234567', '0.12345678901234567'],
    [undefined, 'absent'],
  ])('a derived column receives the exact value: %s', (label, cell) => {
    const rows = rowEncoder(layout('csv', { columns: [{ key: 'id' }, DERIVED] }));
    const member = label === undefined ? '' : `,"label":${label}`;
    const page = Buffer.from(
      `{"data":[{"id":"a","timestamp":1${member}},{"id":"b","timestamp":2${member}}]}`,
    );
    // Learn the row shape first.
    rows.newReader?.().read(page);
    expect(compare(rows, page)).toBe(2);
    expect(readList(rows.newReader?.().read(page)).rows.map((row) => textOf(rowOf(row, rows)))).toEqual([
      `a,${cell}\n`,
      `b,${cell}\n`,
    ]);
  });

  test('after the next page is read, a row can be written only if `keep` was called for the row', () => {
    const encoder = rowEncoder(layout('jsonl'));
    const reader = encoder.newReader?.();
    const other = encoder.newReader?.();
    const rowsOf = (...ids: string[]) => {
      const page = `{"data":[${ids.map((id) => `{"id":"${id}","timestamp":1}`).join()}]}`;
      return readList(reader?.read(Buffer.from(page))).rows.map((row) => rowOf(row, encoder));
    };
    rowsOf('learns the shape');
    const [kept, lost] = rowsOf('a', 'b');
    // A second reader reads a page, and does not overwrite the rows of the first reader.
    other?.read(Buffer.from('{"data":[{"id":"x","timestamp":1}]}'));
    expect([kept, lost].map((row) => row && textOf(row))).toEqual([
      '{"id":"a","timestamp":1}\n',
      '{"id":"b","timestamp":1}\n',
    ]);
    kept?.keep();
    const [next] = rowsOf('c');
    kept?.keep();
    expect([kept, next].map((row) => row && textOf(row))).toEqual([
      '{"id":"a","timestamp":1}\n',
      '{"id":"c","timestamp":1}\n',
    ]);
    for (const use of [() => lost && textOf(lost), () => lost?.keep()]) {
      expect(use).toThrow('the text of the row was overwritten by a later page');
    }
  });

  test('rejects a page if its rows begin after the first 200 bytes', () => {
    const rows = rowEncoder(layout('jsonl'));
    const pageOf = (before: number) => {
      const head = '{"x":"","data":[{';
      const text = `{"x":"${'y'.repeat(before - head.length)}","data":[{"id":"a","timestamp":1}]}`;
      return rows.newReader?.().read(Buffer.from(text));
    };
    expect(pageOf(200)).toBeDefined();
    expect(pageOf(201)).toBeUndefined();
  });

  test.each([
    ['"a"', '1', 2],
    ['"a,b"', '123456789012345', 2],
    ['"a"', '-12345678901234', 2],
    ['"a"', '1234567890123456', 0],
    ['"a"', '1.5', 2],
    ['"a"', '1e3', 0],
    ['"a"', '"1"', 0],
    ['"a"', 'null', 0],
    ['7', '1', 0],
    ['"é"', '1', 0],
    ['null', '1', 0],
  ])('for two rows with the id %s and the time %s, %i rows are read without the parser', (id, time, fast) => {
    const rows = rowEncoder(layout('jsonl'));
    const page = Buffer.from(`{"data":[{"id":${id},"timestamp":${time}},{"id":${id},"timestamp":${time}}]}`);
    // Learn the row shape first.
    compare(rows, page);
    expect(compare(rows, page)).toBe(fast);
  });

  test.each([
    '{"data":[{"id":"a","timestamp":1}]}',
    '{"data":[{"id":"a","timestamp":1},{"id":"b","timestamp":2}],"total":2}',
    '{"data":[{"id":"}{\\"]","x":{"y":{}}}]}',
  ])('reads the page %s', (text) => {
    const rows = rowEncoder(layout('jsonl'));
    for (const _ of [1, 2]) expect(rows.newReader?.().read(Buffer.from(text))).toBeDefined();
  });

  test.each([
    '{"data":[{"id":"a","timestamp":1},7]}',
    '{"data":[{"id":"a","timestamp":1};{"id":"b"}]}',
    '{"data":[{"id":"a","timestamp":1} ]}',
    '{"data":[{"id":"a","timestamp":1}',
    '{"data":[{"id":"a","timestamp":1',
    '{"data":[{"id":"a"},{"id"}]}',
    '{"data":[{"id":"a"}],"data":[]}',
    '{"data":[]}',
  ])('leaves the page %s to the parser', (text) => {
    const rows = rowEncoder(layout('jsonl'));
    for (const _ of [1, 2]) expect(rows.newReader?.().read(Buffer.from(text))).toBeUndefined();
  });

  test('for a truncated or altered page, the reader returns no result or the result of the parser', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 60 });
    fc.assert(
      fc.property(layouts, pages, changes, (form, page, changes) => {
        const rows = rowEncoder(form);
        const whole = Buffer.from(page);
        compare(rows, whole);
        const step = Math.max(1, whole.length >> 7);
        for (let end = 0; end < whole.length; end += step) compare(rows, whole.subarray(0, end));
        for (const [at, byte] of changes) {
          const altered = Buffer.from(whole);
          altered[at % whole.length] = byte;
          compare(rows, altered);
        }
      }),
      { numRuns: runs(150) },
    );
  });
});

/** Checks that the fast reader and the parser return the same rows. Returns how many rows were read without the parser. */
function compare(encoder: RowEncoder, page: Buffer): number {
  if (!isUtf8(page)) return 0;
  const read = encoder.newReader?.().read(page);
  if (read === undefined) return 0;
  const body = parseJson(page.toString());
  const parsed = outcome(body);
  const fast = outcome(read);
  expect(lines(fast.rows, encoder)).toBe(lines(parsed.rows, encoder));
  expect(JSON.stringify({ ...fast, rows: [] })).toBe(JSON.stringify({ ...parsed, rows: [] }));
  return fast.rows.filter((row) => row instanceof FastRow).length;
}

/** Returns the list, or the error as text. */
function outcome(body: unknown) {
  try {
    return readList(body);
  } catch (error) {
    return { rows: [], error: String(error) };
  }
}

function lines(rows: readonly unknown[], encoder: RowEncoder): string {
  const text = rows
    .map((value) => {
      const row = rowOf(value, encoder);
      const { id, time, isRecord, extraFields } = row;
      return `${JSON.stringify([id, time, isRecord, [...extraFields].sort()])} ${textOf(row)}`;
    })
    .join('\n');
  // Encode the text as in a file, because encoding to UTF-8 replaces lone surrogates.
  return Buffer.from(text).toString();
}
