import { Batches } from '../core/batches.ts';
import { type Exact, ZERO } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { isAfterSpan } from '../core/span.ts';
import { PairKeys } from './asset.ts';
import { isFigure } from './figure.ts';
import { balanceText, byId, Leg } from './leg.ts';
import { bestOrders } from './order.ts';

/** One leg in the walk over the legs of its wallet and asset. */
export interface WalkStep {
  readonly leg: Leg;
  /** Key of the pair. All nameless legs of a wallet share one key, but each of them is the only leg of its asset. */
  readonly pair: string;
  /** The leg before this one; undefined for the first leg of the pair, and for a nameless leg. */
  readonly previous: Leg | undefined;
  /** Whether the pair has no earlier leg. False for a nameless leg, and for a leg without a time. */
  readonly isFirst: boolean;
  /**
   * The legs that may be the first at their time. Undefined if the balance before them is known, and for every leg but the one
   * that comes first here.
   */
  readonly firsts?: readonly Leg[] | undefined;
  /** The served balance before the leg; null if it is missing, or if the order of the legs leaves it open. */
  readonly before: Exact | null;
  /** The balance before the leg, carried from the last served or inferred balance by the quantities since; null if unknown. */
  readonly carried: Exact | null;
  /** How far the leg starts from the carried balance: 0 if it continues there, null if one of the two or the order is unknown. */
  readonly gap: Exact | null;
  /** `afterBalance` − (`beforeBalance` ± quantity); null if one of the three is unknown. */
  readonly error: Exact | null;
  /** The served balance after the leg; null if it is missing, or if the order of the legs leaves it open. */
  readonly balance: Exact | null;
  /** Whether `balance` is known. Does not parse the balance. */
  readonly isKnown: boolean;
  /** How many legs share the leg's time in an unknown order, which leaves their balances open; 0 if the order is known. */
  readonly openLegs: number;
}

/** An answer that is computed from the steps of a walk. */
export interface Fold {
  /** Receives the steps of each pair in order. The steps of different pairs may be out of order by a few legs. */
  step?(step: WalkStep): void;
  /** Receives all legs in order of time, then of id. Legs without a time come last. */
  leg?(leg: Leg): void;
  /** Receives the balance of a pair at the end of each millisecond with legs, in order of time; null if unknown. */
  settle?(pair: string, time: number, balance: Exact | null): void;
}

/** Walks over legs that are ordered by time. Memory grows with wallets × assets and the legs of one millisecond. */
export async function walk(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  ...folds: readonly Fold[]
): Promise<void> {
  await walkTo(undefined, legs, ...folds);
}

/**
 * Walks over legs like {@link walk}. Legs after the end of a period do not decide between orders of earlier legs, so the balances
 * at the end are the same whether later legs were read or not.
 *
 * @param to end of the period in Unix milliseconds; undefined if it has no end
 */
export async function walkTo(
  to: number | undefined,
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  ...folds: readonly Fold[]
): Promise<void> {
  const walked = new Walk(folds, to);
  for await (const batch of Batches.of(legs)) for (const leg of batch) walked.add(new Leg(leg));
  walked.finish();
}

/** Yields the steps of a walk, for callers that stop before the last leg. */
export async function* walkSteps(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
): AsyncGenerator<WalkStep> {
  const steps: WalkStep[] = [];
  const walked = new Walk([{ step: (step) => steps.push(step) }]);
  for await (const leg of legs) {
    walked.add(new Leg(leg));
    if (steps.length > 0) yield* steps.splice(0);
  }
  walked.finish();
  yield* steps;
}

/**
 * The one walk over the books. For each wallet and asset, it puts the legs in the order of their time. Within one millisecond it
 * chooses an order with the fewest breaks; the next leg of the pair may decide between equally good orders. If the order stays
 * open and matters, the balance after those legs is unknown. Legs without a time come last, and have no known balance.
 */
class Walk {
  readonly #folds: readonly Fold[];
  readonly #settled: readonly Fold[];
  readonly #keys = new PairKeys();
  readonly #pairs = new Map<string, PairWalk>();
  readonly #untimed: Leg[] = [];
  #moment: Leg[] = [];
  /** The end of the period; undefined if it has no end, or if it was passed. */
  #to: number | undefined;

  constructor(folds: readonly Fold[], to?: number) {
    this.#folds = folds;
    this.#to = to;
    this.#settled = folds.filter(({ settle }) => settle);
  }

  add(leg: Leg): void {
    if (leg.time === undefined) {
      this.#untimed.push(leg);
      return;
    }
    const [other] = this.#moment;
    if (other && other.time !== leg.time) this.#endMoment();
    if (this.#to !== undefined && isAfterSpan(leg.time, { to: this.#to })) {
      this.#endOrders();
      this.#to = undefined;
    }
    this.#moment.push(leg);
  }

