import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readTable } from '../../src/delta/log.ts';
import { workspacesIn } from '../../src/mirror/lake.ts';
import { TABLES } from '../../src/mirror/manifest.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { bundle } from '../bundle.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { THOROUGH } from '../runs.ts';
import { mirrored } from './request.ts';
import { legsIn, newFolder, truth } from './support.ts';

/** For more kills: `MIRROR_KILLS=200 npx vitest run test/mirror/kill.test.ts` */
const KILLS = Number(process.env['MIRROR_KILLS'] ?? (THOROUGH ? 50 : 4));
const random = seeded(Number(process.env['MIRROR_SEED'] ?? 21));
const dispatcher = new Agent();
let server: LedgerServer;
let script: string;
beforeAll(async () => {
  server = await startLedgerServer(makeRows(240, 0.4, random), CALM, random);
  script = await bundle('./mirror.script.ts', import.meta.url);
});
afterAll(async () => {
  await server.close();
  await dispatcher.close();
});

/**
 * Kills a run at request number `count`, or at change number `count` in the folder, or a moment later. At the end, a run moves
 * its files into the folder, and then commits one table after the other.
 */
async function killedAt(
  folder: string,
  what: 'request' | 'file',
  count: number,
  after: number,
): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.execPath, [script, server.url, folder], { stdio: 'inherit' });
  let events = 0;
  const onEvent = () => {
    events += 1;
    if (events === count) setTimeout(() => child.kill('SIGKILL'), after);
  };
  const watcher = what === 'file' ? watch(folder, onEvent) : undefined;
  if (what === 'request') server.controls.onRequest = onEvent;
  const [, signal] = await once(child, 'exit');
  watcher?.close();
  server.controls.onRequest = undefined;
  return signal === 'SIGKILL';
}

async function labelsIn(folder: string): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const { name } of (await openMirror(folder)).snapshot('labels')) names.push(name);
  return names;
}

/** Checks each table on its own, because other programs may open only this table: its latest version must be complete. */
async function checkTables(folder: string): Promise<void> {
  for (const table of TABLES) {
    const state = await readTable(join(folder, table));
    for (const [path, { size }] of state?.files ?? [])
      expect([table, path, statSync(join(folder, table, path)).size]).toEqual([table, path, size]);
  }
}

/** Adds legs or deletes legs. Doing both in one call could leave the total of a window unchanged. */
function change(number: number): void {
  const { rows } = server;
  server.controls.lists = { '/v1/labels': [{ id: 'lab_1', name: `Gift ${number}` }] };
  if (number % 2 === 1) {
    server.replace(rows.filter(() => random() > 0.02));
    return;
  }
  const times = rows.map(({ timestamp }) => timestamp);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const added = Array.from({ length: 12 }, (_, at) =>
    makeRow(first + Math.floor(random() * (last - first + 20)), 1000 + 20 * number + at, random),
  );
  server.replace([...rows, ...added]);
}

test(`a killed run leaves the old or the new state, and the next run succeeds (${KILLS} kills)`, async () => {
  const seen = { nothing: 0, old: 0, new: 0, ended: 0 };
  let folder = newFolder();
  let before: string[] | undefined;
  for (let number = 0, kills = 0; kills < KILLS; number++) {
    if (number % 4 === 0) {
      folder = newFolder();
      before = undefined;
    }
    change(number);
    const now = truth(server.rows);
    const what = random() < 0.5 ? 'request' : 'file';
    const count = 1 + Math.floor(random() * (what === 'file' ? 16 : 12));
    const killed = await killedAt(folder, what, count, random() < 0.5 ? 0 : random() * 30);
    if (killed) kills += 1;
    else seen.ended += 1;
    await checkTables(folder);
    if ((await workspacesIn(folder)).length > 0) {
      const mirror = await openMirror(folder);
      for (const file of mirror.files)
        expect([file.file, await mirror.fault(file)]).toEqual([file.file, undefined]);
      const lines = await legsIn(folder);
      const isNew = lines.join() === now.join();
      if (!isNew) expect(lines).toEqual(before);
      // The lists and the legs come from one run.
      expect(await labelsIn(folder)).toEqual([`Gift ${isNew ? number : number - 1}`]);
      seen[isNew ? 'new' : 'old'] += 1;
    } else {
      expect(before).toBeUndefined();
      seen.nothing += 1;
    }
    await mirrored(folder, { url: server.url, dispatcher, tables: ['labels'] });
    expect(await legsIn(folder)).toEqual(now);
    expect(await labelsIn(folder)).toEqual([`Gift ${number}`]);
    await checkTables(folder);
    expect(readdirSync(folder).filter((name) => name.startsWith('work'))).toEqual([]);
    before = now;
  }
  if (process.env['MIRROR_KILLS']) process.stderr.write(`${JSON.stringify(seen)}\n`);
  expect(seen.old + seen.nothing).toBeGreaterThan(0);
});
