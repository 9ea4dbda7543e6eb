import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { addAll } from '../core/batches.ts';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { viewOf } from '../formats/columns.ts';
import { createParquet, type ParquetFile } from '../formats/parquet/index.ts';
import { type GroupRange, readParquet } from '../formats/parquet/read.ts';
import type { ColumnBounds } from '../formats/parquet/stored-group.ts';
import { tableColumns } from './columns.ts';
import { LegReader, OTHERS, POSITION, snakeCase } from './leg-rows.ts';
import type { MirrorFile, TableName } from './manifest.ts';

export interface LedgerRow {
  readonly leg: JsonRecord;
  /** The position of the leg among the legs of its wallet and asset in the same millisecond; null if unknown. */
  readonly position: number | null;
}

/** Finds the positions of legs, which are added in order of time. */
export interface LegPlacer {
  /** The paths of the values that decide the position of a leg. */
  readonly wanted: readonly string[];
  /**
   * Adds a leg. Returns the positions of all earlier legs, in their order; an empty list while a position is unknown.
   *
   * @param values the values of `wanted`, if `leg` is a function that returns the record
   */
  add(
    leg: JsonRecord | (() => JsonRecord),
    values?: readonly unknown[],
  ): readonly Pick<LedgerRow, 'position'>[];
  finish(): readonly Pick<LedgerRow, 'position'>[];
}

/**
 * Creates a {@link LegPlacer} for the legs of a window. The positions must not depend on other windows, because another window
 * may change while this window stays.
 *
 * @param isStart whether the books have no legs before the window
 */
export type PlaceLegs = (isStart: boolean) => LegPlacer;

/** A data file that a run writes. The run later renames all its files together. */
export interface TableFile<T> extends Pick<ParquetFile, 'endGroup' | 'copyGroup' | 'byColumn'> {
  readonly bytes: number;
  add(row: T): Promise<void> | void;
  finish(): Promise<Omit<MirrorFile, 'file'>>;
  close(): Promise<void>;
}

/** @param read returns the values of the columns of a row */
export async function openTableFile<T>(
  path: string,
  table: TableName,
  read: (row: T) => readonly unknown[],
): Promise<TableFile<T>> {
  const attempt = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(path, error);
    }
  };
  let handle: FileHandle | undefined = await attempt(() => open(path, 'w'));
  const hash = createHash('sha256');
  let bytes = 0;
  const sink = {
    write: (chunk: Uint8Array) => {
      hash.update(chunk);
      bytes += chunk.length;
      return attempt(async () => handle?.appendFile(chunk));
    },
  };
  const kinds = new Map(tableColumns(table).map(({ name, kind }) => [name, kind]));
  const parquet = createParquet(sink, {
    ...{ columns: [...kinds.keys()].map((key) => ({ key })), kindOf: ({ key }) => kinds.get(key) ?? 'text' },
    ...{ view: viewOf('UTC'), decimals: 'decimal', momentUnit: 'MICROS', counts: 'INT32' },
    read: read as (record: unknown) => readonly unknown[],
  });
  const close = async () => {
    await handle?.close();
    handle = undefined;
  };
  return {
    get bytes() {
      return bytes;
    },
    add: parquet.add as (row: unknown) => Promise<void> | void,
    endGroup: parquet.endGroup,
    copyGroup: parquet.copyGroup,
    byColumn: parquet.byColumn,
    async finish() {
      await parquet.finish();
      await attempt(async () => handle?.sync());
      await close();
      const { rows, bounds } = parquet.summary('timestamp');
      return { rows, bytes, sha256: hash.digest('hex'), stats: statsOf(rows, bounds), tags: {} };
    },
    close,
  };
}

export async function writeTableFile<T>(
  path: string,
  table: TableName,
  read: (row: T) => readonly unknown[],
  rows: AsyncIterable<T>,
): Promise<Omit<MirrorFile, 'file'>> {
  const file = await openTableFile(path, table, read);
  try {
    await addAll(file, rows);
    return await file.finish();
  } finally {
    await file.close();
  }
}

/** The years 1 to 9999, in microseconds. Other programs cannot represent times outside these years. */
const [FIRST, LAST] = [-62_135_596_800_000_000, 253_402_300_799_999_000];

/** Statistics for readers of the table, so that they can skip the file (PROTOCOL.md, "Per-file Statistics"). */
function statsOf(rows: number, bounds: ColumnBounds | undefined): string {
  const isUsable = bounds && bounds.least >= FIRST && bounds.greatest <= LAST;
  const atMicros = (micros: number) => {
    const time = Math.floor(micros / 1000);
    return { timestamp: new Date(time).toISOString() };
  };
  return JSON.stringify({
    numRecords: rows,
    ...(isUsable && {
      ...{ minValues: atMicros(bounds.least), maxValues: atMicros(bounds.greatest) },
      nullCount: { timestamp: bounds.nulls },
    }),
  });
}

/** Yields the legs of a file exactly as the service returned them. */
export async function* readLegFile(
  path: string,
  workspace: string,
  groups?: GroupRange,
  nameOf = snakeCase,
): AsyncGenerator<JsonRecord> {
  const reader = new LegReader(workspace, nameOf);
  for await (const group of readParquet(path, { groups })) yield* reader.legs(group);
}

export async function* readLedgerRows(
  path: string,
  workspace: string,
  groups: GroupRange,
): AsyncGenerator<LedgerRow> {
  const reader = new LegReader(workspace);
  for await (const group of readParquet(path, { groups })) {
    const positions = group.column(POSITION);
    let row = 0;
    for (const leg of reader.legs(group)) {
      const position = positions?.[row++];
      yield { leg, position: typeof position === 'number' ? position : null };
    }
  }
}

/** Yields the identity of each leg in a file, as `identityOf` returns it. */
export async function* readLegIds(
  path: string,
  workspace: string,
  groups: GroupRange,
): AsyncGenerator<string> {
  const found: string[] = [];
  const others = snakeCase(OTHERS);
  for await (const group of readParquet(path, { columns: ['id', others], groups })) {
    const [ids, rest] = [group.column('id'), group.column(others)];
    for (let row = 0; row < group.rows; row++) {
      const [id, other] = [ids?.[row], rest?.[row]];
      if (typeof id === 'string' && !(typeof other === 'string' && other.includes('"id"'))) found.push(id);
      else {
        // If an id is not text, read complete legs, because the `id` column does not contain the exact id.
        for await (const leg of readLegFile(path, workspace, groups)) yield identityOf(leg);
        return;
      }
    }
  }
  yield* found;
}
