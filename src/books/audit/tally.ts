import type { Exact } from '../../core/decimal.ts';
import { idHash } from '../../core/id-hash.ts';
import { Amount } from '../amount.ts';
import type { Leg } from '../leg.ts';
import type { Scope } from '../scope.ts';
import type { WalkStep } from '../step.ts';
import { type Draft, foundLeg, type Severity, type Value, valueAtPrice } from './check.ts';

const WORD = 2 ** 32;

/** Legs of one wallet and asset that have the same problem. One finding reports all these legs. */
export class LegTally {
  readonly first: Leg;
  legs = 0;
  readonly #quantity = new Amount();
  /** The total value of the legs. The value of each leg is calculated at the price of that leg. */
  readonly #value = new Amount();
  readonly #currency: string | null;
  #high = 0;
  #low = 0;

  constructor(first: Leg) {
    this.first = first;
    this.#currency = first.currency;
  }

  add(leg: Leg): void {
    this.legs += 1;
    this.#quantity.add(leg.quantity);
    this.#value.add(
      leg.currency === this.#currency ? (valueAtPrice(leg.quantity, leg)?.amount ?? null) : null,
    );
    const hash = idHash(leg.identity);
    this.#high = (this.#high + Math.floor(hash / WORD)) >>> 0;
    this.#low = (this.#low + (hash % WORD)) >>> 0;
  }

  /** A text that identifies the set of legs. The text does not depend on the order in which the legs were added. */
  get set(): string {
    return `${this.legs} ${this.#high} ${this.#low}`;
  }

  /**
   * The total quantity; null if unknown. Quantities of several nameless legs are never added up, because their assets may
   * differ.
   */
  get quantity(): Exact | null {
    return this.first.isNameless && this.legs > 1 ? null : this.#quantity.whole;
  }

  /** The total value. Null if the value of a leg is unknown, or if the legs have several currencies. */
  get #valueOfAll(): Value | null {
    const amount = this.#value.whole;
    return this.quantity && amount && { amount, currency: this.#currency };
  }

  draft(severity: Severity, message: string, key: readonly string[] = []): Draft {
    const { first, legs, quantity } = this;
    return {
      ...{ severity, key: [...key, this.set], pair: first.pair, leg: foundLeg(first), legs, message },
      ...{ amount: quantity?.toFixed() ?? null, value: this.#valueOfAll, inPeriod: true },
    };
  }
}

/** Tallies by key. */
export class Tallies {
  readonly #tallies = new Map<string, LegTally>();

  add(key: string, leg: Leg): void {
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = new LegTally(leg);
      this.#tallies.set(key, tally);
    }
    tally.add(leg);
  }

  [Symbol.iterator](): IterableIterator<[string, LegTally]> {
    return this.#tallies[Symbol.iterator]();
  }
}

/** Calls `add` for each leg of the period. `pair` is the key of the wallet and asset of the leg. */
export function inScope(scope: Scope, add: (leg: Leg, pair: string) => void) {
  return {
    step({ leg, pair }: Pick<WalkStep, 'leg' | 'pair'>): void {
      if (scope.has(leg.time)) add(leg, pair);
    },
  };
}
