/** The 53-bit hash of an id or any other string. With a few million ids, the probability of a collision is below 1 in 1,000. */
export function idHash(id: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    high = Math.imul(high ^ code, 0x85ebca77);
    low = Math.imul(low ^ code, 0xc2b2ae3d);
  }
  high = Math.imul(high ^ (high >>> 16), 0xc2b2ae3d) ^ low;
  low = Math.imul(low ^ (low >>> 15), 0x85ebca77) ^ high;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** A set of ids that stores only their hashes. A large set takes 11 to 22 bytes per id. */
export class IdHashes {
  #size = 0;
  /** Hash table with open addressing; its size is a power of two. Each slot contains a hash plus 1, or 0 if the slot is free. */
  #table = new Float64Array(1024);

  /** @returns whether the id is new */
  add(id: string): boolean {
    if (4 * this.#size >= 3 * this.#table.length) this.#grow();
    const entry = idHash(id) + 1;
    const place = this.#placeOf(entry);
    if (this.#table[place] === entry) return false;
    this.#table[place] = entry;
    this.#size += 1;
    return true;
  }

  has(id: string): boolean {
    const entry = idHash(id) + 1;
    return this.#table[this.#placeOf(entry)] === entry;
  }

  /** Finds the slot that contains the entry. If no slot contains the entry, finds the free slot for it. */
  #placeOf(entry: number): number {
    const mask = this.#table.length - 1;
    let place = entry & mask;
    while (this.#table[place] !== 0 && this.#table[place] !== entry) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const full = this.#table;
    this.#table = new Float64Array(2 * full.length);
    for (const entry of full) if (entry !== 0) this.#table[this.#placeOf(entry)] = entry;
  }
}
