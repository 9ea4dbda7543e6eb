import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { type DeliveryEntry, entryLine, linesInFile, parseEntry } from '../../src/events/entry.ts';
import { openStore } from '../../src/events/store.ts';
import { runs } from '../runs.ts';
import { readStore } from './samples.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cryptodata-store-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function entry(id: string | null, body: string | Uint8Array = '{}'): DeliveryEntry {
  return {
    received: '2025-01-01T00:00:00.000Z',
    id,
    event: 'integration.updated',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
    problems: [],
  };
}

const read = (file = path) => readStore(file);
const ids = (lines: Awaited<ReturnType<typeof readStore>>) => lines.map(({ entry: one }) => one?.id);

const anyEntry: fc.Arbitrary<DeliveryEntry> = fc.record({
  received: fc.string({ unit: 'binary' }),
  id: fc.option(fc.string({ unit: 'binary' })),
  event: fc.option(fc.string()),
  headers: fc.dictionary(
    fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
    fc.string({ unit: 'binary' }),
  ),
  body: fc
    .oneof(
      fc.uint8Array(),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    )
    .map((body) => Buffer.from(body)),
  problems: fc.array(fc.string({ unit: 'binary' })),
});

describe('a line of the event store', () => {
  test('a line of the event store contains no control characters, and the parsed line equals the stored delivery', () => {
    fc.assert(
      fc.property(anyEntry, (one) => {
        const line = entryLine(one).toString('utf8');
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(line).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(parseEntry(line)).toEqual(one);
      }),
    );
  });

  test('an incomplete line of the event store is treated as invalid', () => {
    fc.assert(
      fc.property(anyEntry, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const line = entryLine(one).toString('utf8').slice(0, -1);
        expect(parseEntry(line.slice(0, Math.floor(share * (line.length - 1))))).toBeUndefined();
      }),
    );
  });
});

