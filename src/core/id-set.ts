/** Initial capacity; a power of two. */
const INITIAL = 2048;

/**
 * A set of ids that are numbered from 0 in insertion order (decisions/0002). Unlike a `Set<string>`, it reuses its memory
 * after {@link IdSet.clear}.
 */
export class IdSet {
  size = 0;
  /** The UTF-16 code units of all ids. Each unit takes one byte, or two bytes if a unit above 0xff has been added. */
  #units: Uint8Array | Uint16Array = new Uint8Array(32 * INITIAL);
  /** The bytes of `#units`. */
  #bytes = Buffer.from(this.#units.buffer);
  /** For each id, the position directly after its last unit in `#units`. */
  #ends = new Uint32Array(INITIAL);
  /**
   * Hash table with open addressing. Each slot has two numbers. If the slot is free, the first number is 0. If the slot holds
   * an id, the first number is the index of the id plus 1, and the second number is its hash. Most ids have different hashes,
   * so their text is rarely compared.
   */
  #table = new Int32Array(4 * INITIAL);

  /** @returns true if the id was added, false if the set already contained it */
  add(id: string): boolean {
    if (this.size === this.#ends.length) this.#grow();
    const start = this.#endOf(this.size - 1);
    const end = start + id.length;
    if (end > this.#units.length) this.#replaceUnits(2 * end);
    // FNV-1a, with the high bits mixed into the low bits.
    let hash = 0x811c9dc5;
    let units = this.#units;
    for (let at = 0; at < id.length; at++) {
      const unit = id.charCodeAt(at);
      if (unit > 0xff && units instanceof Uint8Array) {
        this.#replaceUnits(units.length, true);
        units = this.#units;
      }
      units[start + at] = unit;
      hash = Math.imul(hash ^ unit, 0x01000193);
    }
    hash ^= hash >>> 15;
    const place = this.#placeOf(hash, start, end);
    if (this.#table[place] !== 0) return false;
    this.#ends[this.size++] = end;
    this.#table[place] = this.size;
    this.#table[place + 1] = hash;
    return true;
  }

  /** Removes all ids, but keeps the memory for reuse. */
  clear(): void {
    this.size = 0;
    this.#table.fill(0);
  }

  at(number: number): string {
    const size = this.#units.BYTES_PER_ELEMENT;
    const [start, end] = [size * this.#endOf(number - 1), size * this.#endOf(number)];
    return this.#bytes.toString(size === 1 ? 'latin1' : 'utf16le', start, end);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let number = 0; number < this.size; number++) yield this.at(number);
  }

  #endOf(number: number): number {
    return number < 0 ? 0 : (this.#ends[number] ?? 0);
  }

  /**
   * Finds the slot of an id, or a free slot if the id is not in the table.
   *
   * @param start position of the first unit of the id in `#units`
   * @param end position directly after its last unit
   */
  #placeOf(hash: number, start: number, end: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let place = (hash << 1) & mask; ; place = (place + 2) & mask) {
      const number = (table[place] ?? 0) - 1;
      if (number < 0 || (table[place + 1] === hash && this.#isSame(number, start, end))) return place;
    }
  }

  #isSame(number: number, start: number, end: number): boolean {
    const units = this.#units;
    const other = this.#endOf(number - 1);
    if (this.#endOf(number) - other !== end - start) return false;
    for (let at = 0; at < end - start; at++) if (units[start + at] !== units[other + at]) return false;
    return true;
  }

  #replaceUnits(length: number, wide = this.#units instanceof Uint16Array): void {
    const units = wide ? new Uint16Array(length) : new Uint8Array(length);
    units.set(this.#units);
    this.#units = units;
    this.#bytes = Buffer.from(units.buffer);
  }

  #grow(): void {
    const ends = new Uint32Array(2 * this.#ends.length);
    ends.set(this.#ends);
    this.#ends = ends;
    const before = this.#table;
    const table = new Int32Array(4 * ends.length);
    const mask = table.length - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at] === 0) continue;
      const hash = before[at + 1] ?? 0;
      let place = (hash << 1) & mask;
      while (table[place] !== 0) place = (place + 2) & mask;
      table[place] = before[at] ?? 0;
      table[place + 1] = hash;
    }
    this.#table = table;
  }
}
