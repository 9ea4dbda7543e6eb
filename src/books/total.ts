import type { Exact } from '../core/decimal.ts';
import { ZERO } from './figure.ts';

/** Sums the known values exactly. Unknown values are counted, not added. */
export class Total {
  #sum = ZERO;
  #known = 0;
  #unknown = 0;

  add(figure: Exact | null): void {
    if (figure === null) {
      this.#unknown += 1;
      return;
    }
    this.#known += 1;
    this.#sum = this.#sum.plus(figure);
  }

  get unknown(): number {
    return this.#unknown;
  }

  /** The sum of the known values. Null if all values are unknown, because an unknown sum is not 0. */
  get sum(): Exact | null {
    return this.#known === 0 && this.#unknown > 0 ? null : this.#sum;
  }
}
