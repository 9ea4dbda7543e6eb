import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readManifest } from '../../src/export/manifest.ts';
import { compareWithToday, selectionInManifest } from '../../src/export/verify.ts';
import { temporary } from '../e2e/harness.ts';
import { CSV, manifestFor } from './manifest-for.ts';

const directory = temporary();
let files = 0;

function put(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

describe('a manifest', () => {
  test.each([
    ['not JSON', '{'],
    ['not a manifest', '{"manifest":1}'],
    ['of a later version', JSON.stringify({ ...manifestFor(CSV), manifest: 2 })],
    ['without a hash', JSON.stringify({ ...manifestFor(CSV), file: { name: 'a', bytes: 1, sha256: 'x' } })],
    ['with rows that are not a number', JSON.stringify({ ...manifestFor(CSV), rows: '2' })],
  ])('readManifest rejects a manifest that is invalid: %s', async (_, text) => {
    files += 1;
    put(`${files}.csv`, '');
    put(`${files}.csv.manifest.json`, text);
    await expect(readManifest(join(directory, `${files}.csv`))).rejects.toMatchObject({
      kind: 'usage',
      code: 'BAD_MANIFEST',
    });
  });

  test('the error codes for a missing manifest and a missing file differ', async () => {
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

  test('a verified manifest whose total differs from its number of rows is contradictory', () => {
    expect(compareWithToday(manifestFor(CSV))).toEqual({ total: 2 });
    expect(compareWithToday(manifestFor(CSV, { neighbours: 1, t1: { total: 3 } }))).toEqual({ total: 3 });
    expect(compareWithToday(manifestFor(CSV, { rows: 5 }))).toMatchObject({
      contradiction: expect.any(String),
    });
    expect(compareWithToday(manifestFor(CSV, { t1: {} }))).toMatchObject({
      contradiction: expect.any(String),
    });
    expect(compareWithToday(manifestFor(CSV, { rows: 5, verified: false }))).toEqual({ total: 2 });
    expect(compareWithToday(manifestFor(CSV, { what: 'transactions' }))).toBeUndefined();
  });
});

describe('the selection in a manifest', () => {
  test('selectionInManifest restores the filters and the period of the original request', () => {
    const filters = {
      types: ['fee'],
      hasMissingPrice: false,
      ltAfterBalance: '-1e-18',
      labels: 'a',
      from: 'x',
    };
    expect(selectionInManifest({ filters: { ...filters, startTime: 5 }, span: { from: 1, to: 2 } })).toEqual({
      filters: {
        ...{ types: ['fee'], hasMissingPrice: false, ltAfterBalance: '-1e-18' },
        extra: { labels: 'a', from: 'x' },
      },
      span: { from: 1, to: 2 },
      sent: { startTime: 5, endTime: undefined },
    });
  });

  test('selectionInManifest restores filters that the CLI applied to the responses', () => {
    const tool = { walletIds: ['w1'], assets: { ids: ['a1'], symbols: ['LINK'] } };
    expect(selectionInManifest({ filteredInTool: tool })).toMatchObject({ tool });
    expect(selectionInManifest({ filteredInTool: { walletIds: ['w1'] } }).tool).toEqual({
      walletIds: ['w1'],
    });
  });

  test.each([
    [{ filteredInTool: {} }],
    [{ filteredInTool: { walletIds: 'w1' } }],
    [{ filteredInTool: { assets: { ids: [1], symbols: [] } } }],
    [{ filters: { types: 'fee', x: { y: 1 } } }],
    [{ filters: { startTime: 'today' } }],
    [{ span: { from: 1.5 } }],
  ])('selectionInManifest rejects the invalid request %j', (request) => {
    expect(() => selectionInManifest(request)).toThrow(expect.objectContaining({ code: 'BAD_MANIFEST' }));
  });
});
