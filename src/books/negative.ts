import { textOf, timeOf } from '../api/ledgers.ts';
import { type Exact, exact, isDecimal } from '../core/decimal.ts';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { isBelowZero } from './figure.ts';
import { inBalanceOrder } from './order.ts';
import { type Pair, pairOf } from './pair.ts';

/** A leg in an episode of negative balance. */
export interface Leg {
  readonly id: string;
  readonly transactionId: string;
  /** Unix milliseconds; null if the leg has no time. */
  readonly timestamp: number | null;
  readonly type: string;
  /** Decimal string, exactly as the service sent it. */
  readonly quantity: string;
  readonly afterBalance: string | null;
}

/** Consecutive legs of one asset in one wallet. After each of these legs, the balance is below zero. */
export interface Episode extends Pair {
  /** Number of negative legs in the period. */
  readonly legs: number;
  /** The first negative leg in the period; null if the period contains none. */
  readonly first: Leg | null;
  /** The leg with the lowest balance in the period; null if the period contains no negative leg. */
  readonly deepest: Leg | null;
  /**
   * The leg that brings the balance back to zero or above; null if the episode lasts until the end of the period. A leg with
   * an unknown balance ends the episode if the next leg starts at zero or above.
   */
  readonly end: Leg | null;
  /** Balance at the start of the period; null if the period has no start, or if the balance is unknown. */
  readonly openingBalance: string | null;
  /** Balance before `first`; null if unknown. */
  readonly before: string | null;
  /**
   * The leg that took the balance below zero. This leg may precede the period. Null if the balance was already negative before
   * the first leg of the episode, or if this first leg is incoming.
   */
  readonly began: Leg | null;
  /** Present if the balance was already negative when the period started. */
  readonly sinceBefore?: true;
  /** Number of legs of this episode that are in the period and have an unknown balance; absent if 0. */
  readonly unknownLegs?: number;
}

export interface NegativeFindings {
  readonly episodes: readonly Episode[];
  /** Number of legs in the period whose running balance is not a decimal. */
  readonly unreadable: number;
  /** Ids of all negative legs, including legs before the period. Always empty if `wanted` is not set. */
  readonly negativeIds: ReadonlySet<string>;
}

export interface NegativeOptions {
  /** The period to search. The input must include earlier legs, but no later legs. */
  readonly period?: OpenSpan;
  /** Selects negative legs by id. Episodes without a selected leg are dropped. */
  readonly wanted?: (id: string) => boolean;
}

/**
 * Finds the episodes of negative balance, ordered by start time. Memory use grows with the number of wallet/asset pairs and
 * of negative legs, not with the total number of legs.
 *
 * @param legs all legs of the searched wallets up to the end of the period, ordered by time
 */
export async function negativeEpisodes(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  options: NegativeOptions = {},
): Promise<NegativeFindings> {
  const balances = new NegativeBalances(options);
  for await (const { leg, pair } of inBalanceOrder(legs)) balances.add(leg, pair);
  return balances.finish();
}

/** Finds negative episodes in legs that the caller adds one at a time, in the order of `inBalanceOrder`. */
export class NegativeBalances {
  readonly #histories = new Map<string, History>();
  readonly #seen: Seen;
  readonly #period: OpenSpan;

  constructor({ period = {}, wanted }: NegativeOptions = {}) {
    this.#period = period;
    this.#seen = { wanted, unreadable: 0, negativeIds: new Set(), found: [] };
  }

