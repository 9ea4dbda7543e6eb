import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { comparedRows, isComparable, jsonRecords, readableFile } from '../../src/export/compared-file.ts';
import { exportedRecords } from '../../src/export/exported-records.ts';
import { temporary } from '../e2e/harness.ts';

const directory = temporary();

function csv(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('CSV cells without a column are named `(extra cell 1)`, `(extra cell 2)` and so on', async () => {
  const path = csv('extra.csv', 'id,quantity\r\na,1,x,y\r\nb\r\n');
  const rows = await all(comparedRows(readableFile(path, 'csv')));
  expect(rows.map(({ key, fields }) => [key, [...fields]])).toEqual([
    [
      'a',
      [
        ['id', 'a'],
        ['quantity', '1'],
        ['(extra cell 1)', 'x'],
        ['(extra cell 2)', 'y'],
      ],
    ],
    [
      'b',
      [
        ['id', 'b'],
        ['quantity', null],
      ],
    ],
  ]);
});

test('reads dotted CSV columns as nested objects, and reads an object without any values as null', async () => {
  const text =
    'id,asset.symbol,timestamp,asset.name,price.price\r\n' +
    'a,BTC,1735689600000,,\r\n' +
    "b,,,'=HYPERLINK(1),-1.50\r\n";
  expect(await all(exportedRecords(readableFile(csv('groups.csv', text), 'csv')))).toEqual([
    { id: 'a', asset: { symbol: 'BTC', name: null }, timestamp: 1_735_689_600_000, price: null },
    { id: 'b', asset: { symbol: null, name: '=HYPERLINK(1)' }, timestamp: null, price: { price: '-1.50' } },
  ]);
});

test('returns the CSV rows before an unclosed quote, and then reports that the file is damaged', async () => {
  const path = csv('damaged.csv', 'id,quantity\r\na,1\r\nb,"2\r\nc,3\r\n');
  const keys: string[] = [];
  const reading = (async () => {
    for await (const { key } of comparedRows(readableFile(path, 'csv'))) keys.push(key);
  })();
  await expect(reading).rejects.toThrow(
    /damaged\.csv: the quote that opens in line 3 \(cell 2\) is never closed$/,
  );
  expect(keys).toEqual(['a']);
});

test('reads CSV rows that span two chunks of a large file', async () => {
  const rows = Array.from({ length: 5000 }, (_, at) => `id_${at},"text ""${'ü'.repeat(at % 40)}""\n${at}"`);
  const path = csv('large.csv', `id,description\r\n${rows.join('\r\n')}\r\n`);
  const found = await all(exportedRecords(readableFile(path, 'csv')));
  expect(found).toEqual(
    rows.map((_, at) => ({ id: `id_${at}`, description: `text "${'ü'.repeat(at % 40)}"\n${at}` })),
  );
});

test('the columns for the names of accounts and assets are not read as fields of the legs', async () => {
  const manifest = { request: {}, columns: ['id', 'wallet', 'symbol', 'asset.symbol'] };
  const csvPath = csv('names.csv', 'id,wallet,symbol,asset.symbol\na,Main,ETH,ETH\n');
  const jsonPath = csv('names.jsonl', '{"id":"a","wallet":"Main","symbol":"ETH","asset.symbol":"ETH"}\n');
  const files = [readableFile(csvPath, 'csv', manifest), readableFile(jsonPath, 'jsonl', manifest)];
  for (const file of files) {
    expect(await all(exportedRecords(file))).toEqual([{ id: 'a', asset: { symbol: 'ETH' } }]);
    const [row] = await all(comparedRows(file));
    expect([...(row?.fields.keys() ?? [])]).toEqual(['id', 'asset.symbol']);
  }
});

describe('the records of a JSON array', () => {
  const read = (text: string, format: 'json' | 'jsonl' = 'json') =>
    all(jsonRecords(readableFile(csv('records', text), format)));

  test.each(['[]', '[ ]', '[\n]\n'])('reads %j as an empty list of records', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  test('reads JSON records whose strings contain brackets, braces, commas and quotes', async () => {
    const records = [
      { a: '],[', b: ['x', ['},{'], { c: '\\"' }] },
      { a: '\\', b: '"', c: '\\"}' },
      { '],{"': {}, e: [] },
      { a: 1 },
    ];
    for (const indent of [undefined, 2])
      expect(await read(JSON.stringify(records, undefined, indent))).toEqual(records);
    expect(await read('{"a":1}\n\n{"b":[2]}', 'jsonl')).toEqual([{ a: 1 }, { b: [2] }]);
  });

  test('reads a JSON record that spans two reads of the file', async () => {
    const before = 'x'.repeat(65_000);
    for (let more = 520; more < 536; more++) {
      const records = [
        { a: before + 'é'.repeat(more / 2) + 'x'.repeat(more % 2), b: '"\\' },
        { c: ['d', { e: '}' }] },
      ];
      expect(await read(JSON.stringify(records))).toEqual(records);
    }
  });

  test('reports that a JSON file with a deeply nested row is damaged', async () => {
    const deep = `[{"a":${'['.repeat(600)}${']'.repeat(600)}}]`;
    await expect(read(deep)).rejects.toThrow(/row 1 is nested too deeply$/);
  });

  test.each([
    ['[{"a":1}', 'the array is not closed'],
    ['[{"a":1', 'the array is not closed'],
    ['["a', 'the array is not closed'],
    ['"a', 'the array is not closed'],
    ['[1]', 'row 1 is not a JSON object'],
    ['[[]]', 'row 1 is not a JSON object'],
    ['[{"a":1},7]', 'row 2 is not a JSON object'],
    ['[{"a" 1}]', 'row 1 is not valid JSON'],
  ])('reports that a file with the content %j is damaged', async (text, why) => {
    const message = `Cannot read ${join(directory, 'records')}: ${why}`;
    await expect(read(text)).rejects.toMatchObject({ kind: 'unverified', code: 'DAMAGED_FILE', message });
  });
});

test('the key of a row is its id, the values of the given fields, or the whole record', async () => {
  const keysOf = async (name: string, text: string, format: 'csv' | 'json' | 'jsonl', keys?: string[]) =>
    (await all(comparedRows(readableFile(csv(name, text), format), keys))).map(({ key }) => key);
  const json = '[{"id":"a","x":1},{"x":2}]';
  expect(await keysOf('k.json', json, 'json')).toEqual(['a', 'json:{"x":2}']);
  expect(await keysOf('k.json', json, 'json', ['x', 'id'])).toEqual(['["1","a"]', '["2",""]']);
  expect(await keysOf('k.csv', 'id,x\na,1\n,2\n', 'csv')).toEqual(['a', '']);
  expect(await keysOf('k.csv', 'id,x\na,1\n,2\n', 'csv', ['x', 'id'])).toEqual(['["1","a"]', '["2",""]']);
  await expect(keysOf('k.csv', 'x\n1\n', 'csv')).rejects.toThrow(/k\.csv: it has no column id$/);
  await expect(keysOf('k.csv', 'id\n"a', 'csv')).rejects.toThrow(
    /the quote that opens in line 2 \(cell 1\) is never closed$/,
  );
  await expect(keysOf('k.csv', 'id\n"a"b\n', 'csv')).rejects.toThrow(
    /a quote in line 2 \(cell 1\) is in the wrong place$/,
  );
  await expect(keysOf('k.csv', '', 'csv')).rejects.toThrow(/k\.csv: it is empty$/);
  expect(await keysOf('k.csv', '\ufeffid\n"a\nb"\n', 'csv')).toEqual(['a\nb']);
});

test.each([
  [
    'id;type\na;fee\n',
    undefined,
    'its cells seem to be separated by semicolons, but the manifest says commas',
  ],
  [
    '"id";"type"\r\n"a";"fee"\r\n',
    undefined,
    'its cells seem to be separated by semicolons, but the manifest says commas',
  ],
  ['id\ttype\na\tfee\n', ';', 'its cells seem to be separated by tabs, but the manifest says semicolons'],
  ['id,type\na,fee\n', '|', 'its cells seem to be separated by commas, but the manifest says bars'],
])(
  'reports the separators of the file %j and of its manifest if they differ',
  async (text, separator, why) => {
    const path = csv('separated.csv', text);
    const file = readableFile(path, 'csv', { columns: ['id', 'type'], request: { form: { separator } } });
    await expect(all(comparedRows(file))).rejects.toThrow(`Cannot read ${path}: ${why}`);
  },
);

test('reads amounts with decimal commas as decimals, and leaves all other cells unchanged', async () => {
  const text = 'id;quantity;price.price;description\n1,5;-1,50;+,5;2,5\nb;1e-8;x,y;\n';
  const form = { separator: ';', decimalComma: true };
  const file = readableFile(csv('comma.csv', text), 'csv', { columns: [], request: { form } });
  expect(await all(exportedRecords(file))).toEqual([
    { id: '1,5', quantity: '-1.50', price: { price: '+.5' }, description: '2,5' },
    { id: 'b', quantity: '1e-8', price: { price: 'x,y' }, description: null },
  ]);
});

test('only CSV, JSON and JSONL files can be compared', () => {
  const formats = ['csv', 'json', 'jsonl', 'xlsx', undefined];
  expect(formats.map(isComparable)).toEqual([true, true, true, false, false]);
});

test('reads the 30,000 rows of a CSV file in order', async () => {
  const ids = Array.from({ length: 30_000 }, (_, at) => `row-${at}`);
  const rows = await all(comparedRows(readableFile(csv('large.csv', `id\n${ids.join('\n')}\n`), 'csv')));
  expect(rows.map(({ key }) => key)).toEqual(ids);
});
