/** Iterates the items of a generator, and keeps the value that the generator returns. */
export class Returned<T, R> implements AsyncIterable<T> {
  readonly #items: AsyncGenerator<T, R>;
  #value: R | undefined;

  constructor(items: AsyncGenerator<T, R>) {
    this.#items = items;
  }

  /** The returned value; undefined if not all items were read. */
  get value(): R | undefined {
    return this.#value;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    this.#value = yield* this.#items;
  }
}
