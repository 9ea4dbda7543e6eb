import { type Exact, ZERO } from '../core/decimal.ts';

/** A sum of exact values. Unknown values are counted, but not added as 0. */
export class Amount {
  #sum = ZERO;
  #known = 0;
  #unknown = 0;

  add(value: Exact | null): void {
    if (value === null) {
      this.#unknown += 1;
      return;
    }
    this.#known += 1;
    this.#sum = this.#sum.plus(value);
  }

  merge({ known, unknown, part }: Amount): void {
    this.#known += known;
    this.#unknown += unknown;
    if (known > 0 && part) this.#sum = this.#sum.plus(part);
  }

  /** Returns this amount minus `others`. Every value in `others` must also be in this amount. */
  without(others: Amount): Amount {
    const rest = new Amount();
    rest.#known = this.#known - others.#known;
    rest.#unknown = this.#unknown - others.#unknown;
    rest.#sum = this.#sum.minus(others.#sum);
    return rest;
  }

  /** Treats every value added so far as unknown. */
  forget(): void {
    this.#unknown += this.#known;
    this.#known = 0;
    this.#sum = ZERO;
  }

  get known(): number {
    return this.#known;
  }

  get unknown(): number {
    return this.#unknown;
  }

  /** The sum of all values; null if any value is unknown. Used for quantities. */
  get whole(): Exact | null {
    return this.#unknown > 0 ? null : this.#sum;
  }

  /** The sum of the known values; null if all values are unknown. Used for money. */
  get part(): Exact | null {
    return this.#known === 0 && this.#unknown > 0 ? null : this.#sum;
  }
}
