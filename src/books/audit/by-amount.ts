import type { Exact } from '../../core/decimal.ts';
import type { Leg } from '../leg.ts';

/** One side of a possible transfer. */
export interface TransferSide {
  readonly leg: Leg;
  readonly time: number;
  /** The wallet on the other side, if the leg names one. */
  readonly otherWallet: string | undefined;
}

/** Sides with the same amount, wallet and other wallet, sorted by time and then by id. */
export interface Alike<T extends TransferSide> {
  readonly walletId: string;
  readonly otherWallet: string | undefined;
  readonly sides: T[];
}

interface Bucket<T extends TransferSide> {
  readonly amount: Exact;
  readonly alike: Map<string, Alike<T>>;
}

/**
 * Legs that may be one side of a transfer, sorted by amount. Finds the legs that can match a given leg without comparing all
 * legs.
 */
export class ByAmount<T extends TransferSide> {
  /** The buckets, sorted by amount. */
  readonly #buckets: Bucket<T>[] = [];

  add(amount: Exact, side: T): void {
    const at = this.#placeOf(amount);
    let bucket = this.#buckets[at];
    if (!bucket?.amount.equals(amount)) {
      bucket = { amount, alike: new Map() };
      this.#buckets.splice(at, 0, bucket);
    }
    const key = keyOf(side);
    let own = bucket.alike.get(key);
    if (!own) {
      own = { walletId: side.leg.walletId, otherWallet: side.otherWallet, sides: [] };
      bucket.alike.set(key, own);
    }
    own.sides.splice(placeIn(own.sides, side.time, side.leg.id), 0, side);
  }

  remove(amount: Exact, side: T): void {
    const at = this.#placeOf(amount);
    const bucket = this.#buckets[at];
    const key = keyOf(side);
    const sides = bucket?.alike.get(key)?.sides ?? [];
    const place = sides.indexOf(side, placeIn(sides, side.time, side.leg.id));
    if (place === -1) return;
    sides.splice(place, 1);
    if (sides.length === 0) bucket?.alike.delete(key);
    if (bucket?.alike.size === 0) this.#buckets.splice(at, 1);
  }

  /** Yields the sides whose amount is from `low` to `high`, and that can be the other side of a transfer with `own`. */
  *between(low: Exact, high: Exact, own: TransferSide): Generator<Alike<T>> {
    for (let at = this.#placeOf(low); at < this.#buckets.length; at++) {
      const { amount, alike } = this.#buckets[at] as Bucket<T>;
      if (amount.greaterThan(high)) return;
      for (const one of alike.values()) if (areJoined(own, one)) yield one;
    }
  }

  /** Returns the position of the first bucket whose amount is at least the given amount. */
  #placeOf(amount: Exact): number {
    return placeOf(this.#buckets, (bucket) => bucket.amount.lessThan(amount));
  }
}

/** Whether the wallets differ, and neither side names a third wallet. */
function areJoined({ leg, otherWallet }: TransferSide, other: Alike<TransferSide>): boolean {
  const accepts = (named: string | undefined, walletId: string) => named === undefined || named === walletId;
  return (
    leg.walletId !== other.walletId &&
    accepts(otherWallet, other.walletId) &&
    accepts(other.otherWallet, leg.walletId)
  );
}

/**
 * Returns the side that is closest to `time` among the sides between `from` and `to`. If two sides are equally close, returns
 * the side with the smaller id.
 */
export function nearestSide<T extends TransferSide>(
  sides: readonly T[],
  time: number,
  from: number,
  to: number,
) {
  const at = placeIn(sides, time, '');
  const [earlier, later] = [sides[at - 1], sides[at]];
  const before = earlier && earlier.time >= from ? sides[placeIn(sides, earlier.time, '')] : undefined;
  const after = later && later.time <= to ? later : undefined;
  return !before || (after && isCloser(after, before, time)) ? after : before;
}

/** Yields the sides that are exactly `distance` milliseconds before or after `time`, and between `from` and `to`. */
export function* sidesAt<T extends TransferSide>(
  sides: readonly T[],
  { time, distance, from, to }: Readonly<Record<'time' | 'distance' | 'from' | 'to', number>>,
): Generator<T> {
  for (const at of new Set([time - distance, time + distance])) {
    if (at < from || at > to) continue;
    for (let place = placeIn(sides, at, ''); sides[place]?.time === at; place++) yield sides[place] as T;
  }
}

/**
 * Whether `side` is closer to `time` than `other`. If both are equally close, the side with the smaller id counts as closer.
 */
export function isCloser(side: TransferSide, other: TransferSide, time: number): boolean {
  const difference = Math.abs(side.time - time) - Math.abs(other.time - time);
  return difference < 0 || (difference === 0 && side.leg.id < other.leg.id);
}

function keyOf({ leg, otherWallet }: TransferSide): string {
  return otherWallet === undefined ? leg.walletId : JSON.stringify([leg.walletId, otherWallet]);
}

function placeIn(sides: readonly TransferSide[], time: number, id: string): number {
  return placeOf(sides, (side) => side.time < time || (side.time === time && side.leg.id < id));
}

/** Returns the position of the first item in a sorted list for which `isLower` is false. */
function placeOf<T>(items: readonly T[], isLower: (item: T) => boolean): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isLower(items[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}
