import { type Exact, ZERO } from '../core/decimal.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { type BalancePoint, BalanceSeries, type Bucket, endOf, extremesOf } from './series.ts';
import { type LegInput, walkTo } from './walk.ts';

/** The total balance of one or more wallet/asset pairs over a period. */
export interface Timeline {
  /** Balance at the start of the period; null if unknown. */
  readonly opening: Exact | null;
  readonly buckets: readonly Bucket[];
  /** The lowest known balance in the period. The opening balance is not included. Undefined if no balance is known. */
  readonly lowest: BalancePoint | undefined;
}

export interface TimelinePart {
  /** Balance at the end of the part; null if unknown. */
  readonly balance: Exact | null;
  /** Whether the balance is below zero at any time in the part. */
  readonly isNegative: boolean;
}

/** A pair of a group, and the pair's balance at the start of the period; null if unknown. */
export interface TimelinePair {
  readonly group: string;
  readonly opening: Exact | null;
}

/**
 * For each group of pairs, computes how the total balance develops over a period. Memory use grows with the number of pairs,
 * not with the number of legs.
 *
 * @param legs all legs up to the end of the period, ordered by time
 * @param pairs by pair key; legs of other pairs are ignored
 */
export async function timelines(
  legs: LegInput,
  period: OpenSpan,
  pairs: ReadonlyMap<string, TimelinePair>,
): Promise<Map<string, Timeline>> {
  const groups = new Map<string, Group>();
  for (const [pair, { group, opening }] of pairs) {
    const own = groups.get(group) ?? new Group();
    own.open(pair, opening);
    groups.set(group, own);
  }
  const groupOf = (pair: string) => groups.get(pairs.get(pair)?.group ?? '');
  await walkTo(period.to, legs, {
    settle(pair, time) {
      if (isWithin(time, period)) groupOf(pair.key)?.add(pair.key, time, pair.balances);
    },
    step({ leg, pair }) {
      if (leg.time === undefined) groupOf(pair)?.forget();
    },
  });
  return new Map([...groups].map(([key, group]) => [key, group.result()]));
}

class Group {
  readonly #series = new BalanceSeries();
  readonly #balances = new Map<string, Exact | null>();
  #sum = ZERO;
  #unknown = 0;
  #opening: Exact | null = ZERO;
  #moment: number | undefined;
  /** The balances of the pairs that have legs in this millisecond. */
  readonly #moved = new Map<string, readonly (Exact | null)[]>();
  #isForgotten = false;

  open(pair: string, opening: Exact | null): void {
    this.#set(pair, opening);
    this.#opening = this.#balance;
  }

  /** @param balances the balances after each leg of one millisecond */
  add(pair: string, time: number, balances: readonly (Exact | null)[]): void {
    if (time !== this.#moment) this.#settle();
    this.#moment = time;
    this.#moved.set(pair, balances);
  }

  /** Treats every balance as unknown, because a leg without a time may have changed any of the balances. */
  forget(): void {
    this.#isForgotten = true;
  }

  #set(pair: string, balance: Exact | null): void {
    const last = this.#balances.get(pair);
    if (last === null) this.#unknown -= 1;
    else if (last) this.#sum = this.#sum.minus(last);
    if (balance === null) this.#unknown += 1;
    else this.#sum = this.#sum.plus(balance);
    this.#balances.set(pair, balance);
  }

  get #balance(): Exact | null {
    return this.#unknown > 0 ? null : this.#sum;
  }

  /**
   * If several pairs have legs in one millisecond, records the sum only after the last of these legs. Before that, the sum may
   * include only one of the two legs of a transfer.
   */
  #settle(): void {
    if (this.#moment === undefined) return;
    const isAlone = this.#moved.size === 1;
    for (const [pair, balances] of this.#moved) {
      for (const balance of isAlone ? balances : balances.slice(-1)) {
        this.#set(pair, balance);
        if (isAlone) this.#series.add(this.#moment, this.#balance);
      }
    }
    if (!isAlone) this.#series.add(this.#moment, this.#balance);
    this.#moved.clear();
  }

  result(): Timeline {
    this.#settle();
    this.#moment = undefined;
    const { buckets } = this.#series;
    if (this.#isForgotten) {
      const unknown = buckets.map((bucket) => ({ ...bucket, known: undefined }));
      return { opening: null, buckets: unknown, lowest: undefined };
    }
    return { opening: this.#opening, buckets, lowest: extremesOf(buckets)?.lowest };
  }
}

/** Divides a timeline into parts of equal length. */
export function timelineParts(
  { opening, buckets }: Timeline,
  span: { from: number; to: number },
  count: number,
): TimelinePart[] {
  const length = Math.max(1, span.to - span.from) / count;
  const inParts = new Map<number, Bucket[]>();
  for (const bucket of buckets) {
    const time = bucket.known?.first.time ?? bucket.from;
    const at = Math.min(count - 1, Math.max(0, Math.floor((time - span.from) / length)));
    inParts.set(at, [...(inParts.get(at) ?? []), bucket]);
  }
  let balance = opening;
  return [...Array(count).keys()].map((at) => {
    const own = inParts.get(at) ?? [];
    const lowest = own.flatMap(({ known }) => known?.lowest.balance ?? []);
    const isNegative = [...lowest, ...(balance ? [balance] : [])].some((one) => one.lessThan(0));
    const last = own.at(-1);
    if (last) balance = endOf(last);
    return { balance, isNegative };
  });
}
