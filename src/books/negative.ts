import { type Exact, ZERO } from '../core/decimal.ts';
import { contentOf } from '../core/identity.ts';
import { isAfterSpan, isBeforeSpan, isWithin, type OpenSpan } from '../core/span.ts';
import { isNameless, type Pair, pairKey } from './asset.ts';
import { CostlessDisposals } from './disposals.ts';
import { figureOf, isBelowZero } from './figure.ts';
import type { Leg } from './leg.ts';
import type { WalkStep } from './step.ts';
import { type Fold, type LegInput, walkTo } from './walk.ts';

/** A leg in an episode of negative balance. All fields are as the service sent them. */
export interface EpisodeLeg {
  readonly id: string;
  readonly transactionId: string;
  /** The time of the leg in Unix milliseconds; null if the leg has no time. */
  readonly timestamp: number | null;
  readonly type: string;
  /** The quantity as a decimal string, exactly as the service sent it. */
  readonly quantity: string;
  readonly afterBalance: string | null;
}

/** Consecutive legs of one asset in one wallet. After each of these legs, the balance is below zero. */
export interface Episode extends Pair {
  /** Number of negative legs in the period. */
  readonly legs: number;
  /** The first negative leg in the period; null if the period contains none. */
  readonly first: EpisodeLeg | null;
  /** The leg with the lowest balance in the period; null if the period contains no negative leg. See {@link lowestInPeriod}. */
  readonly deepest: EpisodeLeg | null;
  /** The leg with the lowest balance of the whole episode. Legs after the period are not included. */
  readonly deepestOfAll: EpisodeLeg;
  /**
   * The leg that brings the balance back to zero or above; null if the episode lasts until the end of the period. A leg with
   * an unknown balance ends the episode if the next leg starts at zero or above.
   */
  readonly end: EpisodeLeg | null;
  /** Balance at the start of the period; null if the period has no start, or if the balance is unknown. */
  readonly openingBalance: string | null;
  /** Balance before `first`; null if unknown. */
  readonly before: string | null;
  /**
   * The leg that took the balance below zero. This leg may precede the period. It is outgoing or a fee, and starts from a known
   * balance of zero or above. Null if the first leg of the episode is different.
   */
  readonly began: EpisodeLeg | null;
  /** True if the balance was already negative when the period started; otherwise absent. */
  readonly sinceBefore?: true;
  /** Number of legs of this episode that are in the period and have an unknown balance; absent if this number is 0. */
  readonly unknownLegs?: number;
}

/**
 * A balance that is already negative before the first leg of the period, without a known leg that made it negative. For
 * example, a file may lack the earlier legs.
 */
export interface NegativeOpening {
  /** The first leg of the period. */
  readonly leg: Leg;
  /** The balance before the leg, as a decimal string below zero. */
  readonly balance: string;
  /**
   * Whether the balance reaches zero or above in the period. If false, the balances after all legs of the period are unknown.
   */
  readonly ends: boolean;
}

/** An episode, with facts that are not part of the episode itself. */
export interface EpisodeRun {
  readonly episode: Episode;
  /**
   * The leg that represents the episode: the leg that took the balance below zero. If this leg is unknown, the first negative
   * leg in the period. If the period has no negative leg, the leg with the lowest balance.
   */
  readonly shown: EpisodeLeg;
  /** The sync of the first leg of the episode. Null if `shown` is a different leg. */
  readonly syncId: string | null;
  /**
   * The disposals with a missing or zero cost basis, from the first leg of the episode to the end of the episode or of the
   * period.
   */
  readonly costless: CostlessDisposals;
}

export interface NegativeFindings {
  readonly episodes: readonly Episode[];
  /** The episodes in `episodes`, in the same order, with further facts. */
  readonly runs: readonly EpisodeRun[];
  /** The negative balances before the first leg of the period; always empty if the period has no start. */
  readonly openings: readonly NegativeOpening[];
  /** Pairs with legs before the period whose balance at the start of the period is unknown. */
  readonly unopened: readonly Pair[];
  /** Number of legs in the period whose running balance is not a decimal. */
  readonly unreadable: number;
  /** Number of legs without a time. These legs belong to no episode. */
  readonly untimed: number;
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
  legs: LegInput,
  options: NegativeOptions = {},
): Promise<NegativeFindings> {
  const balances = new NegativeBalances(options);
  await walkTo(options.period?.to, legs, balances);
  return balances.finish();
}

/** Finds negative episodes in the steps of a walk. Legs after the period are ignored. */
export class NegativeBalances implements Fold {
  readonly #histories = new Map<string, History>();
  /** Number of legs without a time, by pair. */
  readonly #untimed = new Map<string, number>();
  readonly #seen: Seen;
  readonly #period: OpenSpan;

