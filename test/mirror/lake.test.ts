import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import { stringifyJson } from '../../src/core/json.ts';
import { logName, readTable } from '../../src/delta/log.ts';
import { workspacesIn } from '../../src/mirror/lake.ts';
import { filesOf } from '../../src/mirror/manifest.ts';
import { addMark } from '../../src/mirror/marks.ts';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { mirrored } from './request.ts';
import { historyIn, legsIn, newFolder, truth } from './support.ts';

const dispatcher = new Agent();
const servers: LedgerServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await dispatcher.close();
});

const ADDRESS = 'https://books.example';

async function serve(count: number, seed: number): Promise<LedgerServer> {
  const random = seeded(seed);
  const server = await startLedgerServer(makeRows(count, 0.3, random), CALM, random);
  servers.push(server);
  return server;
}

function append({ rows, replace }: LedgerServer, seed: number): void {
  const last = Math.max(...rows.map(({ timestamp }) => timestamp));
  replace([...rows, makeRow(last + 1, 50_000 + rows.length, seeded(seed))]);
}

const into = (folder: string, server: LedgerServer, workspace: string, more: object = {}) =>
  mirrored(folder, { url: server.url, address: ADDRESS, dispatcher, workspace, ...more });

async function legsOf(folder: string, choice: Parameters<typeof openMirror>[1]): Promise<string[]> {
  const lines: string[] = [];
  for await (const leg of (await openMirror(folder, choice)).legs()) lines.push(stringifyJson(leg));
  return lines;
}

