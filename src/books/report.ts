import type { Exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { isAfterSpan, isBeforeSpan, isInPeriod, type OpenSpan } from '../core/span.ts';
import { type Pair, pairKey } from './asset.ts';
import { checkNamed } from './audit/checks/index.ts';
import type { CheckResult, Finding } from './audit/findings.ts';
import {
  type DisposalTotal,
  DisposalTotals,
  disposalKind,
  isProcessed,
  type KindProfits,
  Profits,
  reconciled,
} from './disposals.ts';
import { RollForward, type RollForwardLine } from './rollforward.ts';
import { BalanceSeries, type BalanceStep, balanceSteps, extremesOf } from './series.ts';
import type { WalkStep } from './step.ts';
import { Sums, sumKeys } from './sums.ts';
import { type Fold, type LegInput, walkTo } from './walk.ts';

export type { CheckResult, Finding, KindProfits, RollForwardLine };
export { reconciled };

/** The balance history of one wallet/asset pair with findings. */
export interface BalanceHistory extends Pair {
  /**
   * Start of the history in Unix milliseconds. Usually the start of the period. If findings precede the period, a time shortly
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
  /** Number of legs with an unknown balance. */
  readonly unknown: number;
  readonly breaks: readonly { readonly time: number; readonly findingId: string }[];
}

/** The data that a report shows. */
export interface ReportFigures {
  /** One line per wallet and asset. */
  readonly rollForward: readonly RollForwardLine[];
  /** One line per asset. */
  readonly byAsset: readonly RollForwardLine[];
  /** The sums that `ledgers export --sum-by month` also returns. */
  readonly byMonth: readonly JsonRecord[];
  /** The sums of the whole period, with one record for each currency. */
  readonly totals: readonly JsonRecord[];
  /** The profits of the period by kind of leg, one entry per currency. */
  readonly profits: readonly KindProfits[];
  /** Number of disposals that name another wallet. */
  readonly toOthers: number;
  /** The disposals that tax processing has valued, one entry per currency. */
  readonly disposals: readonly DisposalTotal[];
  /** Sentences that describe incomplete sums. */
  readonly gaps: readonly string[];
  readonly histories: readonly BalanceHistory[];
  /** Number of wallet/asset pairs with findings about their balance, including pairs without a history. */
  readonly affectedPairs: number;
}

export interface ReportQuery {
  readonly period: OpenSpan;
  /** Whether the legs start with the first leg of the books. If false, wallets that have only earlier legs are missing. */
  readonly fromStart: boolean;
  /** Whether a wallet belongs to these books. */
  readonly isOwn: (walletId: string) => boolean;
  /** Converts Unix milliseconds to text that starts with the ISO 8601 date. */
  readonly dateOf: (timestamp: number) => string;
  /** All findings of the report. Causes come before their effects. */
  readonly findings: readonly Finding[];
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
  legs: LegInput,
  { period, fromStart, isOwn, dateOf, findings, mostHistories }: ReportQuery,
): Promise<ReportFigures> {
  const affected = affectedPairs(findings);
  const histories = new Map(
    [...affected]
      .slice(0, mostHistories)
      .map(([key, { pair, breaks }]) => [key, new History(pair, breaks, period)]),
  );
  const sums = { month: sumsBy(['month'], dateOf), all: sumsBy([], dateOf) };
  const profits = new Profits(isOwn);
  const disposals = new DisposalTotals();
  const lines = new RollForward(period);
  const charts: Fold = { step: (step) => histories.get(step.pair)?.step(step) };
  const summed: Fold = {
    step({ leg }) {
      if (!isInPeriod(leg.time, period)) return;
      for (const sum of Object.values(sums)) sum.add(leg);
      profits.add(leg);
      const isDisposal = leg.sign !== 1 && disposalKind(leg, isOwn) === 'disposal';
      if (isDisposal && isProcessed(leg)) disposals.add(leg);
    },
  };
  await walkTo(period.to, legs, lines, charts, summed);
  return {
    rollForward: lines.lines(),
    byAsset: lines.linesByAsset(undefined, () => fromStart),
    byMonth: [...sums.month.rows()],
    totals: [...sums.all.rows()],
    profits: profits.all(),
    toOthers: profits.toOthers,
    disposals: disposals.all(),
    gaps: sums.all.gaps(),
    histories: [...histories.values()].map((history) => history.result()),
    affectedPairs: affected.size,
  };
}

function sumsBy(keys: readonly string[], dateOf: (timestamp: number) => string): Sums {
  return new Sums(sumKeys(keys, ['baseCurrency']), dateOf);
}

type Break = BalanceHistory['breaks'][number];

/** Whether a check examines running balances. */
function isAboutBalance(name: string): boolean {
  return checkNamed(name).needs.some((field) => field === 'beforeBalance' || field === 'afterBalance');
}

/** Returns the pairs that have findings about their balance, in the order of `findings`. */
function affectedPairs(findings: readonly Finding[]): Map<string, { pair: Pair; breaks: Break[] }> {
  const pairs = new Map<string, { pair: Pair; breaks: Break[] }>();
  for (const { check, walletId, assetId, symbol, timestamp, id } of findings) {
    if (!isAboutBalance(check) || walletId === null || (assetId ?? symbol) === null) continue;
    const pair = { walletId, assetId, symbol: symbol ?? '' };
    const key = pairKey(pair);
    const found = pairs.get(key) ?? { pair, breaks: [] };
    pairs.set(key, found);
    if (timestamp !== null) found.breaks.push({ time: timestamp, findingId: id });
  }
  return pairs;
}

/**
 * If findings precede the period, the history starts a lead time before the earliest finding. `LEAD` is this lead time, divided
 * by the time from the earliest finding to the end of the period.
 */
const LEAD = 0.05;

function startOf(breaks: readonly Break[], { from, to }: OpenSpan): number | undefined {
  if (from === undefined) return undefined;
  const earliest = Math.min(from, ...breaks.map(({ time }) => time));
  return earliest === from ? from : Math.floor(earliest - LEAD * ((to ?? from) - earliest));
}

class History implements Fold {
  readonly #pair: Pair;
  readonly #breaks: readonly Break[];
  readonly #series = new BalanceSeries();
  /** Start of the history; undefined if the history contains all legs. */
  readonly #from: number | undefined;
  readonly #span: OpenSpan;
  #seen = false;
  #opening: Exact | null = null;
  #closing: Exact | null = null;
  #legs = 0;
  #unknown = 0;

  constructor(pair: Pair, breaks: readonly Break[], period: OpenSpan) {
    this.#pair = pair;
    this.#breaks = breaks;
    this.#from = startOf(breaks, period);
    this.#span = { ...period, ...(this.#from === undefined ? {} : { from: this.#from }) };
  }

  step({ leg, before, balance }: WalkStep): void {
    const { time } = leg;
    if (isAfterSpan(time, this.#span)) return;
    if (time === undefined) {
      // The place of a leg without a time is unknown, so this leg may have changed any of the balances.
      [this.#opening, this.#closing] = [null, null];
      return;
    }
    const isFirst = !this.#seen;
    this.#seen = true;
    if (isBeforeSpan(time, this.#span)) {
      this.#opening = balance;
      this.#closing = balance;
      return;
    }
    // If the balance before the history is unknown, use the balance before its first leg.
    if (isFirst || (this.#legs === 0 && this.#opening === null)) this.#opening = before;
    this.#closing = balance;
    this.#legs += 1;
    if (balance === null) this.#unknown += 1;
    this.#series.add(time, balance);
  }

  result(): BalanceHistory {
    const { buckets } = this.#series;
    const steps = balanceSteps(buckets);
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
