import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite } from '../core/unwritable.ts';
import type { Row, Stretch } from '../read/rows.ts';
import { Ids, idsIn, marksIn } from './ids.ts';
import { Numbers } from './numbers.ts';
import { Pending } from './pending.ts';

/** Bytes that are gathered before they are written. */
const CHUNK = 128 * 1024;
/** Rows of one millisecond that wait to be put in order before they are written as they come. */
const MOST_HELD = 5000;

interface Place {
  readonly time: number;
  readonly id: string;
}

interface Held extends Place {
  /** Of its id, among all. */
  readonly number: number;
  readonly line: Stretch;
}

export interface SegmentFile {
  /** Rows with a line in it: the others were filtered out, and count for the proof alone. */
  readonly written: number;
  /** Name inside the directory; null where there are no rows. */
  readonly file: string | null;
  readonly bytes: number;
  readonly sha256: string | null;
  /** Fields without a place in the file, and in how many rows they came. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/**
 * Rows of one window on their way into a file: each id once, in the order of time and, within one millisecond, of
 * ids, so that the same rows always give the same bytes. Memory holds ids and places, not rows, and serves one window
 * after the other.
 */
export class SegmentWriter {
  readonly #directory: string;
  /** Of its files, without an ending. */
  #name = '';
  readonly #leftOut = new Map<string, number>();
  readonly #ids = new Ids();
  /** Of the rows written, in the order of writing: their times, the numbers of their ids, and lengths in bytes. */
  readonly #times = new Numbers();
  readonly #order = new Numbers();
  readonly #lengths = new Numbers();
  #last: Place | undefined;
  #inOrder = true;
  /** Rows of the last millisecond that came: more of it may come with the next page. */
  #held: Held[] = [];
  #pending = new Pending(2 * CHUNK);
  #hash = createHash('sha256');
  #bytes = 0;
  #written = 0;
  #handle: FileHandle | undefined;

  /** @param directory where its files go */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Begins anew, with files of this name. */
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

  /** Takes a row; one that is held already changes nothing. */
  add(row: Row): void {
    const { id, time = -1 } = row;
    const number = this.#ids.size;
    if (!this.#ids.add(id)) return;
    this.#held.push({ time, id, number, line: row.line });
    for (const name of row.leftOut) this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1);
  }

  /** Call it after each page: writes out the rows whose place is known. */
  async settle(): Promise<void> {
    this.#release(false);
    if (this.#pending.length >= CHUNK) await this.#flush();
  }

  /** Forgets every row. */
  async clear(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await rm(this.#path('tmp'), { force: true });
    this.#ids.clear();
    this.#leftOut.clear();
    for (const numbers of [this.#times, this.#order, this.#lengths]) numbers.length = 0;
    this.#last = undefined;
    this.#held = [];
    this.#pending.take();
    this.#hash = createHash('sha256');
    this.#bytes = 0;
    this.#written = 0;
    this.#inOrder = true;
  }

  /** Puts the rows into their file, on the disk to stay, and their ids beside it. */
  async finish(): Promise<SegmentFile> {
    this.#release(true);
    if (this.rows === 0) {
      await this.clear();
      return { file: null, bytes: 0, sha256: null, written: 0, leftOut: {} };
    }
    await this.#flush();
    await this.#try(async () => {
      this.#handle ??= await open(this.#path('tmp'), 'w', 0o600);
      if (!this.#inOrder) await this.#putInOrder();
      await this.#handle.sync();
      await this.#handle.close();
      this.#handle = undefined;
      const ids = await open(this.#path('ids'), 'w', 0o600);
      await ids.writeFile(this.#ids.json());
      await ids.sync();
      await ids.close();
      await rename(this.#path('tmp'), this.#path('seg'));
    });
    const leftOut = Object.fromEntries(this.#leftOut);
    return {
      file: `${this.#name}.seg`,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      written: this.#written,
      leftOut,
    };
  }

  #release(all: boolean): void {
    const held = this.#held.sort(byPlace);
    const [first] = held;
    if (first === undefined) return;
    const last = held.at(-1)?.time;
    let end = held.length;
    // More rows of the last moment may come with the next page, unless they are so many that they would fill the memory.
    if (!all && end < MOST_HELD) while (end > 0 && held[end - 1]?.time === last) end -= 1;
    if (this.#last && byPlace(this.#last, first) > 0) this.#inOrder = false;
    for (let at = 0; at < end; at++) {
      const row = held[at] ?? first;
      this.#times.push(row.time);
      this.#order.push(row.number);
      const length = row.line.end - row.line.start;
      this.#lengths.push(length);
      if (length > 0) this.#written += 1;
      this.#pending.add(row.line);
    }
    if (end > 0) this.#last = held[end - 1];
    this.#held = held.slice(end);
  }

  async #flush(): Promise<void> {
    const data = this.#pending.take();
    if (data.length === 0) return;
    this.#hash.update(data);
    this.#bytes += data.length;
    await this.#try(async () => {
      this.#handle ??= await open(this.#path('tmp'), 'w', 0o600);
      await this.#handle.appendFile(data);
    });
  }

  /** Rows that came in several reads: sorts their places, then writes them anew. */
  async #putInOrder(): Promise<void> {
    await this.#handle?.close();
    const data = await readFile(this.#path('tmp'));
    let end = 0;
    const places = Array.from({ length: this.#times.length }, (_, at) => {
      const start = end;
      end += this.#lengths.at(at);
      return { time: this.#times.at(at), id: this.#ids.at(this.#order.at(at)), start, end };
    });
    places.sort(byPlace);
    this.#hash = createHash('sha256');
    this.#handle = await open(this.#path('tmp'), 'w', 0o600);
    for (let at = 0; at < places.length; at += 1000) {
      const part = places.slice(at, at + 1000).map(({ start, end }) => data.subarray(start, end));
      const joined = Buffer.concat(part);
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

function byPlace(left: Place, right: Place): number {
  if (left.time !== right.time) return left.time - right.time;
  return left.id < right.id ? -1 : left.id > right.id ? 1 : 0;
}

/**
 * The ids of the rows of a segment.
 *
 * @throws where the file is not what was written
 */
export async function readIdsOf(path: string): Promise<readonly string[]> {
  return idsIn(await readFile(idsFileOf(path)));
}

/** A mark of each id of a segment with so many rows; see {@link markOf}. */
export async function readMarksOf(path: string, rows: number): Promise<Float64Array> {
  return marksIn(await readFile(idsFileOf(path)), rows);
}

function idsFileOf(path: string): string {
  return path.replace(/seg$/, 'ids');
}
