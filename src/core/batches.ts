/**
 * Items that are read many at once. An async generator that yields each item costs as much as a tenth of parsing it; here only the
 * batches pass through async generators, and their items through plain ones.
 */
export class Batches<T> implements AsyncIterable<T> {
  readonly #read: () => AsyncIterable<Iterable<T>>;

  /** @param read reads all items from the start */
  constructor(read: () => AsyncIterable<Iterable<T>>) {
    this.#read = read;
  }

  /** The batches of any items; without batches of their own, each item is one. */
  static async *of<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<Iterable<T>> {
    if (items instanceof Batches) yield* items.#read();
    else for await (const item of items) yield [item];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const batch of this.#read()) for (const item of batch) yield item;
  }
}
