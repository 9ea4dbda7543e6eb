import { expect, test } from 'vitest';
import type { JsonRecord } from '../../src/core/json.ts';
import { asServed } from '../../src/formats/columns.ts';
import type { Layout, Shown } from '../../src/formats/format.ts';
import { arrayText, jsonPrinter, linesPrinter, linesText } from '../../src/formats/json.ts';
import { textFile } from '../../src/formats/text-file.ts';
import { Kept } from './support.ts';

const named = ({ id }: JsonRecord) => ({ id: id ?? null });

async function printed(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

async function* each(records: readonly JsonRecord[]) {
  yield* records;
}

test('json prints an indented record or an array of rows, and jsonl prints one line per record', async () => {
  const shown = { shape: named } as unknown as Shown;
  const rows = [{ id: 1, more: '\u001b' }, { id: '\u009b' }];
  expect(await printed(jsonPrinter.record({ id: 1, more: 2 }, shown))).toBe('{\n  "id": 1\n}\n');
  expect(await printed(linesPrinter.record({ id: 1, more: 2 }, shown))).toBe('{"id":1}\n');
  expect(await printed(jsonPrinter.rows(each(rows), shown))).toBe('[\n{"id":1},\n{"id":"\\u009b"}\n]\n');
  expect(await printed(linesPrinter.rows(each(rows), shown))).toBe('{"id":1}\n{"id":"\\u009b"}\n');
  expect(await printed(jsonPrinter.rows(each([]), shown))).toBe('[]\n');
  expect(await printed(linesPrinter.rows(each([]), shown))).toBe('');
});

test('jsonPrinter does not close the array if a row cannot be read', async () => {
  const shown = { shape: asServed } as unknown as Shown;
  async function* broken() {
    yield { id: 1 };
    throw new Error('gone');
  }
  let text = '';
  const print = async () => {
    for await (const part of jsonPrinter.rows(broken(), shown)) text += part;
  };
  await expect(print()).rejects.toThrow('gone');
  expect(text).toBe('[\n{"id":1}');
});

test.each([
  ['JSON', arrayText, '[]\n', '[\n{"id":1},\n{"id":2}\n]\n'],
  ['JSONL', linesText, '', '{"id":1}\n{"id":2}\n'],
])('writes %s files with and without rows', async (_, form, empty, filled) => {
  const written = async (rows: readonly JsonRecord[], shape = named) => {
    const kept = new Kept();
    const file = textFile(kept, form({ shape } as unknown as Layout));
    for (const row of rows) await file.add(row);
    await file.finish();
    return kept.whole().toString();
  };
  expect(await written([])).toBe(empty);
  expect(await written([{ id: 1, more: 2 }, { id: 2 }])).toBe(filled);
  // `verbatim` is set only if the layout leaves records unchanged.
  expect(form({ shape: named } as unknown as Layout).verbatim).toBeUndefined();
  expect(form({ shape: asServed } as unknown as Layout).verbatim).toBeDefined();
  // If each added field is computed from known fields, rows can be copied, so `verbatim` is set.
  const name = { key: 'name', from: ['id'], derive: named };
  expect(form({ shape: named, added: [name] } as unknown as Layout).verbatim).toBeDefined();
  expect(form({ shape: named, added: [name, { key: 'a' }] } as unknown as Layout).verbatim).toBeUndefined();
});
