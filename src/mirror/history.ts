import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Column } from '../formats/columns.ts';
import type { KindOf } from '../formats/kinds.ts';
import { readParquet } from '../formats/parquet/read.ts';
import { type OpenFile, openParquet } from './leg-file.ts';
import { LEG_COLUMNS, LegReader, LegRows, legKind, snakeCase } from './leg-rows.ts';
import type { MirrorFile } from './manifest.ts';

/** A run that found differences, and the file that contains them. */
export interface HistoryRun {
  readonly file: MirrorFile;
  readonly seenAt: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** The runs that found differences, in order of time. */
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
  /** The time of the run that found the change, in Unix milliseconds. */
  readonly seenAt: number;
  /** The leg before the change; null for an added leg. */
  readonly before: JsonRecord | null;
  /** The leg's time after the change, in Unix milliseconds; null if the leg was removed or has no readable time. */
  readonly timestampAfter: number | null;
}

/** Columns that describe the change. In the file, the columns of the old leg follow. */
const CHANGE_COLUMNS: readonly Column[] = [
  { key: 'change' },
  { key: 'legKey' },
  { key: 'seenAt' },
  { key: 'timestampAfter' },
];
export const HISTORY_COLUMNS: readonly Column[] = [...CHANGE_COLUMNS, ...LEG_COLUMNS];
const MOMENTS = ['seenAt', 'timestampAfter'];
export const historyKind: KindOf = (column) => (MOMENTS.includes(column.key) ? 'moment' : legKind(column));

export async function openHistoryFile(
  path: string,
  workspace: string,
): Promise<Omit<OpenFile, 'add'> & { add(entry: HistoryEntry): Promise<void> | void }> {
  const rows = new LegRows(workspace);
  const values: unknown[] = new Array(HISTORY_COLUMNS.length).fill(null);
  const file = await openParquet(
    path,
    HISTORY_COLUMNS,
    ({ change, key, seenAt, timestampAfter, before }) => {
      values.fill(null);
      const leg = isRecord(before) ? rows.read(before) : [];
      values.splice(0, CHANGE_COLUMNS.length + leg.length, change, key, seenAt, timestampAfter, ...leg);
      return values;
    },
    historyKind,
  );
  return { ...file, add: (entry) => file.add({ ...entry }) };
}

export async function* readHistoryFile(
  path: string,
  workspace: string,
  nameOf = snakeCase,
): AsyncGenerator<HistoryEntry> {
  const reader = new LegReader(workspace, nameOf);
  for await (const group of readParquet(path)) {
    const [changes, keys, seen, times] = CHANGE_COLUMNS.map(({ key }) => group.column(nameOf(key)));
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
