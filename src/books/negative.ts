import { textOf, timeOf } from '../api/ledgers.ts';
import { type Exact, exact, isDecimal } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { chained } from './chain.ts';
import { type Pair, pairKey, pairOf } from './pair.ts';

/** A leg of an episode. */
export interface Leg {
  readonly id: string;
  readonly transactionId: string;
  /** Unix milliseconds; null if the leg has none. */
  readonly timestamp: number | null;
  readonly type: string;
  /** Decimal strings, character for character as served. */
  readonly quantity: string;
  readonly afterBalance: string | null;
}

/** A run of consecutive legs of one asset in one wallet that leave a balance below zero. */
export interface Episode extends Pair {
  /** Negative legs in the period. */
  readonly legs: number;
  /** The first of them; null if the episode has none in the period. */
  readonly first: Leg | null;
  /** The one with the lowest balance. */
  readonly deepest: Leg | null;
  /**
   * The leg that brings the balance back to zero or above; null if it is negative at the end of the period. A leg with
   * no running balance counts as such if the next leg starts at zero or above.
   */
  readonly end: Leg | null;
  /** Balance of the wallet and asset when the period starts; null without a start, or if it is unknown. */
  readonly openingBalance: string | null;
  /** Balance before `first`; null if it is unknown. */
  readonly before: string | null;
  /**
   * The leg that took the balance below zero, also when it lies before the period. Null if no leg did: the balance
   * before the first negative leg was negative already, or that leg is incoming.
   */
  readonly began: Leg | null;
  /** Set if the balance was negative when the period started. */
  readonly sinceBefore?: true;
  /** Set if legs of the episode have no running balance: how many. */
  readonly unknownLegs?: number;
}

export interface NegativeFindings {
  readonly episodes: readonly Episode[];
  /** Legs in the period whose running balance is not a decimal. */
  readonly unreadable: number;
  /** Every negative leg that was seen, before the period too. */
  readonly negativeIds: ReadonlySet<string>;
}

export interface NegativeOptions {
  /** Legs before the period explain its episodes; legs after it must not be given. */
  readonly period?: OpenSpan;
  /** Which negative legs matter: an episode with none of them is dropped. */
  readonly wanted?: (id: string) => boolean;
}

/**
 * Finds the episodes of negative balance, in the order in which they began. Memory grows with wallets × assets and
 * negative legs, not with legs.
 *
 * @param legs all legs of each wallet and asset, up to the end of the period, ordered by time
 */
export async function negativeEpisodes(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  options: NegativeOptions = {},
): Promise<NegativeFindings> {
  const balances = new NegativeBalances(options);
  for await (const record of legs) balances.add(record);
  return balances.finish();
}

/** {@link negativeEpisodes} for legs that are handed over one at a time. */
export class NegativeBalances {
  readonly #histories = new Map<string, History>();
  readonly #found: Run[] = [];
  readonly #seen = { unreadable: 0, negativeIds: new Set<string>() };
  readonly #period: OpenSpan;
  readonly #wanted: (id: string) => boolean;

  constructor({ period = {}, wanted = () => true }: NegativeOptions = {}) {
    this.#period = period;
    this.#wanted = wanted;
  }

