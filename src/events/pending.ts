import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { type DeliveryEntry, linesInFile, parseEntry, type Range } from './entry.ts';

/** Milliseconds between two saves. */
const SAVE_INTERVAL = 500;

/**
 * Records which deliveries of a store are pending, that is, not yet forwarded. A delivery is pending if it is in one of the
 * stored byte ranges, or if it starts at or after the position `end`. The file `STORE.pending.json` contains the ranges and
 * `end`.
 *
 * The file is saved shortly after a delivery is forwarded. If the listener is killed before the save, the next listener
 * forwards the delivery again. No delivery is lost.
 */
export class Pending {
  readonly #store: string;
  /**
   * SHA-256 of the first line of the store; empty for an empty store. This hash identifies the store, because another store may
   * later have the same name.
   */
  #identity: string;
  /** The byte ranges of the pending deliveries that begin before `#end`. The ranges are sorted, and do not overlap or touch. */
  #ranges: Range[];
  #end: number;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(store: string, { identity, ranges, end }: Saved) {
    this.#store = store;
    this.#identity = identity;
    this.#ranges = [...ranges];
    this.#end = end;
  }

  /** Reads the saved ranges. Ignores ranges that belong to another store with the same name. */
  static async open(path: string): Promise<Pending> {
    // A store has one file of pending deliveries, also for a path that is a symbolic link.
    const store = await realpath(path);
    const identity = await identityOfFile(store);
    const saved = parseSaved(await readFile(fileOf(store), 'utf8').catch(() => ''));
    const matches = saved?.identity === identity && saved.end <= (await stat(store)).size;
    return new Pending(store, matches ? saved : { identity, ranges: [], end: 0 });
  }

  /** Position of the first pending delivery in the store. */
  get start(): number {
    return this.#ranges[0]?.from ?? this.#end;
  }

  has(at: Range): boolean {
    return at.from >= this.#end || this.#indexOf(at) >= 0;
  }

  /** Moves `#end` forward to the position `to`. Deliveries between the old and the new position stay pending. */
  include(to: number): void {
    if (to <= this.#end) return;
    const last = this.#ranges.at(-1);
    const from = last?.to === this.#end ? last.from : this.#end;
    if (from < this.#end) this.#ranges.pop();
    this.#ranges.push({ from, to });
    this.#end = to;
  }

  /** Removes a delivery that was forwarded. The file is saved within {@link SAVE_INTERVAL}. */
  remove(at: Range): void {
    this.include(at.to);
    const index = this.#indexOf(at);
    const range = this.#ranges[index];
    if (range === undefined) return;
    const rest = [
      { from: range.from, to: at.from },
      { from: at.to, to: range.to },
    ].filter(({ from, to }) => from < to);
    this.#ranges.splice(index, 1, ...rest);
    this.#timer ??= setTimeout(() => void this.save().catch(() => undefined), SAVE_INTERVAL);
  }

  /**
   * If the first line has changed, the file has been replaced. Forgets all ranges of a replaced file, so that all its
   * deliveries are pending.
   */
  checkFirstLine(line: Uint8Array): void {
    const identity = identityOf(line);
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#ranges = [];
    this.#end = 0;
  }

  /** Counts the pending deliveries for which `matches` returns true. */
  async count(matches: (entry: DeliveryEntry) => boolean): Promise<number> {
    let count = 0;
    const { start } = this;
    for await (const { bytes, at } of linesInFile(createReadStream(this.#store, { start }), start)) {
      const entry = bytes && this.has(at) ? parseEntry(bytes.toString('utf8')) : undefined;
      if (entry && matches(entry)) count += 1;
    }
    return count;
  }

  /** @throws CryptodataError of kind `output` */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = () => {
      const ranges = this.#ranges.map(({ from, to }) => [from, to]);
      const text = JSON.stringify({ firstLine: this.#identity, end: this.#end, ranges });
      return writePrivateFile(fileOf(this.#store), `${text}\n`);
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }

  /** The index of the range that contains the position; -1 if no range does. */
  #indexOf({ from }: Range): number {
    let [low, high] = [0, this.#ranges.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const range = this.#ranges[middle];
      if (range === undefined || from < range.from) high = middle - 1;
      else if (from >= range.to) low = middle + 1;
      else return middle;
    }
    return -1;
  }
}

function fileOf(store: string): string {
  return `${store}.pending.json`;
}

async function identityOfFile(store: string): Promise<string> {
  for await (const { bytes, ended } of linesInFile(createReadStream(store))) {
    return ended && bytes ? identityOf(bytes) : '';
  }
  return '';
}

function identityOf(line: Uint8Array): string {
  return line.length === 0 ? '' : createHash('sha256').update(line).digest('hex');
}

interface Saved {
  readonly identity: string;
  readonly end: number;
  readonly ranges: readonly Range[];
}

/** Returns undefined for an invalid text; all deliveries of the store are then pending. */
function parseSaved(text: string): Saved | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { firstLine: identity, end, ranges } = value;
  if (typeof identity !== 'string' || !isPosition(end) || !Array.isArray(ranges)) return undefined;
  const read: Range[] = [];
  for (const range of ranges) {
    const [from, to]: unknown[] = Array.isArray(range) ? range : [];
    const before = read.at(-1)?.to ?? -1;
    if (!isPosition(from) || !isPosition(to) || from <= before || to <= from || to > end) return undefined;
    read.push({ from, to });
  }
  return { identity, end, ranges: read };
}

function isPosition(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
