import type { Exact } from '../core/decimal.ts';

/** The place of a leg in a series. */
interface Place {
  /** Unix milliseconds. */
  readonly time: number;
  /** Index of the leg in the series, starting at 0. */
  readonly at: number;
}

/** The known balance after one leg. */
export interface BalancePoint extends Place {
  readonly balance: Exact;
}

/** Summarises the legs in a span of time. */
export interface Bucket {
  /** Start of the bucket in Unix milliseconds, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly legs: number;
  /** The legs without a known balance; undefined if every balance is known. */
  readonly unknown: UnknownLegs | undefined;
  /** The extremes of the known balances; undefined if no balance is known. */
  readonly known: Extremes | undefined;
}

interface UnknownLegs {
  readonly legs: number;
  readonly first: Place;
  readonly last: Place;
}

export interface Extremes {
  readonly first: BalancePoint;
  readonly last: BalancePoint;
  readonly lowest: BalancePoint;
  readonly highest: BalancePoint;
}

/**
 * Reduces a running balance to a limited number of buckets of equal duration. Each bucket keeps its first, last, lowest and
 * highest balance, so no dip below zero is lost. Memory use does not grow with the number of legs.
 */
export class BalanceSeries {
  readonly #most: number;
  #width = 1;
  #buckets: Bucket[] = [];
  #legs = 0;

  constructor(most = 300) {
    this.#most = most;
  }

  /** @param time Unix milliseconds; must not be earlier than the time of the previous leg */
  add(time: number, balance: Exact | null): void {
    const place = { time, at: this.#legs };
    const point = balance === null ? undefined : { ...place, balance };
    this.#legs += 1;
    this.#append({
      ...this.#spanOf(time),
      legs: 1,
      unknown: point ? undefined : { legs: 1, first: place, last: place },
      known: point && { first: point, last: point, lowest: point, highest: point },
    });
    if (this.#buckets.length > this.#most) this.#widen();
  }

  get buckets(): readonly Bucket[] {
    return this.#buckets;
  }

  #spanOf(time: number): { from: number; to: number } {
    const from = Math.floor(time / this.#width) * this.#width;
    return { from, to: from + this.#width };
  }

  #append(bucket: Bucket): void {
    const last = this.#buckets.at(-1);
    if (last?.from === bucket.from) this.#buckets[this.#buckets.length - 1] = merged(last, bucket);
    else this.#buckets.push(bucket);
  }

  /**
   * Doubles the width of the buckets until their number is small enough. Each old bucket fits completely into one wider bucket.
   */
  #widen(): void {
    const buckets = this.#buckets;
    const span = (buckets.at(-1)?.to ?? 0) - (buckets[0]?.from ?? 0);
    do this.#width *= 2;
    while (span / this.#width > this.#most / 2);
    this.#buckets = [];
    for (const bucket of buckets) this.#append({ ...bucket, ...this.#spanOf(bucket.from) });
  }
}

function merged(left: Bucket, right: Bucket): Bucket {
  return {
    ...left,
    legs: left.legs + right.legs,
    unknown: unknownIn(left.unknown, right.unknown),
    known: extremesOf([left, right]),
  };
}

function unknownIn(left?: UnknownLegs, right?: UnknownLegs): UnknownLegs | undefined {
  if (!left || !right) return left ?? right;
  return { legs: left.legs + right.legs, first: left.first, last: right.last };
}

function extremes(left: Extremes, right: Extremes): Extremes {
  return {
    first: left.first,
    last: right.last,
    lowest: right.lowest.balance.lessThan(left.lowest.balance) ? right.lowest : left.lowest,
    highest: right.highest.balance.greaterThan(left.highest.balance) ? right.highest : left.highest,
  };
}

/** A balance that is valid from `time` on; null if the balance is unknown. */
export interface BalanceStep {
  readonly time: number;
  readonly balance: Exact | null;
}

/**
 * Returns the first, lowest, highest and last known balance of each bucket, and the first and last leg with an unknown balance.
 * The steps are in leg order, without duplicates.
 */
export function balanceSteps(buckets: readonly Bucket[]): BalanceStep[] {
  return buckets.flatMap(({ known, unknown }) => {
    const points = known ? [known.first, known.lowest, known.highest, known.last] : [];
    const gaps = unknown ? [unknown.first, unknown.last] : [];
    const steps = [...points, ...gaps.map((place) => ({ ...place, balance: null }))];
    const distinct = [...new Map(steps.map((step) => [step.at, step])).values()];
    return distinct
      .sort((left, right) => left.at - right.at)
      .map(({ time, balance }): BalanceStep => ({ time, balance }));
  });
}

/** The balance at the end of a bucket, which is the balance after its last leg; null if unknown. */
export function endOf({ known, unknown }: Bucket): Exact | null {
  if (!known || (unknown && unknown.last.at > known.last.at)) return null;
  return known.last.balance;
}

/** Combines the extremes of all buckets; undefined if no balance is known. */
export function extremesOf(buckets: readonly Bucket[]): Extremes | undefined {
  return buckets.reduce<Extremes | undefined>(
    (all, { known }) => (all && known ? extremes(all, known) : (all ?? known)),
    undefined,
  );
}