  /** @param key of its wallet and asset, if it is known already */
  add(record: JsonRecord, key = pairKey(record)): void {
    let history = this.#histories.get(key);
    if (!history) {
      history = new History(pairOf(record), this.#period, this.#seen);
      this.#histories.set(key, history);
    }
    this.#found.push(...history.add(record));
  }

  finish(): NegativeFindings {
    for (const history of this.#histories.values()) this.#found.push(...history.finish());
    const episodes = this.#found
      .filter(({ ids }) => ids.some(this.#wanted))
      .sort((left, right) => left.start - right.start)
      .map(({ episode }) => episode);
    return { episodes, ...this.#seen };
  }
}

interface Seen {
  unreadable: number;
  readonly negativeIds: Set<string>;
}

/** A finished episode, and what orders and filters it. */
interface Run {
  readonly episode: Episode;
  readonly start: number;
  readonly ids: readonly string[];
}

interface OpenRun {
  readonly start: number;
  readonly ids: string[];
  readonly began: Leg | null;
  /** Whether the balance below zero was there when the period started. */
  readonly sinceBefore: boolean;
  legs: number;
  unknown: number;
  first: Leg | null;
  before: string | null;
  deepest: Leg | null;
  depth: Exact | null;
}

/** The legs of one wallet and asset, as they come. */
class History {
  readonly #pair: Pair;
  readonly #period: OpenSpan;
  readonly #seen: Seen;
  /** Legs of one moment, which may come in any order. */
  #moment: JsonRecord[] = [];
  /** Balance after the last leg; null if that is unknown. */
  #running: string | null = null;
  /** Undefined until the first leg of the period. */
  #opening: string | null | undefined;
  /** Whether the balance was negative when the period started, and no leg since then shows another. */
  #belowSinceOpening = false;
  #run: OpenRun | undefined;
  /** The last leg, if its balance is unknown. */
  #unknown: JsonRecord | undefined;

  constructor(pair: Pair, period: OpenSpan, seen: Seen) {
    this.#pair = pair;
    this.#period = period;
    this.#seen = seen;
  }

  add(record: JsonRecord): Run[] {
    const [other] = this.#moment;
    const finished = other && other['timestamp'] !== record['timestamp'] ? this.#settle() : [];
    this.#moment.push(record);
    return finished;
  }

  finish(): Run[] {
    return [...this.#settle(), ...this.#end(null)];
  }

  #settle(): Run[] {
    const legs = this.#moment.length > 1 ? chained(this.#moment, this.#running) : this.#moment;
    this.#moment = [];
    return legs.flatMap((leg) => this.#take(leg));
  }

  #take(record: JsonRecord): Run[] {
    const inPeriod = isWithin(timeOf(record), this.#period);
    const before = decimalOf(record['beforeBalance']);
    if (inPeriod && this.#opening === undefined) {
      this.#opening = this.#running ?? before;
      this.#belowSinceOpening = this.#period.from !== undefined && isBelowZero(this.#opening);
    }
    const after = decimalOf(record['afterBalance']);
    const finished: Run[] = [];
    if (this.#unknown && before !== null && !isBelowZero(before)) {
      finished.push(...this.#end(this.#unknown));
      this.#belowSinceOpening = false;
    }
    this.#unknown = after === null ? record : undefined;
    if (after === null) {
      if (inPeriod && (record['afterBalance'] ?? null) !== null) this.#seen.unreadable += 1;
      if (inPeriod && this.#run) this.#run.unknown += 1;
    } else if (isBelowZero(after)) {
      this.#deepen(record, before ?? this.#running, exact(after), inPeriod);
    } else {
      finished.push(...this.#end(record));
      this.#belowSinceOpening = false;
    }
    this.#running = after;
    return finished;
  }

  #deepen(record: JsonRecord, before: string | null, balance: Exact | null, inPeriod: boolean): void {
    const leg = legOf(record);
    this.#seen.negativeIds.add(leg.id);
    this.#run ??= {
      start: leg.timestamp ?? Number.POSITIVE_INFINITY,
      ids: [],
      began: leg.type === 'incoming' || isBelowZero(before) ? null : leg,
      sinceBefore:
        this.#isBefore(record) || (this.#belowSinceOpening && (before === null || isBelowZero(before))),
      ...{ legs: 0, unknown: 0, first: null, before: null, deepest: null, depth: null },
    };
    const run = this.#run;
    run.ids.push(leg.id);
    if (!inPeriod) return;
    run.legs += 1;
    if (run.first === null) [run.first, run.before] = [leg, before];
    if (run.depth === null || balance?.lessThan(run.depth)) [run.deepest, run.depth] = [leg, balance];
  }

  #isBefore(record: JsonRecord): boolean {
    const [time, { from }] = [timeOf(record), this.#period];
    return time !== undefined && from !== undefined && Math.floor(time) < from;
  }

  #end(record: JsonRecord | null): Run[] {
    const run = this.#run;
    this.#run = undefined;
    if (!run || (record !== null && this.#isBefore(record))) return [];
    const { start, ids, legs, unknown, first, deepest, before, began, sinceBefore } = run;
    const openingBalance = this.#period.from === undefined ? null : (this.#opening ?? this.#running);
    const episode: Episode = {
      ...this.#pair,
      ...{ legs, first, deepest, end: record && legOf(record), openingBalance, before, began },
      ...(sinceBefore ? { sinceBefore } : {}),
      ...(unknown > 0 ? { unknownLegs: unknown } : {}),
    };
    return [{ episode, start, ids }];
  }
}

/** Judged by its characters: most balances are only asked for their sign. */
function isBelowZero(decimal: string | null): boolean {
  return decimal?.startsWith('-') === true && /[1-9]/.test(decimal.replace(/e.*/i, ''));
}

/** As served, if it is a decimal. */
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
