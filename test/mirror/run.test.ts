import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type LedgerServer,
  makeRows,
  type Row,
  seeded,
  startLedgerServer,
  textOf,
} from '../export/ledger-server.ts';
import { legsIn, mirrored, newFolder } from './support.ts';

const dispatcher = new Agent();
let server: LedgerServer | undefined;
afterEach(() => server?.close());
afterAll(() => dispatcher.close());

async function serve(count: number, seed = 1): Promise<LedgerServer> {
  const random = seeded(seed);
  server = await startLedgerServer(makeRows(count, 0.3, random), CALM, random);
  return server;
}

/** The rows of the service in order of time and id, as an export writes them. */
function truth(rows: readonly Row[]): string[] {
  return [...rows]
    .sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))
    .map((row) => textOf(row).replaceAll('\u001b', '\\u001b'));
}

describe('the first run', () => {
  test('holds every leg as served, in windows that name their files, hashes and claims', async () => {
    const { url, rows } = await serve(700);
    const folder = newFolder();
    const { manifest, unverified } = await mirrored(folder, { url, dispatcher });
    expect(unverified).toBeUndefined();
    expect(await legsIn(folder)).toEqual(truth(rows));
    expect(manifest.ledgers.windows.length).toBeGreaterThan(8);
    const mirror = await openMirror(folder);
    for (const file of mirror.files) {
      const bytes = readFileSync(join(folder, file.file));
      expect(bytes.length).toBe(file.bytes);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
    }
    for (const window of manifest.ledgers.windows) {
      expect(window.countsVerifiedAt).not.toBeNull();
      expect(window.contentsVerifiedAt).not.toBeNull();
    }
    expect(readdirSync(folder).sort()).toEqual(['ledgers', 'mirror.json']);
  });

  test('refuses a folder with other files, and changes nothing in it', async () => {
    const { url } = await serve(5);
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), 'x');
    await expect(mirrored(folder, { url, dispatcher })).rejects.toMatchObject({ code: 'NOT_A_MIRROR' });
    expect(readdirSync(folder)).toEqual(['notes.txt']);
  });
});

test('books without a leg are an empty mirror, and the first legs are added later', async () => {
  const { url } = await serve(0);
  const folder = newFolder();
  expect((await mirrored(folder, { url, dispatcher })).manifest.ledgers.rows).toBe(0);
  expect(await legsIn(folder)).toEqual([]);
  expect(existsSync(join(folder, 'history'))).toBe(false);
});
