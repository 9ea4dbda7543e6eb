import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Claim } from '../../src/core/claim.ts';
import { VERSION } from '../../src/core/version.ts';
import type { Exported } from '../../src/export/engine.ts';
import {
  exportEvidence,
  findUnverified,
  leftOutOf,
  manifestOf,
  readManifest,
} from '../../src/export/manifest.ts';
import type { Segment } from '../../src/export/resume-log.ts';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'cryptodata-manifest-')), 'a.csv');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

const CONTENT = {
  ...{ what: 'ledgers', verified: true, statement: 'verified', rows: 5, request: {}, columns: null },
  ...{ fieldsLeftOut: {}, file: { name: 'a.csv', bytes: 9, sha256: 'f'.repeat(64) } },
};

const segmentOf = (more: Partial<Segment>): Segment => ({
  ...{ span: undefined, rows: 1, total: 1, beyond: [], reads: 1, written: 1 },
  ...{ file: null, bytes: 0, sha256: null, leftOut: {} },
  ...more,
});

describe('a manifest', () => {
  test('readManifest returns the manifest next to the file', async () => {
    writeFileSync(path, '');
    const manifest = { manifest: 1, tool: `cryptodata ${VERSION}`, ...CONTENT };
    writeFileSync(manifestOf(path), JSON.stringify(manifest));
    expect(await readManifest(path)).toEqual(manifest);
  });

  test('readManifest returns the manifest next to the target of a link, and never the manifest next to the link', async () => {
    writeFileSync(path, '');
    const other = join(path, '..', 'link.csv');
    symlinkSync('a.csv', other);
    writeFileSync(manifestOf(other), JSON.stringify({ manifest: 1, tool: '', ...CONTENT, rows: 1 }));
    await expect(readManifest(other)).rejects.toMatchObject({ code: 'NO_MANIFEST' });
    writeFileSync(manifestOf(path), JSON.stringify({ manifest: 1, tool: '', ...CONTENT, rows: 2 }));
    expect(await readManifest(other)).toMatchObject({ rows: 2 });
    expect(await readManifest(path)).toMatchObject({ rows: 2 });
  });

  test('readManifest fails if the file, the manifest, or both are missing', async () => {
    const together = 'Keep the file and its manifest in one folder, under their original names.';
    await expect(readManifest(path)).rejects.toMatchObject({
      ...{ code: 'NO_EXPORT', message: `Neither ${path} nor its manifest exists`, hint: 'Check the path.' },
    });
    writeFileSync(manifestOf(path), '{}');
    await expect(readManifest(path)).rejects.toMatchObject({
      ...{ code: 'NO_FILE', message: `${path} does not exist, but its manifest exists`, hint: together },
    });
    rmSync(manifestOf(path));
    writeFileSync(path, '');
    await expect(readManifest(path)).rejects.toMatchObject({
      ...{ code: 'NO_MANIFEST', message: `${path}.manifest.json does not exist`, hint: together },
    });
    expect(existsSync(path)).toBe(true);
  });

  const part = { path: 'a/b.parquet', rows: 1, bytes: 2, sha256: '0'.repeat(64) };
  const { file: _file, ...folder } = CONTENT;

  test.each([[{ ...CONTENT }], [{ ...folder, files: [] }], [{ ...folder, files: [part] }]])(
    'readManifest accepts the manifest %j',
    async (content) => {
      writeFileSync(path, '');
      writeFileSync(manifestOf(path), JSON.stringify({ manifest: 1, ...content }));
      expect(await readManifest(path)).toMatchObject(content);
    },
  );

  test.each<[Record<string, unknown>]>([
    [{ ...CONTENT, manifest: 2 }],
    [{ ...CONTENT, request: [] }],
    [{ ...CONTENT, what: 1 }],
    [{ ...CONTENT, verified: 'yes' }],
    [{ ...CONTENT, statement: null }],
    [{ ...CONTENT, rows: 1.5 }],
    [{ ...CONTENT, file: 'a' }],
    [{ ...CONTENT, file: { ...CONTENT.file, name: 1 } }],
    [{ ...CONTENT, file: { ...CONTENT.file, bytes: '9' } }],
    [{ ...CONTENT, file: { ...CONTENT.file, sha256: 7 } }],
    [{ ...CONTENT, file: { ...CONTENT.file, sha256: 'F'.repeat(64) } }],
    [{ ...CONTENT, file: { ...CONTENT.file, sha256: 'f'.repeat(63) } }],
    [folder],
    [{ ...folder, files: {} }],
    [{ ...folder, files: [part, 7] }],
    [{ ...folder, files: [{ ...part, path: 7 }] }],
    [{ ...folder, files: [{ ...part, rows: '1' }] }],
    [{ ...folder, files: [{ ...part, bytes: null }] }],
  ])('readManifest rejects the invalid manifest %j', async (content) => {
    writeFileSync(path, '');
    writeFileSync(manifestOf(path), JSON.stringify({ manifest: 1, ...content }));
    await expect(readManifest(path)).rejects.toMatchObject({ code: 'BAD_MANIFEST' });
  });

  test('readManifest rejects a manifest that is not JSON', async () => {
    writeFileSync(path, '');
    for (const text of ['', '{', '[]']) {
      writeFileSync(manifestOf(path), text);
      await expect(readManifest(path)).rejects.toMatchObject({ code: 'BAD_MANIFEST' });
    }
  });
});

