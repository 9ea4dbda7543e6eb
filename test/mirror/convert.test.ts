import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { LegPositions } from '../../src/books/positions.ts';
import { stringifyJson } from '../../src/core/json.ts';
import { convertMirror } from '../../src/mirror/convert.ts';
import { readLake, workspaceKey } from '../../src/mirror/lake.ts';
import type { LegWindow, SnapshotName } from '../../src/mirror/manifest.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { historyIn, legsIn, newFolder } from './support.ts';

/**
 * A mirror in format 2, written by the last version that used this format, with two runs that found changes. Its content is in
 * `expected.json`.
 */
const OLD = fileURLToPath(new URL('./format-2/', import.meta.url));
interface Expected {
  readonly legs: readonly string[];
  readonly history: readonly string[];
  readonly lists: Readonly<Partial<Record<SnapshotName, readonly string[]>>>;
  readonly windows: readonly Omit<LegWindow, 'part'>[];
}
const expected: Expected = JSON.parse(readFileSync(join(OLD, 'expected.json'), 'utf8'));
const BOOKS = {
  address: 'https://books.example',
  workspace: 'ws_1',
  now: Date.now,
  place: (isStart: boolean) => new LegPositions(isStart),
};

function oldMirror(): string {
  const folder = newFolder();
  cpSync(join(OLD, 'mirror'), folder, { recursive: true });
  return folder;
}

function edit(folder: string, change: (text: string) => string): void {
  const path = join(folder, 'mirror.json');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

async function contentOf(folder: string): Promise<Expected> {
  const mirror = await openMirror(folder);
  const lists: [string, string[]][] = [];
  for (const name of Object.keys(expected.lists) as SnapshotName[]) {
    const records: string[] = [];
    for await (const record of mirror.snapshot(name)) records.push(stringifyJson(record));
    lists.push([name, records]);
  }
  return {
    ...{ legs: await legsIn(folder), lists: Object.fromEntries(lists) as Expected['lists'] },
    history: (await historyIn(folder)).map((entry) => stringifyJson(entry)),
    windows: mirror.manifest.ledgers.windows.map(({ part: _, ...window }) => window),
  };
}

describe('a mirror of format 2', () => {
  test('a converted mirror keeps its legs, history, lists and verification times', async () => {
    const folder = oldMirror();
    await expect(openMirror(folder)).rejects.toMatchObject({
      ...{ code: 'OLD_MIRROR', hint: expect.stringContaining('cryptodata mirror') },
    });
    expect(await convertMirror(folder, BOOKS)).toBe(true);
    const { legs, history, lists, windows } = expected;
    expect(await contentOf(folder)).toEqual({ legs, history, lists, windows });
    expect(expected.history.length).toBeGreaterThan(2);
    expect(readdirSync(folder).sort()).not.toContain('mirror.json');
    for (const name of ['history', 'replaced', 'work', `work-${workspaceKey('ws_1')}`])
      expect(existsSync(join(folder, name))).toBe(false);
    expect(readdirSync(join(folder, 'ledgers')).filter((name) => name.endsWith('.parquet'))).toEqual([]);
    expect(await convertMirror(folder, BOOKS)).toBe(false);
  });

  test('a mirror is not converted if its workspace differs from the given workspace', async () => {
    const folder = oldMirror();
    await expect(convertMirror(folder, { ...BOOKS, workspace: 'ws_2' })).rejects.toMatchObject({
      code: 'OTHER_BOOKS',
    });
    expect(readdirSync(folder)).not.toContain('_delta_log');
    expect(await convertMirror(folder, BOOKS)).toBe(true);
  });

  test('a mirror can be converted again if a crash prevented the deletion of its earlier files', async () => {
    const folder = oldMirror();
    await convertMirror(folder, BOOKS);
    // Simulate a crash before the earlier files were removed: the manifest still exists.
    cpSync(join(OLD, 'mirror'), folder, { recursive: true });
    const before = await readLake(folder);
    expect(await convertMirror(folder, BOOKS)).toBe(true);
    expect(await readLake(folder)).toEqual(before);
    expect(existsSync(join(folder, 'mirror.json'))).toBe(false);
  });

  test('marks a window as unreadable if its file is damaged, so that the next run reads it from the service', async () => {
    const folder = oldMirror();
    const [name = ''] = readdirSync(join(folder, 'ledgers'));
    writeFileSync(join(folder, 'ledgers', name), 'damaged');
    await convertMirror(folder, BOOKS);
    const mirror = await openMirror(folder);
    const faults = await Promise.all(
      mirror.manifest.ledgers.windows.map((window) => mirror.windowFault(window)),
    );
    expect(faults.filter((fault) => fault !== undefined)).toHaveLength(1);
    await expect(legsIn(folder)).rejects.toMatchObject({ code: 'DAMAGED_MIRROR' });
  });

  test.each(['seenAt', 'added', 'removed', 'changed'])(
    'a mirror is refused if an entry of its history has no %s',
    async (name) => {
      const folder = oldMirror();
      edit(folder, (text) => text.replace(`"${name}"`, '"other"'));
      await expect(convertMirror(folder, BOOKS)).rejects.toMatchObject({ code: 'BAD_MIRROR' });
      expect(readdirSync(folder)).toContain('mirror.json');
    },
  );

  test('a mirror with a missing history file is not converted, because the earlier values of legs would be lost', async () => {
    const folder = oldMirror();
    const [name = ''] = readdirSync(join(folder, 'history'));
    rmSync(join(folder, 'history', name));
    await expect(convertMirror(folder, BOOKS)).rejects.toMatchObject({ code: 'DAMAGED_MIRROR' });
    expect(existsSync(join(folder, 'mirror.json'))).toBe(true);
  });

  test.each([
    ['has an earlier format', (text: string) => text.replace('"mirror": 2', '"mirror": 1')],
    ['has a later format', (text: string) => text.replace('"mirror": 2', '"mirror": 3')],
    ['has a path outside the folder', (text: string) => text.replace('"history/', '"../')],
    ['has no windows', (text: string) => text.replace('"windows"', '"panes"')],
    ['is cut short', (text: string) => text.slice(0, 1000)],
  ])('a mirror is refused if its manifest %s', async (_, change) => {
    const folder = oldMirror();
    edit(folder, change);
    await expect(convertMirror(folder, BOOKS)).rejects.toMatchObject({ code: 'BAD_MIRROR' });
  });
});
