/**
 * Items that are read in batches, for speed. Parsing can take a tenth longer if an async generator yields single items.
 * {@link Batches.of} yields whole batches instead, and the caller reads the items of a batch synchronously.
 */
export class Batches<T> implements AsyncIterable<T> {
  readonly #read: () => AsyncIterable<Iterable<T>>;

  /** @param read returns the batches, starting at the first item */
  constructor(read: () => AsyncIterable<Iterable<T>>) {
    this.#read = read;
  }

  /** Returns the batches of `items`. If `items` is not a `Batches`, each batch contains a single item. */
  static async *of<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<Iterable<T>> {
    if (items instanceof Batches) yield* items.#read();
    else for await (const item of items) yield [item];
  }

  /** Converts each item. Items for which `convert` returns undefined are left out. */
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
