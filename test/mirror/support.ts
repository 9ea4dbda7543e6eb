import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dispatcher } from 'undici';
import { connect } from '../../src/client/client.ts';
import type { Credentials } from '../../src/core/credentials.ts';
import { stringifyJson } from '../../src/core/json.ts';
import type { HistoryEntry } from '../../src/mirror/history.ts';
import { openMirror } from '../../src/mirror/open.ts';
import { type RunOptions, type RunResult, runMirror } from '../../src/mirror/run.ts';
import { atEnd } from '../at-end.ts';

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

export interface Asked extends Partial<RunOptions> {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly credentials?: Credentials;
}

/** Runs a mirror of a test server, without real waits. */
export function mirrored(
  folder: string,
  { url, dispatcher, credentials, ...more }: Asked,
): Promise<RunResult> {
  let now = 0;
  const client = connect({
    addresses: () => url,
    dispatcher,
    credentials,
    userAgent: 'test',
    retries: 8,
    random: () => 0.5,
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  });
  return runMirror(folder, {
    ...{ client, address: url, workspace: 'ws_1', full: false, tables: [], concurrency: 4, patience: 0 },
    ...{ signal: new AbortController().signal, now: Date.now, backoff: 0, windowRows: 50 },
    ...more,
  });
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
