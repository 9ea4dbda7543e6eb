import { Batches } from '../../core/batches.ts';
import type { Exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { OpenSpan } from '../../core/span.ts';
import { count } from '../../core/text.ts';
import { isFigure } from '../figure.ts';
import { BalanceOrder } from '../order.ts';
import type { Pair } from '../pair.ts';
import { Causes } from './causes.ts';
import { DuplicateCheck } from './duplicates.ts';
import { FigureChecks } from './figures.ts';
import {
  CHECKS,
  type CheckName,
  type CheckResult,
  type Draft,
  type Finding,
  type FoundLeg,
  findingOf,
  inOrder,
  LEG_CHECKS,
} from './finding.ts';
import { AuditLeg } from './leg.ts';
import { BalanceChecks } from './pairs.ts';
import { type MatchCounts, TransferCheck } from './transfers.ts';

export interface AuditOptions {
  readonly period?: OpenSpan;
  /** Whether the legs include the first leg of the books. Without this leg, opening balances cannot be checked. */
  readonly fromStart: boolean;
  /** The dust limit. Findings with a smaller value are set aside. All values must be in one currency. */
  readonly dust?: Exact | undefined;
  /** Assets marked as spam. Findings about these assets are set aside. */
  readonly spamAssetIds?: ReadonlySet<string>;
  /** Findings from the checks that do not examine legs. */
  readonly drafts?: readonly Draft[];
  /** Checks that cannot run, each with the reason. */
  readonly notPossible?: Readonly<Partial<Record<CheckName, string>>>;
  /** Checks that need a field that the legs do not have, each with the reason. Findings of these checks are dropped. */
  readonly withoutFields?: Readonly<Partial<Record<CheckName, string>>>;
  /** The checks to report (default: all). */
  readonly checks?: readonly CheckName[] | undefined;
}

export interface AuditResult {
  /** Number of legs in the period. */
  readonly legs: number;
  readonly checks: readonly CheckResult[];
  readonly findings: readonly Finding[];
  /** Findings about spam assets, and findings below the dust limit. */
  readonly setAside: readonly Finding[];
  /** Currencies of all findings, sorted. An unknown currency is an empty string. */
  readonly currencies: readonly string[];
  readonly transfers: MatchCounts;
  /** Every wallet and asset that has legs. */
  readonly pairs: readonly Pair[];
}

/** Maximum number of findings to list per check. All findings are counted. */
const MOST_LISTED = 10_000;

/** The checks that depend on the order of the legs. */
const ORDERED: readonly CheckName[] = [
  'negative-balance',
  'opening-balance',
  'broken-chain',
  'unmatched-transfer',
];

/**
 * Audits legs. Memory grows with wallets × assets and with the number of findings. Each leg adds one short string.
 *
 * @param legs all legs up to the end of the period, in order of time
 */
export async function auditLegs(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  options: AuditOptions,
): Promise<AuditResult> {
  const { period = {}, checks = CHECKS } = options;
  const drafts = new Drafts(options.drafts ?? []);
  const report = (draft: Draft) => drafts.add(draft);
  const balances = new BalanceChecks(period, report);
  const transfers = new TransferCheck(report);
  const duplicates = new DuplicateCheck(report);
  const figures = new FigureChecks(report);
  const seen = { legs: 0, untimed: 0, hasBalance: false };
  const pairs = new Map<string, Pair>();
  const order = new BalanceOrder((record, pair) => {
    const leg = new AuditLeg(record, pair, period);
    if (leg.inPeriod) seen.legs += 1;
    if (leg.time === undefined) seen.untimed += 1;
    seen.hasBalance ||= leg.inPeriod && isFigure(leg.record['afterBalance']);
    if (!pairs.has(leg.key)) pairs.set(leg.key, leg.pair);
    duplicates.add(leg);
    figures.add(leg);
    if (leg.time === undefined) return;
    balances.add(leg);
    transfers.add(leg);
  });
  for await (const batch of Batches.of(legs)) for (const leg of batch) order.add(leg);
  order.finish();
  balances.finish();
  transfers.finish();
  figures.finish();
  const { notPossible, withoutFields } = options;
  const limits = { ...limitsOf(seen, figures, options.fromStart), ...notPossible, ...withoutFields };
  drafts.drop((check) => withoutFields?.[check] !== undefined);
  if (!options.fromStart) drafts.drop((check) => check === 'opening-balance');
  const causes = new Causes(drafts.all);
  const reported = drafts.all.filter(({ check, inPeriod }) => inPeriod && checks.includes(check));
  const isAside = (draft: Draft) => isSpam(draft, options) || isDust(draft, options.dust);
  const finish = (drafts: readonly Draft[]) =>
    inOrder(drafts.map((draft) => findingOf(draft, causes.of(draft))));
  const findings = finish(reported.filter((draft) => !isAside(draft)));
  return {
    legs: seen.legs,
    checks: CHECKS.filter((check) => checks.includes(check)).map((check) =>
      resultOf(check, findings, drafts.unlisted(check), limits[check]),
    ),
    findings,
    setAside: finish(reported.filter(isAside)),
    currencies: currenciesOf(reported),
    transfers: transfers.matches,
    pairs: [...pairs.values()],
  };
}

/** Copies only the required fields, so that findings do not keep whole records in memory. */
function foundLegOf({ id, transactionId, time }: FoundLeg): FoundLeg {
  return { id, transactionId, time };
}

/** Collects findings. After a check has reported {@link MOST_LISTED} findings, its further findings are only counted. */
class Drafts {
  all: Draft[];
  readonly #counts = new Map<CheckName, number>();

  constructor(given: readonly Draft[]) {
    this.all = [...given];
  }

  add(draft: Draft): void {
    const number = (this.#counts.get(draft.check) ?? 0) + 1;
    this.#counts.set(draft.check, number);
    if (number <= MOST_LISTED) this.all.push({ ...draft, leg: draft.leg && foundLegOf(draft.leg) });
  }

  drop(isDropped: (check: CheckName) => boolean): void {
    this.all = this.all.filter(({ check }) => !isDropped(check));
    for (const check of [...this.#counts.keys()].filter(isDropped)) this.#counts.delete(check);
  }

  unlisted(check: CheckName): number {
    return Math.max(0, (this.#counts.get(check) ?? 0) - MOST_LISTED);
  }
}

type Limits = Partial<Record<CheckName, string>>;

/** Returns the checks that cannot run on these legs, each with the reason. */
function limitsOf(
  { legs, untimed, hasBalance }: { legs: number; untimed: number; hasBalance: boolean },
  figures: FigureChecks,
  fromStart: boolean,
): Limits {
  const limits: Limits = {};
  if (legs === 0) for (const check of LEG_CHECKS) limits[check] = 'There are no legs in the period.';
  if (untimed > 0) {
    const why = `${count(untimed)} ${untimed === 1 ? 'leg has' : 'legs have'} no time, so the order of the legs is unknown.`;
    for (const check of ORDERED) limits[check] = why;
  }
  if (!fromStart) limits['opening-balance'] = 'The legs before the period are not in the file.';
  if (legs > 0 && !hasBalance) {
    const why = 'No leg in the period has a running balance.';
    for (const check of ['negative-balance', 'broken-chain', 'arithmetic', 'opening-balance'] as const)
      limits[check] = why;
  }
  if (legs > 0 && !figures.hasAccounting) {
    const why = 'No leg in the period has a cost basis, proceeds or profit: tax processing has not run.';
    limits['unfinished-accounting'] = why;
    limits.profit = why;
  }
  if (!figures.hasCodes) limits['half-posted'] = 'No leg in the period has an account code.';
  return limits;
}

function resultOf(
  check: CheckName,
  findings: readonly Finding[],
  unlisted: number,
  limit: string | undefined,
): CheckResult {
  const listed = findings.filter((finding) => finding.check === check).length;
  const more = unlisted > 0 ? `Only ${count(MOST_LISTED)} findings are listed.` : undefined;
  const status = listed + unlisted > 0 ? 'failed' : limit === undefined ? 'passed' : 'not-possible';
  return { check, status, findings: listed + unlisted, why: limit ?? more ?? null };
}

function isSpam({ pair }: Draft, { spamAssetIds }: AuditOptions): boolean {
  return pair?.assetId != null && spamAssetIds?.has(pair.assetId) === true;
}

/** A finding with an unknown value is never dust. */
function isDust({ value }: Draft, dust: Exact | undefined): boolean {
  return dust !== undefined && value?.amount.lessThan(dust) === true;
}

function currenciesOf(drafts: readonly Draft[]): string[] {
  return [...new Set(drafts.flatMap(({ value }) => value?.currency ?? []))].sort();
}
