import { idHash } from '../core/id-hash.ts';

/**
 * The sizes of the table. Both the old and the new table take memory while the table grows, so there are only three sizes. The
 * largest table takes 24 MiB.
 */
const SIZES = [2 ** 11, 2 ** 16, 2 ** 21] as const;
/** Maximum number of different rows that are remembered to find repeated rows, so that memory does not grow with the file. */
export const MOST_COMPARED = 1_500_000;

/** Finds repeated rows by their hashes, in a hash table with open addressing. */
export class RowHashes {
  #size = 0;
  /** Each slot contains a hash plus 1, or 0 if the slot is free. */
  #hashes = new Float64Array(SIZES[0]);
  #lines = new Uint32Array(SIZES[0]);

  get isFull(): boolean {
    return this.#size >= MOST_COMPARED;
  }

  /** @returns the line of an earlier row with the same text, or undefined if the row is new */
  add(text: string, line: number): number | undefined {
    const entry = idHash(text) + 1;
    const place = this.#placeOf(entry);
    if (this.#hashes[place] === entry) return this.#lines[place];
    if (this.isFull) return undefined;
    this.#hashes[place] = entry;
    this.#lines[place] = line;
    this.#size += 1;
    if (4 * this.#size > 3 * this.#hashes.length) this.#grow();
    return undefined;
  }

  /** Finds the slot that contains the entry. If no slot contains the entry, finds the free slot for it. */
  #placeOf(entry: number): number {
    const last = this.#hashes.length - 1;
    let place = entry % this.#hashes.length;
    while (this.#hashes[place] !== 0 && this.#hashes[place] !== entry) place = place === last ? 0 : place + 1;
    return place;
  }

  #grow(): void {
    const [hashes, lines] = [this.#hashes, this.#lines];
    const size = SIZES.find((each) => each > hashes.length);
    if (size === undefined) return;
    this.#hashes = new Float64Array(size);
    this.#lines = new Uint32Array(size);
    for (const [at, entry] of hashes.entries()) {
      if (entry === 0) continue;
      const place = this.#placeOf(entry);
      this.#hashes[place] = entry;
      this.#lines[place] = lines[at] ?? 0;
    }
  }
}
