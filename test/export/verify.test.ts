import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Manifest, readManifest } from '../../src/export/manifest.ts';
import { checkFile, heldAgainst, selectionOf } from '../../src/export/verify.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-verify-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const { signal } = new AbortController();
let files = 0;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function put(name: string, text: string): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function manifest(text: string, more: Partial<Manifest> = {}): Manifest {
  return {
    ...{
      manifest: 1,
      tool: 'cryptodata 0.1.0',
      what: 'ledgers',
      verified: true,
      statement: 'verified',
      rows: 2,
    },
    file: { name: 'a.csv', bytes: Buffer.byteLength(text), sha256: sha256(text) },
    request: { form: { format: 'csv' } },
    ...{ columns: ['id'], fieldsLeftOut: {}, t1: { total: 2 }, neighbours: 0 },
    ...more,
  };
}

async function check(now: string, then: Manifest) {
  files += 1;
  return checkFile(put(`${files}.csv`, now), then, signal);
}

const CSV = 'id,note\na,1\nb,"x\ny"\n';

describe('the check of a file', () => {
  test('accepts an unchanged file', async () => {
    expect(await check(CSV, manifest(CSV))).toEqual({ differences: [], bytes: 20, rows: 2 });
  });

  test('reports changed bytes, with the same or another length', async () => {
    expect((await check(CSV.replace('a', 'c'), manifest(CSV))).differences).toEqual([
      'its size is the same, but its bytes differ from the export',
    ]);
    expect((await check(`${CSV}c,3\n`, manifest(CSV))).differences).toEqual([
      'it has 24 bytes, but 20 were exported',
      'it has 3 rows, but the manifest says 2',
    ]);
  });

  test('reports a changed row count in the manifest', async () => {
    expect((await check(CSV, manifest(CSV, { rows: 3 }))).differences).toEqual([
      'it has 2 rows, but the manifest says 3',
    ]);
  });

  test('expects one row per group in a file of sums', async () => {
    expect((await check(CSV, manifest(CSV, { rows: 900, groups: 2 }))).differences).toEqual([]);
  });

  test('checks XLSX and Parquet files only by their hash', async () => {
    const then = manifest('PAR1', { request: { form: { format: 'parquet' } } });
    const { differences, rows, uncounted } = await check('PAR1', then);
    expect({ differences, rows }).toEqual({ differences: [], rows: undefined });
    expect(uncounted).toContain('the hash covers them');
  });

  test.each([
    ['csv', `${CSV}c,"cut`, 'it is not a complete CSV file'],
    ['json', '[{"id":"a"},', 'it is not a complete JSON file'],
  ])('does not count the rows of a truncated %s file', async (format, text, uncounted) => {
    const then = manifest(CSV, { request: { form: { format } } });
    const result = await check(text, then);
    expect(result.rows).toBeUndefined();
    expect(result.uncounted).toBe(uncounted);
    expect(result.differences).toEqual([`it has ${text.length} bytes, but 20 were exported`]);
  });

  test('rejects a missing file and a folder', async () => {
    await expect(checkFile(join(directory, 'none.csv'), manifest(CSV), signal)).rejects.toMatchObject({
      code: 'NO_FILE',
      kind: 'usage',
    });
    await expect(checkFile(directory, manifest(CSV), signal)).rejects.toMatchObject({ code: 'CANNOT_READ' });
  });
});

