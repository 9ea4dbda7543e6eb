import { Batches } from '../core/batches.ts';
import type { JsonRecord } from '../core/json.ts';
import { isAfterSpan } from '../core/span.ts';
import { PairMap } from './asset.ts';
import { byId, Leg } from './leg.ts';
import { PairWalk } from './pair-walk.ts';
import type { WalkStep } from './step.ts';

/** Computes a result from the legs of a walk. */
export interface Fold {
  /** Receives the steps of each pair in order. The steps of different pairs may be out of order by a few legs. */
  step?(step: WalkStep): void;
  /** Receives all legs in order of time, then of id. Legs without a time come last. */
  leg?(leg: Leg): void;
  /**
   * Called at the end of each millisecond for each pair that has legs in it, in order of time. The balances are parsed only when
   * they are used.
   */
  settle?(pair: Pick<PairWalk, 'key' | 'settled' | 'balances'>, time: number): void;
}

/** Legs, or the records from which legs are created. */
export type LegInput = AsyncIterable<Leg | JsonRecord> | Iterable<Leg | JsonRecord>;

/**
 * Walks over legs that are ordered by time. Memory grows with the number of wallet/asset pairs, and with the legs of one
 * millisecond. At most 100 legs of a pair wait until later legs show their order.
 */
export async function walk(legs: LegInput, ...folds: readonly Fold[]): Promise<void> {
  await walkTo(undefined, legs, ...folds);
}

/**
 * Walks over legs like {@link walk}. Legs after the end of the period are not used to choose between orders of earlier legs.
 * Therefore, the balances at the end of the period are the same whether or not later legs were read.
 *
 * @param to end of the period in Unix milliseconds; undefined if the period has no end
 */
export async function walkTo(
  to: number | undefined,
  legs: LegInput,
  ...folds: readonly Fold[]
): Promise<void> {
  const walked = new Walk(folds, to);
  for await (const batch of Batches.of(legs)) for (const leg of batch) walked.add(Leg.of(leg));
  walked.finish();
}

/** Yields the steps of a walk, for callers that stop before the last leg. */
export async function* walkSteps(legs: LegInput): AsyncGenerator<WalkStep> {
  const steps: WalkStep[] = [];
  const walked = new Walk([{ step: (step) => steps.push(step) }]);
  for await (const leg of legs) {
    walked.add(Leg.of(leg));
    if (steps.length > 0) yield* steps.splice(0);
  }
  walked.finish();
  yield* steps;
}

const NONE: Leg[] = [];

/**
 * All results about the books use this walk. The walk puts the legs of each wallet and asset in order of time. Within one
 * millisecond, it chooses an order with the fewest breaks. If several orders are equally good, later legs of the pair may
 * show which order is right. If orders with different balances remain, the balance after those legs is unknown. Legs without a
 * time come last, and have no known balance.
 */
export class Walk {
  readonly #folds: readonly Fold[];
  readonly #settled: readonly Fold[];
  readonly #pairs: PairMap<PairWalk>;
  readonly #untimed: Leg[] = [];
  /** The legs of the latest millisecond. */
  #moment: Leg[] = NONE;
  /** The end of the period; undefined if the period has no end, or if a later leg has already arrived. */
  #to: number | undefined;

  constructor(folds: readonly Fold[], to?: number) {
    this.#folds = folds;
    this.#to = to;
    this.#settled = folds.filter(({ settle }) => settle);
    const steppers = folds.filter(({ step }) => step);
    const emit = (step: WalkStep) => {
      for (const fold of steppers) fold.step?.(step);
    };
    this.#pairs = new PairMap((key) => new PairWalk(key, emit));
  }

  add(leg: Leg): void {
    const { time } = leg;
    if (time === undefined) {
      this.#untimed.push(leg);
      return;
    }
    if (time === this.#moment[0]?.time) {
      this.#moment.push(leg);
      return;
    }
    this.#endMoment();
    if (this.#to !== undefined && isAfterSpan(time, { to: this.#to })) {
      this.#endOrders();
      this.#to = undefined;
    }
    this.#moment = [leg];
  }

  finish(): void {
    this.#endMoment();
    this.#endOrders();
    for (const leg of this.#untimed.sort(byId)) {
      for (const fold of this.#folds) fold.leg?.(leg);
      this.#pairs.of(leg).addUntimed(leg);
    }
  }

  #endOrders(): void {
    for (const pair of this.#pairs.all) pair.finish();
  }

  #endMoment(): void {
    const moment = this.#moment;
    this.#moment = NONE;
    sortById(moment);
    for (const fold of this.#folds) if (fold.leg) for (const leg of moment) fold.leg(leg);
    for (const [pair, legs] of momentsOf(this.#pairs, moment)) {
      pair.add(legs);
      for (const fold of this.#settled) fold.settle?.(pair, legs[0]?.time ?? 0);
    }
  }
}

/** Sorts legs by id. In nearly all cases, the legs arrive in this order. */
export function sortById(legs: Leg[]): void {
  if (legs.some((leg, at) => at > 0 && byId(legs[at - 1] as Leg, leg) > 0)) legs.sort(byId);
}

/** Groups the legs of one millisecond by pair. */
export function momentsOf<T>(
  pairs: PairMap<T>,
  legs: readonly Leg[],
): Iterable<readonly [T, readonly Leg[]]> {
  const [first] = legs;
  if (!first) return [];
  if (legs.length === 1) return [[pairs.of(first), legs]];
  const byPair = new Map<T, Leg[]>();
  for (const leg of legs) {
    const pair = pairs.of(leg);
    const own = byPair.get(pair);
    if (own) own.push(leg);
    else byPair.set(pair, [leg]);
  }
  return byPair;
}
