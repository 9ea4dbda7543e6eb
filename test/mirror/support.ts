import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringifyJson } from '../../src/core/json.ts';
import type { HistoryEntry } from '../../src/mirror/history.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { atEnd } from '../at-end.ts';
import { type Row, textOf } from '../export/ledger-server.ts';

let folders = 0;
let parent: string | undefined;

/** A folder that does not exist yet. */
export function newFolder(): string {
  if (parent === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'cryptodata-mirror-'));
    atEnd(() => rmSync(made, { recursive: true, force: true }));
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

/** The rows of the service in order of time and id, as an export writes them. */
export function truth(rows: readonly Row[]): string[] {
  return [...rows]
    .sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))
    .map((row) => textOf(row).replaceAll('\u001b', '\\u001b'));
}
