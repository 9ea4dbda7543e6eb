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
import { type Entry, entryLine, parseEntry, quickId } from '../../src/events/entry.ts';
import { IdSet } from '../../src/events/id-set.ts';
import { openStore, readStore, type StoreLine } from '../../src/events/index.ts';
import { linesOf } from '../../src/events/lines.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cryptodata-store-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function entry(id: string | null, body: string | Uint8Array = '{}'): Entry {
  return {
    received: '2025-01-01T00:00:00.000Z',
    id,
    event: 'integration.updated',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
    problems: [],
  };
}

async function read(file = path): Promise<StoreLine[]> {
  const lines: StoreLine[] = [];
  for await (const line of readStore(file)) lines.push(line);
  return lines;
}
const ids = (lines: readonly StoreLine[]) => lines.map(({ entry: one }) => one?.id);

const anyEntry: fc.Arbitrary<Entry> = fc.record({
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

describe('a line', () => {
  test('gives back the entry, byte for byte, and shows a terminal nothing hostile', () => {
    fc.assert(
      fc.property(anyEntry, (one) => {
        const line = entryLine(one).toString('utf8');
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(line).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(parseEntry(line)).toEqual(one);
      }),
    );
  });

  test('read quickly for its id alone gives what reading it whole gives, or says nothing', () => {
    const anyLine = fc
      .record({
        one: anyEntry,
        other: anyEntry,
        from: fc.nat(),
        to: fc.nat(),
        zeros: fc.boolean(),
        plain: fc.boolean(),
      })
      .map(({ one, other, from, to, zeros, plain }) => {
        const received = '2025-01-01T00:00:00.000Z';
        const [line, next] = [one, other].map((given) =>
          entryLine({ ...given, received, problems: [], ...(plain ? { id: 'whd_1' } : {}) }).subarray(0, -1),
        ) as [Buffer, Buffer];
        // What a power cut leaves: zeros, an end that is missing, another line right behind that.
        if (zeros) return Buffer.from(line).fill(0, from % line.length, to % line.length);
        return to % 3 === 0 ? line : Buffer.concat([line.subarray(0, from % line.length), next]);
      });
    let quick = 0;
    fc.assert(
      fc.property(anyLine, (line) => {
        const id = quickId(line);
        if (id === undefined) return;
        quick += 1;
        expect(id).toBe(parseEntry(line.toString('utf8'))?.id);
      }),
      { numRuns: 2000 },
    );
    expect(quick).toBeGreaterThan(100);
  });

  test('cut anywhere is no entry', () => {
    fc.assert(
      fc.property(anyEntry, fc.double({ min: 0, max: 1, noNaN: true }), (one, share) => {
        const line = entryLine(one).toString('utf8').slice(0, -1);
        expect(parseEntry(line.slice(0, Math.floor(share * (line.length - 1))))).toBeUndefined();
      }),
    );
  });
});

describe('the reader', () => {
  test('finds the lines of any bytes, however they are cut into chunks', async () => {
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
          for await (const { bytes, number } of linesOf(given, 4)) {
            found.push(bytes?.toString('latin1'));
            expect(number).toBe(found.length);
          }
          expect(found).toEqual(expected.map((line) => (line.length > 4 ? undefined : line)));
        },
      ),
    );
  });

  test('passes over what is no entry and tells its line, and finds every other one', async () => {
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
      { numRuns: 60 },
    );
  });

  test('says which file there is none of', async () => {
    await expect(read(join(folder, 'none.jsonl'))).rejects.toMatchObject({
      kind: 'usage',
      code: 'STORE_UNREADABLE',
    });
  });
});

describe('the store', () => {
  test('holds each id once, at once and over openings, and what has none each time', async () => {
    const store = await openStore(path);
    const outcomes = await Promise.all(
      [entry('a'), entry('b'), entry('a', '{"later":1}'), entry(null), entry(null)].map((one) =>
        store.keep(one),
      ),
    );
    expect(outcomes).toEqual(['stored', 'stored', 'otherBody', 'stored', 'stored']);
    await store.close();
    const again = await openStore(path);
    expect(again.found).toEqual({ entries: 4, cut: [] });
    expect(await again.keep(entry('b'))).toBe('repeat');
    expect(await again.keep({ ...entry('b'), received: 'later', problems: ['odd'] })).toBe('repeat');
    expect(await again.keep(entry('b', Buffer.from([0x7b, 0xff])))).toBe('otherBody');
    expect(await again.keep(entry('c'))).toBe('stored');
    expect(await again.keep(entry('c', '{"later":1}'))).toBe('otherBody');
    expect(await again.keep(entry('d'))).toBe('stored');
    await again.close();
    expect(ids(await read())).toEqual(['a', 'b', null, null, 'c', 'd']);
  });

  test('ends a line that was cut, tells it, and takes its delivery again', async () => {
    writeFileSync(path, Buffer.concat([entryLine(entry('a')), entryLine(entry('b')).subarray(0, 40)]));
    const store = await openStore(path);
    expect(store.found).toEqual({ entries: 1, cut: [2] });
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', undefined, 'b']);
  });

  test('a whole line that lacks its end alone is an entry', async () => {
    writeFileSync(path, entryLine(entry('a')).subarray(0, -1));
    const store = await openStore(path);
    expect(await store.keep(entry('a'))).toBe('repeat');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', 'b']);
  });

  test('is written to by one at a time, also under another name', async () => {
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

  test('follows its name when the file is moved away', async () => {
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
  ])('stores a known id again after the file was %s', async (_name, lose) => {
    const store = await openStore(path);
    for (const id of ['a', 'b', 'c']) await store.keep(entry(id));
    lose();
    expect(await store.keep(entry('a'))).toBe('stored');
    expect(await store.keep(entry('a'))).toBe('repeat');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', 'b']);
  });

  test('tells ids apart that differ in a lone surrogate', async () => {
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

  test('is for its owner alone', async () => {
    await (await openStore(path)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test.each(['/dev/null', join(tmpdir(), 'no-such-folder', 'x.jsonl'), tmpdir()])(
    'is not %s',
    async (name) => {
      await expect(openStore(name)).rejects.toMatchObject({ name: 'CryptodataError' });
    },
  );

  test('what was written by hand behind it stays', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    appendFileSync(path, entryLine(entry('x')));
    await store.keep(entry('b'));
    await store.close();
    expect(ids(await read())).toEqual(['a', 'x', 'b']);
    expect(readFileSync(path, 'utf8').endsWith('}\n')).toBe(true);
  });

  test('what was written by hand without its end takes no delivery along', async () => {
    const store = await openStore(path);
    await store.keep(entry('a'));
    appendFileSync(path, 'a note');
    expect(await store.keep(entry('b'))).toBe('stored');
    await store.close();
    expect(ids(await read())).toEqual(['a', undefined, 'b']);
  });

  test('has one lock also where it was begun by a link to it', async () => {
    const link = join(folder, 'link.jsonl');
    symlinkSync('events.jsonl', link);
    const store = await openStore(link);
    await expect(openStore(path)).rejects.toMatchObject({ code: 'STORE_IN_USE' });
    await store.close();
  });
});

test('ids are told apart, a hundred thousand of them', () => {
  const set = new IdSet();
  for (let at = 0; at < 100_000; at++) set.add(`whd_${at}`);
  expect(set.size).toBe(100_000);
  expect(set.add('whd_77')).toBe(false);
  expect([set.has('whd_99999'), set.has('whd_100000'), set.has('')]).toEqual([true, false, false]);
});