describe('the check of a data set', () => {
  const part = (path: string, text: string) => ({ path, rows: 1, bytes: text.length, sha256: sha256(text) });
  const then = (): Manifest => {
    const { file: _, ...rest } = manifest('');
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

  test('accepts exactly the exported files', async () => {
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

  test('reports files whose rows do not add up to the total', async () => {
    fill('rows');
    expect((await checkFile(join(directory, 'rows'), { ...then(), rows: 3 }, signal)).differences).toEqual([
      'its files have 2 rows, but the manifest says 3',
    ]);
  });

  test('never reads outside the data set folder', async () => {
    fill('caged');
    put('outside/part-0.parquet', 'one');
    const outside = { ...then(), files: [part('../outside/part-0.parquet', 'one')] };
    expect((await checkFile(join(directory, 'caged'), outside, signal)).differences).toContain(
      '../outside/part-0.parquet is missing',
    );
  });
});

describe('a manifest', () => {
  test.each([
    ['no JSON', '{'],
    ['something else', '{"manifest":1}'],
    ['of a later version', JSON.stringify({ ...manifest(CSV), manifest: 2 })],
    ['without a hash', JSON.stringify({ ...manifest(CSV), file: { name: 'a', bytes: 1, sha256: 'x' } })],
    ['with rows that are no number', JSON.stringify({ ...manifest(CSV), rows: '2' })],
  ])('rejects an invalid manifest: %s', async (_, text) => {
    files += 1;
    put(`${files}.csv`, '');
    put(`${files}.csv.manifest.json`, text);
    await expect(readManifest(join(directory, `${files}.csv`))).rejects.toMatchObject({
      kind: 'usage',
      code: 'BAD_MANIFEST',
    });
  });

  test('readManifest reports whether the manifest, the file or both are missing', async () => {
    put('alone.csv', '');
    put('orphan.csv.manifest.json', '{}');
    for (const [name, code] of [
      ['alone.csv', 'NO_MANIFEST'],
      ['orphan.csv', 'NO_FILE'],
      ['none.csv', 'NO_EXPORT'],
    ] as const) {
      await expect(readManifest(join(directory, name)), name).rejects.toMatchObject({ code });
    }
  });

  test('a manifest is contradictory if it is marked as verified but its total differs', () => {
    expect(heldAgainst(manifest(CSV))).toEqual({ total: 2 });
    expect(heldAgainst(manifest(CSV, { neighbours: 1, t1: { total: 3 } }))).toEqual({ total: 3 });
    expect(heldAgainst(manifest(CSV, { rows: 5 }))).toMatchObject({ contradiction: expect.any(String) });
    expect(heldAgainst(manifest(CSV, { t1: {} }))).toMatchObject({ contradiction: expect.any(String) });
    expect(heldAgainst(manifest(CSV, { rows: 5, verified: false }))).toEqual({ total: 2 });
    expect(heldAgainst(manifest(CSV, { what: 'transactions' }))).toBeUndefined();
  });
});

describe('the selection of a manifest', () => {
  test('the selection in a manifest equals the original request', () => {
    const filters = {
      types: ['fee'],
      hasMissingPrice: false,
      ltAfterBalance: '-1e-18',
      labels: 'a',
      from: 'x',
    };
    expect(selectionOf({ filters: { ...filters, startTime: 5 }, span: { from: 1, to: 2 } })).toEqual({
      filters: {
        ...{ types: ['fee'], hasMissingPrice: false, ltAfterBalance: '-1e-18' },
        extra: { labels: 'a', from: 'x' },
      },
      span: { from: 1, to: 2 },
      sent: { startTime: 5, endTime: undefined },
    });
  });

  test('the selection in a manifest includes filters that the CLI itself applies', () => {
    const tool = { walletIds: ['w1'], assets: { ids: ['a1'], symbols: ['LINK'] } };
    expect(selectionOf({ filteredInTool: tool })).toMatchObject({ tool });
    expect(selectionOf({ filteredInTool: { walletIds: ['w1'] } }).tool).toEqual({ walletIds: ['w1'] });
  });

  test.each([
    [{ filteredInTool: {} }],
    [{ filteredInTool: { walletIds: 'w1' } }],
    [{ filteredInTool: { assets: { ids: [1], symbols: [] } } }],
    [{ filters: { types: 'fee', x: { y: 1 } } }],
    [{ filters: { startTime: 'today' } }],
    [{ span: { from: 1.5 } }],
  ])('rejects an invalid selection in a manifest: %j', (request) => {
    expect(() => selectionOf(request)).toThrow(expect.objectContaining({ code: 'BAD_MANIFEST' }));
  });
});
