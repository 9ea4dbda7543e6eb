/**
 * Items that are read in batches. An async generator that yields single items can add a tenth to the time for parsing the
 * items. {@link Batches.of} avoids this cost by yielding whole batches, whose items the caller reads synchronously.
 */
export class Batches<T> implements AsyncIterable<T> {
  readonly #read: () => AsyncIterable<Iterable<T>>;

  /** @param read reads all items from the start */
  constructor(read: () => AsyncIterable<Iterable<T>>) {
    this.#read = read;
  }

  /** The batches of `items`. If `items` is not a `Batches`, each item is a batch of its own. */
  static async *of<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<Iterable<T>> {
    if (items instanceof Batches) yield* items.#read();
    else for await (const item of items) yield [item];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.#read()) for (const item of batch) yield item;
  }
}