describe('several workspaces in one folder', () => {
  test('each workspace keeps its own legs when several runs write at the same time', async () => {
    const folder = newFolder();
    const names = ['ws_a', 'ws_b', 'a/b=c "\'*?[x]'];
    const books = await Promise.all(
      names.map((name, at) => serve(120 + at, at + 1).then((server) => ({ name, server }))),
    );
    for (let round = 0; round < 3; round++) {
      await Promise.all(books.map(({ name, server }) => into(folder, server, name)));
      for (const { name, server } of books) {
        expect(await legsOf(folder, { workspace: name })).toEqual(truth(server.rows));
        append(server, round);
      }
    }
    const ledgers = await readTable(join(folder, 'ledgers'));
    expect(ledgers?.version).toBe(8);
    expect(
      new Set(
        [...(ledgers?.files.values() ?? [])].map(({ partitionValues }) => partitionValues['workspace_id']),
      ),
    ).toEqual(new Set(names));
    await expect(openMirror(folder)).rejects.toMatchObject({
      ...{ code: 'SEVERAL_WORKSPACES', hint: expect.stringContaining('--workspace') },
    });
    await expect(openMirror(folder, { workspace: 'ws_c' })).rejects.toMatchObject({ code: 'NO_MIRROR' });
  });

  test('if the first runs for two services write at the same time, only one run creates tables', async () => {
    const folder = newFolder();
    const servers = await Promise.all([serve(60, 1), serve(60, 2)]);
    const [one, other] = servers;
    if (!one || !other) throw new Error('no server');
    one.controls.lists = { '/v1/labels': [{ id: 'lab_1' }] };
    other.controls.lists = { '/v1/holdings': [{ id: 'hol_1' }] };
    const first = { address: 'https://one.example', tables: ['labels'] };
    const second = { address: 'https://other.example', tables: ['holdings'] };
    let started: Promise<unknown> | undefined;
    // The second run starts after the first run has found an empty folder.
    const onTable = () => {
      started ??= into(folder, other, 'ws_b', second).catch((error: unknown) => error);
    };
    const results = [await into(folder, one, 'ws_a', { ...first, onTable }).catch((error: unknown) => error)];
    results.push(await started);
    expect(results.filter((result) => result instanceof Error)).toMatchObject([{ code: 'OTHER_BOOKS' }]);
    const winner = results[0] instanceof Error ? 'ws_b' : 'ws_a';
    expect(await workspacesIn(folder)).toEqual([winner]);
    expect(existsSync(join(folder, winner === 'ws_a' ? 'holdings' : 'labels', '_delta_log'))).toBe(false);
  });

  test('a run that lost its lock does not replace the newer state of its workspace', async () => {
    const server = await serve(300, 5);
    server.controls.lists = { '/v1/labels': [{ id: 'l' }] };
    const folder = newFolder();
    const tables = ['labels'] as const;
    await into(folder, server, 'ws_a', { tables });
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let pause = () => {};
    const paused = new Promise<void>((resolve) => {
      pause = resolve;
    });
    const slow = dispatcher.compose((dispatch) => (options, handler) => {
      if (!String(options.path).includes('/labels')) return dispatch(options, handler);
      pause();
      resumed.then(() => dispatch(options, handler));
      return true;
    });
    const first = into(folder, server, 'ws_a', { tables, dispatcher: slow });
    const refused = expect(first).rejects.toMatchObject({ code: 'MIRROR_RUNNING' });
    await paused;
    for (const name of readdirSync(folder).filter((name) => name.startsWith('lock-')))
      rmSync(join(folder, name), { recursive: true });
    append(server, 7);
    await into(folder, server, 'ws_a', { tables });
    resume();
    await refused;
    expect(await legsIn(folder)).toEqual(truth(server.rows));
    expect(await historyIn(folder)).toHaveLength(1);
    await into(folder, server, 'ws_a', { tables });
    expect(await historyIn(folder)).toHaveLength(1);
  });

  test('a run reads and removes only the marks of its own workspace', async () => {
    const folder = newFolder();
    const [one, other] = [await serve(60, 1), await serve(60, 2)];
    await into(folder, one, 'ws_a');
    await into(folder, other, 'ws_b');
    await addMark(folder, { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null });
    expect(readdirSync(join(folder, 'reread'))).toHaveLength(2);
    expect((await into(folder, one, 'ws_a')).reasons).toEqual(['costbasis.completed']);
    expect((await openMirror(folder, { workspace: 'ws_a' })).marks).toEqual([]);
    expect((await openMirror(folder, { workspace: 'ws_b' })).marks).toHaveLength(1);
    expect((await into(folder, one, 'ws_a')).reasons).toEqual([]);
    expect((await into(folder, other, 'ws_b')).reasons).toEqual(['costbasis.completed']);
  });

  test.each([
    ['ws_a', 1],
    // The mirror does not contain the workspace of these events, so they may concern each of its workspaces.
    ['ws_none', 2],
    [null, 2],
  ])('an event of the workspace %s adds a mark for %i of two workspaces', async (workspace, marked) => {
    const folder = newFolder();
    await into(folder, await serve(20, 1), 'ws_a');
    await into(folder, await serve(20, 2), 'ws_b');
    await addMark(
      folder,
      { why: 'costbasis.completed', at: '2026-01-01T00:00:00Z', walletId: null },
      workspace,
    );
    expect(readdirSync(join(folder, 'reread'))).toHaveLength(marked);
    expect((await openMirror(folder, { workspace: 'ws_a' })).marks).toHaveLength(1);
  });
});

describe('snapshots', () => {
  test('each earlier state can be read by its version and by its time after the clock was set back', async () => {
    const folder = newFolder();
    const server = await serve(150, 3);
    const other = await serve(40, 4);
    const states: string[][] = [];
    let now = 1_760_000_000_000;
    for (const clock of [0, 60_000, 30_000, 90_000]) {
      await into(folder, server, 'ws_a', { now: () => now + clock });
      states.push(truth(server.rows));
      append(server, clock);
      await into(folder, other, 'ws_b', { now: () => now + clock });
    }
    now = 0;
    const at = (version: number) => legsOf(folder, { workspace: 'ws_a', snapshot: { version } });
    for (const [index, state] of states.entries()) {
      expect(await at(2 * index)).toEqual(state);
      expect(await at(2 * index + 1)).toEqual(state);
    }
    const time = (offset: number) => ({ workspace: 'ws_a', snapshot: { time: 1_760_000_000_000 + offset } });
    expect(await legsOf(folder, time(59_999))).toEqual(states[0]);
    expect(await legsOf(folder, time(89_999))).toEqual(states[2]);
    expect(await legsOf(folder, time(99_999))).toEqual(states[3]);
    await expect(legsOf(folder, time(-1))).rejects.toMatchObject({ code: 'NO_SNAPSHOT' });
    await expect(at(8)).rejects.toMatchObject({ code: 'NO_VERSION' });
  });
});