  /** @param pair the result of `pairKey` for this leg */
  add(record: JsonRecord, pair: string): void {
    let history = this.#histories.get(pair);
    if (!history) {
      history = new History(pairOf(record), this.#period, this.#seen);
      this.#histories.set(pair, history);
    }
    history.add(record);
  }

  finish(): NegativeFindings {
    for (const history of this.#histories.values()) history.finish();
    const { found, unreadable, negativeIds } = this.#seen;
    const episodes = found.sort((left, right) => left.start - right.start).map(({ episode }) => episode);
    return { episodes, unreadable, negativeIds };
  }
}

interface Seen {
  readonly wanted: NegativeOptions['wanted'];
  unreadable: number;
  readonly negativeIds: Set<string>;
  readonly found: Run[];
}

/** A finished episode and its start time. */
interface Run {
  readonly episode: Episode;
  readonly start: number;
}

interface OpenRun {
  readonly start: number;
  isWanted: boolean;
  readonly began: Leg | null;
  readonly sinceBefore: boolean;
  legs: number;
  unknown: number;
  first: Leg | null;
  before: string | null;
  deepest: Leg | null;
  depth: Exact | null;
}

/** Tracks the balance of one wallet and asset. Legs must be added in the order of `inBalanceOrder`. */
class History {
  readonly #pair: Pair;
  readonly #period: OpenSpan;
  readonly #seen: Seen;
  /** Balance after the last added leg; null if unknown. */
  #running: string | null = null;
  /** Balance at the start of the period; undefined until the first leg of the period is added. */
  #opening: string | null | undefined;
  /** Whether the balance was negative when the period started, and has not reached zero or above since then. */
  #belowSinceOpening = false;
  #run: OpenRun | undefined;
  /** The last added leg, if the balance after this leg is unknown. */
  #unknown: JsonRecord | undefined;

  constructor(pair: Pair, period: OpenSpan, seen: Seen) {
    this.#pair = pair;
    this.#period = period;
    this.#seen = seen;
  }

  finish(): void {
    this.#end(null);
  }

  add(record: JsonRecord): void {
    const inPeriod = isWithin(timeOf(record), this.#period);
    if (inPeriod && this.#opening === undefined) {
      this.#opening = this.#running ?? decimalOf(record['beforeBalance']);
      this.#belowSinceOpening = this.#period.from !== undefined && isBelowZero(this.#opening);
    }
    const after = decimalOf(record['afterBalance']);
    if (this.#unknown) {
      const before = decimalOf(record['beforeBalance']);
      if (before !== null && !isBelowZero(before)) {
        this.#end(this.#unknown);
        this.#belowSinceOpening = false;
      }
    }
    this.#unknown = after === null ? record : undefined;
    if (after === null) {
      if (inPeriod && (record['afterBalance'] ?? null) !== null) this.#seen.unreadable += 1;
      if (inPeriod && this.#run) this.#run.unknown += 1;
    } else if (isBelowZero(after)) {
      this.#deepen(record, decimalOf(record['beforeBalance']) ?? this.#running, after, inPeriod);
    } else {
      this.#end(record);
      this.#belowSinceOpening = false;
    }
    this.#running = after;
  }

  #deepen(record: JsonRecord, before: string | null, after: string, inPeriod: boolean): void {
    const leg = legOf(record);
    const { wanted, negativeIds } = this.#seen;
    if (wanted) negativeIds.add(identityOf(record));
    this.#run ??= {
      start: leg.timestamp ?? Number.POSITIVE_INFINITY,
      isWanted: wanted === undefined,
      began: leg.type === 'incoming' || isBelowZero(before) ? null : leg,
      sinceBefore:
        this.#isBefore(record) || (this.#belowSinceOpening && (before === null || isBelowZero(before))),
      ...{ legs: 0, unknown: 0, first: null, before: null, deepest: null, depth: null },
    };
    const run = this.#run;
    run.isWanted ||= wanted?.(identityOf(record)) === true;
    if (!inPeriod) return;
    run.legs += 1;
    if (run.first === null) [run.first, run.before] = [leg, before];
    const balance = exact(after);
    if (run.depth === null || balance?.lessThan(run.depth)) [run.deepest, run.depth] = [leg, balance];
  }

  #isBefore(record: JsonRecord): boolean {
    const [time, { from }] = [timeOf(record), this.#period];
    return time !== undefined && from !== undefined && Math.floor(time) < from;
  }

  #end(record: JsonRecord | null): void {
    const run = this.#run;
    this.#run = undefined;
    if (!run?.isWanted || (record !== null && this.#isBefore(record))) return;
    const { start, legs, unknown, first, deepest, before, began, sinceBefore } = run;
    const openingBalance = this.#period.from === undefined ? null : (this.#opening ?? this.#running);
    const episode: Episode = {
      ...this.#pair,
      ...{ legs, first, deepest, end: record && legOf(record), openingBalance, before, began },
      ...(sinceBefore ? { sinceBefore } : {}),
      ...(unknown > 0 ? { unknownLegs: unknown } : {}),
    };
    this.#seen.found.push({ episode, start });
  }
}

/** Returns the value unchanged if it is a decimal, otherwise null. */
function decimalOf(value: unknown): string | null {
  return typeof value === 'string' && isDecimal(value) ? value : null;
}

function legOf(record: JsonRecord): Leg {
  return {
    id: textOf(record['id']),
    transactionId: textOf(record['transactionId']),
    timestamp: timeOf(record) ?? null,
    type: textOf(record['type']),
    quantity: textOf(record['quantity']),
    afterBalance: textOf(record['afterBalance']) || null,
  };
}
