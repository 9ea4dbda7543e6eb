import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { type Entry, parseEntry } from './entry.ts';
import { linesOf } from './lines.ts';
import { LONGEST_LINE } from './read-store.ts';

/** Bytes of a store: from the first one to the one behind the last. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Milliseconds between two saves. */
const PAUSE = 500;

/** The file beside a store that says which of its deliveries were not forwarded. */
function pendingPath(store: string): string {
  return `${store}.pending.json`;
}

/**
 * The deliveries of a store that no listener has forwarded: ranges of bytes, and everything from `end` on.
 *
 * The file is saved after a forward and never before it. If a listener is killed in between, a delivery is forwarded again;
 * none is missed.
 */
export class Pending {
  readonly #store: string;
  /** SHA-256 of the first line, which tells this store from another of the same name; empty for an empty store. */
  #identity: string;
  /** In order, none touching another. */
  #ranges: Range[];
  #end: number;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();

  private constructor(store: string, identity: string, { ranges, end }: { ranges: Range[]; end: number }) {
    this.#store = store;
    this.#identity = identity;
    this.#ranges = ranges;
    this.#end = end;
  }

  /** @param size bytes of the store; a file that fits neither them nor the first line belongs to another store */
  static async open(store: string, size: number): Promise<Pending> {
    const identity = identityOf(await firstLine(store));
    const saved = await readSaved(pendingPath(store));
    const fits = saved !== undefined && saved.identity === identity && saved.end <= size;
    return new Pending(store, identity, fits ? saved : { ranges: [], end: 0 });
  }

  /** Where the first one begins. */
  get start(): number {
    return this.#ranges[0]?.from ?? this.#end;
  }

  has(at: Range): boolean {
    return at.from >= this.#end || this.#indexOf(at) >= 0;
  }

  /** Everything up to here is known from now on, and pending unless it was forwarded. */
  include(to: number): void {
    if (to <= this.#end) return;
    const last = this.#ranges.at(-1);
    const from = last?.to === this.#end ? last.from : this.#end;
    if (from < this.#end) this.#ranges.pop();
    this.#ranges.push({ from, to });
    this.#end = to;
  }

  /** A delivery was forwarded. */
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
    this.#timer ??= setTimeout(() => void this.save().catch(() => undefined), PAUSE);
  }

  /** The store begins with this line: another one than before means that it is another file. */
  begin(line: Uint8Array): void {
    const identity = identityOf(line);
    if (identity === this.#identity) return;
    this.#identity = identity;
    this.#ranges = [];
    this.#end = 0;
  }

  /** @throws CryptodataError of kind `output` */
  save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const write = () => {
      const ranges = this.#ranges.map(({ from, to }) => [from, to]);
      const text = JSON.stringify({ firstLine: this.#identity, end: this.#end, ranges });
      return writePrivateFile(pendingPath(this.#store), `${text}\n`);
    };
    this.#saving = this.#saving.then(write, write);
    return this.#saving;
  }

  /** The index of the range that holds it; -1 for none. */
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

/** How many deliveries of a store are pending. */
export async function countPending(
  store: string,
  pending: Pending,
  isMeant: (entry: Entry) => boolean,
): Promise<number> {
  let count = 0;
  let from = pending.start;
  for await (const { bytes, size } of linesOf(createReadStream(store, { start: from }), LONGEST_LINE)) {
    const at = { from, to: from + size };
    from = at.to;
    const entry = bytes && pending.has(at) ? parseEntry(bytes.toString('utf8')) : undefined;
    if (entry && isMeant(entry)) count += 1;
  }
  return count;
}

async function firstLine(store: string): Promise<Uint8Array> {
  for await (const { bytes, ended } of linesOf(createReadStream(store), LONGEST_LINE)) {
    return ended && bytes ? bytes : new Uint8Array();
  }
  return new Uint8Array();
}

function identityOf(line: Uint8Array): string {
  return line.length === 0 ? '' : createHash('sha256').update(line).digest('hex');
}

interface Saved {
  readonly identity: string;
  readonly end: number;
  readonly ranges: Range[];
}

/** Undefined for none, or one that cannot be read: then everything is pending. */
async function readSaved(path: string): Promise<Saved | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { firstLine: identity, end, ranges } = value;
  if (typeof identity !== 'string' || !isPlace(end) || !Array.isArray(ranges)) return undefined;
  const read: Range[] = [];
  let before = -1;
  for (const range of ranges) {
    const [from, to]: unknown[] = Array.isArray(range) ? range : [];
    if (!isPlace(from) || !isPlace(to) || from <= before || to <= from || to > end) return undefined;
    read.push({ from, to });
    before = to;
  }
  return { identity, end, ranges: read };
}

function isPlace(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
