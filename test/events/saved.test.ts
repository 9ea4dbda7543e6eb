import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DeliveryEntry, entryLine } from '../../src/events/entry.ts';
import { isInvalid, readSaved, type SavedItem } from '../../src/events/saved.ts';
import { runs } from '../runs.ts';

const ENVELOPE = {
  id: 'whd_1',
  event: 'costbasis.started',
  timestamp: '2025-07-01T12:00:00Z',
  grant_id: 'cgrant_1',
  workspace_id: 'ws_1',
  data: {},
};
const TEXT = JSON.stringify(ENVELOPE);

function entry(body: Uint8Array): DeliveryEntry {
  const headers = { 'content-type': 'application/json' };
  return { received: '2025-07-01T12:00:01.000Z', id: 'whd_1', event: null, headers, body, problems: [] };
}

/** Yields `bytes` in chunks of `size` bytes. */
async function* parts(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(given: string | Uint8Array, size = 1024): Promise<SavedItem[]> {
  const items: SavedItem[] = [];
  for await (const item of readSaved(parts(Buffer.from(given), size), 'FILE')) items.push(item);
  return items;
}

const bodies = (items: readonly SavedItem[]) =>
  items.map((item) => (isInvalid(item) ? item.problem : Buffer.from(item.body).toString('utf8')));

describe('readSaved', () => {
  test('returns the stored bytes, regardless of the chunk size', async () => {
    const body = fc.uint8Array({ maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(body, { maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        async (all, size) => {
          const items = await read(Buffer.concat(all.map((one) => entryLine(entry(one)))), size);
          expect(items.map((item) => !isInvalid(item) && Buffer.from(item.body))).toEqual(
            all.map(Buffer.from),
          );
          expect(items.map(({ line }) => line)).toEqual(all.map((_, at) => at + 1));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test.each([
    ['one envelope on one line', TEXT],
    ['one envelope on several lines', JSON.stringify(ENVELOPE, null, 2)],
    ['an array on one line', `[${TEXT}]`],
    ['an array with one item per line', `[\n${TEXT}\n]\n`],
    ['a file with a byte-order mark', `\ufeff${TEXT}\r\n`],
    ['a file with blank lines', `\n  \n${TEXT}\n\n`],
  ])('reads %s', async (_, text) => {
    const [item, ...others] = await read(text, 7);
    expect(others).toEqual([]);
    expect(item && !isInvalid(item) && JSON.parse(Buffer.from(item.body).toString())).toEqual(ENVELOPE);
  });

  test('returns the bytes of each line unchanged, and keeps every digit of array items', async () => {
    const odd = TEXT.replace('"data":{}', '"data": {"totalTransactions": 12345678901234567890.10}');
    expect(bodies(await read(`${odd}\n${TEXT}\n`))).toEqual([odd, TEXT]);
    const [item] = await read(`[${odd}]`);
    expect(item).toMatchObject({ line: 1 });
    expect(bodies(await read(`[${odd}]`))[0]).toContain('12345678901234567890.10');
  });

  test('reports the line number of each invalid line, and reads all valid lines', async () => {
    const lines = [
      '{"received":"2025',
      TEXT,
      '{"level":"info"}',
      '3',
      '',
      entryLine(entry(Buffer.from('x'))),
    ];
    const items = await read(`${lines.join('\n')}{"received":"2025-0`);
    expect(items.map((item) => [item.line, isInvalid(item)])).toEqual([
      [1, true],
      [2, false],
      [3, true],
      [4, true],
      [6, false],
      [7, true],
    ]);
    expect(bodies(items).at(-1)).toContain('incomplete');
  });

  test('reports an invalid item of an array and reads the valid items', async () => {
    expect(bodies(await read(`[1, ${TEXT}]`))).toEqual(['not a delivery: not a JSON object', TEXT]);
  });

  test.each(['', '\n\n', '[]'])('reads %j as an empty list', async (text) => {
    expect(await read(text)).toEqual([]);
  });

  test.each([
    '{"id":"led_1","timestamp":1751371200000}\n{"id":"led_2","timestamp":1751371200000}\n',
    '[{"id":"led_1","timestamp":1751371200000}]',
    '{"success":true,"data":[]}',
    'a,b\n1,2\n',
    '"whd_1"',
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0x0a, 0x00]),
  ])('rejects %j', async (given) => {
    await expect(read(given)).rejects.toMatchObject({ code: 'NO_DELIVERIES', kind: 'usage' });
  });
});
