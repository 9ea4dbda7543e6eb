import { type Exact, ZERO } from '../core/decimal.ts';
import { balanceText, type Leg } from './leg.ts';
import { bestOrders, isChained } from './order.ts';
import { commonStart, NOWHERE, WalkStep } from './step.ts';

/** A balance after the last leg of a millisecond, as the service sent it; null if the service sent none. */
type End = string | null;

/** One of the equally good orders of the legs of one millisecond. */
interface OpenOrder {
  readonly legs: readonly Leg[];
  /** All legs that come first in one of the orders with this final balance. */
  readonly firsts: readonly Leg[];
  /** The ends of the previous open millisecond from which this order is best. `legs` follows the first of these ends. */
  readonly starts: readonly End[];
}

/** The equally good orders of one millisecond by their final balance. The lowest balance comes first. */
type OpenMoment = ReadonlyMap<End, OpenOrder>;

/** Maximum number of legs of a pair that wait until later legs show their order. */
const MOST_WAITING = 100;

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
   * The latest milliseconds whose orders lead to different balances. Later legs may show which orders are right. Two orders
   * differ by at most one break in the next legs. An order with more breaks now is therefore never better later.
   */
  #open: OpenMoment[] = [];
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
    const latest = this.#open.at(-1);
    const starts: readonly End[] = latest ? [...latest.keys()] : [this.#end];
    const carried = () => (latest ? null : this.#isFirst ? ZERO : this.#carriedNow);
    const orders = bestOrders(legs, starts, carried);
    const fewest = Math.min(...orders.map(({ breaks }) => breaks));
    const best = orders.flatMap((order, at) =>
      order.breaks === fewest ? [{ ...order, start: starts[at] ?? null }] : [],
    );
    if (latest) this.#keep(best.map(({ start }) => start));
    if (best.some(({ isOpen }) => isOpen)) {
      this.finish();
      const [lowest] = legs.toSorted((left, right) => lowestFirst([left], [right]));
      this.#skip([...legs.filter((leg) => leg !== lowest), ...(lowest ? [lowest] : [])], legs);
      return;
    }
    const ends = new Map<End, OpenOrder>();
    for (const { byEnd, start } of best) {
      for (const [end, order] of byEnd) {
        const same = ends.get(end) ?? { legs: order.legs, firsts: [], starts: [] };
        const firsts = [...new Set([...same.firsts, ...order.firsts])];
        ends.set(end, { legs: same.legs, firsts, starts: [...same.starts, start] });
      }
    }
    this.#open.push(new Map([...ends].sort(([, left], [, right]) => lowestFirst(left.legs, right.legs))));
    this.#keep([...ends.keys()]);
    // Once only one order is left, later legs add no information about the legs up to this order.
    this.#emitOpen(this.#open.findLastIndex(({ size }) => size === 1) + 1);
    while (this.#open.reduce((sum, moment) => sum + legsIn(moment), 0) > MOST_WAITING) this.#emitOpen(1);
  }

  /** Removes the orders that do not lead to one of the given ends of the latest open millisecond. */
  #keep(ends: readonly End[]): void {
    let kept = new Set(ends);
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const left = new Map([...(this.#open[at] ?? [])].filter(([end]) => kept.has(end)));
      this.#open[at] = left;
      kept = new Set([...left.values()].flatMap(({ starts }) => starts));
    }
  }

  /** Emits the steps of the first open milliseconds. Balances with several possible orders are unknown. */
  #emitOpen(count: number): void {
    const moments = this.#open.splice(0, count);
    const path: (readonly Leg[])[] = [];
    let end = moments.at(-1)?.keys().next().value ?? null;
    for (const moment of moments.toReversed()) {
      const order = moment.get(end);
      path.unshift(order?.legs ?? []);
      end = order?.starts[0] ?? null;
    }
    for (const [at, moment] of moments.entries()) {
      const legs = path[at] ?? [];
      const firsts = [...new Set([...moment.values()].flatMap((order) => order.firsts))];
      if (moment.size > 1) this.#skip(legs, firsts);
      else this.#stepAll(legs, firsts);
    }
  }

  finish(): void {
    this.#emitOpen(this.#open.length);
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

  /** @param firsts the legs that may be the first. Not used if the balance before the legs is known. */
  #stepAll(legs: readonly Leg[], firsts: readonly Leg[]): void {
    const isKnown = legs.length === 1 || this.#end !== null;
    for (const [at, leg] of legs.entries()) this.#step(leg, at === 0 && !isKnown ? firsts : undefined);
    this.#moment = legs;
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
  #skip(legs: readonly Leg[], firsts: readonly Leg[]): void {
    const openLegs = legs.length;
    let carried = this.#carriedNow;
    const likely = this.#end === null ? continuing(firsts, carried) : undefined;
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

/**
 * Puts the order with the lowest final balance first. With any other order, a balance below zero could seem to recover. An
 * unknown balance may be below zero.
 */
function lowestFirst(left: readonly Leg[], right: readonly Leg[]): number {
  const [end, other] = [left.at(-1)?.after ?? null, right.at(-1)?.after ?? null];
  return (end ?? ZERO).comparedTo(other ?? ZERO) || Number(end !== null) - Number(other !== null);
}

function legsIn(moment: OpenMoment): number {
  const [order] = moment.values();
  return order?.legs.length ?? 0;
}

/** Returns the legs that start from the carried balance. If no leg starts from it, returns all legs. */
function continuing(legs: readonly Leg[], carried: Exact | null): readonly Leg[] {
  const found = carried === null ? [] : legs.filter(({ before }) => before?.equals(carried));
  return found.length > 0 ? found : legs;
}
