import { type Exact, ZERO } from '../core/decimal.ts';
import { balanceText, type Leg } from './leg.ts';
import { bestOrders, isChained } from './order.ts';
import { commonStart, NOWHERE, WalkStep } from './step.ts';

/** One of several equally good orders of the legs of one millisecond. */
interface OpenOrder {
  /** The balance after the last leg, as the service sent it; null if the service sent none. */
  readonly end: string | null;
  readonly legs: readonly Leg[];
  /** All legs that are first in an order with this final balance; undefined if the balance before the legs is known. */
  readonly firsts: readonly Leg[] | undefined;
}

/** The state of the walk for one wallet and asset. */
export class PairWalk {
  readonly key: string;
  readonly #emit: (step: WalkStep) => void;
  #last: Leg | undefined;
  /**
   * The carried balance. Undefined if it equals the balance that the service sent for `#last`; that balance is parsed when it
   * is first used.
   */
  #carried: Exact | null | undefined = null;
  #isFirst = true;
  /**
   * The possible orders of the latest legs, if these orders lead to different balances. The next leg may show which order is
   * right.
   */
  #open: readonly OpenOrder[] = [];
  #isUnknown = false;
  /** The legs of the latest millisecond, in the order of the walk. */
  #moment: readonly Leg[] = [];

  /** @param emit receives the steps */
  constructor(key: string, emit: (step: WalkStep) => void) {
    this.key = key;
    this.#emit = emit;
  }

  /** The balance now; null if unknown. */
  get settled(): Exact | null {
    return this.balances.at(-1) ?? null;
  }

  /** The balances after each leg of the latest millisecond. A single null if their order is unknown. */
  get balances(): readonly (Exact | null)[] {
    return this.#isUnknown || this.#open.length > 0 ? [null] : this.#moment.map(({ after }) => after);
  }

  /**
   * Chooses an order for the legs of one millisecond.
   *
   * @param legs sorted by id
   */
  add(legs: readonly Leg[]): void {
    const [first] = legs;
    if (!first) return;
    if (first.isNameless) {
      for (const leg of legs) this.#addNameless(leg);
      return;
    }
    // In nearly all cases, only one order exists, or the legs have no breaks in the order of their ids.
    if (this.#open.length === 0 && (legs.length === 1 || isChained(legs, this.#end))) {
      for (const leg of legs) this.#step(leg);
      this.#moment = legs;
      return;
    }
    this.#chooseOrder(legs);
  }

