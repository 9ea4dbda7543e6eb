import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteBuffer } from '../core/byte-buffer.ts';
import { IdSet } from '../core/id-set.ts';
import { cannotWrite } from '../core/unwritable.ts';
import type { Row } from '../read/rows.ts';

/** Bytes to buffer before a write. */
const CHUNK = 128 * 1024;
/**
 * Maximum number of rows with the same timestamp to buffer and sort. If more rows have the same timestamp, `finish` sorts the
 * file.
 */
const MAX_HELD = 5000;

/** Maximum number of rows or ids per write. */
const BATCH = 1000;

const FIELDS = 3;

/** Sort key of a row. */
interface Position {
  readonly time: number;
  readonly id: string;
}

interface HeldRow extends Position {
  /** Index of the row's id in the set of all ids. */
  readonly number: number;
  readonly row: Row;
}

export interface SegmentFile {
  /** Number of rows that the file contains in full. If a filter excludes a row, only the id of the row is stored. */
  readonly written: number;
  /** File name in the directory; null if there are no rows. */
  readonly file: string | null;
  readonly bytes: number;
  readonly sha256: string | null;
  /** For each field without a column: the number of rows that have the field. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/**
 * Writes the rows of one window to a file. Each id is written once. Rows are sorted by time and then by id, so that the same
 * rows always produce the same bytes. After a row is written, only its id, its time and its length stay in memory. A writer can
 * be reused for another window.
 */
export class SegmentWriter {
  readonly #directory: string;
  #name = '';
  readonly #extraFields = new Map<string, number>();
  readonly #ids = new IdSet();
  /** Three numbers for each released row, in write order: its time, the index of its id, and its length in bytes. */
  #released = new Float64Array(FIELDS * 2048);
  #releasedRows = 0;
  #last: Position | undefined;
  #inOrder = true;
  /** Rows with the latest timestamp, held back because the next page may have more rows with this timestamp. */
  #held: HeldRow[] = [];
  /** Text that is not yet written to the file. */
  readonly #pending = new ByteBuffer();
  #hash = createHash('sha256');
  #bytes = 0;
  #written = 0;
  #handle: FileHandle | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async begin(name: string): Promise<void> {
    this.#name = name;
    await this.clear();
  }

  get rows(): number {
    return this.#ids.size;
  }

  get ids(): Iterable<string> {
    return this.#ids;
  }