describe('files', () => {
  test('after a change in one window, a run reads only a few windows; without changes, a run writes no file', async () => {
    const folder = newFolder();
    const server = await serve(900, 5);
    const first = await into(folder, server, 'ws_a');
    expect(first.manifest.ledgers.windows.length).toBeGreaterThan(10);
    expect(filesOf('ledgers', first.files)).toHaveLength(1);
    append(server, 1);
    const second = await into(folder, server, 'ws_a');
    expect(second.legs.windowsRead).toBeLessThan(6);
    expect(filesOf('ledgers', second.files)).toHaveLength(1);
    expect(filesOf('ledgers', second.files)).not.toEqual(filesOf('ledgers', first.files));
    expect(await legsIn(folder)).toEqual(truth(server.rows));
    const third = await into(folder, server, 'ws_a');
    expect(filesOf('ledgers', third.files)).toEqual(filesOf('ledgers', second.files));
    const log = readFileSync(join(folder, 'ledgers', '_delta_log', logName(2)), 'utf8')
      .trim()
      .split('\n');
    expect(log.map((line) => Object.keys(JSON.parse(line)))).toEqual([['txn'], ['commitInfo']]);
  });
});

describe('bad input', () => {
  test('refuses a folder with a table of another program, and does not change the table', async () => {
    const folder = newFolder();
    const log = join(folder, 'ledgers', '_delta_log');
    mkdirSync(log, { recursive: true });
    const metaData = { id: 'x', schemaString: '{}', partitionColumns: [], configuration: {}, format: {} };
    const lines = [
      { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
      { metaData },
      { commitInfo: {} },
    ];
    writeFileSync(join(log, logName(0)), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const server = await serve(20, 6);
    await expect(into(folder, server, 'ws_a')).rejects.toMatchObject({ code: 'FOREIGN_TABLE' });
    await expect(openMirror(folder)).rejects.toMatchObject({ code: 'FOREIGN_TABLE' });
    expect(readdirSync(log)).toEqual([logName(0)]);
  });

  test('if the last commit is truncated, only earlier versions can be read', async () => {
    const folder = newFolder();
    const server = await serve(60, 7);
    await into(folder, server, 'ws_a');
    const before = truth(server.rows);
    append(server, 1);
    await into(folder, server, 'ws_a');
    const path = join(folder, 'ledgers', '_delta_log', logName(1));
    writeFileSync(path, readFileSync(path).subarray(0, 200));
    await expect(openMirror(folder)).rejects.toMatchObject({ code: 'BAD_TABLE' });
    await expect(into(folder, server, 'ws_a')).rejects.toMatchObject({ code: 'BAD_TABLE' });
    expect(await legsOf(folder, { snapshot: { version: 0 } })).toEqual(before);
  });

  test.each(['', 'not JSON', '[]', 'null', '{"numRecords":"6"}'])(
    'a mirror cannot be opened if the statistics of one of its files are %j',
    async (stats) => {
      const folder = newFolder();
      const server = await serve(20, 8);
      await into(folder, server, 'ws_a');
      const path = join(folder, 'ledgers', '_delta_log', logName(0));
      const lines = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      for (const { add } of lines) if (add) add.stats = stats;
      writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await expect(openMirror(folder)).rejects.toMatchObject({ code: 'BAD_MIRROR' });
    },
  );
});
