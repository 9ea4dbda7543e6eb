import type { JsonRecord } from '../core/json.ts';
import { readParquet } from '../formats/parquet/read.ts';
import { CHANGE_KEYS } from './columns.ts';
import { writeTableFile } from './leg-file.ts';
import { LEG_COLUMNS, LegReader, LegRows, snakeCase } from './leg-rows.ts';
import type { MirrorFile } from './manifest.ts';

/** A run that found differences, and the file that contains them. */
export interface HistoryRun extends Findings {
  readonly file: MirrorFile;
}

interface Findings {
  /** The time of the run, as ISO 8601. */
  readonly seenAt: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** The tags of a file of the history. */
export function historyTags({ seenAt, added, removed, changed }: Findings): MirrorFile['tags'] {
  return { seenAt, added: String(added), removed: String(removed), changed: String(changed) };
}

export function historyRuns(files: readonly MirrorFile[]): readonly HistoryRun[] {
  const runs = files.map((file): HistoryRun => {
    const { seenAt = '', added, removed, changed } = file.tags;
    return { file, seenAt, added: Number(added), removed: Number(removed), changed: Number(changed) };
  });
  return runs.sort((left, right) => Number(left.seenAt > right.seenAt) - Number(left.seenAt < right.seenAt));
}

/** A change that a run found in a leg. */
export interface HistoryEntry {
  readonly change: 'added' | 'removed' | 'changed';
  /** Identifies the leg. The key is the id; for a leg without an id, the key is the whole leg as text. */
  readonly key: string;
  readonly seenAt: number;
  /** The leg before the change; null for an added leg. */
  readonly before: JsonRecord | null;
  /** The leg's time after the change, in Unix milliseconds; null if the leg was removed or has no readable time. */
  readonly timestampAfter: number | null;
}

export function writeHistoryFile(path: string, workspace: string, entries: AsyncIterable<HistoryEntry>) {
  const rows = new LegRows(workspace);
  const read = ({ change, key, seenAt, timestampAfter, before }: HistoryEntry) => {
    const leg = before ? rows.read(before) : LEG_COLUMNS.map(() => null);
    return [change, key, seenAt, timestampAfter, ...leg];
  };
  return writeTableFile(path, 'ledgers_history', read, entries);
}

export async function* readHistoryFile(
  path: string,
  workspace: string,
  nameOf = snakeCase,
): AsyncGenerator<HistoryEntry> {
  const reader = new LegReader(workspace, nameOf);
  for await (const group of readParquet(path)) {
    const [changes, keys, seen, times] = CHANGE_KEYS.map((key) => group.column(nameOf(key)));
    let row = 0;
    for (const leg of reader.legs(group)) {
      const [change, key, seenAt, time] = [changes, keys, seen, times].map((column) => column?.[row]);
      row += 1;
      if (change !== 'added' && change !== 'removed' && change !== 'changed') continue;
      if (typeof key !== 'string' || typeof seenAt !== 'number') continue;
      const before = change === 'added' ? null : leg;
      yield { change, key, seenAt, before, timestampAfter: typeof time === 'number' ? time : null };
    }
  }
}