  constructor({ period = {}, wanted }: NegativeOptions = {}) {
    this.#period = period;
    this.#seen = { wanted, unreadable: 0, negativeIds: new Set(), found: [], openings: [], unopened: [] };
  }

  step(step: WalkStep): void {
    const { leg, pair } = step;
    if (isAfterSpan(leg.time, this.#period)) return;
    if (leg.time === undefined) {
      const { wanted, negativeIds } = this.#seen;
      this.#untimed.set(pair, (this.#untimed.get(pair) ?? 0) + 1);
      if (wanted && isBelowZero(leg.served('afterBalance'))) negativeIds.add(leg.identity);
      return;
    }
    let history = this.#histories.get(pair);
    // A nameless leg may have a different asset than any other leg, so it gets an episode of its own.
    if (!history || leg.isNameless) {
      history?.finish();
      history = new History(leg.pair, this.#period, this.#seen);
      this.#histories.set(pair, history);
    }
    if (!step.isKnown || !history.pass(leg)) history.add(step);
  }

  finish(): NegativeFindings {
    for (const history of this.#histories.values()) history.finish();
    const { found, openings, unopened, unreadable, negativeIds } = this.#seen;
    const runs = found
      .sort((left, right) => left.start - right.start)
      // A leg without a time may be from before the period, so the opening balance is unknown.
      .map((run) =>
        this.#untimed.has(pairKey(run.episode))
          ? { ...run, episode: { ...run.episode, openingBalance: null } }
          : run,
      );
    const untimed = [...this.#untimed.values()].reduce((sum, legs) => sum + legs, 0);
    const episodes = runs.map(({ episode }) => episode);
    return { episodes, runs, openings, unopened, unreadable, untimed, negativeIds };
  }
}

interface Seen {
  readonly wanted: NegativeOptions['wanted'];
  unreadable: number;
  readonly negativeIds: Set<string>;
  readonly found: Run[];
  readonly openings: NegativeOpening[];
  readonly unopened: Pair[];
}

/** A finished episode and its start time. */
interface Run extends EpisodeRun {
  readonly start: number;
}

interface OpenRun {
  readonly start: Leg;
  readonly costless: CostlessDisposals;
  isWanted: boolean;
  readonly began: Leg | null;
  readonly sinceBefore: boolean;
  legs: number;
  unknown: number;
  first: Leg | null;
  before: string | null;
  deepest: Leg | null;
  deepestOfAll: Leg;
}

/** Tracks the balance of one wallet and asset. */
class History {
  readonly #pair: Pair;
  readonly #period: OpenSpan;
  readonly #seen: Seen;
  /** Balance after the last added leg; null if unknown. */
  #running: string | null = null;
  /** Balance at the start of the period; undefined until the first leg of the period is added. */
  #opening: string | null | undefined;
  /**
   * The first leg of the period if the balance before this leg was negative. Undefined as soon as the balance has reached zero
   * or above.
   */
  #belowSince: Leg | undefined;
  /** Number of legs with an unknown balance since `#belowSince`, until an episode starts. */
  #unknownSince = 0;
  #run: OpenRun | undefined;
  /** The last added leg; undefined if the balance after that leg is known. */
  #unknown: Leg | undefined;

  constructor(pair: Pair, period: OpenSpan, seen: Seen) {
    this.#pair = pair;
    this.#period = period;
    this.#seen = seen;
  }

  finish(): void {
    // The leg before a nameless leg is unknown, so only its own balance counts.
    const isKnown = isNameless(this.#pair) ? !this.#unknown : this.#running !== null;
    if (this.#opening === undefined && !isKnown) this.#seen.unopened.push(this.#pair);
    this.#end(null);
  }

  /**
   * Skips a leg that keeps the balance at zero or above, and returns true. Returns false for a leg that `add` must process.
   * Nearly all legs are skipped.
   */
  pass(leg: Leg): boolean {
    if (this.#run || this.#unknown || this.#opening === undefined || this.#belowSince) return false;
    const afterBalance = leg.decimal('afterBalance');
    if (afterBalance === null || afterBalance.startsWith('-')) return false;
    this.#running = afterBalance;
    return true;
  }

  add(step: WalkStep): void {
    const { leg } = step;
    const [before, after] = [leg.decimal('beforeBalance'), leg.decimal('afterBalance')];
    const inPeriod = isWithin(leg.time, this.#period);
    if (inPeriod && this.#opening === undefined) {
      this.#opening = this.#running ?? step.start?.decimal('beforeBalance') ?? null;
      if (this.#opening === null && step.previous) this.#seen.unopened.push(this.#pair);
      if (this.#period.from !== undefined && isBelowZero(this.#opening)) this.#belowSince = leg;
    }
    if (this.#unknown && before !== null && !isBelowZero(before)) this.#end(this.#unknown);
    this.#unknown = after === null ? leg : undefined;
    if (after === null) {
      if (inPeriod && leg.served('afterBalance') !== null) this.#seen.unreadable += 1;
      if (inPeriod && this.#run) this.#run.unknown += 1;
      else if (this.#belowSince) this.#unknownSince += 1;
    } else if (isBelowZero(after)) {
      this.#deepen(leg, before ?? this.#running, inPeriod);
    } else this.#end(leg);
    if (inPeriod && this.#run && after !== null && !step.isKnown) this.#run.unknown += 1;
    this.#run?.costless.add(leg);
    this.#running = step.isKnown ? after : null;
  }

  #deepen(leg: Leg, before: string | null, inPeriod: boolean): void {
    const { wanted, negativeIds } = this.#seen;
    if (wanted) negativeIds.add(leg.identity);
    const isBelowSince = this.#belowSince !== undefined && (before === null || isBelowZero(before));
    this.#run ??= {
      ...{ start: leg, costless: new CostlessDisposals() },
      isWanted: wanted === undefined,
      began:
        leg.sign === -1 && (before === null ? isAtLeastZero(leg.start) : !isBelowZero(before)) ? leg : null,
      sinceBefore: isBeforeSpan(leg.time, this.#period) || isBelowSince,
      unknown: isBelowSince ? this.#unknownSince : 0,
      ...{ legs: 0, first: null, before: null, deepest: null, deepestOfAll: leg },
    };
    const run = this.#run;
    run.isWanted ||= wanted?.(leg.identity) === true;
    run.deepestOfAll = deeper(run.deepestOfAll, leg);
    if (!inPeriod) return;
    run.legs += 1;
    if (run.first === null) [run.first, run.before] = [leg, before];
    run.deepest = run.deepest ? deeper(run.deepest, leg) : leg;
  }

  #end(leg: Leg | null): void {
    const [run, belowSince] = [this.#run, this.#belowSince];
    this.#run = undefined;
    this.#belowSince = undefined;
    if (!run && belowSince && this.#opening)
      this.#seen.openings.push({ leg: belowSince, balance: this.#opening, ends: leg !== null });
    if (!run?.isWanted || (leg !== null && isBeforeSpan(leg.time, this.#period))) return;
    const { start, costless, legs, unknown, first, deepest, deepestOfAll, before, began, sinceBefore } = run;
    const opening = this.#opening === undefined ? this.#running : this.#opening;
    const openingBalance = this.#period.from === undefined ? null : opening;
    const textOf = (one: Leg | null) => one && legOf(one);
    const episode: Episode = {
      ...this.#pair,
      ...{ legs, first: textOf(first), deepest: textOf(deepest), deepestOfAll: legOf(deepestOfAll) },
      ...{ end: textOf(leg), openingBalance, before, began: textOf(began) },
      ...(sinceBefore ? { sinceBefore } : {}),
      ...(unknown > 0 ? { unknownLegs: unknown } : {}),
    };
    const shown = began ?? first ?? deepestOfAll;
    const syncId = shown === start ? start.served('syncId') : null;
    this.#seen.found.push({
      ...{ episode, start: start.time ?? Number.POSITIVE_INFINITY, shown: legOf(shown), syncId, costless },
    });
  }
}

/**
 * The lowest balance of an episode in the period. If the episode began before the period, includes the balance at the start of
 * the period. Null if unknown.
 */
export function lowestInPeriod({ deepest, openingBalance, sinceBefore }: Episode): string | null {
  const lowest = deepest?.afterBalance ?? null;
  if (!sinceBefore || openingBalance === null) return lowest;
  const isLower = lowest === null || figureOf(openingBalance)?.lessThan(figureOf(lowest) ?? ZERO);
  return isLower ? openingBalance : lowest;
}

/** Returns the leg whose `afterBalance` is lower. If both balances are equal, returns the earlier leg. */
function deeper(earlier: Leg, later: Leg): Leg {
  return earlier !== later && earlier.after && later.after?.lessThan(earlier.after) ? later : earlier;
}

function isAtLeastZero(balance: Exact | null): boolean {
  return balance !== null && !balance.lessThan(ZERO);
}

/** Returns the key of a leg in an episode: its id. Without an id, the key is the content of the leg. */
export function episodeKey(leg: EpisodeLeg): string {
  return leg.id || contentOf(leg);
}

function legOf(leg: Leg): EpisodeLeg {
  return {
    id: leg.id,
    transactionId: leg.transactionId,
    timestamp: leg.time ?? null,
    type: leg.type,
    quantity: leg.served('quantity') ?? '',
    afterBalance: leg.served('afterBalance'),
  };
}