describe('the event store file', () => {
  test('the file of the event store is split into the same lines, regardless of chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.constantFrom(10, 65, 66, 0, 255)).map((codes) => Buffer.from(codes))),
        async (chunks) => {
          const whole = Buffer.concat(chunks).toString('latin1');
          const expected = whole.split('\n');
          if (expected.at(-1) === '') expected.pop();
          const found: (string | undefined)[] = [];
          const given = (async function* () {
            yield* chunks;
          })();
          for await (const { bytes, number } of linesInFile(given, 0, 4)) {
            found.push(bytes?.toString('latin1'));
            expect(number).toBe(found.length);
          }
          expect(found).toEqual(expected.map((line) => (line.length > 4 ? undefined : line)));
        },
      ),
    );
  });

  test('returns the entry of each valid line, and only the line number of each invalid line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            anyEntry,
            fc.uint8Array({ minLength: 1 }).filter((junk) => !junk.includes(10)),
          ),
        ),
        fc.boolean(),
        async (parts, open) => {
          const lines = parts.map((part) =>
            'body' in part ? entryLine(part) : Buffer.concat([part, Buffer.from('\n')]),
          );
          const whole = Buffer.concat(lines);
          writeFileSync(path, open && whole.length > 0 ? whole.subarray(0, -1) : whole);
          expect(await read()).toEqual(
            parts.map((part, at) => ({ line: at + 1, entry: 'body' in part ? part : undefined })),
          );
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

describe('the event store', () => {
  test('stores one delivery per id across restarts, and every delivery without an id', async () => {
    const store = await openStore(path);
    const outcomes = await Promise.all(
      [entry('a'), entry('b'), entry('a', '{"later":1}'), entry(null), entry(null)].map((one) =>
        store.keep(one),
      ),
    );
    expect(outcomes).toEqual(['stored', 'stored', 'differentBody', 'stored', 'stored']);
    await store.close();
    const again = await openStore(path);
    expect(again.found).toEqual({ entries: 4, invalid: [] });
    expect(await again.keep(entry('b'))).toBe('repeat');
    expect(await again.keep({ ...entry('b'), received: 'later', problems: ['odd'] })).toBe('repeat');
    expect(await again.keep(entry('b', Buffer.from([0x7b, 0xff])))).toBe('differentBody');
    expect(await again.keep(entry('c'))).toBe('stored');
    expect(await again.keep(entry('c', '{"later":1}'))).toBe('differentBody');
    expect(await again.keep(entry('d'))).toBe('stored');
    await again.close();
    expect(ids(await read())).toEqual(['a', 'b', null, null, 'c', 'd']);
  });

  test('reports an incomplete last line, and can store the incomplete delivery again', async () => {
    writeFileSync(path, Buffer.concat([entryLine(entry('a')), entryLine(entry('b')).subarray(0, 40)]));
    const store = await openStore(path);
    expect(store.found).toEqual({ entries: 1, invalid: [2] });
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', undefined, 'b']);
  });

  test('reads a complete last line that has no line feed', async () => {
    writeFileSync(path, entryLine(entry('a')).subarray(0, -1));
    const store = await openStore(path);
    expect(await store.keep(entry('a'))).toBe('repeat');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', 'b']);
  });

  test('allows one writer at a time, also through a link to the file', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    const other = join(folder, 'link.jsonl');
    symlinkSync(path, other);
    for (const name of [path, other]) {
      await expect(openStore(name)).rejects.toMatchObject({
        kind: 'usage',
        code: 'STORE_IN_USE',
        message: expect.stringContaining(`process ${process.pid}`),
      });
    }
    await store.close();
    await (await openStore(other)).close();
  });

  test('continues in a new file after the store file is moved', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    renameSync(path, `${path}.1`);
    await store.keep(entry('b'));
    expect(await store.keep(entry('a'))).toBe('repeat');
    await store.close();
    expect([ids(await read(`${path}.1`)), ids(await read())]).toEqual([['a'], ['b']]);
  });

  test.each([
    ['deleted', () => rmSync(path)],
    ['emptied', () => truncateSync(path)],
  ])('stores a delivery with a known id again if the file was %s', async (_name, lose) => {
    const store = await openStore(path);
    for (const id of ['a', 'b', 'c']) await store.keep(entry(id));
    lose();
    expect(await store.keep(entry('a'))).toBe('stored');
    expect(await store.keep(entry('a'))).toBe('repeat');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', 'b']);
  });

  test('distinguishes ids that differ only in a lone surrogate', async () => {
    const lone = ['whd_\ud800', 'whd_\ud801', 'whd_\udfff', 'whd_\ufffd', 'whd_\ud83d\ude00'];
    const store = await openStore(path);
    for (const id of lone) expect(await store.keep(entry(id))).toBe('stored');
    for (const id of lone) expect(await store.keep(entry(id))).toBe('repeat');
    await store.close();
    const again = await openStore(path);
    for (const id of lone) expect(await again.keep(entry(id))).toBe('repeat');
    await again.close();
    expect(ids(await read())).toEqual(lone);
  });

  test('creates a file that only its owner can read and write', async () => {
    await (await openStore(path)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each([
    ['a device', '/dev/null'],
    ['a file in a missing folder', join(tmpdir(), 'no-such-folder', 'x.jsonl')],
    ['a folder', tmpdir()],
  ])('cannot open a store at the path of %s', async (_, name) => {
    await expect(openStore(name)).rejects.toBeInstanceOf(CryptodataError);
  });

  test('does not overwrite lines that another process appended', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    appendFileSync(path, entryLine(entry('x')));
    await store.keep(entry('b'));
    await store.close();
    expect(ids(await read())).toEqual(['a', 'x', 'b']);
    expect(readFileSync(path, 'utf8').endsWith('}\n')).toBe(true);
  });

  test('writes a delivery on a new line after an incomplete line from another process', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    appendFileSync(path, 'a note');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', undefined, 'b']);
  });

  test('opening a store through a link also locks the target of the link', async () => {
    const link = join(folder, 'link.jsonl');
    symlinkSync('events.jsonl', link);
    const store = await openStore(link);
    await expect(openStore(path)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await store.close();
  });
});
