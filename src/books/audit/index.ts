import { Batches } from '../../core/batches.ts';
import type { Pair } from '../asset.ts';
import { Leg } from '../leg.ts';
import { noChosenLegs, type Scope } from '../scope.ts';
import type { WalkStep } from '../step.ts';
import { untimedText } from '../untimed.ts';
import { type Fold, type LegInput, walkTo } from '../walk.ts';
import type { Check, MatchCounts, Running } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { type CheckResult, type Finding, type FindingOptions, Findings } from './findings.ts';
import type { ServiceData } from './service-data.ts';

export interface AuditOptions extends Omit<FindingOptions, 'spamAssetIds'> {
  readonly scope: Scope;
  readonly service?: ServiceData;
  /** Fields that the legs do not have. Checks that need one of them do not run. */
  readonly missingFields?: readonly string[];
}

export interface AuditResult {
  /** Number of legs of the period that are in scope. */
  readonly legs: number;
  readonly checks: readonly CheckResult[];
  /** Open findings. */
  readonly findings: readonly Finding[];
  readonly accepted: readonly Finding[];
  /** Findings on spam assets, and findings below the dust limit. */
  readonly setAside: readonly Finding[];
  /** Accepted ids that match no finding in scope. */
  readonly notFound: readonly string[];
  /** Currencies of all findings, sorted. An unknown currency is an empty string. */
  readonly currencies: readonly string[];
  readonly matched: MatchCounts;
  /** Every wallet and asset that has legs up to the end of the period. */
  readonly pairs: readonly Pair[];
}

/**
 * Audits legs. Memory grows with the number of wallet/asset pairs and of findings. For each leg, one short string is kept.
 *
 * @param legs all legs up to `READ_MARGIN` after the end of the period, in order of time; a second iteration returns them again
 */
export async function auditLegs(
  legs: LegInput,
  { scope, service = {}, missingFields = [], ...options }: AuditOptions,
): Promise<AuditResult> {
  const findings = new Findings(scope, { ...options, spamAssetIds: service.spamAssetIds });
  const running = new Map<string, Running>();
  const whyNot: Record<string, string> = { ...service.whyNot };
  for (const check of CHECKS as readonly Check[]) {
    const missing = check.needs.find((field) => missingFields.includes(field));
    if (missing !== undefined) whyNot[check.name] ??= `The file has no column ${missing}.`;
    if (whyNot[check.name] !== undefined) continue;
    running.set(
      check.name,
      check.start((draft) => findings.add(check, draft), scope, service),
    );
  }
  const seen = new Seen(scope);
  const runs = [...running.values()];
  await walkTo(scope.period.to, legs, seen, checksOf(runs, scope));
  for (const run of runs) run.finish?.();
  const readAgain = runs.filter((run) => run.readsAgain);
  if (readAgain.length > 0) {
    for await (const batch of Batches.of(legs)) {
      for (const record of batch) {
        const leg = Leg.of(record);
        for (const run of readAgain) run.again?.(leg);
      }
    }
    for (const run of readAgain) run.finishAgain?.();
  }
  const pairs = [...seen.pairs.values()].map(({ pair }) => pair);
  return {
    legs: seen.legs,
    checks: findings.results(running, { ...seen.whyNot(), ...whyNot }, (check) => [
      check.judgesCarried && !scope.fromStart
        ? 'Legs from before the file could not be checked. Wallets and assets that have only such legs could not be checked either.'
        : undefined,
      check.isOrdered || (!scope.isUnlimited && !check.isAboutService)
        ? untimedText(seen.untimed, scope.period)
        : undefined,
    ]),
    findings: findings.list('open'),
    accepted: findings.list('accepted'),
    setAside: findings.list('spam', 'dust'),
    ...{ notFound: findings.notFound, currencies: findings.currencies },
    matched: runs.find(({ matches }) => matches)?.matches ?? { high: 0, medium: 0, low: 0 },
    pairs,
  };
}

/**
 * Combines all checks. A check receives no steps after the end of the period. If it needs later legs, it has a method `leg`.
 */
function checksOf(runs: readonly Running[], scope: Scope): Fold {
  const steps = runs.flatMap((run) => (run.step ? [run.step.bind(run)] : []));
  const listeners = runs.flatMap((run) => (run.leg ? [run.leg.bind(run)] : []));
  return {
    leg(leg) {
      for (const listen of listeners) listen(leg);
    },
    step(step) {
      if (scope.isLater(step.leg.time)) return;
      for (const judge of steps) judge(step);
    },
  };
}

/** The legs, wallets and assets that an audit counts. */
class Seen implements Fold {
  legs = 0;
  untimed = 0;
  readonly pairs = new Map<string, { readonly pair: Pair; readonly isChosen: boolean }>();
  readonly #scope: Scope;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  step({ leg, pair }: WalkStep): void {
    if (this.#scope.isLater(leg.time)) return;
    let seen = this.pairs.get(pair);
    if (!seen) {
      seen = { pair: leg.pair, isChosen: this.#scope.isChosen(leg) };
      this.pairs.set(pair, seen);
    }
    if (!seen.isChosen) return;
    if (this.#scope.has(leg.time)) this.legs += 1;
    if (leg.time === undefined) this.untimed += 1;
  }

  /** Returns why checks cannot run, by the name of the check. Empty if the period has legs in scope. */
  whyNot(): Record<string, string> {
    if (this.legs > 0) return {};
    const all: readonly Check[] = CHECKS;
    const seen = [...this.pairs.values()];
    const hasChosen = seen.some(({ isChosen }) => isChosen);
    const isLimited = seen.some(({ isChosen }) => !isChosen);
    const idle = all.filter((check) => !check.isAboutService && !(check.judgesCarried && hasChosen));
    const why = isLimited ? noChosenLegs() : 'There are no legs in the period.';
    return Object.fromEntries(idle.map(({ name }) => [name, why]));
  }
}