  finish(): void {
    this.#endOrders();
    for (const leg of this.#untimed.sort(byId)) {
      for (const fold of this.#folds) fold.leg?.(leg);
      this.#pairOf(this.#keys.of(leg)).addUntimed(leg);
    }
  }

  #endOrders(): void {
    this.#endMoment();
    for (const pair of this.#pairs.values()) pair.finish();
  }

  #endMoment(): void {
    const moment = this.#moment;
    const [first] = moment;
    if (!first) return;
    this.#moment = [];
    if (moment.length > 1) moment.sort(byId);
    for (const fold of this.#folds) if (fold.leg) for (const leg of moment) fold.leg(leg);
    if (moment.length === 1) {
      this.#add(this.#keys.of(first), moment);
      return;
    }
    const pairs = new Map<string, Leg[]>();
    for (const leg of moment) {
      const key = this.#keys.of(leg);
      const legs = pairs.get(key);
      if (legs) legs.push(leg);
      else pairs.set(key, [leg]);
    }
    for (const [key, legs] of pairs) this.#add(key, legs);
  }

  #add(key: string, legs: readonly Leg[]): void {
    const pair = this.#pairOf(key);
    pair.add(legs);
    const time = legs[0]?.time ?? 0;
    for (const fold of this.#settled) fold.settle?.(key, time, pair.settled);
  }

  #pairOf(key: string): PairWalk {
    let pair = this.#pairs.get(key);
    if (!pair) {
      pair = new PairWalk(key, this.#folds);
      this.#pairs.set(key, pair);
    }
    return pair;
  }
}

/** An order of the legs of one millisecond, one of those that are equally good. */
interface OpenOrder {
  /** The last leg's served balance; null if that leg has none. */
  readonly end: string | null;
  readonly legs: readonly Leg[];
  /** All legs that may be the first in such an order with this end; undefined if the balance before the legs is known. */
  readonly firsts: readonly Leg[] | undefined;
}

/** The state of the walk for one wallet and asset. */
class PairWalk {
  readonly #key: string;
  readonly #folds: readonly Fold[];
  #last: Leg | undefined;
  /** The carried balance; undefined if it is the served balance after `#last`, which is parsed when it is first used. */
  #carried: Exact | null | undefined = null;
  #isFirst = true;
  /** The orders of the latest legs, if they lead to different balances. The next leg may decide between them. */
  #open: readonly OpenOrder[] = [];
  #isUnknown = false;

  constructor(key: string, folds: readonly Fold[]) {
    this.#key = key;
    this.#folds = folds;
  }

  /** The balance now; null if unknown. */
  get settled(): Exact | null {
    return this.#isUnknown || this.#open.length > 0 || this.#carried !== undefined
      ? null
      : (this.#last?.after ?? null);
  }

  /** @param legs the legs of one millisecond, sorted by id */
  add(legs: readonly Leg[]): void {
    const [first] = legs;
    if (!first) return;
    if (first.isNameless) {
      for (const leg of legs) this.#addNameless(leg);
      return;
    }
    if (this.#open.length === 0 && legs.length === 1) {
      this.#step(first);
      return;
    }
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
    this.#emit({
      ...{ leg, pair: this.#key, previous: undefined, isFirst: false, before: null },
      ...{ carried: null, gap: null, error: leg.error, balance: null, isKnown: false, openLegs: 0 },
    });
  }

  /** The served balance after the last leg, in its shortest form; null if unknown. */
  get #end(): string | null {
    return this.#last === undefined || this.#isUnknown ? null : balanceText(this.#last, 'afterBalance');
  }

