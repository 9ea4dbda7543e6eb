import { type Exact, exact } from '../../core/decimal.ts';
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

/** The sides with the same amount. */
interface Bucket<T extends TransferSide> {
  /** The amount in its shortest form. */
  readonly decimal: string;
  readonly alike: Map<string, Alike<T>>;
}

interface SortedBucket<T extends TransferSide> extends Bucket<T> {
  readonly amount: Exact;
}

/**
 * Legs that may be one side of a transfer, by amount. Nearly all transfers are found by their exact amount. Therefore, amounts
 * are parsed and sorted only when a range of amounts is searched.
 */
export class ByAmount<T extends TransferSide> {
  /** The buckets that are not empty, by their decimal. */
  readonly #buckets = new Map<string, Bucket<T>>();
  /** Buckets in order of their amounts. Empty buckets are removed when the list becomes much longer than necessary. */
  #sorted: SortedBucket<T>[] = [];
  /** Buckets that are not yet in the sorted list. Empty buckets are removed in the same way. */
  #unsorted: Bucket<T>[] = [];

  /** @param decimal the amount in its shortest form */
  add(decimal: string, side: T): void {
    let bucket = this.#buckets.get(decimal);
    if (!bucket) {
      bucket = { decimal, alike: new Map() };
      this.#buckets.set(decimal, bucket);
      this.#unsorted.push(bucket);
    }
    const key = keyOf(side);
    let own = bucket.alike.get(key);
    if (!own) {
      own = { walletId: side.leg.walletId, otherWallet: side.otherWallet, sides: [] };
      bucket.alike.set(key, own);
    }
    own.sides.splice(placeIn(own.sides, side.time, side.leg.id), 0, side);
  }

  remove(decimal: string, side: T): void {
    const bucket = this.#buckets.get(decimal);
    const key = keyOf(side);
    const sides = bucket?.alike.get(key)?.sides ?? [];
    const place = sides.indexOf(side, placeIn(sides, side.time, side.leg.id));
    if (place === -1) return;
    sides.splice(place, 1);
    if (sides.length === 0) bucket?.alike.delete(key);
    if (bucket?.alike.size !== 0) return;
    this.#buckets.delete(decimal);
    const most = 2 * this.#buckets.size;
    if (this.#sorted.length > most) this.#sorted = this.#sorted.filter(isUsed);
    if (this.#unsorted.length > most) this.#unsorted = this.#unsorted.filter(isUsed);
  }

  /** Returns the sides with this amount that can be the other side of a transfer with `own`. */
  at(decimal: string, own: TransferSide): Alike<T>[] {
    return joinedIn(this.#buckets.get(decimal), own);
  }

  /** Returns the sides whose amount is from `low` to `high`, and that can be the other side of a transfer with `own`. */
  between(low: Exact, high: Exact, own: TransferSide): Alike<T>[] {
    for (const bucket of this.#unsorted.splice(0).filter(isUsed)) {
      const amount = exact(bucket.decimal) as Exact;
      this.#sorted.splice(this.#placeOf(amount), 0, { ...bucket, amount });
    }
    const found: Alike<T>[] = [];
    for (let at = this.#placeOf(low); this.#sorted[at]?.amount.lessThanOrEqualTo(high); at++)
      found.push(...joinedIn(this.#sorted[at], own));
    return found;
  }

  /** Returns the position of the first sorted bucket whose amount is at least the given amount. */
  #placeOf(amount: Exact): number {
    return placeOf(this.#sorted, (bucket) => bucket.amount.lessThan(amount));
  }
}

function isUsed({ alike }: Bucket<TransferSide>): boolean {
  return alike.size > 0;
}

function joinedIn<T extends TransferSide>(bucket: Bucket<T> | undefined, own: TransferSide): Alike<T>[] {
  return bucket ? [...bucket.alike.values()].filter((one) => areJoined(own, one)) : [];
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

/** Returns the sides that are exactly `distance` milliseconds before or after `time`, and between `from` and `to`. */
export function sidesAt<T extends TransferSide>(
  sides: readonly T[],
  { time, distance, from, to }: Readonly<Record<'time' | 'distance' | 'from' | 'to', number>>,
): T[] {
  const found: T[] = [];
  for (const at of distance === 0 ? [time] : [time - distance, time + distance]) {
    if (at < from || at > to) continue;
    for (let place = placeIn(sides, at, ''); sides[place]?.time === at; place++)
      found.push(sides[place] as T);
  }
  return found;
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
