/**
 * Records by id. A reset restores the records that the collection had at first. A snapshot contains only the records that were
 * added later.
 */
export class Collection<T> {
  #first: ReadonlyMap<string, T>;
  #entries: Map<string, T>;

  constructor(first: Iterable<readonly [string, T]> = []) {
    this.#first = new Map(first);
    this.#entries = new Map(this.#first);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(id: string): T | undefined {
    return this.#entries.get(id);
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Adds a record, or replaces the record with this id. */
  put(id: string, record: T): void {
    this.#entries.set(id, record);
  }

  /** Returns the removed record; undefined if no record has this id. */
  take(id: string): T | undefined {
    const record = this.#entries.get(id);
    this.#entries.delete(id);
    return record;
  }

  values(): T[] {
    return [...this.#entries.values()];
  }

  entries(): [string, T][] {
    return [...this.#entries];
  }

  /** The records that were added later: their ids are not among the first records. */
  added(): [string, T][] {
    return this.entries().filter(([id]) => !this.#first.has(id));
  }

  /** From now on, a reset restores the current records. */
  keep(): void {
    this.#first = new Map(this.#entries);
  }

  reset(): void {
    this.#entries = new Map(this.#first);
  }

  /** Replaces all records with `entries`, or with the first records and `entries`. */
  restore(entries: Iterable<readonly [string, T]>, { addToFirst = false } = {}): void {
    this.#entries = new Map([...(addToFirst ? this.#first : []), ...entries]);
  }
}
