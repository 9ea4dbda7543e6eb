import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type Column, viewOf } from '../formats/columns.ts';
import type { KindOf } from '../formats/kinds.ts';
import { createParquet } from '../formats/parquet/index.ts';
import { readParquet } from '../formats/parquet/read.ts';
import { LEG_COLUMNS, LegReader, LegRows, legKind, OTHERS } from './leg-rows.ts';

export interface WrittenFile {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** A Parquet file that a run writes. The run later flushes and renames all its files together. */
export interface OpenFile {
  add(record: JsonRecord): Promise<void> | void;
  finish(): Promise<WrittenFile>;
  close(): Promise<void>;
}

export function openLegFile(path: string): Promise<OpenFile> {
  const rows = new LegRows();
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
  let [rows, bytes] = [0, 0];
  const sink = {
    write: (chunk: Uint8Array) => {
      hash.update(chunk);
      bytes += chunk.length;
      return attempt(async () => handle?.appendFile(chunk));
    },
  };
  const view = viewOf('UTC');
  const parquet = createParquet(sink, { columns, view, decimals: 'decimal', kindOf, read });
  const close = async () => {
    await handle?.close();
    handle = undefined;
  };
  return {
    add(record) {
      rows += 1;
      return parquet.add(record);
    },
    async finish() {
      await parquet.finish();
      await close();
      return { rows, bytes, sha256: hash.digest('hex') };
    },
    close,
  };
}

/** Yields the legs of a file exactly as the service returned them. */
export async function* readLegFile(path: string): AsyncGenerator<JsonRecord> {
  const reader = new LegReader();
  for await (const group of readParquet(path)) yield* reader.legs(group);
}

/** Yields the identity of each leg in a file, as `identityOf` returns it. */
export async function* readLegIds(path: string): AsyncGenerator<string> {
  const found: string[] = [];
  for await (const group of readParquet(path, ['id', OTHERS])) {
    const [ids, others] = [group.column('id'), group.column(OTHERS)];
    for (let row = 0; row < group.rows; row++) {
      const [id, other] = [ids?.[row], others?.[row]];
      if (typeof id === 'string' && !(typeof other === 'string' && other.includes('"id"'))) found.push(id);
      else {
        // If an id is not text, read complete legs, because the `id` column does not contain the exact id.
        for await (const leg of readLegFile(path)) yield identityOf(leg);
        return;
      }
    }
  }
  yield* found;
}
