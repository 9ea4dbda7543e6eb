import { Batches } from '../core/batches.ts';
import type { Exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { PairKeys } from './asset.ts';
import { isFigure, ZERO } from './figure.ts';
import { balanceText, byId, Leg } from './leg.ts';
import { bestOrders } from './order.ts';

/** One leg in the walk over the legs of its wallet and asset. */
export interface Step {
  readonly leg: Leg;
  /** Key of the pair. All nameless legs of a wallet share one key, but each of them is the only leg of its asset. */
  readonly pair: string;
  /** The leg before this one; undefined for the first leg of the pair, and for a nameless leg. */
  readonly previous: Leg | undefined;
  /** Whether the pair has no earlier leg. False for a nameless leg, and for a leg without a time. */
  readonly isFirst: boolean;
  /** The balance before the leg, carried from the last served or inferred balance by the quantities since; null if unknown. */
  readonly carried: Exact | null;
  /** How far the leg starts from the carried balance: 0 if it continues there, null if one of the two is unknown. */
  readonly gap: Exact | null;
  /** `afterBalance` − (`beforeBalance` ± quantity); null if one of the three is unknown. */
  readonly error: Exact | null;
  /** The served balance after the leg; null if it is missing, or if the order of the legs leaves it open. */
  readonly balance: Exact | null;
  /** Whether `balance` is known. Does not parse the balance. */
  readonly isKnown: boolean;
  /** How many legs share the leg's time in an unknown order, so that the balance after them is open; 0 if the order is known. */
  readonly openLegs: number;
}

/** An answer that is computed from the steps of a walk. */
export interface Fold {
  /** Receives the steps of each pair in order. The steps of different pairs may be out of order by a few legs. */
  step?(step: Step): void;
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
  const walked = new Walk(folds);
  for await (const batch of Batches.of(legs)) for (const leg of batch) walked.add(new Leg(leg));
  walked.finish();
}

/** Yields the steps of a walk, for callers that stop before the last leg. */
export async function* stepsOf(legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>): AsyncGenerator<Step> {
  const steps: Step[] = [];
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

  constructor(folds: readonly Fold[]) {
    this.#folds = folds;
    this.#settled = folds.filter(({ settle }) => settle);
  }

  add(leg: Leg): void {
    if (leg.time === undefined) {
      this.#untimed.push(leg);
      return;
    }
    const [other] = this.#moment;
    if (other && other.time !== leg.time) this.#endMoment();
    this.#moment.push(leg);
  }

  finish(): void {
    this.#endMoment();
    for (const pair of this.#pairs.values()) pair.finish();
    for (const leg of this.#untimed.sort(byId)) {
      for (const fold of this.#folds) fold.leg?.(leg);
      this.#pairOf(this.#keys.of(leg)).addUntimed(leg);
    }
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

/** Legs whose order is still open: the order that leads to each balance. */
type OpenOrders = readonly (readonly [end: string | null, legs: readonly Leg[]])[];

/** The state of the walk for one wallet and asset. */
class PairWalk {
  readonly #key: string;
  readonly #folds: readonly Fold[];
  #last: Leg | undefined;
  /** The carried balance; undefined if it is the served balance after `#last`, which is parsed when it is first used. */
  #carried: Exact | null | undefined = null;
  #isFirst = true;
  #open: OpenOrders = [];
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
      this.#step(first, 0);
      return;
    }
    const starts: OpenOrders = this.#open.length > 0 ? this.#open : [[this.#end, []]];
    const carried = () => (this.#open.length > 0 ? null : this.#isFirst ? ZERO : this.#carriedNow);
    const orders = bestOrders(
      legs,
      starts.map(([end]) => end),
      carried,
    );
    const found = orders.map((one, at) => ({ start: starts[at]?.[1] ?? [], ...one }));
    const fewest = Math.min(...found.map(({ breaks }) => breaks));
    const best = found.filter(({ breaks }) => breaks === fewest);
    const [chosen] = best;
    if (!chosen) return;
    this.#steps(chosen.start, best.length > 1);
    this.#open = [];
    if (chosen.isOpen) {
      this.#jump(legs);
      return;
    }
    const others = best.flatMap(({ byEnd }) => [...byEnd]).filter(([end]) => !chosen.byEnd.has(end));
    const ends: OpenOrders = [...chosen.byEnd, ...others];
    if (ends.length > 1) this.#open = ends;
    else this.#steps(ends[0]?.[1] ?? legs, false);
  }

  finish(): void {
    this.#steps(this.#open[0]?.[1] ?? [], this.#open.length > 1);
    this.#open = [];
  }

  addUntimed(leg: Leg): void {
    this.#emit({
      ...{ leg, pair: this.#key, previous: undefined, isFirst: false },
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

  #steps(legs: readonly Leg[], isOpen: boolean): void {
    legs.forEach((leg, at) => {
      this.#step(leg, isOpen && at === legs.length - 1 ? legs.length : 0);
    });
  }

  #step(leg: Leg, openLegs: number): void {
    const [previous, isFirst, known] = [this.#last, this.#isFirst, this.#carried];
    const continues = known === undefined && leg.record['beforeBalance'] === previous?.record['afterBalance'];
    const error = leg.error;
    const isServed = error !== null || isFigure(leg.record['afterBalance']);
    const step = new WalkedStep(leg, this.#key, {
      previous,
      isFirst,
      known,
      continues,
      error,
      isServed,
      openLegs,
    });
    this.#last = leg;
    this.#isFirst = false;
    this.#isUnknown = openLegs > 0;
    this.#carried = isServed ? undefined : leg.endFrom(step.carried);
    this.#emit(step);
  }

  /** Passes over legs whose order is unknown. What they add up to does not depend on their order. */
  #jump(legs: readonly Leg[]): void {
    let carried = this.#isFirst ? null : this.#carriedNow;
    legs.forEach((leg, at) => {
      const error = leg.error;
      carried = carried && leg.change && carried.plus(leg.change).plus(error ?? ZERO);
      const openLegs = at === legs.length - 1 ? legs.length : 0;
      const more = { previous: this.#last, isFirst: this.#isFirst, known: null, continues: false };
      this.#emit(new WalkedStep(leg, this.#key, { ...more, error, isServed: openLegs === 0, openLegs }));
      this.#last = leg;
      this.#isFirst = false;
    });
    this.#carried = carried;
    this.#isUnknown = true;
  }

  #addNameless(leg: Leg): void {
    const isServed = isFigure(leg.record['afterBalance']);
    const more = { previous: undefined, isFirst: false, known: null, continues: false, openLegs: 0 };
    this.#isUnknown = true;
    this.#emit(new WalkedStep(leg, this.#key, { ...more, error: leg.error, isServed }));
  }

  #emit(step: Step): void {
    for (const fold of this.#folds) fold.step?.(step);
  }
}

interface StepParts {
  readonly previous: Leg | undefined;
  readonly isFirst: boolean;
  /** Undefined if the served balance after the previous leg is carried. */
  readonly known: Exact | null | undefined;
  /** Whether the leg starts with exactly the text of the previous leg's balance. */
  readonly continues: boolean;
  readonly error: Exact | null;
  readonly isServed: boolean;
  readonly openLegs: number;
}

/** Parses balances only when they are used, because most legs continue the chain. */
class WalkedStep implements Step {
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

  get openLegs(): number {
    return this.#parts.openLegs;
  }

  get error(): Exact | null {
    return this.#parts.error;
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
    return this.#parts.openLegs === 0 && this.#parts.isServed;
  }

  get balance(): Exact | null {
    return this.isKnown ? this.leg.after : null;
  }
}
