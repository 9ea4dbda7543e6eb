import { ByteBuffer } from '../../core/byte-buffer.ts';
import { cellText } from '../text.ts';
import type { EncodedValues } from './column.ts';
import { type ByteWriter, writeRuns } from './format.ts';
import { appendText } from './text.ts';

/** Maximum size of a dictionary in bytes. */
const LARGEST_DICTIONARY = 1024 * 1024;
/** Number of distinct values at which the writer first checks whether the dictionary saves space. */
const FIRST_LOOK = 256;
/**
 * A dictionary is worthwhile if each distinct value occurs at least this many times on average. If values repeat less often,
 * snappy alone compresses well enough.
 */
const WORTH = 3;

/** Up to this number of bytes are compared in a loop. For short texts, a loop is faster than `Buffer.compare`. */
const SHORT = 64;
/** The UTF-8 of a text that is being added. */
const added = new ByteBuffer(1024);

/** Text as UTF-8. Uses a dictionary while values repeat often enough (parquet-format, Encodings.md, "Dictionary Encoding"). */
export class TextValues implements EncodedValues {
  readonly type = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
  /** The entries of the dictionary. */
  readonly #entries = new ByteBuffer(1024);
  /** All values, after the dictionary was dropped. A separate buffer, so that each row group reuses its memory. */
  readonly #plain = new ByteBuffer(0);
  #isPlain = false;
  /** For each entry of the dictionary, the position in `#entries` at which its text begins. */
  #starts = new Uint32Array(1024);
  /** Number of entries of the dictionary. */
  #count = 0;
  /**
   * A hash table. Contains the number of each entry plus 1, at a position that depends on the hash of its text. A free position
   * contains 0.
   */
  #table = new Uint32Array(1024);
  /** For each value, the number of its entry. */
  #numbers = new Uint32Array(1024);
  #values = 0;
  #nextLook = FIRST_LOOK;
  readonly #isJson: boolean;

  /** @param isJson see {@link appendText} */
  constructor(isJson = false) {
    this.#isJson = isJson;
  }

  get size(): number {
    return this.#isPlain ? this.#plain.length : this.#entries.length + 4 * this.#values;
  }

  put(value: unknown): void {
    added.length = 0;
    appendText(added, typeof value === 'string' ? value : cellText(value), this.#isJson);
    this.putText(added.bytes, 0, added.length);
  }

  putText(source: Buffer, from: number, to: number): void {
    if (this.#isPlain) {
      append(this.#plain, source, from, to);
      return;
    }
    if (this.#values === this.#numbers.length) this.#numbers = enlarged(this.#numbers);
    const last = this.#values > 0 ? (this.#numbers[this.#values - 1] as number) : -1;
    // In many columns, consecutive rows have the same value.
    this.#numbers[this.#values] =
      last >= 0 && this.#isEntry(last, source, from, to) ? last : this.#numberOf(source, from, to);
    this.#values += 1;
    if (this.#count >= this.#nextLook || this.#entries.length > LARGEST_DICTIONARY) this.#look();
  }

  #numberOf(source: Buffer, from: number, to: number): number {
    const table = this.#table;
    let at = hashOf(source, from, to) & (table.length - 1);
    for (let number = table[at]; number; number = table[at]) {
      if (this.#isEntry(number - 1, source, from, to)) return number - 1;
      at = (at + 1) & (table.length - 1);
    }
    append(this.#entries, source, from, to);
    if (this.#count === this.#starts.length) this.#starts = enlarged(this.#starts);
    this.#starts[this.#count++] = this.#entries.length - (to - from);
    table[at] = this.#count;
    if (2 * this.#count > table.length) this.#growTable();
    return this.#count - 1;
  }

  #isEntry(number: number, source: Buffer, from: number, to: number): boolean {
    const { bytes } = this.#entries;
    const start = this.#starts[number] as number;
    const end = this.#endOf(number);
    if (end - start !== to - from) return false;
    if (to - from > SHORT) return bytes.compare(source, from, to, start, end) === 0;
    for (let at = from; at < to; at++) if (bytes[start + at - from] !== source[at]) return false;
    return true;
  }

  #endOf(number: number): number {
    const next = number + 1;
    return next === this.#count ? this.#entries.length : (this.#starts[next] as number) - LENGTH;
  }

  #growTable(): void {
    const table = new Uint32Array(2 * this.#table.length);
    for (let number = 0; number < this.#count; number++) {
      let at =
        hashOf(this.#entries.bytes, this.#starts[number] as number, this.#endOf(number)) & (table.length - 1);
      while (table[at] !== 0) at = (at + 1) & (table.length - 1);
      table[at] = number + 1;
    }
    this.#table = table;
  }

  /** Drops the dictionary if it does not save space. */
  #look(): void {
    this.#nextLook *= 2;
    if (this.#count * WORTH <= this.#values && this.#entries.length <= LARGEST_DICTIONARY) return;
    for (const number of this.#numbers.subarray(0, this.#values))
      this.#plain.copy(this.#entries.bytes, (this.#starts[number] as number) - LENGTH, this.#endOf(number));
    this.#isPlain = true;
  }

  dictionary(): { readonly bytes: Uint8Array; readonly count: number } | undefined {
    if (this.#isPlain || this.#values === 0) return undefined;
    return { bytes: this.#entries.written, count: this.#count };
  }

  write(body: ByteWriter): void {
    if (this.#isPlain) {
      body.appendBytes(this.#plain.written);
    } else if (this.#values > 0) {
      const width = Math.ceil(Math.log2(this.#count));
      body.appendUint8(width);
      writeRuns(body, this.#numbers.subarray(0, this.#values), width);
    }
  }

  clear(): void {
    this.#entries.length = 0;
    this.#plain.length = 0;
    this.#isPlain = false;
    this.#count = 0;
    this.#table.fill(0);
    this.#values = 0;
    this.#nextLook = FIRST_LOOK;
  }
}

function enlarged(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

/** Size of the length before each text. */
const LENGTH = 4;

/** Appends a value as a BYTE_ARRAY in the PLAIN encoding: a little-endian length in four bytes, then the text. */
function append(bytes: ByteBuffer, source: Buffer, from: number, to: number): void {
  bytes.reserve(LENGTH);
  putLength(bytes.bytes, bytes.length, to - from);
  bytes.length += LENGTH;
  bytes.copy(source, from, to);
}

function putLength(buffer: Uint8Array, at: number, length: number): void {
  buffer[at] = length;
  buffer[at + 1] = length >>> 8;
  buffer[at + 2] = length >>> 16;
  buffer[at + 3] = length >>> 24;
}

/** Takes four bytes at a time, because each step must wait for the step before it. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at += 4) {
    let word = bytes[at] as number;
    if (at + 3 < to)
      word |=
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24);
    else if (at + 1 < to) word |= ((bytes[at + 1] as number) << 8) | ((bytes[to - 1] as number) << 16);
    hash = Math.imul(hash ^ word, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
