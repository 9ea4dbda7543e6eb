import { type Exact, ZERO } from '../core/decimal.ts';
import type { Leg } from './leg.ts';

/** The place of a leg in the walk. See the fields of {@link WalkStep}. */
interface Place extends Pick<WalkStep, 'previous' | 'isFirst' | 'firsts' | 'isKnown' | 'openLegs'> {
  /** The carried balance. Undefined if it equals the balance that the service sent for the previous leg. */
  readonly known: Exact | null | undefined;
  /** Whether the balance before the leg is exactly the same text as the balance after the previous leg. */
  readonly continues: boolean;
}

/** The place of a leg that has no time or no asset. Such a leg has no neighbours in the walk. */
export const NOWHERE: Place = {
  ...{ previous: undefined, isFirst: false, firsts: undefined, known: null, continues: false },
  ...{ isKnown: false, openLegs: 0 },
};

/** One leg in the walk over the legs of its wallet and asset. Balances are parsed only when they are used. */
export class WalkStep {
  readonly leg: Leg;
  /**
   * Key of the pair. All nameless legs of a wallet share one key, but each nameless leg counts as the only leg of its asset.
   */
  readonly pair: string;
  /** The leg before this leg; undefined for the first leg of the pair, and for a nameless leg. */
  readonly previous: Leg | undefined;
  /** Whether the pair has no earlier leg. False for a nameless leg, and for a leg without a time. */
  readonly isFirst: boolean;
  /**
   * All legs that may come first among the legs with the same time. Set only in the step of the first of these legs in the
   * walk, if the balance before them is unknown.
   */
  readonly firsts: readonly Leg[] | undefined;
  /** Whether `balance` is known. Does not parse the balance. */
  readonly isKnown: boolean;
  /**
   * Number of legs at the time of this leg if their order, and therefore their balances, are unknown; 0 if the order is known.
   */
  readonly openLegs: number;
  readonly #known: Exact | null | undefined;
  readonly #continues: boolean;

  constructor(leg: Leg, pair: string, place: Place) {
    this.leg = leg;
    this.pair = pair;
    this.previous = place.previous;
    this.isFirst = place.isFirst;
    this.firsts = place.firsts;
    this.isKnown = place.isKnown;
    this.openLegs = place.openLegs;
    this.#known = place.known;
    this.#continues = place.continues;
  }

  /** The leg whose `beforeBalance` is the balance before this step; undefined if the order of the legs is unknown. */
  get start(): Leg | undefined {
    if (this.firsts) return commonStart(this.firsts);
    return this.openLegs > 0 || this.leg.time === undefined ? undefined : this.leg;
  }

  /**
   * The balance before the leg, as the service sent it. Null if it is missing, or if it depends on an unknown order of legs.
   */
  get before(): Exact | null {
    return this.start?.before ?? null;
  }

  /**
   * The balance before the leg according to earlier legs: the last known balance plus the quantities since then; null if
   * unknown.
   */
  get carried(): Exact | null {
    return this.#known === undefined ? (this.previous?.after ?? null) : this.#known;
  }

  /** The balance before the leg minus the carried balance. Null if one of the two balances or the order is unknown. */
  get gap(): Exact | null {
    if (this.#continues) return ZERO;
    const [start, carried] = [this.leg.start, this.carried];
    return start === null || carried === null ? null : start.minus(carried);
  }

  /** `afterBalance` − (`beforeBalance` ± quantity); null if one of these values is unknown. */
  get error(): Exact | null {
    return this.leg.error;
  }

  /** The balance after the leg, as the service sent it. Null if it is missing, or if it depends on an unknown order of legs. */
  get balance(): Exact | null {
    return this.isKnown ? this.leg.after : null;
  }
}

/** If all these legs start from the same balance, returns the first of them. Otherwise, returns undefined. */
export function commonStart([first, ...others]: readonly Leg[]): Leg | undefined {
  const start = first?.before;
  return start && others.every(({ before }) => before?.equals(start)) ? first : undefined;
}