  get #carriedNow(): Exact | null {
    return this.#carried === undefined ? (this.#last?.after ?? null) : this.#carried;
  }

  /** Steps through the legs of one of several orders. If there are several, the balances of the legs are open. */
  #choose(orders: readonly OpenOrder[]): void {
    const [only, ...others] = orders;
    if (!only) return;
    if (others.length === 0) {
      only.legs.forEach((leg, at) => {
        this.#step(leg, at === 0 ? only.firsts : undefined);
      });
    } else {
      const firsts = orders.reduce<OpenOrder['firsts']>((all, order) => union(all, order.firsts), undefined);
      this.#skip(endingLowest(orders.map(({ legs }) => legs)), firsts);
    }
  }

  #step(leg: Leg, firsts?: readonly Leg[]): void {
    const [previous, isFirst, known] = [this.#last, this.#isFirst, this.#carried];
    const likely = firsts && continuing(firsts, this.#carriedNow);
    const continues = known === undefined && leg.record['beforeBalance'] === previous?.record['afterBalance'];
    const isKnown = isFigure(leg.record['afterBalance']);
    const parts = {
      previous,
      isFirst,
      firsts: likely?.includes(leg) ? likely : firsts,
      known,
      continues,
      isKnown,
      openLegs: 0,
    };
    const step = new WalkedStep(leg, this.#key, parts);
    this.#last = leg;
    this.#isFirst = false;
    this.#isUnknown = false;
    this.#carried = isKnown ? undefined : leg.endFrom(step.carried);
    this.#emit(step);
  }

  /**
   * Steps through legs whose order is open. What they add up to does not depend on their order, and neither does the balance
   * before them if all possible first legs start from the same balance.
   */
  #skip(legs: readonly Leg[], firsts: readonly Leg[] | undefined): void {
    const openLegs = legs.length;
    let carried = this.#carriedNow;
    const likely = firsts && continuing(firsts, carried);
    legs.forEach((leg, at) => {
      const error = leg.error;
      const start = at === 0 && likely ? commonStart(likely) : null;
      const step = new WalkedStep(leg, this.#key, {
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
    const isKnown = isFigure(leg.record['afterBalance']);
    const more = { previous: undefined, isFirst: false, firsts: undefined, known: null, continues: false };
    this.#isUnknown = true;
    this.#emit(new WalkedStep(leg, this.#key, { ...more, isKnown, openLegs: 0 }));
  }

  #emit(step: WalkStep): void {
    for (const fold of this.#folds) fold.step?.(step);
  }
}

/** Returns the order that ends with the lowest balance, so that no balance below zero seems to recover. */
function endingLowest(orders: readonly (readonly Leg[])[]): readonly Leg[] {
  return orders.reduce((lowest, order) => (endsLower(order, lowest) ? order : lowest));
}

/** Whether an order ends lower than another. An unknown balance may be below zero. */
function endsLower(order: readonly Leg[], other: readonly Leg[]): boolean {
  const [end, otherEnd] = [order.at(-1)?.after ?? null, other.at(-1)?.after ?? null];
  if (end === null) return otherEnd !== null && !otherEnd.lessThan(ZERO);
  return end.lessThan(otherEnd ?? ZERO);
}

function union(left: readonly Leg[] | undefined, right: readonly Leg[] | undefined) {
  return left && right ? [...new Set([...left, ...right])] : (left ?? right);
}

/** Returns the legs that start from the carried balance; all legs if none does. */
function continuing(legs: readonly Leg[], carried: Exact | null): readonly Leg[] {
  const found = carried === null ? [] : legs.filter(({ before }) => before?.equals(carried));
  return found.length > 0 ? found : legs;
}

/** The served balance from which all of these legs start; null if it is unknown or differs. */
function commonStart([first, ...others]: readonly Leg[]): Exact | null {
  const start = first?.before ?? null;
  return start !== null && others.every(({ before }) => before?.equals(start)) ? start : null;
}

interface StepParts {
  readonly previous: Leg | undefined;
  readonly isFirst: boolean;
  readonly firsts: readonly Leg[] | undefined;
  /** Undefined if the served balance after the previous leg is carried. */
  readonly known: Exact | null | undefined;
  /** Whether the leg starts with exactly the text of the previous leg's balance. */
  readonly continues: boolean;
  readonly isKnown: boolean;
  readonly openLegs: number;
}

/** Parses balances only when they are used, because most legs continue the chain. */
class WalkedStep implements WalkStep {
  readonly leg: Leg;
  readonly pair: string;
  readonly #parts: StepParts;

  constructor(leg: Leg, pair: string, parts: StepParts) {
    this.leg = leg;
    this.pair = pair;
    this.#parts = parts;
  }

  get previous(): Leg | undefined {
    return this.#parts.previous;
  }

  get isFirst(): boolean {
    return this.#parts.isFirst;
  }

  get firsts(): readonly Leg[] | undefined {
    return this.#parts.firsts;
  }

  get before(): Exact | null {
    const { firsts, openLegs } = this.#parts;
    return firsts ? commonStart(firsts) : openLegs > 0 ? null : this.leg.before;
  }

  get openLegs(): number {
    return this.#parts.openLegs;
  }

  get error(): Exact | null {
    return this.leg.error;
  }

  get carried(): Exact | null {
    const { known, previous } = this.#parts;
    return known === undefined ? (previous?.after ?? null) : known;
  }

  get gap(): Exact | null {
    if (this.#parts.continues) return ZERO;
    const [start, carried] = [this.leg.start, this.carried];
    return start === null || carried === null ? null : start.minus(carried);
  }

  get isKnown(): boolean {
    return this.#parts.isKnown;
  }

  get balance(): Exact | null {
    return this.isKnown ? this.leg.after : null;
  }
}
