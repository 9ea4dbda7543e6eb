import { BACKSLASH, BRACKET, COMMA, DELETE, END_BRACKET, QUOTE, SPACE } from './scan/ascii.ts';

/** Ids that there is room for at first: a power of two. */
const FIRST = 2048;

/**
 * Different ids in the order in which they came, each with a number from 0. Windows hold thousands at a time and are
 * soon forgotten: as strings in a set they would take five times the memory, and that would come back late.
 */
export class Ids {
  size = 0;
  /** Plain ids one behind the other, and where each ends. */
  #bytes: Buffer = Buffer.allocUnsafeSlow(32 * FIRST);
  #ends = new Uint32Array(FIRST);
  /** The number of an id, and 1, at a place that its hash leads to; 0 where there is none. */
  #table = new Int32Array(2 * FIRST);
  /** Ids with other characters: their numbers, and the other way round. */
  readonly #odd = new Map<string, number>();
  readonly #oddTexts = new Map<number, string>();

  /** Whether it is new. */
  add(id: string): boolean {
    if (this.size === this.#ends.length) this.#grow();
    const start = this.#endOf(this.size - 1);
    const end = start + id.length;
    if (end > this.#bytes.length) this.#bytes = enlarged(this.#bytes, 2 * end);
    if (!writePlain(id, this.#bytes, start)) {
      if (this.#odd.has(id)) return false;
      this.#odd.set(id, this.size);
      this.#oddTexts.set(this.size, id);
      this.#ends[this.size++] = start;
      return true;
    }
    const place = this.#placeOf(start, end);
    if (this.#table[place] !== 0) return false;
    this.#ends[this.size++] = end;
    this.#table[place] = this.size;
    return true;
  }

  /** Forgets all of them, and keeps the room. */
  clear(): void {
    this.size = 0;
    this.#table.fill(0);
    this.#odd.clear();
    this.#oddTexts.clear();
  }

  at(number: number): string {
    const [start, end] = [this.#endOf(number - 1), this.#endOf(number)];
    return this.#oddTexts.get(number) ?? this.#bytes.toString('latin1', start, end);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let number = 0; number < this.size; number++) yield this.at(number);
  }

  /** All of them as a list in JSON. */
  json(): Buffer {
    if (this.#odd.size > 0) return Buffer.from(JSON.stringify([...this]));
    if (this.size === 0) return Buffer.from('[]');
    const list = Buffer.allocUnsafeSlow(1 + this.#endOf(this.size - 1) + 3 * this.size);
    let length = 0;
    for (let number = 0, at = 0; number < this.size; number++) {
      list[length++] = number === 0 ? BRACKET : COMMA;
      list[length++] = QUOTE;
      for (const end = this.#endOf(number); at < end; at++) list[length++] = this.#bytes[at] ?? 0;
      list[length++] = QUOTE;
    }
    list[length] = END_BRACKET;
    return list;
  }

  #endOf(number: number): number {
    return number < 0 ? 0 : (this.#ends[number] ?? 0);
  }

  /** Where the table has this id, or has room for it. */
  #placeOf(start: number, end: number): number {
    const last = this.#table.length - 1;
    for (let place = hashOf(this.#bytes, start, end) & last; ; place = (place + 1) & last) {
      const number = (this.#table[place] ?? 0) - 1;
      if (number < 0 || this.#isAt(number, start, end)) return place;
    }
  }

  /** Whether the id of this number has the bytes that stand from `start` to `end`. */
  #isAt(number: number, start: number, end: number): boolean {
    const bytes = this.#bytes;
    const other = this.#endOf(number - 1);
    if (this.#endOf(number) - other !== end - start) return false;
    for (let at = 0; at < end - start; at++) if (bytes[start + at] !== bytes[other + at]) return false;
    return true;
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#table = new Int32Array(2 * ends.length);
    for (let number = 0, start = 0; number < this.size; number++) {
      const end = this.#endOf(number);
      if (end > start) this.#table[this.#placeOf(start, end)] = number + 1;
      start = end;
    }
  }
}

/** A buffer of at least `size` bytes that begins as this one. */
export function enlarged(bytes: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  bytes.copy(larger);
  return larger;
}

/** The ids of a list that {@link Ids.json} wrote. */
export function idsIn(list: Buffer): readonly string[] {
  const ids: unknown = JSON.parse(list.toString());
  if (!Array.isArray(ids)) throw new SyntaxError('no ids');
  return ids.filter((id) => typeof id === 'string');
}

/** The mark of each of so many ids in a list that {@link Ids.json} wrote. */
export function marksIn(list: Buffer, count: number): Float64Array {
  const marks = new Float64Array(count);
  if (list.includes(BACKSLASH)) return Float64Array.from(idsIn(list), markOf);
  let start = -1;
  let number = 0;
  for (let at = 0; at < list.length; at++) {
    if (list[at] !== QUOTE) continue;
    if (start < 0) start = at + 1;
    else {
      marks[number++] = markOfBytes(list, start, at);
      start = -1;
    }
  }
  return marks;
}

/** A number of 53 bits for an id; two ids of millions have the same one once in thousands of exports. */
export function markOf(id: string): number {
  const bytes = Buffer.from(id);
  return markOfBytes(bytes, 0, bytes.length);
}

function markOfBytes(bytes: Buffer, start: number, end: number): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    high = Math.imul(high ^ byte, 0x85ebca77);
    low = Math.imul(low ^ byte, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 16), 0xc2b2ae3d) ^ low;
  low = Math.imul(low ^ (low >>> 15), 0x85ebca77) ^ high;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** Writes an id that JSON holds as it is; false for any other, of which nothing counts as written. */
function writePlain(id: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code < SPACE || code >= DELETE || code === QUOTE || code === BACKSLASH) return false;
    bytes[start + at] = code;
  }
  return id !== '';
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FACTOR);
  return hash ^ (hash >>> 15);
}

const SEED = 0x811c9dc5;
const FACTOR = 0x01000193;
