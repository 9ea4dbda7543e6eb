import type { JsonRecord } from '../core/json.ts';
import { Leg } from './leg.ts';
import type { WalkStep } from './step.ts';
import { type Fold, Walk } from './walk.ts';

/** A leg and its position among the legs of its wallet and asset in the same millisecond. */
export interface PlacedLeg {
  readonly leg: JsonRecord;
  /** 1 for the first leg; null if the order of these legs is unknown, or if the leg has no time. */
  readonly position: number | null;
}

const NONE: readonly PlacedLeg[] = [];

/**
 * Finds the positions of legs. A position depends neither on legs that were not added nor on later legs, so it is the same
 * whatever the rest of the books contains. If the first added leg is not the first leg of the books, the balances before it are
 * unknown. The order of several legs is then unknown until a leg of the same wallet and asset settles the balance.
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

  /** Adds the next leg in order of time. Returns the earlier legs whose positions are now known, in the order of their addition. */
  add(record: JsonRecord): readonly PlacedLeg[] {
    const leg = new Leg(record);
    this.#walk.add(leg);
    const isLater = leg.time !== undefined && leg.time !== this.#time;
    const placed = isLater ? this.#take() : NONE;
    if (isLater) this.#time = leg.time;
    this.#waiting.push(leg);
    return placed;
  }

  /** Returns the last legs. */
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

/** Numbers the legs of one millisecond. */
class Orders implements Fold {
  readonly #isStart: boolean;
  /** The pairs whose balance before the next leg depends only on added legs. */
  readonly #anchored = new Set<string>();
  /** The steps after the last finished millisecond of a pair. */
  readonly #steps: WalkStep[] = [];
  readonly #positions = new Map<Leg, number>();

  constructor(isStart: boolean) {
    this.#isStart = isStart;
  }

  /** Returns the position of a leg, and forgets it. */
  take(leg: Leg): number | null {
    const position = this.#positions.get(leg) ?? null;
    this.#positions.delete(leg);
    return position;
  }

  step(step: WalkStep): void {
    this.#steps.push(step);
  }

  settle({ key }: { readonly key: string }, time: number): void {
    // If there are none, the order is open. The next leg may decide it, but until then the balance remains unknown.
    const steps = this.#steps.splice(0).filter(({ leg }) => leg.time === time);
    const last = steps.at(-1);
    if (last === undefined || last.openLegs > 0) return;
    const isKnown = steps.length === 1 || last.leg.isNameless || this.#isStart || this.#anchored.has(key);
    if (!isKnown) return;
    // Each leg without an asset is the only leg of its asset.
    for (const [at, { leg }] of steps.entries()) this.#positions.set(leg, leg.isNameless ? 1 : at + 1);
    if (last.isKnown && !this.#isStart) this.#anchored.add(key);
  }
}
