/** A list of numbers that takes eight bytes for each. */
export class Numbers {
  length = 0;
  #list = new Float64Array(2048);

  push(number: number): void {
    if (this.length === this.#list.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#list);
      this.#list = larger;
    }
    this.#list[this.length++] = number;
  }

  at(index: number): number {
    return this.#list[index] ?? Number.NaN;
  }
}
