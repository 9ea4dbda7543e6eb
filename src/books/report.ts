import { timeOf } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { BALANCE_CHECKS, type CheckName, type Finding } from './audit/finding.ts';
import { figureOf } from './figure.ts';
import { NeighbourSearch, type Neighbours } from './neighbours.ts';
import { inBalanceOrder } from './order.ts';
import { keyOfPair, type Pair } from './pair.ts';
import { RollForward, type RollForwardLine } from './rollforward.ts';
import { BalanceSeries, type BalanceStep, extremesOf, stepsOf } from './series.ts';
import { Sums, sumKeys } from './sums.ts';

/** The balance history of one wallet/asset pair with findings. */
export interface BalanceHistory extends Pair {
  /**
   * Start of the history in Unix milliseconds. The history starts with the period or, if there are earlier findings, shortly
   * before the earliest finding. Undefined if the period has no start; the history then contains all legs.
   */
  readonly from: number | undefined;
  /** Balance at the start of the history; null if unknown. */
  readonly opening: Exact | null;
  /** The steps of the balance chart. */
  readonly steps: readonly BalanceStep[];
  readonly lowest: BalanceStep | undefined;
  readonly highest: BalanceStep | undefined;
  /** Balance after the last leg; null if unknown. */
  readonly closing: Exact | null;
  readonly legs: number;
  /** Number of legs without a running balance. */
  readonly unknown: number;
  readonly breaks: readonly { readonly time: number; readonly findingId: string }[];
}

/** The data that a report shows. */
export interface ReportFigures {
  readonly rollForward: readonly RollForwardLine[];
  /** The same sums as `ledgers export --sum-by month`. */
  readonly byMonth: readonly JsonRecord[];
  /** The same sums as `ledgers export --sum-by asset`. */
  readonly byAsset: readonly JsonRecord[];
  /** Sums over the whole period, one record per currency. */
  readonly totals: readonly JsonRecord[];
  /** Sentences that describe incomplete sums. */
  readonly gaps: readonly string[];
  /** The first findings of each check, at most `mostFindings` per check. */
  readonly listed: readonly Finding[];
  readonly histories: readonly BalanceHistory[];
  /** Number of wallet/asset pairs with findings about their balance, including pairs without a history. */
  readonly affectedPairs: number;
  /** The neighbouring legs of the listed findings, by `ledgerId`. */
  readonly around: ReadonlyMap<string, Neighbours>;
}

export interface ReportOptions {
  readonly period: OpenSpan;
  /** Converts Unix milliseconds to text that starts with the ISO 8601 date. */
  readonly dateOf: (timestamp: number) => string;
  /** All findings of the report. Causes come before their effects. */
  readonly findings: readonly Finding[];
  /** Maximum number of findings to list for each check. */
  readonly mostFindings: number;
  /** Maximum number of balance histories. Pairs are chosen in the order of `findings`. */
  readonly mostHistories: number;
}

/**
 * Collects the data of a report in one pass over the legs. Memory use grows with the number of findings and of wallet/asset
 * pairs, not with the number of legs.
 *
 * @param legs all legs up to the end of the period, ordered by time
 */
export async function reportFigures(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  { period, dateOf, findings, mostFindings, mostHistories }: ReportOptions,
): Promise<ReportFigures> {
  const listed = firstOfEachCheck(findings, mostFindings);
  const affected = affectedPairs(findings);
  const histories = new Map(
    [...affected]
      .slice(0, mostHistories)
      .map(([key, { pair, breaks }]) => [key, new History(pair, breaks, period)]),
  );
  const sums = {
    month: sumsBy(['month'], dateOf),
    asset: sumsBy(['asset'], dateOf),
    all: sumsBy([], dateOf),
  };
  const lines = new RollForward(period);
  const search = new NeighbourSearch(
    listed.flatMap(({ ledgerId }) => ledgerId ?? []),
    { before: 3, after: 2 },
  );
  for await (const ordered of inBalanceOrder(legs)) {
    lines.add(ordered);
    search.add(ordered);
    histories.get(ordered.pair)?.add(ordered.leg);
    if (!isWithin(timeOf(ordered.leg), period)) continue;
    for (const sum of Object.values(sums)) sum.add(ordered.leg);
  }
  return {
    rollForward: lines.lines(),
    byMonth: [...sums.month.rows()],
    byAsset: [...sums.asset.rows()],
    totals: [...sums.all.rows()],
    gaps: sums.asset.gaps(),
    listed,
    histories: [...histories.values()].map((history) => history.result()),
    affectedPairs: affected.size,
    around: search.found,
  };
}

