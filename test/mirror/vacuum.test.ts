import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/json.ts';
import { commit } from '../../src/delta/commit.ts';
import { readTable, versionAt } from '../../src/delta/log.ts';
import { forgetWorkspace } from '../../src/mirror/forget.ts';
import { removalOf, workspaceKey, workspacesIn } from '../../src/mirror/lake.ts';
import { addMark } from '../../src/mirror/marks.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { vacuumMirror } from '../../src/mirror/vacuum.ts';
import { CALM, makeRow, makeRows, seeded, startLedgerServer } from '../export/ledger-server.ts';
import { cases } from '../runs.ts';
import { mirrored } from './request.ts';
import { newFolder, truth } from './support.ts';

const DAY = 86_400_000;
const START = 1_760_000_000_000;
const dispatcher = new Agent();
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(closers.map((close) => close()));
  await dispatcher.close();
});

/** A mirror of two workspaces with a run each day: the legs of `ws_a` change each time, and the legs of `ws_b` never change. */
async function runsOf(days: number) {
  const folder = newFolder();
  const states: string[][] = [];
  const [a, b] = await Promise.all(
    [1, 2].map((seed) => startLedgerServer(makeRows(80, 0.3, seeded(seed)), CALM, seeded(seed))),
  );
  if (!a || !b) throw new Error('no server');
  closers.push(a.close, b.close);
  for (let day = 0; day < days; day++) {
    const options = { dispatcher, address: 'https://books.example', now: () => START + day * DAY };
    await mirrored(folder, { ...options, url: a.url, workspace: 'ws_a' });
    await mirrored(folder, { ...options, url: b.url, workspace: 'ws_b' });
    states.push(truth(a.rows));
    a.replace([...a.rows.slice(1), makeRow(START + day, 9000 + day, seeded(day))]);
  }
  for (const file of filesIn(folder)) utimesSync(file, START / 1000, START / 1000);
  return { folder, states, other: truth(b.rows) };
}

/** Replaces every file of a table with a copy, as other programs do: the copies have other names, and no tags. */
async function rewritten(table: string, temporary: string, at: number): Promise<void> {
  await commit({ directory: table, temporary, now: () => at }, (version, before) => ({
    actions: [...(before?.files.values() ?? [])].flatMap(({ tags: _, ...add }, index) => {
      const path = `copy-${version}-${index}.parquet`;
      copyFileSync(join(table, add.path), join(table, path));
      return [{ remove: removalOf(add, at) }, { add: { ...add, path, dataChange: false } }];
    }),
    info: { operation: 'OPTIMIZE' },
  }));
}

function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.parquet')).map((name) => join(folder, name));
}

async function legsAt(folder: string, workspace: string, version?: number): Promise<string[]> {
  const lines: string[] = [];
  const snapshot = version === undefined ? undefined : { version };
  for await (const leg of (await openMirror(folder, { workspace, snapshot })).legs())
    lines.push(stringifyJson(leg));
  return lines;
}

