import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LegPositions } from '../../src/books/positions.ts';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { placeFiles } from '../../src/mirror/folder.ts';
import type { HistoryEntry } from '../../src/mirror/history.ts';
import { commitState, fileNames, readLake } from '../../src/mirror/lake.ts';
import { LegPacker, type NewFile } from '../../src/mirror/leg-packer.ts';
import { writeListFile } from '../../src/mirror/list-rows.ts';
import {
  FORMAT,
  type LegWindow,
  partitionOf,
  type Snapshot,
  type SnapshotName,
} from '../../src/mirror/manifest.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { atEnd } from '../at-end.ts';
import { type Row, textOf } from '../export/ledger-server.ts';

let folders = 0;
let parent: string | undefined;

/** The path of a folder that does not exist yet. */
export function newFolder(): string {
  if (parent === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'cryptodata-mirror-'));
    atEnd(() => {
      rmSync(made, { recursive: true, force: true });
      // Clear the parent folder, because the next test file in this worker needs a new one.
      parent = undefined;
    });
    parent = made;
  }
  folders += 1;
  return join(parent, `books-${folders}`);
}

/** The legs of a mirror as JSON Lines. */
export async function legsIn(folder: string): Promise<string[]> {
  const mirror = await openMirror(folder);
  const lines: string[] = [];
  for await (const leg of mirror.legs()) lines.push(stringifyJson(leg));
  return lines;
}

export async function historyIn(folder: string): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of (await openMirror(folder)).history()) entries.push(entry);
  return entries;
}

/** The rows of the service as JSON text, sorted by time and id, as in an export. */
export function truth(rows: readonly Row[]): string[] {
  return [...rows]
    .sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))
    .map((row) => textOf(row).replaceAll('\u001b', '\\u001b'));
}

interface WrittenWindow extends Pick<LegWindow, 'from' | 'to'> {
  readonly legs: readonly JsonRecord[];
}

/** Divides legs between two windows. */
function halves(legs: readonly JsonRecord[]): WrittenWindow[] {
  const half = Math.ceil(legs.length / 2);
  return [
    { from: null, to: 9, legs: legs.slice(0, half) },
    { from: 10, to: 19, legs: legs.slice(half) },
  ];
}

/** Writes a mirror with these legs and lists, without a service. The legs are divided between two windows. */
export function writtenMirror(
  legs: readonly JsonRecord[],
  lists: Readonly<Partial<Record<SnapshotName, readonly string[]>>> = {},
  folder = newFolder(),
): Promise<string> {
  return writtenBooks({ folder, workspace: null, windows: halves(legs), lists });
}

/** Writes one workspace of a mirror, without a service. */
export async function writtenBooks({
  folder,
  workspace,
  windows,
  lists = {},
}: {
  readonly folder: string;
  readonly workspace: string | null;
  readonly windows: readonly WrittenWindow[];
  readonly lists?: Readonly<Partial<Record<SnapshotName, readonly string[]>>>;
}): Promise<string> {
  const at = new Date(0).toISOString();
  const claims = { countsVerifiedAt: at, idsVerifiedAt: at, contentsVerifiedAt: at };
  const partition = partitionOf(workspace);
  const nameOf = fileNames(partition, 0);
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  const place = (isStart: boolean) => new LegPositions(isStart);
  const packer = new LegPacker(work, partition, () => nameOf('ledgers'), place);
  const held: LegWindow[] = [];
  for (const { from, to, legs } of windows) {
    const rows = (async function* () {
      yield* legs;
    })();
    const { part } = await packer.add(rows, from === null);
    held.push({
      ...{ from, to, rows: legs.length, total: null, ...claims },
      ...{ part, legsSha256: hashOf(legs), walletIds: [] },
    });
  }
  const files: NewFile[] = [...(await packer.finish())];
  const snapshots: [string, Snapshot][] = [];
  for (const [name, lines] of Object.entries(lists) as [SnapshotName, readonly string[]][]) {
    const path = join(work, `${name}.parquet`);
    const records = (async function* () {
      for (const line of lines) yield parseJson(line) as JsonRecord;
    })();
    const written = { file: nameOf(name), ...(await writeListFile(path, name, records)) };
    files.push({ path, written });
    const facts = { rows: lines.length, total: null, verified: true, why: null, readAt: at, ...claims };
    snapshots.push([name, facts]);
  }
  await placeFiles(folder, files);
  const since = (await readLake(folder, { workspace: partition }))?.version;
  await commitState(
    { directory: folder, temporary: work, now: () => 0 },
    {
      ...{ mirror: FORMAT, tool: 'test', address: 'https://books.example', workspace, createdAt: at },
      ...{ query: {}, gaps: undefined, lastRun: { startedAt: at, endedAt: at, verified: true, why: null } },
      ledgers: {
        ...{ rows: windows.reduce((sum, { legs }) => sum + legs.length, 0), verified: true, why: null },
        ...{ readAt: at, verifiedAt: at, windowRows: 50, windows: held, syncs: null, newest: null },
      },
      snapshots: Object.fromEntries(snapshots),
    },
    files.map(({ written }) => written),
    since,
  );
  rmSync(work, { recursive: true });
  return folder;
}

function hashOf(legs: readonly JsonRecord[]): string {
  return createHash('sha256')
    .update(legs.map((leg) => stringifyJson(leg)).join('\n'))
    .digest('hex');
}
