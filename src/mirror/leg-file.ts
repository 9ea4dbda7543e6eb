import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type Column, viewOf } from '../formats/columns.ts';
import type { KindOf } from '../formats/kinds.ts';
import { createParquet, type ParquetFile } from '../formats/parquet/index.ts';
import { type GroupRange, readParquet, storedGroups } from '../formats/parquet/read.ts';
import type { ColumnBounds } from '../formats/parquet/stored-group.ts';
import { LEG_COLUMNS, LegReader, LegRows, legKind, OTHERS, snakeCase } from './leg-rows.ts';
import type { LegPart, MirrorFile } from './manifest.ts';

/** A finished file at `path`. When the run is committed, the file is moved into the mirror, to `written.file`. */
export interface NewFile {
  readonly path: string;
  readonly written: MirrorFile;
}

/** A Parquet file that a run writes. The run later flushes and renames all its files together. */
export interface OpenFile extends Pick<ParquetFile, 'endGroup' | 'copyGroup'> {
  readonly bytes: number;
  add(record: JsonRecord): Promise<void> | void;
  finish(): Promise<Omit<MirrorFile, 'file'>>;
  close(): Promise<void>;
}

export function openLegFile(path: string, workspace: string): Promise<OpenFile> {
  const rows = new LegRows(workspace);
  return openParquet(path, LEG_COLUMNS, (leg) => rows.read(leg));
}

export async function openParquet(
  path: string,
  columns: readonly Column[],
  read: (record: JsonRecord) => readonly unknown[],
  kindOf: KindOf = legKind,
): Promise<OpenFile> {
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
  const kinds = new Map(columns.map((column) => [snakeCase(column.key), kindOf(column)]));
  const parquet = createParquet(sink, {
    ...{ columns: [...kinds.keys()].map((key) => ({ key })), kindOf: ({ key }) => kinds.get(key) ?? 'text' },
    ...{ view: viewOf('UTC'), decimals: 'decimal', read, momentUnit: 'MICROS' },
  });
  const close = async () => {
    await handle?.close();
    handle = undefined;
  };
  return {
    get bytes() {
      return bytes;
    },
    add: parquet.add,
    endGroup: parquet.endGroup,
    copyGroup: parquet.copyGroup,
    async finish() {
      await parquet.finish();
      await close();
      const { rows, bounds } = parquet.summary('timestamp');
      return { rows, bytes, sha256: hash.digest('hex'), stats: statsOf(rows, bounds) };
    },
    close,
  };
}

/** The years 1 to 9999, in microseconds. Other programs cannot represent other times. */
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

/** When a file reaches this size, the next window begins another file. */
const FILE_BYTES = 128 * 1024 * 1024;

/** Writes windows to files of a useful size. Each window begins a row group. */
export class LegPacker {
  readonly #directory: string;
  readonly #workspace: string;
  /** Returns the path in the mirror for the next file. */
  readonly #nameOf: () => string;
  readonly #files: NewFile[] = [];
  #current: { readonly file: OpenFile; readonly path: string; readonly name: string } | undefined;

  constructor(directory: string, workspace: string, nameOf: () => string) {
    this.#directory = directory;
    this.#workspace = workspace;
    this.#nameOf = nameOf;
  }

  /** Writes the legs of a window. */
  add(legs: AsyncIterable<JsonRecord>): Promise<LegPart | null> {
    return this.#write(async (file) => {
      for await (const leg of legs) {
        const writing = file.add(leg);
        if (writing) await writing;
      }
    });
  }

  /** Copies the row groups of a window from another file. */
  copy(path: string, groups: GroupRange): Promise<LegPart | null> {
    return this.#write(async (file) => {
      for await (const group of storedGroups(path, groups)) await file.copyGroup(group);
    });
  }

  async finish(): Promise<readonly NewFile[]> {
    const current = this.#current;
    this.#current = undefined;
    if (current) {
      const written = { file: current.name, ...(await current.file.finish()) };
      this.#files.push({ path: current.path, written });
    }
    return this.#files;
  }

  async close(): Promise<void> {
    await this.#current?.file.close();
  }

  async #write(fill: (file: OpenFile) => Promise<void>): Promise<LegPart | null> {
    if ((this.#current?.file.bytes ?? 0) >= FILE_BYTES) await this.finish();
    if (!this.#current) {
      const path = join(this.#directory, `${this.#files.length}.parquet`);
      this.#current = { file: await openLegFile(path, this.#workspace), path, name: this.#nameOf() };
    }
    const { file, name } = this.#current;
    const first = await file.endGroup();
    await fill(file);
    const count = (await file.endGroup()) - first;
    return count === 0 ? null : { file: name, first, count };
  }
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
