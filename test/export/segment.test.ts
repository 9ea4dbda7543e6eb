import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSegmentIds, SegmentWriter } from '../../src/export/segment.ts';
import type { Row } from '../../src/read/rows.ts';
import { rowWith } from '../rows.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cryptodata-segment-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const row = (id: string, time: number | undefined = 1, text = `${id}\n`, extraFields: string[] = []): Row =>
  rowWith({ id, time, text, extraFields });

/** Writes a segment page by page. Returns the result of `finish`, the number of rows and the text of the file. */
async function written(
  pages: readonly (readonly Row[])[],
  writer = new SegmentWriter(directory),
  name = '1',
) {
  await writer.begin(name);
  for (const page of pages) {
    for (const one of page) writer.add(one);
    await writer.settle();
  }
  const rows = writer.rows;
  const described = await writer.finish();
  const path = join(directory, `${name}.seg`);
  const text = described.file === null ? '' : readFileSync(path, 'utf8');
  return { ...described, rows, text };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a segment', () => {
  test('a segment contains each row once, sorted by time and then by id', async () => {
    const found = await written([[row('b', 1), row('a', 1), row('b', 1)], [row('é', 2)]]);
    expect(found).toEqual({
      ...{ file: '1.seg', rows: 3, written: 3, text: 'a\nb\né\n', bytes: 7, leftOut: {} },
      sha256: sha256('a\nb\né\n'),
    });
    expect(readdirSync(directory).sort()).toEqual(['1.ids', '1.seg']);
    expect([...(await readSegmentIds(join(directory, '1.seg')))].sort()).toEqual(['a', 'b', 'é']);
    for (const name of ['1.ids', '1.seg']) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  });

  test('a segment without rows has no file', async () => {
    expect(await written([[]])).toEqual({
      ...{ file: null, rows: 0, written: 0, text: '', bytes: 0, sha256: null, leftOut: {} },
    });
    expect(readdirSync(directory)).toEqual([]);
  });

  test('sorts rows of the same millisecond by id across pages', async () => {
    const pages = [
      [row('d', 1), row('c', 2)],
      [row('b', 2), row('a', 3)],
      [row('0', 3), row('z', 4)],
    ];
    expect((await written(pages)).text).toBe('d\nb\nc\n0\na\nz\n');
  });

  test('calls `keep` for the rows that must wait until the next page has been read', async () => {
    const kept: string[] = [];
    const watched = (id: string, time: number): Row => ({ ...row(id, time), keep: () => kept.push(id) });
    const writer = new SegmentWriter(directory);
    await writer.begin('1');
    for (const one of [watched('a', 1), watched('b', 2), watched('c', 2)]) writer.add(one);
    await writer.settle();
    expect(kept).toEqual(['b', 'c']);
  });

  test('sorts a segment by time if the pages arrive out of order', async () => {
    const times = Array.from({ length: 2500 }, (_, at) => (at * 7919) % 2500);
    const pages = times.map((time) => [row(`é${time}`.padStart(6), time)]);
    const text = times.map((_, time) => `${`é${time}`.padStart(6)}\n`).join('');
    expect(await written(pages)).toMatchObject({
      text,
      bytes: Buffer.byteLength(text),
      sha256: sha256(text),
      written: 2500,
    });
    expect((await written([[row('b', 1)], [row('c', 2)], [row('a', 1)]])).text).toBe('a\nb\nc\n');
    expect((await written([[row('b', 1), row('x', 2)], [row('a', 1)]])).text).toBe('a\nb\nx\n');
    expect((await written([[row('a', 5)], [row('b', 5), row('c', 6)], [row('d', 6)]])).text).toBe(
      'a\nb\nc\nd\n',
    );
  });

  test('sorts 12,000 rows of the same millisecond by id', async () => {
    const ids = Array.from({ length: 12_000 }, (_, at) => String((at * 7919) % 12_000).padStart(5, '0'));
    const pages = Array.from({ length: 60 }, (_, at) =>
      ids.slice(at * 200, at * 200 + 200).map((id) => row(id)),
    );
    expect((await written(pages)).text).toBe(
      [...ids]
        .sort()
        .map((id) => `${id}\n`)
        .join(''),
    );
    expect(await readSegmentIds(join(directory, '1.seg'))).toEqual(ids);
  });

  test('a segment counts rows that have no text, and fields that have no column', async () => {
    const pages = [[row('a', 1, '', ['x']), row('b', 1, 'b\n', ['x', 'y']), row('b', 1, 'b\n', ['x'])]];
    expect(await written(pages)).toMatchObject({ rows: 2, written: 1, text: 'b\n', leftOut: { x: 2, y: 1 } });
    const none = await written([[row('a', 1, '')]]);
    expect(none).toMatchObject({
      file: '1.seg',
      rows: 1,
      written: 0,
      bytes: 0,
      text: '',
      sha256: sha256(''),
    });
  });

  test('puts rows without a time first', async () => {
    const odd = { ...row('z'), time: undefined };
    expect((await written([[row('a', 0), odd]])).text).toBe('z\na\n');
  });

  test('a segment is written to disk while pages are added', async () => {
    const pages = Array.from({ length: 40 }, (_, at) => [row(`r${at}`.padStart(10_000), at)]);
    const writer = new SegmentWriter(directory);
    await writer.begin('1');
    const sizes = new Set<number>();
    for (const page of pages) {
      for (const one of page) writer.add(one);
      await writer.settle();
      if (readdirSync(directory).includes('1.tmp')) sizes.add(statSync(join(directory, '1.tmp')).size);
    }
    // The rows are written in a few batches, not page by page.
    expect(sizes.size).toBe(2);
    expect((await writer.finish()).bytes).toBe(40 * 10_001);
  });

  test('a writer does not mix the data of consecutive segments', async () => {
    const writer = new SegmentWriter(directory);
    const first = await written([[row('a', 9, 'a\n', ['x'])], [row('b', 1)]], writer, '1');
    const again = await written([[row('a', 2)], [row('c', 3)]], writer, '2');
    expect(first).toMatchObject({ file: '1.seg', text: 'b\na\n' });
    expect(again).toEqual({
      ...{
        file: '2.seg',
        rows: 2,
        written: 2,
        text: 'a\nc\n',
        bytes: 4,
        leftOut: {},
        sha256: sha256('a\nc\n'),
      },
    });
    writer.add(row('lost'));
    await writer.settle();
    await writer.clear();
    expect([writer.rows, [...writer.ids]]).toEqual([0, []]);
    expect(readdirSync(directory).sort()).toEqual(['1.ids', '1.seg', '2.ids', '2.seg']);
  });

  test('a partial segment is removed when the writer is cleared', async () => {
    const writer = new SegmentWriter(directory);
    await writer.begin('1');
    writer.add(row('x', 1, 'x'.repeat(200_000)));
    writer.add(row('y', 2));
    await writer.settle();
    expect(readdirSync(directory)).toEqual(['1.tmp']);
    await writer.clear();
    expect(readdirSync(directory)).toEqual([]);
    writer.add(row('z'));
    expect(await writer.finish()).toMatchObject({ bytes: 2, written: 1, sha256: sha256('z\n') });
  });
});

test('readSegmentIds rejects an id file that is not a list, and ignores ids that are not strings', async () => {
  writeFileSync(join(directory, '1.ids'), '{"a":1}');
  await expect(readSegmentIds(join(directory, '1.seg'))).rejects.toThrow('not a list of ids');
  writeFileSync(join(directory, '1.ids'), '["a",1]');
  expect(await readSegmentIds(join(directory, '1.seg'))).toEqual(['a']);
});
