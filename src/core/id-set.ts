/** Initial capacity; a power of two. */
const INITIAL = 2048;

/**
 * A set of ids in the order of insertion, each with a number from 0 (decisions/0002). It replaces a `Set<string>`; after
 * {@link IdSet.clear} its typed arrays are reused.
 */
export class IdSet {
  size = 0;
  /** UTF-16 code units of all ids, and the end of each id. */
  #units = new Uint16Array(32 * INITIAL);
  #ends = new Uint32Array(INITIAL);
  /** Hash table with open addressing: the number of an id plus 1; 0 for a free place. */
  #table = new Int32Array(2 * INITIAL);

  /** @returns whether the id is new */
  add(id: string): boolean {
    if (this.size === this.#ends.length) this.#grow();
    const start = this.#endOf(this.size - 1);
    const end = start + id.length;
    if (end > this.#units.length) {
      const larger = new Uint16Array(2 * end);
      larger.set(this.#units);
      this.#units = larger;
    }
    for (let at = 0; at < id.length; at++) this.#units[start + at] = id.charCodeAt(at);
    const place = this.#placeOf(start, end);
    if (this.#table[place] !== 0) return false;
    this.#ends[this.size++] = end;
    this.#table[place] = this.size;
    return true;
  }

  /** Removes all ids, but keeps the memory for reuse. */
  clear(): void {
    this.size = 0;
    this.#table.fill(0);
  }

  at(number: number): string {
    const { buffer } = this.#units;
    return Buffer.from(buffer).toString('utf16le', 2 * this.#endOf(number - 1), 2 * this.#endOf(number));
  }

  *[Symbol.iterator](): Generator<string> {
    for (let number = 0; number < this.size; number++) yield this.at(number);
  }

  #endOf(number: number): number {
    return number < 0 ? 0 : (this.#ends[number] ?? 0);
  }

  /** The slot of the id from `start` to `end` in the table, or a free slot for it. */
  #placeOf(start: number, end: number): number {
    const mask = this.#table.length - 1;
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (this.#units[at] ?? 0), 0x01000193);
    for (let place = (hash ^ (hash >>> 15)) & mask; ; place = (place + 1) & mask) {
      const number = (this.#table[place] ?? 0) - 1;
      if (number < 0 || this.#isSame(number, start, end)) return place;
    }
  }

  #isSame(number: number, start: number, end: number): boolean {
    const units = this.#units;
    const other = this.#endOf(number - 1);
    if (this.#endOf(number) - other !== end - start) return false;
    for (let at = 0; at < end - start; at++) if (units[start + at] !== units[other + at]) return false;
    return true;
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    ends.set(this.#ends);
    this.#ends = ends;
    this.#table = new Int32Array(2 * ends.length);
    for (let number = 0; number < this.size; number++) {
      this.#table[this.#placeOf(this.#endOf(number - 1), this.#endOf(number))] = number + 1;
    }
  }
}
