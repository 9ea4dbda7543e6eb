import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite } from '../base/unwritable.ts';
import type { Row } from './rows.ts';

/** Bytes that are gathered before they are written. */
const CHUNK = 256 * 1024;
/** Rows of one millisecond that wait to be put in order before they are written as they come. */
const MOST_HELD = 5000;

interface Place {
  readonly time: number;
  readonly id: string;
}

interface Held extends Place {
  readonly line: Uint8Array;
}

export interface SegmentOptions {
  readonly directory: string;
  /** Name of its files, without an ending. */
  readonly name: string;
}

export interface SegmentFile {
  /** Name inside the directory; null where there are no rows. */
  readonly file: string | null;
  readonly bytes: number;
  readonly sha256: string | null;
  /** Fields without a place in the file, and in how many rows they came. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/**
 * Rows of one window on their way into a file: each id once, in the order of time and, within one millisecond, of
 * ids, so that the same rows always give the same bytes. Memory holds ids and places, not rows.
 */
export class SegmentWriter {
  readonly #options: SegmentOptions;
  readonly #leftOut = new Map<string, number>();
  readonly #ids = new Set<string>();
  /** Of the rows written, in the order of writing: their times, ids, and lengths in bytes. */
  readonly #times: number[] = [];
  readonly #order: string[] = [];
  readonly #lengths: number[] = [];
  #inOrder = true;
  /** Rows of the last millisecond that came: more of it may come with the next page. */
  #held: Held[] = [];
  #pending: Uint8Array[] = [];
  #pendingLength = 0;
  #hash = createHash('sha256');
  #bytes = 0;
  #handle: FileHandle | undefined;

  constructor(options: SegmentOptions) {
    this.#options = options;
  }

  get rows(): number {
    return this.#ids.size;
  }

  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  /** Takes a row; one that is held already changes nothing. */
  add(row: Row): void {
    const { id, time = -1 } = row;
    const size = this.#ids.size;
    if (this.#ids.add(id).size === size) return;
    this.#held.push({ time, id, line: row.line });
    for (const name of row.leftOut) this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1);
  }

  /** Call it after each page: writes out the rows whose place is known. */
  async settle(): Promise<void> {
    this.#release(false);
    if (this.#pendingLength >= CHUNK) await this.#flush();
  }

  /** Forgets every row. */
  async clear(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
    await rm(this.#path('tmp'), { force: true });
    this.#ids.clear();
    this.#leftOut.clear();
    for (const list of [this.#times, this.#order, this.#lengths]) list.length = 0;
    this.#held = [];
    this.#pending = [];
    this.#pendingLength = 0;
    this.#hash = createHash('sha256');
    this.#bytes = 0;
    this.#inOrder = true;
  }

  /** Puts the rows into their file, on the disk to stay, and their ids beside it. */
  async finish(): Promise<SegmentFile> {
    this.#release(true);
    if (this.rows === 0) {
      await this.clear();
      return { file: null, bytes: 0, sha256: null, leftOut: {} };
    }
    await this.#flush();
    await this.#try(async () => {
      if (!this.#inOrder) await this.#putInOrder();
      await this.#handle?.sync();
      await this.#handle?.close();
      this.#handle = undefined;
      const ids = await open(this.#path('ids'), 'w', 0o600);
      await ids.writeFile(JSON.stringify([...this.#ids]));
      await ids.sync();
      await ids.close();
      await rename(this.#path('tmp'), this.#path('seg'));
    });
    const leftOut = Object.fromEntries(this.#leftOut);
    return {
      file: `${this.#options.name}.seg`,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
      leftOut,
    };
  }

  #release(all: boolean): void {
    const held = this.#held;
    if (held.length === 0) return;
    held.sort(byPlace);
    const last = held.at(-1)?.time ?? 0;
    let end = held.length;
    // More rows of the last moment may come with the next page, unless they are so many that they would fill the memory.
    if (!all && end < MOST_HELD) while (end > 0 && held[end - 1]?.time === last) end -= 1;
    const first = held[0];
    const before = this.#times.length - 1;
    if (first && before >= 0 && end > 0) {
      if (byPlace({ time: this.#times[before] ?? 0, id: this.#order[before] ?? '' }, first) > 0)
        this.#inOrder = false;
    }
    for (let at = 0; at < end; at++) {
      const { time, id, line } = held[at] ?? first ?? NOTHING;
      this.#times.push(time);
      this.#order.push(id);
      this.#lengths.push(line.length);
      this.#pending.push(line);
      this.#pendingLength += line.length;
    }
    this.#held = end === held.length ? [] : held.slice(end);
  }

  async #flush(): Promise<void> {
    const data = Buffer.concat(this.#pending, this.#pendingLength);
    this.#pending = [];
    this.#pendingLength = 0;
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
    const places = this.#times.map((time, at) => {
      const start = end;
      end += this.#lengths[at] ?? 0;
      return { time, id: this.#order[at] ?? '', start, end };
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
    return join(this.#options.directory, `${this.#options.name}.${ending}`);
  }

  async #try<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(this.#options.directory, error);
    }
  }
}

const NOTHING: Held = { time: 0, id: '', line: new Uint8Array() };

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
  const ids: unknown = JSON.parse(await readFile(path.replace(/seg$/, 'ids'), 'utf8'));
  if (!Array.isArray(ids)) throw new SyntaxError('no ids');
  return ids.filter((id) => typeof id === 'string');
}
