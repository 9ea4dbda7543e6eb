import type { JsonRecord } from '../core/json.ts';
import { PairMap } from './asset.ts';
import { isFigure } from './figure.ts';
import { LEG_PATHS, Leg } from './leg.ts';
import { PairWalk } from './pair-walk.ts';
import type { WalkStep } from './step.ts';
import { momentsOf, sortById } from './walk.ts';

/** The position of a leg among the legs of its wallet and asset in the same millisecond. */
export interface PlacedLeg {
  /** The position, starting at 1; null if the order of the legs is unknown, or if the leg has no time. */
  readonly position: number | null;
}

const NONE: readonly PlacedLeg[] = [];
/** The only leg in a millisecond. */
const ALONE: readonly PlacedLeg[] = [{ position: 1 }];
const DECISIVE = /^(id|type|timestamp|walletId|assetId|asset(Raw)?\.symbol|quantity|(before|after)Balance)$/;

/**
 * Finds the positions of legs. A position depends only on the added legs up to the time of the leg. Other legs in the books do
 * not change the position. If the first added leg is not the first leg of the books, the balances before it are unknown. The
 * order of several legs at one time is then unknown until a leg of the same wallet and asset has a known balance.
 */
export class LegPositions {
  /** {@link LEG_PATHS}, with an empty text for each field that does not affect the position. */
  readonly wanted = LEG_PATHS.map((path) => (DECISIVE.test(path) ? path : ''));
  readonly #pairs: PairMap<PairPositions>;
  /** The legs of the latest millisecond, and legs without a time. */
  #waiting: Leg[] = [];
  #time: number | undefined;

  /** @param isStart whether the books have no legs before the first added leg */
  constructor(isStart: boolean) {
    this.#pairs = new PairMap((key) => new PairPositions(key, isStart));
  }

  /**
   * Adds the next leg in order of time. Returns the positions of the earlier legs, in the order in which they were added. The
   * list is empty while a position is unknown.
   *
   * @param values the values of `wanted`, if `leg` is a function that returns the record
   */
  add(leg: JsonRecord | (() => JsonRecord), values: unknown[] = []): readonly PlacedLeg[] {
    const added = typeof leg === 'function' ? new Leg(leg, values) : new Leg(leg);
    const isLater = added.time !== undefined && added.time !== this.#time;
    const placed = isLater ? this.finish() : NONE;
    if (isLater) this.#time = added.time;
    this.#waiting.push(added);
    return placed;
  }

  /** Returns the positions that `add` has not returned. */
  finish(): readonly PlacedLeg[] {
    const legs = this.#waiting;
    this.#waiting = [];
    const [first] = legs;
    if (legs.length === 1 && first?.time !== undefined) {
      this.#pairs.of(first).add(legs);
      return ALONE;
    }
    const positions = new Map<Leg, number>();
    const timed = legs.filter(({ time }) => time !== undefined);
    sortById(timed);
    for (const [pair, moment] of momentsOf(this.#pairs, timed))
      for (const [at, leg] of pair.add(moment).entries()) positions.set(leg, leg.isNameless ? 1 : at + 1);
    return legs.map((leg) => ({ position: positions.get(leg) ?? null }));
  }
}

/** The walk over the legs of one wallet and asset. */
class PairPositions {
  readonly #walk: PairWalk;
  readonly #steps: WalkStep[] = [];
  /** Whether the added legs alone determine the balance before the next leg. */
  #isAnchored: boolean;
  /**
   * A leg that is not in the walk yet. The leg has a known balance and is alone in its millisecond, so no earlier leg affects
   * the later legs. The walk skips such legs, except the last one before several legs in one millisecond.
   */
  #last: Leg | undefined;

  constructor(key: string, isStart: boolean) {
    this.#walk = new PairWalk(key, (step) => this.#steps.push(step));
    this.#isAnchored = isStart;
  }

  /**
   * Adds the legs of one millisecond. Returns them in their order; an empty list if the order is unknown.
   *
   * @param legs sorted by id
   */
  add(legs: readonly Leg[]): readonly Leg[] {
    const [first, ...others] = legs;
    if (!first || first.isNameless) return legs;
    if (others.length === 0 && isFigure(first.value('afterBalance'))) {
      this.#last = first;
      this.#isAnchored = true;
      return legs;
    }
    if (this.#last) this.#walk.add([this.#last]);
    this.#last = undefined;
    this.#walk.add(legs);
    // Without steps, the order of the legs is not yet known. A later leg may determine the order, but not the balance before
    // that leg.
    const steps = this.#steps.splice(0).filter(({ leg }) => leg.time === first.time);
    const isOpen = steps.length === 0 || steps.some(({ openLegs }) => openLegs > 0);
    if (others.length > 0 && (isOpen || !this.#isAnchored)) return [];
    return steps.map(({ leg }) => leg);
  }
}