test('leftOutOf counts a field named "constructor", which every object has as a property', () => {
  const leftOut = Object.fromEntries([['constructor', 2]]);
  expect(leftOutOf([segmentOf({ leftOut }), segmentOf({ leftOut })])).toEqual({ constructor: 4 });
});

test('leftOutOf adds up the counts of omitted fields over all windows', () => {
  const segments = [segmentOf({ leftOut: { a: 1, b: 2 } }), segmentOf({ leftOut: { b: 3 } })];
  expect(leftOutOf(segments)).toEqual({ a: 1, b: 5 });
});

test('exportEvidence describes the verification of an export', () => {
  const exported: Exported = {
    frozen: { range: { from: 1, to: 2 }, filled: { from: 1, to: 2 }, total: 5, at: 'T-0', newest: [] },
    segments: [segmentOf({ beyond: ['x', 'y'] }), segmentOf({ beyond: ['x'] })],
    verification: { claim: Claim.verified({ by: 'totals', t0: 'T-0', t1: 'T-1' }), total: 6, at: 'T-1' },
    ...{ requests: 7, retries: 1, rereads: 2, unchecked: ['labels'] },
  };
  expect(exportEvidence(exported)).toEqual({
    guarantee: expect.objectContaining({ holds: expect.any(String) }),
    ...{ filtersNotChecked: ['labels'], frozenRange: { from: 1, to: 2 } },
    ...{ t0: { at: 'T-0', total: 5 }, t1: { at: 'T-1', total: 6 } },
    ...{ neighbours: 2, windows: 2, readsRepeated: 2, requests: 7, retries: 1 },
  });
  const failed: Exported = {
    ...exported,
    frozen: { range: undefined, filled: undefined, total: undefined, at: 'T-0', newest: [] },
    verification: { claim: Claim.not('no total'), total: undefined, at: 'T-1' },
  };
  expect(exportEvidence(failed)).toMatchObject({
    guarantee: null,
    frozenRange: null,
    t0: { total: null },
    t1: { total: null },
  });
});

test('the UNVERIFIED error contains the reason and the path of the manifest', () => {
  const hint =
    'If ledgers are being changed, for example by a sync, export again later. Otherwise, report this to the service.';
  expect(findUnverified('a.csv', 'no total', 'a.json')).toMatchObject({
    ...{ code: 'UNVERIFIED', message: 'a.csv is not verified: no total' },
    hint: `${hint} For details, see the manifest: a.json`,
  });
  expect(findUnverified('a.csv')).toMatchObject({ message: 'a.csv is not verified: no reason known', hint });
});
