import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { comparedRows } from '../../src/export/compared-file.ts';
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

test('numbers the cells that no CSV column names, starting at 1', async () => {
  const path = csv('extra.csv', 'id,quantity\r\na,1,x,y\r\nb\r\n');
  const rows = await all(comparedRows(path, 'csv'));
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

test('reads dotted columns of a CSV as groups, and a group without values as null', async () => {
  const text =
    'id,asset.symbol,timestamp,asset.name,price.price\r\n' +
    'a,BTC,1735689600000,,\r\n' +
    "b,,,'=HYPERLINK(1),-1.50\r\n";
  expect(await all(exportedRecords(csv('groups.csv', text), 'csv'))).toEqual([
    { id: 'a', asset: { symbol: 'BTC', name: null }, timestamp: 1_735_689_600_000, price: null },
    { id: 'b', asset: { symbol: null, name: '=HYPERLINK(1)' }, timestamp: null, price: { price: '-1.50' } },
  ]);
});

test('reports a CSV with an unclosed quote as damaged, after the rows before it', async () => {
  const path = csv('damaged.csv', 'id,quantity\r\na,1\r\nb,"2\r\nc,3\r\n');
  const keys: string[] = [];
  const reading = (async () => {
    for await (const { key } of comparedRows(path, 'csv')) keys.push(key);
  })();
  await expect(reading).rejects.toThrow(/it is damaged/);
  expect(keys).toEqual(['a']);
});

test('reads a large CSV whose rows cross the bounds of chunks', async () => {
  const rows = Array.from({ length: 5000 }, (_, at) => `id_${at},"text ""${'ü'.repeat(at % 40)}""\n${at}"`);
  const path = csv('large.csv', `id,description\r\n${rows.join('\r\n')}\r\n`);
  const found = await all(exportedRecords(path, 'csv'));
  expect(found).toEqual(
    rows.map((_, at) => ({ id: `id_${at}`, description: `text "${'ü'.repeat(at % 40)}"\n${at}` })),
  );
});