  #chooseOrder(legs: readonly Leg[]): void {
    const starts = this.#open.length > 0 ? this.#open : [{ end: this.#end, legs: [], firsts: undefined }];
    const carried = () => (this.#open.length > 0 ? null : this.#isFirst ? ZERO : this.#carriedNow);
    const orders = bestOrders(
      legs,
      starts.map(({ end }) => end),
      carried,
    );
    const found = starts.flatMap((start, at) => (orders[at] ? [{ start, ...orders[at] }] : []));
    const fewest = Math.min(...found.map(({ breaks }) => breaks));
    const best = found.filter(({ breaks }) => breaks === fewest);
    this.#choose(best.map(({ start }) => start));
    this.#open = [];
    const isKnown = legs.length === 1 || (best.length === 1 && best[0]?.start.end !== null);
    if (best.some(({ isOpen }) => isOpen)) {
      const [last] = endingLowest(legs.map((leg) => [leg]));
      this.#skip(
        [...legs.filter((leg) => leg !== last), ...(last ? [last] : [])],
        isKnown ? undefined : legs,
      );
      return;
    }
    const ends = new Map<string | null, OpenOrder>();
    for (const { byEnd } of best) {
      for (const [end, order] of byEnd) {
        const same = ends.get(end);
        const firsts = isKnown ? undefined : union(same?.firsts, order.firsts);
        ends.set(end, { end, legs: same?.legs ?? order.legs, firsts });
      }
    }
    if (ends.size > 1) this.#open = [...ends.values()];
    else this.#choose([...ends.values()]);
  }

  finish(): void {
    this.#choose(this.#open);
    this.#open = [];
  }

  addUntimed(leg: Leg): void {
    this.#emit(new WalkStep(leg, this.key, NOWHERE));
  }

  /** The balance after the last leg, as the service sent it, in its shortest form; null if unknown. */
  get #end(): string | null {
    return this.#last === undefined || this.#isUnknown ? null : balanceText(this.#last, 'afterBalance');
  }

  get #carriedNow(): Exact | null {
    return this.#carried === undefined ? (this.#last?.after ?? null) : this.#carried;
  }

  /** Emits the steps of the legs. If several orders are possible, the balances of the legs are unknown. */
  #choose(orders: readonly OpenOrder[]): void {
    const [only, ...others] = orders;
    if (!only) return;
    if (others.length === 0) {
      only.legs.forEach((leg, at) => {
        this.#step(leg, at === 0 ? only.firsts : undefined);
      });
      this.#moment = only.legs;
    } else {
      const firsts = orders.reduce<OpenOrder['firsts']>((all, order) => union(all, order.firsts), undefined);
      this.#skip(endingLowest(orders.map(({ legs }) => legs)), firsts);
    }
  }

  #step(leg: Leg, firsts?: readonly Leg[]): void {
    const previous = this.#last;
    const known = this.#carried;
    const likely = firsts && continuing(firsts, this.#carriedNow);
    const isKnown = leg.has('afterBalance');
    const step = new WalkStep(leg, this.key, {
      previous,
      isFirst: this.#isFirst,
      firsts: likely?.includes(leg) ? likely : firsts,
      known,
      continues: known === undefined && leg.decimal('beforeBalance') === previous?.decimal('afterBalance'),
      isKnown,
      openLegs: 0,
    });
    this.#last = leg;
    this.#isFirst = false;
    this.#isUnknown = false;
    this.#carried = isKnown ? undefined : leg.endFrom(step.carried);
    this.#emit(step);
  }

  /**
   * Emits the steps of legs whose order is unknown. The sum of their quantities is the same in every order. If all possible
   * first legs start from the same balance, the balance before the legs is also the same in every order.
   */
  #skip(legs: readonly Leg[], firsts: readonly Leg[] | undefined): void {
    const openLegs = legs.length;
    let carried = this.#carriedNow;
    const likely = firsts && continuing(firsts, carried);
    legs.forEach((leg, at) => {
      const error = leg.error;
      const start = (at === 0 && likely && commonStart(likely)?.before) || null;
      const step = new WalkStep(leg, this.key, {
        ...{ previous: this.#last, isFirst: this.#isFirst, firsts: at === 0 ? likely : undefined },
        known: start && likely?.includes(leg) ? carried : null,
        ...{ continues: false, isKnown: false, openLegs },
      });
      carried = start ?? carried;
      carried = carried && leg.change && carried.plus(leg.change).plus(error ?? ZERO);
      this.#last = leg;
      this.#isFirst = false;
      this.#emit(step);
    });
    this.#carried = carried;
    this.#isUnknown = true;
  }

  #addNameless(leg: Leg): void {
    this.#isUnknown = true;
    const isKnown = leg.has('afterBalance');
    this.#emit(new WalkStep(leg, this.key, { ...NOWHERE, isKnown }));
  }
}

/** Returns the order with the lowest final balance. With any other order, a balance below zero could seem to recover. */
function endingLowest(orders: readonly (readonly Leg[])[]): readonly Leg[] {
  return orders.reduce((lowest, order) => (endsLower(order, lowest) ? order : lowest));
}

/** Whether `order` has a lower final balance than `other`. An unknown balance may be below zero. */
function endsLower(order: readonly Leg[], other: readonly Leg[]): boolean {
  const [end, otherEnd] = [order.at(-1)?.after ?? null, other.at(-1)?.after ?? null];
  if (end === null) return otherEnd !== null && !otherEnd.lessThan(ZERO);
  return end.lessThan(otherEnd ?? ZERO);
}

function union(left: readonly Leg[] | undefined, right: readonly Leg[] | undefined) {
  return left && right ? [...new Set([...left, ...right])] : (left ?? right);
}

/** Returns the legs that start from the carried balance. If no leg starts from it, returns all legs. */
function continuing(legs: readonly Leg[], carried: Exact | null): readonly Leg[] {
  const found = carried === null ? [] : legs.filter(({ before }) => before?.equals(carried));
  return found.length > 0 ? found : legs;
}