describe('vacuum', () => {
  test('keeps each state that was the latest within the given time, and deletes all files that these states do not need', async () => {
    const { folder, states, other } = await runsOf(5);
    const orphan = join(folder, 'ledgers', workspaceKey('ws_a'), 'killed.parquet');
    writeFileSync(orphan, 'x');
    utimesSync(orphan, START / 1000, START / 1000);
    const before = filesIn(folder).length;
    const options = { olderThan: 2 * DAY, now: START + 4 * DAY + 1000 };
    const trial = await vacuumMirror(folder, { ...options, isTrial: true });
    expect(filesIn(folder)).toHaveLength(before);
    const done = await vacuumMirror(folder, { ...options, isTrial: false });
    expect(done).toEqual(trial);
    expect(before - filesIn(folder).length).toBe(done.files);
    expect(existsSync(orphan)).toBe(false);
    // The states of days 2, 3 and 4 are kept: they are younger than two days, or were replaced less than two days ago.
    for (const day of [2, 3, 4]) expect(await legsAt(folder, 'ws_a', 2 * day)).toEqual(states[day]);
    for (const day of [0, 1])
      await expect(legsAt(folder, 'ws_a', 2 * day)).rejects.toMatchObject({ code: 'NO_SNAPSHOT' });
    expect(await legsAt(folder, 'ws_b')).toEqual(other);
    expect(await vacuumMirror(folder, { ...options, isTrial: false })).toEqual({ files: 0, bytes: 0 });
  });

  test.each(cases([5, 6], 1))(
    'keeps each recent state whose files another program has replaced (seed %i)',
    async (seed) => {
      const random = seeded(seed);
      const [folder, temporary] = [newFolder(), newFolder()];
      const server = await startLedgerServer(makeRows(80, 0.3, random), CALM, random);
      closers.push(server.close);
      const workspaces = ['ws_a', 'ws_b'];
      const run = (workspace: string, day: number) => {
        server.replace([...server.rows.slice(1), makeRow(START + day, 9000 + day, random)]);
        const options = { dispatcher, address: 'https://books.example', now: () => START + day * DAY };
        return mirrored(folder, { ...options, url: server.url, workspace });
      };
      for (const workspace of workspaces) for (const day of [0, 1]) await run(workspace, day);
      const days = 12;
      for (let day = 2; day < days; day++) {
        const workspace = workspaces[Math.floor(random() * 2)] ?? '';
        if (random() < 0.4) await run(workspace, day);
        for (const table of ['ledgers', 'ledgers_history'])
          if (random() < 0.4) await rewritten(join(folder, table), temporary, START + day * DAY + 1000);
      }
      for (const file of filesIn(folder)) utimesSync(file, START / 1000, START / 1000);
      const now = START + days * DAY;
      const olderThan = Math.ceil(random() * 8) * DAY;
      const ledgers = join(folder, 'ledgers');
      const last = (await readTable(ledgers))?.version ?? 0;
      const contents = async () => {
        const found = [];
        for (let version = (await versionAt(ledgers, now - olderThan)) ?? 0; version <= last; version++)
          for (const workspace of workspaces) {
            const mirror = await openMirror(folder, { workspace, snapshot: { version } });
            const entries = [];
            for await (const entry of mirror.history()) entries.push(entry);
            found.push([await legsAt(folder, workspace, version), entries]);
          }
        return found;
      };
      const before = await contents();
      await vacuumMirror(folder, { olderThan, now, isTrial: false });
      expect(await contents()).toEqual(before);
    },
  );

  test('keeps new files that no table contains, because a run may be about to commit them', async () => {
    const { folder } = await runsOf(1);
    const path = join(folder, 'ledgers', workspaceKey('ws_a'), 'new.parquet');
    writeFileSync(path, 'x');
    await vacuumMirror(folder, { olderThan: DAY, isTrial: false, now: Date.now() });
    expect(existsSync(path)).toBe(true);
  });

  test('refuses a folder that is not a mirror', async () => {
    const options = { olderThan: DAY, isTrial: false, now: START };
    await expect(vacuumMirror(newFolder(), options)).rejects.toMatchObject({ code: 'NO_MIRROR' });
  });
});

describe('forget', () => {
  const options = { signal: new AbortController().signal, now: () => START + 9 * DAY };

  test('removes one workspace from all versions, and keeps all versions of the second workspace', async () => {
    const { folder, other } = await runsOf(3);
    await addMark(folder, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
    const versions = 6;
    const state = await openMirror(folder, { workspace: 'ws_b' });
    await forgetWorkspace(folder, 'ws_a', options);
    expect(await workspacesIn(folder)).toEqual(['ws_b']);
    const { manifest, marks } = await openMirror(folder);
    expect(manifest).toEqual(state.manifest);
    expect(marks).toHaveLength(1);
    for (let version = 1; version < versions; version++) {
      expect(await legsAt(folder, 'ws_b', version)).toEqual(other);
      await expect(openMirror(folder, { workspace: 'ws_a', snapshot: { version } })).rejects.toMatchObject({
        code: 'NO_MIRROR',
      });
    }
    const key = workspaceKey('ws_a');
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      expect(name).not.toContain(key);
      if (name.endsWith('.json')) expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/ws_a/);
    }
    await expect(forgetWorkspace(folder, 'ws_a', options)).rejects.toMatchObject({ code: 'NO_MIRROR' });
  });
});
