import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesIn, run, temporary } from '../e2e/harness.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

const ROWS = [{ id: 'a', timestamp: 1000 }];
const service = await stub((_request, response, { searchParams }) => {
  const data = Number(searchParams.get('offset') ?? 0) === 0 ? ROWS : [];
  sendJson(response, 200, JSON.stringify({ data, meta: { total: 1, limit: 200, offset: 0 } }));
});
const errorOf = async (...args: string[]) => (await endHere(args, service.env)).error;
const exists = (path: string) => ({
  ...{ kind: 'usage', code: 'FILE_EXISTS', message: `${path} already exists` },
  hint: 'Use another --out, or use --overwrite to replace the export and its manifest.',
});

describe.each(['ledgers', 'txns'])('%s export', (noun) => {
  test('an export refuses to replace an existing file or manifest, and sends no request', async () => {
    const out = join(temporary(), 'filed.csv');
    expect(await errorOf(noun, 'export', '--out', out)).toBeUndefined();
    const filed = [out, `${out}.manifest.json`].map((path) => readFileSync(path, 'utf8'));
    const asked = service.requests.length;
    expect(await errorOf(noun, 'export', '--out', out)).toMatchObject(exists(out));
    const other = join(temporary(), 'other.csv');
    writeFileSync(`${other}.manifest.json`, 'filed');
    expect(await errorOf(noun, 'export', '--out', other)).toMatchObject(exists(`${other}.manifest.json`));
    expect(service.requests.length).toBe(asked);
    expect([out, `${out}.manifest.json`].map((path) => readFileSync(path, 'utf8'))).toEqual(filed);
    expect(existsSync(other)).toBe(false);
  });

  test('with --overwrite, an export replaces the file and its manifest', async () => {
    const out = join(temporary(), 'filed.csv');
    for (const path of [out, `${out}.manifest.json`]) writeFileSync(path, 'filed');
    expect(await errorOf(noun, 'export', '--out', out, '--overwrite')).toBeUndefined();
    expect(readFileSync(out, 'utf8')).toContain('id');
    expect(JSON.parse(readFileSync(`${out}.manifest.json`, 'utf8'))).toMatchObject({ rows: 1 });
    expect(filesIn(join(out, '..'))).toEqual(['filed.csv', 'filed.csv.manifest.json']);
  });

  test('rejects a manifest path that is a folder, before any request', async () => {
    const out = join(temporary(), 'x.csv');
    mkdirSync(`${out}.manifest.json`);
    const asked = service.requests.length;
    for (const more of [[], ['--overwrite']]) {
      expect(await errorOf(noun, 'export', '--out', out, ...more)).toMatchObject({
        ...{
          kind: 'output',
          code: 'EISDIR',
          hint: 'The manifest of the export must have this name. Use another --out.',
        },
        message: `Cannot write to ${out}.manifest.json: it is a directory`,
      });
    }
    expect(service.requests.length).toBe(asked);
  });

  test('rejects a file name that contradicts --format, and accepts any other name', async () => {
    const directory = temporary();
    const asked = service.requests.length;
    expect(
      await errorOf(noun, 'export', '--out', join(directory, 'a.XLSX'), '--format', 'csv'),
    ).toMatchObject({
      ...{
        kind: 'usage',
        code: 'FORMAT_MISMATCH',
        hint: 'Change the file name to a.csv, or use --format xlsx.',
      },
    });
    expect(service.requests.length).toBe(asked);
    for (const name of ['a.txt', 'plain', 'a.csv']) {
      expect(
        await errorOf(noun, 'export', '--out', join(directory, name), '--format', 'csv'),
      ).toBeUndefined();
    }
  });

  test('an export can write to the same device more than once', async () => {
    for (let times = 0; times < 2; times++) {
      expect(await errorOf(noun, 'export', '--out', '/dev/null', '--format', 'csv')).toBeUndefined();
    }
  });
});

test('"ledgers export" replaces a data set only with --overwrite', async () => {
  const out = join(temporary(), 'ledgers');
  const line = ['ledgers', 'export', '--out', out, '--partition-by', 'year'];
  expect(await errorOf(...line)).toBeUndefined();
  const asked = service.requests.length;
  expect(await errorOf(...line)).toMatchObject({ kind: 'usage', code: 'FILE_EXISTS' });
  expect(service.requests.length).toBe(asked);
  expect(await errorOf(...line, '--overwrite')).toBeUndefined();
});

test('"sandbox data export" does not replace files by default', async () => {
  const directory = temporary();
  const books = join(directory, 'books');
  mkdirSync(books);
  writeFileSync(join(books, 'labels.json'), '[]');
  expect(await errorOf('sandbox', 'data', 'export', books, '--rows', '1')).toMatchObject({
    message: `${join(books, 'labels.json')} already exists`,
    hint: 'Use another directory, or add --overwrite to replace the data files.',
  });
});

test('an export of several profiles writes nothing if one of the files exists', async () => {
  const directory = temporary();
  const config = join(directory, 'config');
  mkdirSync(config);
  const profile = (name: string) => `[profiles.${name}]\nbase_url = "${service.url}"\n`;
  writeFileSync(join(config, 'config.toml'), profile('acme') + profile('birch'));
  writeFileSync(join(directory, 'x-birch.csv'), 'filed');
  const line = ['ledgers', 'export', '-p', 'acme,birch', '--out', 'x-{profile}.csv', '--json'];
  const asked = service.requests.length;
  const env = { CRYPTODATA_CONFIG_DIR: config };
  const { code, stderr } = await run(line, { env, cwd: directory });
  expect(code).toBe(2);
  expect(stderr).toContain('x-birch.csv already exists');
  expect(filesIn(directory)).toEqual(['config/config.toml', 'x-birch.csv']);
  expect(service.requests.length).toBe(asked);
});
