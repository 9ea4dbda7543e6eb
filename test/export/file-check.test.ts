import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ReadableFile } from '../../src/export/compared-file.ts';
import { checkedFile, checkFile } from '../../src/export/file-check.ts';
import type { Manifest } from '../../src/export/manifest.ts';
import { temporary } from '../e2e/harness.ts';
import { CSV, manifestFor, sha256 } from './manifest-for.ts';

const directory = temporary();
const { signal } = new AbortController();
let files = 0;

function put(name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function check(now: string, then: Manifest) {
  files += 1;
  return checkFile(put(`${files}.csv`, now), then, signal);
}

describe('the file check', () => {
  test('accepts an unchanged file', async () => {
    expect(await check(CSV, manifestFor(CSV))).toEqual({ differences: [], bytes: 20, rows: 2 });
  });

  test('reports changed bytes in a file of the same size', async () => {
    expect((await check(CSV.replace('a', 'c'), manifestFor(CSV))).differences).toEqual([
      'it has the same size as the export, but different bytes',
    ]);
    expect((await check(`${CSV}c,3\n`, manifestFor(CSV))).differences).toEqual([
      'it has 24 bytes, but 20 were exported',
      'it has 3 rows, but the manifest lists 2',
    ]);
  });

  test('reports a row count that differs from the manifest', async () => {
    expect((await check(CSV, manifestFor(CSV, { rows: 3 }))).differences).toEqual([
      'it has 2 rows, but the manifest lists 3',
    ]);
  });

  test('expects one row per group in an export of sums', async () => {
    expect((await check(CSV, manifestFor(CSV, { rows: 900, groups: 2 }))).differences).toEqual([]);
  });

  test('checks the hash of XLSX and Parquet files, but does not count their rows', async () => {
    const then = manifestFor('PAR1', { request: { form: { format: 'parquet' } } });
    const { differences, rows, uncounted } = await check('PAR1', then);
    expect({ differences, rows }).toEqual({ differences: [], rows: undefined });
    expect(uncounted).toContain('the hash covers them');
  });

  test.each([
    ['csv', `${CSV}c,"cut`, 'it is not a complete CSV file'],
    ['json', '[{"id":"a"},', 'it is not a complete JSON file'],
  ])('does not count the rows of a truncated %s file', async (format, text, uncounted) => {
    const then = manifestFor(CSV, { request: { form: { format } } });
    const result = await check(text, then);
    expect(result.rows).toBeUndefined();
    expect(result.uncounted).toBe(uncounted);
    expect(result.differences).toEqual([`it has ${text.length} bytes, but 20 were exported`]);
  });

  test('rejects a missing file and a folder', async () => {
    await expect(checkFile(join(directory, 'none.csv'), manifestFor(CSV), signal)).rejects.toMatchObject({
      code: 'NO_FILE',
      kind: 'usage',
    });
    await expect(checkFile(directory, manifestFor(CSV), signal)).rejects.toMatchObject({
      code: 'CANNOT_READ',
    });
  });
});

describe('the check of a data set', () => {
  const part = (path: string, text: string) => ({ path, rows: 1, bytes: text.length, sha256: sha256(text) });
  const then = (): Manifest => {
    const { file: _, ...rest } = manifestFor('');
    return {
      ...rest,
      files: [part('year=2024/part-0.parquet', 'one'), part('year=2025/part-0.parquet', 'two')],
    };
  };
  const fill = (name: string) => {
    put(`${name}/year=2024/part-0.parquet`, 'one');
    put(`${name}/_cryptodata.json`, '{}');
    return put(`${name}/year=2025/part-0.parquet`, 'two');
  };

  test('accepts a data set that contains exactly the exported files', async () => {
    fill('same');
    expect(await checkFile(join(directory, 'same'), then(), signal)).toMatchObject({
      differences: [],
      bytes: 6,
    });
  });

  test('reports each missing, changed and extra file', async () => {
    rmSync(fill('other'));
    put('other/year=2024/part-0.parquet', 'One');
    put('other/year=2024/part-1.parquet', 'more');
    expect((await checkFile(join(directory, 'other'), then(), signal)).differences).toEqual([
      'year=2024/part-0.parquet differs from the export',
      'year=2025/part-0.parquet is missing',
      'year=2024/part-1.parquet is not part of the export',
    ]);
  });

  test('reports a data set whose number of rows differs from the manifest', async () => {
    fill('rows');
    expect((await checkFile(join(directory, 'rows'), { ...then(), rows: 3 }, signal)).differences).toEqual([
      'its files have 2 rows, but the manifest lists 3',
    ]);
  });

  test('never reads files outside the data set folder', async () => {
    fill('caged');
    put('outside/part-0.parquet', 'one');
    const outside = { ...then(), files: [part('../outside/part-0.parquet', 'one')] };
    expect((await checkFile(join(directory, 'caged'), outside, signal)).differences).toContain(
      '../outside/part-0.parquet is missing',
    );
  });
});

describe('a file that is checked while it is read', () => {
  const open = (path: string, end = signal) => checkedFile(path, 'csv', manifestFor(CSV), end);

  test('the second read of a file that was deleted in between fails, and returns no empty file', async () => {
    const path = join(directory, 'deleted.csv');
    writeFileSync(path, CSV);
    const file = open(path);
    for await (const _ of file.chunks());
    rmSync(path);
    await expect(file.chunks()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'NO_FILE' });
  });
  const read = async (file: ReadableFile) => {
    const chunks: Buffer[] = [];
    for await (const chunk of file.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  test('a checked read of an unchanged file returns its bytes', async () => {
    expect(await read(open(put('read.csv', CSV)))).toBe(CSV);
  });

  test('a checked read returns every byte of a large file, in chunks of at most 64 KiB', async () => {
    const rows = 60_000;
    const long = `id,note\n${Array.from({ length: rows }, (_, at) => `${at},1\n`).join('')}`;
    const file = checkedFile(put('long.csv', long), 'csv', manifestFor(long, { rows }), signal);
    const chunks: Buffer[] = [];
    for await (const chunk of file.chunks()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString() === long).toBe(true);
    expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(64 * 1024);
  });

  test('a checked read fails if the file changed after the previous read, and the error contains the differences from the manifest', async () => {
    const path = put('edited.csv', CSV);
    const file = open(path);
    await read(file);
    writeFileSync(path, `${CSV}c,3\n`);
    await expect(read(file)).rejects.toMatchObject({
      kind: 'unverified',
      code: 'FILE_CHANGED',
      message: `${path} does not match its manifest: it has 24 bytes, but 20 were exported; it has 3 rows, but the manifest lists 2`,
    });
    writeFileSync(path, CSV);
    expect(await read(file)).toBe(CSV);
  });

  test('a checked read fails if the file is unreadable or the command is stopped', async () => {
    await expect(read(open(join(directory, 'none.csv')))).rejects.toMatchObject({ code: 'NO_FILE' });
    await expect(read(open(directory))).rejects.toMatchObject({ code: 'CANNOT_READ' });
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(read(open(put('stopped.csv', CSV), stopped))).rejects.toThrow('stopped');
  });
});
