import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { spoolRows } from '../../src/export/spool.ts';

let folder = '';
const before = process.env['TMPDIR'];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-test-'));
  process.env['TMPDIR'] = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  rmSync(folder, { recursive: true });
});

async function* each(records: readonly JsonRecord[]): AsyncGenerator<JsonRecord> {
  yield* records;
}

test('returns records unchanged, including line breaks and long numbers', async () => {
  const text =
    '[{"a":"line\\u2028break\\u2029\\r\\n\\u0085\\u001b"},{"n":123456789012345678901234567890,"b":{"c":null}},{}]';
  const records = parseJson(text) as JsonRecord[];
  const spooled = await spoolRows(each(records));
  const back: JsonRecord[] = [];
  for await (const record of spooled.records()) back.push(record);
  expect(stringifyJson(back)).toBe(stringifyJson(records));
  expect(spooled.fields.csv.map(({ key }) => key)).toEqual(['a', 'n', 'b.c']);
  expect(readdirSync(folder)).toHaveLength(1);
  await spooled.remove();
  expect(readdirSync(folder)).toEqual([]);
});

test('leaves no file behind if reading fails', async () => {
  async function* broken(): AsyncGenerator<JsonRecord> {
    yield { a: 1 };
    throw new Error('torn');
  }
  await expect(spoolRows(broken())).rejects.toThrow('torn');
  expect(readdirSync(folder)).toEqual([]);
});
