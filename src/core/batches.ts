/**
 * Items that are read in batches, for speed. Parsing can take a tenth longer if an async generator yields single items.
 * {@link Batches.of} yields whole batches instead, and the caller reads the items of a batch synchronously.
 */
export class Batches<T> implements AsyncIterable<T> {
  readonly #read: () => AsyncIterable<readonly T[]>;

  /** @param read returns the batches, starting at the first item */
  constructor(read: () => AsyncIterable<readonly T[]>) {
    this.#read = read;
  }

  /** Returns the batches of `items`. An array is one batch. For any other iterable, each batch contains a single item. */
  static async *of<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<readonly T[]> {
    if (items instanceof Batches) yield* items.#read();
    else if (Array.isArray(items)) yield items;
    else for await (const item of items) yield [item];
  }

  /** Converts each item. Items for which `convert` returns undefined are omitted. */
  static map<T, U>(items: AsyncIterable<T> | Iterable<T>, convert: (item: T) => U | undefined): Batches<U> {
    return new Batches(async function* () {
      for await (const batch of Batches.of(items)) {
        const converted: U[] = [];
        for (const item of batch) {
          const one = convert(item);
          if (one !== undefined) converted.push(one);
        }
        yield converted;
      }
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.#read()) for (const item of batch) yield item;
  }
}

/** Reads items one at a time. Waits only between batches. */
export class BatchReader<T extends object> {
  readonly #batches: AsyncGenerator<readonly T[]>;
  #batch: Iterator<T> | undefined;

  constructor(items: AsyncIterable<T>) {
    this.#batches = Batches.of(items);
  }

  /** Returns the next item of the current batch; undefined at the end of the batch. */
  next(): T | undefined {
    const next = this.#batch?.next();
    return next?.done === false ? next.value : undefined;
  }

  /** Reads the next batch, and returns its first item; undefined after the last item. */
  async read(): Promise<T | undefined> {
    for (;;) {
      const { done, value } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value[Symbol.iterator]();
      const item = this.next();
      if (item) return item;
    }
  }

  async stop(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

/** Adds all items to a file. If `add` returns a promise, waits for it before the next item. */
export async function addAll<T>(
  file: { add(item: T): Promise<void> | void },
  items: AsyncIterable<T> | Iterable<T>,
): Promise<void> {
  for await (const batch of Batches.of(items)) {
    for (const item of batch) {
      const writing = file.add(item);
      if (writing) await writing;
    }
  }
}
