import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exact, ZERO } from '../../src/core/decimal.ts';
import { stringifyJson } from '../../src/core/json.ts';
import { readTable } from '../../src/delta/log.ts';
import { forgetWorkspace } from '../../src/mirror/forget.ts';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type LedgerServer,
  makeRow,
  makeRows,
  type Row,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { THOROUGH } from '../runs.ts';
import { hasSpark, READERS, type TableReader } from '../spark.ts';
import { mirrored } from './request.ts';
import { newFolder, truth } from './support.ts';

const SUMS =
  'SELECT workspace_id, count(*) AS legs, sum(quantity) AS total, min(timestamp) AS first FROM ledgers GROUP BY workspace_id ORDER BY workspace_id';

const countsIn = (path: string) => ({
  sql: 'SELECT workspace_id, count(*) AS legs FROM history GROUP BY workspace_id ORDER BY workspace_id',
  tables: { history: { path } },
});

/** The legs and the exact sum of each workspace, as other programs must find them. */
function sumsOf(books: ReadonlyMap<string, LedgerServer>) {
  return [...books].map(([workspace_id, { rows }]) => ({
    ...{ workspace_id, legs: rows.length },
    total: rows.reduce((sum, row) => sum.plus(exact(row.value) ?? ZERO), ZERO).toFixed(18),
    first: Math.min(...rows.map(({ timestamp }) => timestamp)),
  }));
}

/** Cuts the value of a row to 18 decimals, because longer amounts are only in the column `…_exact`, and sums omit them. */
const fitting = (row: Row): Row => ({ ...row, value: row.value.replace(/(\.\d{18}).*/, '$1') });

const time = (value: unknown) =>
  Date.parse(
    `${String(value)
      .replace(' ', 'T')
      .replace(/(\+00:00|Z)$/, '')}Z`,
  );

/** How often each program reads while others write: with THOROUGH=1, together 100 times. Spark runs only with THOROUGH=1. */
const READS = { 'delta-rs': THOROUGH ? 88 : 22, Spark: 12 };