  /**
   * Adds a row. Ignores a row whose id was already added.
   *
   * @returns whether the row was added
   */
  add(row: Row): boolean {
    const { id, time = -1 } = row;
    const number = this.#ids.size;
    if (!this.#ids.add(id)) return false;
    this.#held.push({ time, id, number, row });
    for (const name of row.extraFields) this.#extraFields.set(name, (this.#extraFields.get(name) ?? 0) + 1);
    return true;
  }

  /** Writes, in chunks, the rows whose position can no longer change. Call `settle` after each page. */
  async settle(): Promise<void> {
    this.#release(false);
    if (this.#pending.length >= CHUNK) await this.#flush();
  }

  async clear(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await rm(this.#path('tmp'), { force: true });
    this.#ids.clear();
    this.#extraFields.clear();
    this.#releasedRows = 0;
    this.#last = undefined;
    this.#held = [];
    this.#pending.length = 0;
    this.#hash = createHash('sha256');
    this.#bytes = 0;
    this.#written = 0;
    this.#inOrder = true;
  }

  /** Writes the rows to one file and their ids to another, and flushes both files to disk. */
  async finish(): Promise<SegmentFile> {
    this.#release(true);
    if (this.rows === 0) {
      await this.clear();
      return { file: null, bytes: 0, sha256: null, written: 0, leftOut: {} };
    }
    await this.#flush();
    await this.#try(async () => {
      this.#handle ??= await open(this.#path('tmp'), 'w', 0o600);
      if (!this.#inOrder) await this.#sort();
      await this.#handle.sync();
      await this.#handle.close();
      this.#handle = undefined;
      await this.#writeIds();
      await rename(this.#path('tmp'), this.#path('seg'));
    });
    return {
      file: `${this.#name}.seg`,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      written: this.#written,
      leftOut: Object.fromEntries(this.#extraFields),
    };
  }

  #release(all: boolean): void {
    const held = this.#held.sort(byPosition);
    const [first] = held;
    if (first === undefined) return;
    const last = held.at(-1)?.time;
    let end = held.length;
    if (!all && end < MAX_HELD) while (end > 0 && held[end - 1]?.time === last) end -= 1;
    if (this.#last && byPosition(this.#last, first) > 0) this.#inOrder = false;
    const pending = this.#pending;
    for (const { time, number, row } of held.slice(0, end)) {
      const start = pending.length;
      row.writeTo(pending);
      this.#record(time, number, pending.length - start);
      if (pending.length > start) this.#written += 1;
    }
    const { time, id } = held[end - 1] ?? first;
    if (end > 0) this.#last = { time, id };
    this.#held = held.slice(end);
    for (const { row } of this.#held) row.keep();
  }

  #record(time: number, number: number, length: number): void {
    const at = FIELDS * this.#releasedRows;
    if (at === this.#released.length) {
      const larger = new Float64Array(2 * at);
      larger.set(this.#released);
      this.#released = larger;
    }
    this.#released[at] = time;
    this.#released[at + 1] = number;
    this.#released[at + 2] = length;
    this.#releasedRows += 1;
  }

  /** Writes the ids as a JSON array, part by part. One long string would occupy memory until a full garbage collection. */
  async #writeIds(): Promise<void> {
    const file = await open(this.#path('ids'), 'w', 0o600);
    for (let at = 0; at < this.rows; at += BATCH) {
      const ids = Array.from({ length: Math.min(BATCH, this.rows - at) }, (_, index) =>
        this.#ids.at(at + index),
      );
      await file.appendFile(`${at === 0 ? '[' : ','}${JSON.stringify(ids).slice(1, -1)}`);
    }
    await file.appendFile(']');
    await file.sync();
    await file.close();
  }

  async #flush(): Promise<void> {
    const { written } = this.#pending;
    if (written.length === 0) return;
    this.#hash.update(written);
    this.#bytes += written.length;
    await this.#try(async () => {
      this.#handle ??= await open(this.#path('tmp'), 'w', 0o600);
      await this.#handle.appendFile(written);
    });
    this.#pending.length = 0;
  }

  /** Rewrites the file in sorted order. */
  async #sort(): Promise<void> {
    await this.#handle?.close();
    const data = await readFile(this.#path('tmp'));
    let end = 0;
    const rows = Array.from({ length: this.#releasedRows }, (_, row) => {
      const at = FIELDS * row;
      const start = end;
      end += this.#released[at + 2] as number;
      return {
        ...{ time: this.#released[at] as number, id: this.#ids.at(this.#released[at + 1] as number) },
        ...{ start, end },
      };
    });
    rows.sort(byPosition);
    this.#hash = createHash('sha256');
    this.#handle = await open(this.#path('tmp'), 'w', 0o600);
    for (let at = 0; at < rows.length; at += BATCH) {
      const parts = rows.slice(at, at + BATCH).map(({ start, end }) => data.subarray(start, end));
      const joined = Buffer.concat(parts);
      this.#hash.update(joined);
      await this.#handle.appendFile(joined);
    }
  }

  #path(ending: 'tmp' | 'seg' | 'ids'): string {
    return join(this.#directory, `${this.#name}.${ending}`);
  }

  async #try<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(this.#directory, error);
    }
  }
}

function byPosition(left: Position, right: Position): number {
  if (left.time !== right.time) return left.time - right.time;
  return left.id < right.id ? -1 : 1;
}

/**
 * Returns the ids of the rows in a segment, in any order.
 *
 * @throws if the file of ids is missing or invalid
 */
export async function readSegmentIds(path: string): Promise<readonly string[]> {
  const ids: unknown = JSON.parse(await readFile(path.replace(/seg$/, 'ids'), 'utf8'));
  if (!Array.isArray(ids)) throw new SyntaxError('not a list of ids');
  return ids.filter((id) => typeof id === 'string');
}
