import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LegPositions } from '../../src/books/positions.ts';
import { type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { placeFiles } from '../../src/mirror/folder.ts';
import type { HistoryEntry } from '../../src/mirror/history.ts';
import { commitState, fileNames } from '../../src/mirror/lake.ts';
import { LegPacker, type NewFile } from '../../src/mirror/leg-file.ts';
import { FORMAT, type LegWindow, type Snapshot, type SnapshotName } from '../../src/mirror/manifest.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { writeListFile } from '../../src/mirror/snapshots.ts';
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
      // The next test file in this worker needs a new parent folder.
      parent = undefined;
    });
    parent = made;
  }
  folders += 1;
  return join(parent, `books-${folders}`);
}

/** The legs of a mirror as JSON Lines. */
export async function legsIn(folder: string): Promise<string[]> {
  const { legs } = await openMirror(folder);
  const lines: string[] = [];
  for await (const leg of legs()) lines.push(stringifyJson(leg));
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

/** Writes a mirror with these legs and lists, without a service. The legs are divided between two windows. */
export async function writtenMirror(
  legs: readonly JsonRecord[],
  lists: Readonly<Partial<Record<SnapshotName, readonly string[]>>> = {},
  folder = newFolder(),
): Promise<string> {
  const at = new Date(0).toISOString();
  const claims = { countsVerifiedAt: at, idsVerifiedAt: at, contentsVerifiedAt: at };
  const half = Math.ceil(legs.length / 2);
  const nameOf = fileNames('unknown', 0);
  const work = join(folder, 'work');
  mkdirSync(work, { recursive: true });
  const packer = new LegPacker(
    work,
    'unknown',
    () => nameOf('ledgers'),
    (isStart) => new LegPositions(isStart),
  );
  const windows: LegWindow[] = [];
  for (const [index, part] of [legs.slice(0, half), legs.slice(half)].entries()) {
    const rows = (async function* () {
      yield* part;
    })();
    windows.push({
      ...{ from: index * 10, to: index * 10 + 9, rows: part.length, total: null, ...claims },
      ...{ part: await packer.add(rows, index === 0), legsSha256: hashOf(part), walletIds: [] },
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
    snapshots.push([name, { files: [written], ...facts }]);
  }
  await placeFiles(folder, files);
  await commitState(
    { directory: folder, temporary: work, now: () => 0 },
    {
      ...{ mirror: FORMAT, tool: 'test', address: 'https://books.example', workspace: null, createdAt: at },
      ...{ query: {}, history: [], lastRun: { startedAt: at, endedAt: at, verified: true, why: null } },
      ledgers: {
        ...{ rows: legs.length, verified: true, why: null, readAt: at, verifiedAt: at },
        ...{ windowRows: 50, windows, syncs: null, newest: null },
        files: files.flatMap(({ written }) => (written.file.startsWith('ledgers/') ? written : [])),
      },
      snapshots: Object.fromEntries(snapshots),
    },
  );
  rmSync(work, { recursive: true });
  return folder;
}

function hashOf(legs: readonly JsonRecord[]): string {
  return createHash('sha256')
    .update(legs.map((leg) => stringifyJson(leg)).join('\n'))
    .digest('hex');
}