function sumsBy(keys: readonly string[], dateOf: (timestamp: number) => string): Sums {
  return new Sums(sumKeys(keys, ['baseCurrency']), dateOf);
}

function firstOfEachCheck(findings: readonly Finding[], most: number): Finding[] {
  const counts = new Map<CheckName, number>();
  return findings.filter(({ check }) => {
    const number = (counts.get(check) ?? 0) + 1;
    counts.set(check, number);
    return number <= most;
  });
}

type Break = BalanceHistory['breaks'][number];

/** Returns the pairs that have findings about their balance, in the order of `findings`. */
function affectedPairs(findings: readonly Finding[]): Map<string, { pair: Pair; breaks: Break[] }> {
  const pairs = new Map<string, { pair: Pair; breaks: Break[] }>();
  for (const { check, walletId, assetId, symbol, timestamp, id } of findings) {
    if (!BALANCE_CHECKS.some((name) => name === check) || walletId === null || (assetId ?? symbol) === null)
      continue;
    const pair = { walletId, assetId, symbol: symbol ?? '' };
    const key = keyOfPair(pair);
    const found = pairs.get(key) ?? { pair, breaks: [] };
    pairs.set(key, found);
    if (timestamp !== null) found.breaks.push({ time: timestamp, findingId: id });
  }
  return pairs;
}

/**
 * If findings precede the period, the history starts shortly before the earliest finding. `LEAD` is the
 * length of this extra time, divided by the time from the earliest finding to the end of the period.
 */
const LEAD = 0.05;

function startOf(breaks: readonly Break[], { from, to }: OpenSpan): number | undefined {
  if (from === undefined) return undefined;
  const earliest = Math.min(from, ...breaks.map(({ time }) => time));
  return earliest === from ? from : Math.floor(earliest - LEAD * ((to ?? from) - earliest));
}

class History {
  readonly #pair: Pair;
  readonly #breaks: readonly Break[];
  readonly #series = new BalanceSeries();
  /** Start of the history; undefined if the history contains all legs. */
  readonly #from: number | undefined;
  #seen = false;
  #opening: Exact | null = null;
  #closing: Exact | null = null;
  #legs = 0;
  #unknown = 0;

  constructor(pair: Pair, breaks: readonly Break[], period: OpenSpan) {
    this.#pair = pair;
    this.#breaks = breaks;
    this.#from = startOf(breaks, period);
  }

  add(leg: JsonRecord): void {
    const time = timeOf(leg);
    if (time === undefined) return;
    const isFirst = !this.#seen;
    this.#seen = true;
    const balance = figureOf(leg['afterBalance']);
    if (!isWithin(time, { from: this.#from ?? time })) {
      this.#opening = balance;
      this.#closing = balance;
      return;
    }
    // If no leg precedes the history, the opening balance is the `beforeBalance` of the first leg.
    if (isFirst) this.#opening = figureOf(leg['beforeBalance']);
    this.#closing = balance;
    this.#legs += 1;
    if (balance === null) this.#unknown += 1;
    this.#series.add(time, balance);
  }

  result(): BalanceHistory {
    const { buckets } = this.#series;
    const steps = stepsOf(buckets);
    const opening = this.#opening;
    const start = opening && { time: this.#from ?? steps[0]?.time ?? 0, balance: opening };
    const { lowest, highest } = extremesOf(buckets) ?? {};
    return {
      ...this.#pair,
      from: this.#from,
      opening,
      steps,
      lowest: start && !lowest?.balance.lessThan(start.balance) ? start : lowest,
      highest: start && !highest?.balance.greaterThan(start.balance) ? start : highest,
      closing: this.#closing,
      legs: this.#legs,
      unknown: this.#unknown,
      breaks: this.#breaks,
    };
  }
}
