import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonRecord, stringifyJson } from '../../src/core/json.ts';
import type { HistoryEntry } from '../../src/mirror/history.ts';
import { openLegFile } from '../../src/mirror/leg-file.ts';
import { type LegWindow, type Snapshot, type SnapshotName, writeMirror } from '../../src/mirror/manifest.ts';
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
  mkdirSync(join(folder, 'ledgers'), { recursive: true });
  const windows: LegWindow[] = [];
  for (const [index, part] of [legs.slice(0, half), legs.slice(half)].entries()) {
    const path = join(folder, 'ledgers', `part-${index}.parquet`);
    const file = await openLegFile(path);
    for (const leg of part) await file.add(leg);
    const written = { file: `ledgers/part-${index}.parquet`, ...(await file.finish()) };
    windows.push({
      ...{ from: index * 10, to: index * 10 + 9, rows: part.length, total: null, ...claims },
      ...{ file: part.length === 0 ? null : written, legsSha256: null, walletIds: [] },
    });
  }
  const snapshots = Object.entries(lists).map(([name, lines]): [string, Snapshot] => {
    const text = lines.map((line) => `${line}\n`).join('');
    const sha256 = createHash('sha256').update(text).digest('hex');
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'list.jsonl'), text);
    const file = { file: `${name}/list.jsonl`, rows: lines.length, bytes: Buffer.byteLength(text), sha256 };
    return [
      name,
      { files: [file], rows: lines.length, total: null, verified: true, why: null, readAt: at, ...claims },
    ];
  });
  await writeMirror(folder, {
    ...{ address: 'https://books.example', workspace: null, createdAt: at, query: {}, history: [] },
    lastRun: { startedAt: at, endedAt: at, verified: true, why: null },
    ledgers: {
      ...{ rows: legs.length, verified: true, why: null, readAt: at, verifiedAt: at },
      ...{ windowRows: 50, windows, syncs: null, newest: null },
    },
    snapshots: Object.fromEntries(snapshots),
  });
  return folder;
}
