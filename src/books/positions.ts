import type { JsonRecord } from '../core/json.ts';
import { Leg } from './leg.ts';
import type { WalkStep } from './step.ts';
import { type Fold, Walk } from './walk.ts';

/** A leg and its position among the legs of its wallet and asset in the same millisecond. */
export interface PlacedLeg {
  readonly leg: JsonRecord;
  /** The position, starting at 1; null if the order of the legs is unknown, or if the leg has no time. */
  readonly position: number | null;
}

const NONE: readonly PlacedLeg[] = [];

/**
 * Finds the positions of legs. A position depends only on the added legs up to the time of the leg, so it does not change if
 * the books contain more legs. If the first added leg is not the first leg of the books, the balances before it are unknown.
 * The order of several legs at one time is then unknown until a leg of the same wallet and asset has a known balance.
 */
export class LegPositions {
  readonly #orders: Orders;
  readonly #walk: Walk;
  /** The legs of the latest millisecond, and legs without a time. */
  #waiting: Leg[] = [];
  #time: number | undefined;

  /** @param isStart whether the books have no legs before the first added leg */
  constructor(isStart: boolean) {
    this.#orders = new Orders(isStart);
    this.#walk = new Walk([this.#orders]);
  }

  /**
   * Adds the next leg in order of time. Returns the earlier legs whose positions are now known, in the order in which they were
   * added.
   */
  add(record: JsonRecord): readonly PlacedLeg[] {
    const leg = new Leg(record);
    this.#walk.add(leg);
    const isLater = leg.time !== undefined && leg.time !== this.#time;
    const placed = isLater ? this.#take() : NONE;
    if (isLater) this.#time = leg.time;
    this.#waiting.push(leg);
    return placed;
  }

  /** Returns the legs that `add` has not returned. */
  finish(): readonly PlacedLeg[] {
    this.#walk.finish();
    return this.#take();
  }

  #take(): readonly PlacedLeg[] {
    const placed = this.#waiting.map((leg) => ({ leg: leg.record, position: this.#orders.take(leg) }));
    this.#waiting = [];
    return placed;
  }
}

/** Assigns positions to the legs of one millisecond. */
class Orders implements Fold {
  readonly #isStart: boolean;
  /** The pairs for which the added legs alone determine the balance before the next leg. */
  readonly #anchored = new Set<string>();
  /** The steps that were received since the last millisecond of a pair ended. */
  readonly #steps: WalkStep[] = [];
  readonly #positions = new Map<Leg, number>();

  constructor(isStart: boolean) {
    this.#isStart = isStart;
  }

  /** Returns the position of a leg, and then removes it. */
  take(leg: Leg): number | null {
    const position = this.#positions.get(leg) ?? null;
    this.#positions.delete(leg);
    return position;
  }

  step(step: WalkStep): void {
    this.#steps.push(step);
  }

  settle({ key }: { readonly key: string }, time: number): void {
    // Without steps, the order of the legs is not yet known. The next leg may determine the order. Even then, the balance
    // before the next leg stays unknown.
    const steps = this.#steps.splice(0).filter(({ leg }) => leg.time === time);
    const last = steps.at(-1);
    if (last === undefined || last.openLegs > 0) return;
    const isKnown = steps.length === 1 || last.leg.isNameless || this.#isStart || this.#anchored.has(key);
    if (!isKnown) return;
    // A nameless leg counts as the only leg of its asset, so its position is 1.
    for (const [at, { leg }] of steps.entries()) this.#positions.set(leg, leg.isNameless ? 1 : at + 1);
    if (last.isKnown && !this.#isStart) this.#anchored.add(key);
  }
}