describe.skipIf(!hasSpark()).each(READERS)('%s reads a mirror of several workspaces', (name, start) => {
  const reads = READS[name];
  const dispatcher = new Agent();
  const servers: LedgerServer[] = [];
  let reader: TableReader;

  async function serve(seed: number, legs: number): Promise<LedgerServer> {
    const random = seeded(seed);
    const server = await startLedgerServer(makeRows(legs, 0.3, random).map(fitting), CALM, random);
    servers.push(server);
    return server;
  }
  const mirror = (folder: string, workspace: string, { url }: LedgerServer) =>
    mirrored(folder, { url, address: 'https://books.example', dispatcher, workspace });
  const change = ({ rows, replace }: LedgerServer, number: number) =>
    replace([...rows.slice(3), fitting(makeRow(1_900_000_000_000, number, seeded(number)))]);
  const sumsIn = async (path: string, version?: number) => {
    const rows = await reader.ask({
      sql: SUMS,
      tables: { ledgers: { path, ...(version !== undefined && { version }) } },
    });
    return rows.map(({ first, legs, ...row }) => ({ ...row, legs: Number(legs), first: time(first) }));
  };

  beforeAll(() => {
    reader = start();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await dispatcher.close();
  });

  test('finds all legs and their exact sums in each version', async () => {
    const folder = newFolder();
    const [a, b] = [await serve(1, 300), await serve(2, 300)];
    const versions: ReturnType<typeof sumsOf>[] = [];
    await mirror(folder, 'ws_a', a);
    versions.push(sumsOf(new Map([['ws_a', a]])));
    const both = new Map([
      ['ws_a', a],
      ['ws_b', b],
    ]);
    await mirror(folder, 'ws_b', b);
    versions.push(sumsOf(both));
    change(a, 9000);
    await mirror(folder, 'ws_a', a);
    versions.push(sumsOf(both));
    for (const [version, expected] of versions.entries())
      expect(await sumsIn(join(folder, 'ledgers'), version)).toEqual(expected);
  });

  test('while three workspaces are written, each read finds the content of exactly one version', async () => {
    const folder = newFolder();
    const [ledgers, history] = [join(folder, 'ledgers'), join(folder, 'ledgers_history')];
    const names = ['ws_a', 'ws_b', 'ws_c'];
    const books = await Promise.all(
      names.map(async (name, at) => ({ name, server: await serve(at + 3, 150) })),
    );
    /** The sums of each workspace at the version of each of its commits. */
    const committed = new Map<string, ReturnType<typeof sumsOf>>();
    let begun = 0;
    let runs = 0;
    const write = async (name: string, server: LedgerServer) => {
      for (let run = 0; run < 2 || begun < reads; run++) {
        // Wait for the reads. Without this wait, the log would grow during slow reads, and make them even slower.
        while (run >= 2 && runs > 3 * begun && begun < reads) await setTimeout(5);
        runs += 1;
        if (run > 0) change(server, 9000 + run);
        const sums = sumsOf(new Map([[name, server]]));
        await mirror(folder, name, server);
        committed.set(`${name} ${(await readTable(ledgers))?.transactions.get(`cryptodata/${name}`)}`, sums);
      }
    };
    const writing = books.map(({ name, server }) => write(name, server));
    const failed = Promise.all(writing).then(() => undefined);
    while (((await readTable(history))?.version ?? 0) < 3) await Promise.race([failed, setTimeout(20)]);

    interface Read {
      readonly table: string;
      readonly found: unknown;
      readonly least: number;
      readonly most: number;
    }
    const found: Read[] = [];
    const latest = async (table: string) => (await readTable(table))?.version ?? -1;
    for (; begun < reads; begun++) {
      const table = begun % 5 === 4 ? history : ledgers;
      const least = await latest(table);
      const rows = table === ledgers ? await sumsIn(ledgers) : await reader.ask(countsIn(history));
      found.push({ table, found: rows, least, most: await latest(table) });
    }
    await failed;

    const last = await latest(ledgers);
    expect(last).toBeGreaterThan(reads / 4);
    const known = new Map<string, Promise<unknown>>();
    const expectedAt = async (table: string, version: number) => {
      const state = await readTable(table, version);
      const counts = new Map<string, number>();
      for (const { partitionValues, stats } of state?.files.values() ?? []) {
        const name = partitionValues['workspace_id'] ?? '';
        counts.set(name, (counts.get(name) ?? 0) + JSON.parse(stats ?? '').numRecords);
      }
      const counted = [...counts].sort().map(([workspace_id, legs]) => ({ workspace_id, legs }));
      if (table === history) return counted;
      const sums = names.flatMap(
        (name) => committed.get(`${name} ${state?.transactions.get(`cryptodata/${name}`)}`) ?? [],
      );
      expect(sums.map(({ workspace_id, legs }) => ({ workspace_id, legs }))).toEqual(counted);
      return sums;
    };
    let moved = 0;
    for (const { table, found: rows, least, most } of found) {
      const equal: number[] = [];
      for (let version = least; version <= most; version++) {
        const key = `${table} ${version}`;
        if (!known.has(key)) known.set(key, expectedAt(table, version));
        if (isDeepStrictEqual(rows, await known.get(key))) equal.push(version);
      }
      expect(equal, `${table}, versions ${least} to ${most}: ${JSON.stringify(rows)}`).toHaveLength(1);
      if (most > least) moved += 1;
    }
    // The version changed during at least one read, so runs were active at that time.
    expect(moved).toBeGreaterThan(0);
  });

  test('after an external program has rewritten the files, reads are correct, and the next run restores the files', async () => {
    const folder = newFolder();
    const [ledgers, history] = [join(folder, 'ledgers'), join(folder, 'ledgers_history')];
    const books = new Map([
      ['ws_a', await serve(11, 200)],
      ['ws_b', await serve(12, 100)],
    ]);
    const runAll = async () => {
      const results = [];
      for (const [name, server] of books) results.push(await mirror(folder, name, server));
      return results;
    };
    const contents = async (snapshot?: { readonly version: number }) => {
      const found: string[][] = [];
      for (const workspace of books.keys()) {
        const opened = await openMirror(folder, { workspace, snapshot });
        const lines: string[] = [];
        for await (const leg of opened.legs()) lines.push(stringifyJson(leg));
        for await (const entry of opened.history()) lines.push(stringifyJson(entry));
        for (const file of opened.files) expect(await opened.fault(file), file.file).toBeUndefined();
        found.push(lines);
      }
      return found;
    };
    const legs = (lines: readonly string[] = [], workspace: string) =>
      lines.slice(0, books.get(workspace)?.rows.length);
    const foreignIn = async (table: string) =>
      [...((await readTable(table))?.files.keys() ?? [])].filter((path) => path.includes('='));

    await runAll();
    for (const number of [1, 2]) {
      for (const server of books.values()) change(server, 9000 + number);
      await runAll();
    }
    const before = await contents();
    const version = (await readTable(ledgers))?.version ?? 0;
    await reader.optimize(ledgers);
    await reader.optimize(history);
    expect([await foreignIn(ledgers), await foreignIn(history)].map((paths) => paths.length)).toEqual([2, 2]);
    expect(await contents()).toEqual(before);
    expect(await contents({ version })).toEqual(before);
    expect(await sumsIn(ledgers)).toEqual(sumsOf(books));

    // The first workspace has changes, and the second has none.
    const [a] = books.values();
    if (a) change(a, 9003);
    const [changed, unchanged] = await runAll();
    expect(changed?.legs.differences).toMatchObject({ added: 1, removed: 3 });
    expect([changed?.legs.damaged, unchanged?.legs.damaged, unchanged?.legs.windowsRead]).toEqual([0, 0, 0]);
    expect([await foreignIn(ledgers), await foreignIn(history)]).toEqual([[], []]);
    const after = await contents();
    expect([legs(after[0], 'ws_a'), legs(after[1], 'ws_b')]).toEqual(
      [...books.values()].map(({ rows }) => truth(rows)),
    );
    expect(after[1]).toEqual(before[1]);
    expect(await contents({ version })).toEqual(before);
    expect(await sumsIn(ledgers)).toEqual(sumsOf(books));

    // If the earlier files were deleted too, the windows are read again.
    await reader.optimize(ledgers);
    for (const path of (await readTable(ledgers))?.removed.keys() ?? [])
      rmSync(join(ledgers, path), { force: true });
    await expect(contents()).rejects.toMatchObject({ code: 'DAMAGED_MIRROR' });
    for (const { legs: read, unverified } of await runAll()) {
      expect([read.damaged, unverified]).toEqual([1, undefined]);
      expect(read.windowsRead).toBeGreaterThan(0);
    }
    expect((await contents()).map((lines, at) => legs(lines, ['ws_a', 'ws_b'][at] ?? ''))).toEqual(
      [...books.values()].map(({ rows }) => truth(rows)),
    );
    expect(await sumsIn(ledgers)).toEqual(sumsOf(books));

    // The history contains earlier values of legs, which cannot be read again. If its files are missing, the table stays as the
    // other program left it.
    await reader.optimize(history);
    const entries = await reader.ask(countsIn(history));
    for (const path of (await readTable(history))?.removed.keys() ?? [])
      rmSync(join(history, path), { force: true });
    await expect(runAll()).rejects.toMatchObject({ code: 'BAD_MIRROR' });
    expect(await reader.ask(countsIn(history))).toEqual(entries);

    const forgotten = await readTable(history);
    const options = { signal: new AbortController().signal, now: Date.now };
    await forgetWorkspace(folder, 'ws_a', options);
    expect(await sumsIn(ledgers)).toEqual(sumsOf(new Map([...books].slice(1))));
    for (const path of forgotten?.files.keys() ?? [])
      expect([path, existsSync(join(history, path))]).toEqual([path, path.includes('ws_b')]);
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      expect(name).not.toContain('ws_a');
      const path = join(folder, name);
      if (statSync(path).isFile()) expect([name, readFileSync(path).includes('ws_a')]).toEqual([name, false]);
    }
  });
});
