import { createHash } from 'node:crypto';
import type { Exact } from '../../core/decimal.ts';
import { IdSet } from '../../core/id-set.ts';
import { DAY } from '../../core/instant.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural } from '../../core/text.ts';
import { type AssetName, assetKey, byAsset } from '../asset.ts';
import type { Scope } from '../scope.ts';
import { Causes, type ReportedDraft } from './causes.ts';
import {
  type Cause,
  type Check,
  commandText,
  type Draft,
  type NextCommand,
  nextOf,
  type Running,
  SEVERITIES,
  type Severity,
} from './check.ts';
import { CHECKS, type CheckName } from './checks/index.ts';

/** The lists in which findings are reported. A finding outside the period or the scope is not reported. */
export const PLACES = ['open', 'accepted', 'spam', 'dust'] as const;
export type Place = (typeof PLACES)[number];

type FindingCounts = Readonly<Record<Place, number>>;

/** One problem in the books. Decimals are strings with every digit; times are Unix milliseconds. */
export interface Finding extends JsonRecord {
  /** The id of the finding. The id is the same in every run while the problem exists. */
  readonly id: string;
  readonly check: CheckName;
  readonly severity: Severity;
  readonly place: Place;
  readonly walletId: string | null;
  readonly assetId: string | null;
  readonly symbol: string | null;
  /** The assets of a finding that is about several assets. `assetId` is then null. */
  readonly assets?: readonly AssetName[];
  /** The first leg that shows the problem. */
  readonly ledgerId: string | null;
  readonly transactionId: string | null;
  readonly timestamp: number | null;
  /** Number of legs that show the problem; null if the finding does not concern legs. */
  readonly legs: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  /** Quantity of the asset that the finding is about. */
  readonly amount: string | null;
  /** The value of `amount` at a known price, in `baseCurrency`; null if no price is known. */
  readonly value: string | null;
  readonly baseCurrency: string | null;
  /** The time of the leg whose price is used, in Unix milliseconds; null if no price or more than one price is used. */
  readonly pricedAt: number | null;
  readonly message: string;
  readonly causes: readonly Cause[];
  /** The command to run next. */
  readonly next: string;
  /** Why the user accepted the finding. */
  readonly reason?: string;
}

export const STATUSES = ['passed', 'failed', 'not-possible', 'partial', 'set-aside', 'accepted'] as const;
type Status = (typeof STATUSES)[number];

export interface CheckResult extends JsonRecord {
  readonly check: CheckName;
  readonly status: Status;
  /** Number of open findings plus the number of findings that were set aside (spam, dust). */
  readonly findings: number;
  readonly counts: FindingCounts;
  /** The highest severity of the open findings; null if no finding is open. */
  readonly severity: Severity | null;
  /** Numbers of wallets and assets that the open findings are about. */
  readonly wallets: number;
  readonly assets: number;
  /** The sum of the known values of the open findings, for each known currency. */
  readonly atStake: readonly Stake[];
  /** Why the check could not run, or which data it could not check; null if it checked all data. */
  readonly why: string | null;
  /** The sentences of `why`. */
  readonly limits: readonly string[];
}

/** A sum of values in one currency, as a decimal string. */
interface Stake extends JsonRecord {
  readonly value: string;
  readonly baseCurrency: string;
  /**
   * The time of the oldest price, if a price in the sum is more than 30 days older than the leg of its finding. For a leg before the
   * period, the age counts up to the start of the period.
   */
  readonly oldestPriceAt?: number;
}

/** Maximum age of a price, in milliseconds, for which its date is not shown: 30 days. */
const MOST_AGE = 30 * DAY;

/** A part of a sum of values, and the time of its oldest price; infinity if no price is old. */
interface StakePart {
  readonly amount: Exact;
  readonly oldest: number;
}

function stakePart(amount: Exact, { leg, value }: Draft, start: number): StakePart {
  const { pricedAt = Number.POSITIVE_INFINITY } = value ?? {};
  const isOld = leg?.time !== undefined && Math.max(leg.time, start) - pricedAt > MOST_AGE;
  return { amount, oldest: isOld ? pricedAt : Number.POSITIVE_INFINITY };
}

function sumOf(left: StakePart, right: StakePart): StakePart {
  return { amount: left.amount.plus(right.amount), oldest: Math.min(left.oldest, right.oldest) };
}

export interface FindingOptions {
  /** The reason for accepting a finding, by the id of the finding. */
  readonly accepted?: ReadonlyMap<string, string> | undefined;
  /** Findings with a smaller value are dust. All values must be in one currency. */
  readonly dust?: Exact | undefined;
  /** Assets marked as spam. */
  readonly spamAssetIds?: ReadonlySet<string> | undefined;
  /** Completes a command, for example with flags. Returns undefined if the command cannot be used. */
  readonly commandOf?: ((command: NextCommand) => string | undefined) | undefined;
  /** The checks to report (default: all). */
  readonly checks?: readonly CheckName[] | undefined;
}

/** Maximum number of findings to list for each check and place. The counts include the findings that are not listed. */
export const MOST_LISTED = 10_000;

/**
 * Every finding passes through this class, and goes to the first place that fits: outside the period or scope, accepted, spam,
 * dust, open. The lists are limited, but the counts include all findings.
 */
export class Findings {
  readonly #scope: Scope;
  readonly #options: FindingOptions;
  readonly #found = new Map<string, Found>();
  /** Findings that may be the cause of another finding, including findings outside the period and the scope. */
  readonly #possibleCauses = new Map<string, ReportedDraft[]>();
  /** Built when findings are listed for the first time. */
  #causes: Causes | undefined;
  readonly #seenIds = new Set<string>();
  readonly #keys = new IdSet();
  /** For each key that several findings have, the number of these findings. Legs with the same id have the same key. */
  readonly #repeated = new Map<string, number>();
  readonly #currencies = new Set<string>();

  constructor(scope: Scope, options: FindingOptions) {
    this.#scope = scope;
    this.#options = options;
    for (const { name } of CHECKS) this.#found.set(name, new Found(scope.period.from));
  }

  add(check: Check, reportedDraft: Draft): void {
    const draft = this.#unique(check, reportedDraft);
    const reported = { check, draft };
    if (check.cause) {
      const causes = this.#possibleCauses.get(check.name) ?? [];
      this.#possibleCauses.set(check.name, causes);
      if (causes.length < MOST_LISTED) causes.push(reported);
    }
    const place = this.#placeOf(reported);
    if (place === 'outside') return;
    if (draft.value) this.#currencies.add(draft.value.currency ?? '');
    this.#found.get(check.name)?.add(place, reported);
  }

  /** If an earlier finding has the same key, adds a number to the key. */
  #unique(check: Check, draft: Draft): Draft {
    const key = keyText(check, draft);
    if (this.#keys.add(key)) return draft;
    const number = (this.#repeated.get(key) ?? 1) + 1;
    this.#repeated.set(key, number);
    return this.#unique(check, { ...draft, key: [...draft.key, String(number)] });
  }

  #placeOf({ check, draft }: ReportedDraft): Place | 'outside' {
    const { accepted, dust, spamAssetIds, checks } = this.#options;
    const { pair, walletId, value, inPeriod } = draft;
    if (!inPeriod || (checks && !checks.some((name) => name === check.name))) return 'outside';
    const pairs = draft.pairs ?? [pair ?? { walletId: walletId ?? '', assetId: null, symbol: null }];
    const isChosen = ({ walletId, assetId, symbol }: AssetName & { readonly walletId: string }) =>
      this.#scope.isChosen({ walletId: walletId || null, assetId, symbol });
    if (!pairs.some(isChosen)) return 'outside';
    if (accepted && accepted.size > 0) {
      const id = idOf(check, draft);
      if (accepted.has(id)) {
        this.#seenIds.add(id);
        return 'accepted';
      }
    }
    const assets = byAsset(pairs);
    const others = assets.filter(([{ assetId }]) => assetId === null || !spamAssetIds?.has(assetId));
    if (others.length < Math.min(assets.length, 2)) return 'spam';
    // A finding with an unknown value is never dust.
    return dust !== undefined && value?.amount.lessThan(dust) ? 'dust' : 'open';
  }

  /** The currencies of all findings in scope, sorted. An unknown currency is an empty string. */
  get currencies(): string[] {
    return [...this.#currencies].sort();
  }

  /** Accepted ids that match no finding in scope. */
  get notFound(): string[] {
    return [...(this.#options.accepted?.keys() ?? [])].filter((id) => !this.#seenIds.has(id));
  }

  /** Returns the findings in the given places, sorted by check (causes before effects), then by time, then by id. */
  list(...places: readonly Place[]): Finding[] {
    this.#causes ??= new Causes([...this.#possibleCauses.values()].flat());
    const causes = this.#causes;
    return [...this.#found.values()].flatMap(({ lists }) =>
      places
        .flatMap((place) => lists[place].map((reported) => this.#findingOf(reported, place, causes)))
        .sort(byTime),
    );
  }

  /**
   * @param running the checks that ran, by name; a check that did not run has an entry in `whyNot`
   * @param untimed returns what a check cannot examine because legs have no time
   */
  results(
    running: ReadonlyMap<string, Running>,
    whyNot: Readonly<Record<string, string>>,
    limits: (check: Check) => readonly (string | undefined)[],
  ): CheckResult[] {
    const { checks } = this.#options;
    return CHECKS.filter(({ name }) => !checks || checks.includes(name)).map((check) => {
      const run = running.get(check.name);
      const notPossible = whyNot[check.name] ?? run?.notPossible?.();
      const notJudged = [...limits(check), run?.notJudged?.()].filter((text) => text !== undefined);
      const found = this.#found.get(check.name) ?? new Found();
      return resultOf(check.name, found, notPossible, notJudged);
    });
  }

  /**
   * Returns the first usable command: the given command, the explanation of the leg, or the audit of the check.
   */
  #commandOf({ check, draft: { leg } }: ReportedDraft, command: NextCommand): string {
    const { commandOf = commandText } = this.#options;
    const { beforePeriod } = command;
    const leading = { ...nextOf(leg), ...(beforePeriod && { beforePeriod }) };
    const audit = { next: `cryptodata audit --check ${check.name}`, needsService: false };
    return commandOf(command) ?? commandOf(leading) ?? commandOf(audit) ?? audit.next;
  }

  #findingOf(reported: ReportedDraft, place: Place, causes: Causes): Finding {
    const { check, draft } = reported;
    const { severity, pair, pairs = [], leg, message, walletId, value } = draft;
    const assets = byAsset(pairs).map(([{ assetId, symbol }]) => ({ assetId, symbol }));
    const id = idOf(check, draft);
    const reason = this.#options.accepted?.get(id);
    return {
      ...{ id, check: check.name as CheckName, severity, place },
      walletId: pair?.walletId || walletId || null,
      ...{ assetId: pair?.assetId ?? null, symbol: pair?.symbol ?? null },
      ...(assets.length > 1 ? { assets } : {}),
      ...{
        ledgerId: leg?.id || null,
        transactionId: leg?.transactionId || null,
        timestamp: leg?.time ?? null,
      },
      ...{ legs: draft.legs ?? null, expected: draft.expected ?? null, actual: draft.actual ?? null },
      ...{ amount: draft.amount ?? null, value: value?.amount.toFixed() ?? null },
      ...{
        baseCurrency: value?.currency ?? null,
        pricedAt: value?.pricedAt ?? null,
        message,
        causes: causes.of(reported).map(({ needsService, operand, ...cause }) => ({
          ...cause,
          next: this.#commandOf(reported, { ...cause, needsService, operand }),
        })),
      },
      next: this.#commandOf(
        reported,
        draft.next === undefined
          ? nextOf(leg)
          : { next: draft.next, operand: draft.operand, needsService: true },
      ),
      ...(place === 'accepted' && reason !== undefined ? { reason } : {}),
    };
  }
}

/** The findings of one check. */
class Found {
  readonly #start: number;
  readonly lists: Record<Place, ReportedDraft[]> = { open: [], accepted: [], spam: [], dust: [] };
  readonly counts: Record<Place, number> = { open: 0, accepted: 0, spam: 0, dust: 0 };
  severity: Severity | null = null;
  readonly #wallets = new Set<string>();
  readonly #assets = new Set<string>();
  /**
   * The values of the open findings in each currency. Findings without a `stake` are added up under the key undefined. Findings
   * with the same `stake` count once, with the largest of their values.
   */
  readonly #values = new Map<string, Map<string | undefined, StakePart>>();

  /** @param start the start of the period */
  constructor(start = Number.NEGATIVE_INFINITY) {
    this.#start = start;
  }

  add(place: Place, reported: ReportedDraft): void {
    this.counts[place] += 1;
    if (this.lists[place].length < MOST_LISTED) this.lists[place].push(reported);
    if (place === 'open') this.#addOpen(reported.draft);
  }

  #addOpen(draft: Draft): void {
    const { severity, pair, walletId, pairs = pair ? [pair] : [], value, stake } = draft;
    if (this.severity === null || SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(this.severity))
      this.severity = severity;
    const wallet = pair?.walletId || walletId;
    if (wallet) this.#wallets.add(wallet);
    for (const one of pairs) this.#assets.add(assetKey(one));
    // Values in an unknown currency may be in different currencies, so they are not added up.
    const { amount, currency } = value ?? {};
    if (!amount || !currency) return;
    const values = this.#values.get(currency) ?? new Map<string | undefined, StakePart>();
    this.#values.set(currency, values);
    const known = values.get(stake);
    const part = stakePart(amount, draft, this.#start);
    if (known === undefined) values.set(stake, part);
    else if (stake === undefined) values.set(stake, sumOf(known, part));
    else if (!known.amount.greaterThan(amount)) values.set(stake, part);
  }

  /** Totals of the open findings: severity, numbers of wallets and assets, and values at stake. */
  get concerned(): Pick<CheckResult, 'severity' | 'wallets' | 'assets' | 'atStake'> {
    const atStake = [...this.#values].map(([baseCurrency, values]): Stake => {
      const { amount, oldest } = [...values.values()].reduce(sumOf);
      const stake = { value: amount.toFixed(), baseCurrency };
      return Number.isFinite(oldest) ? { ...stake, oldestPriceAt: oldest } : stake;
    });
    return {
      ...{ severity: this.severity, wallets: this.#wallets.size, assets: this.#assets.size },
      atStake: atStake.sort((left, right) => (left.baseCurrency < right.baseCurrency ? -1 : 1)),
    };
  }
}

function keyText({ name }: Check, { key }: Draft): string {
  return JSON.stringify([name, ...key]);
}

function idOf(check: Check, draft: Draft): string {
  const hash = createHash('sha256').update(keyText(check, draft)).digest('hex');
  return `${check.name}-${hash.slice(0, 10)}`;
}

function resultOf(
  check: CheckName,
  { counts, concerned }: Found,
  notPossible: string | undefined,
  notJudged: readonly string[],
): CheckResult {
  const { open, accepted, spam, dust } = counts;
  const status: Status =
    open > 0
      ? 'failed'
      : notPossible !== undefined
        ? 'not-possible'
        : notJudged.length > 0
          ? 'partial'
          : spam + dust > 0
            ? 'set-aside'
            : accepted > 0
              ? 'accepted'
              : 'passed';
  const unlisted = PLACES.filter((place) => counts[place] > MOST_LISTED).map(
    (place) => `${count(MOST_LISTED)} of ${count(counts[place])} findings (${place}) are listed.`,
  );
  const limits = [...(notPossible === undefined ? [] : [notPossible]), ...notJudged, ...unlisted];
  const why = limits.join(' ') || null;
  return { check, status, findings: open + spam + dust, counts, ...concerned, why, limits };
}

/**
 * Returns sentences such as `a, b: Why.` If `isPossible`, each sentence is a limit. Otherwise, each sentence is the reason why
 * checks could not run.
 */
export function limitTexts(results: readonly CheckResult[], isPossible: boolean): string[] {
  const some = results.map((result) => {
    // If a check could not run, its first limit is the reason.
    const reasons = result.status === 'not-possible' ? 1 : 0;
    return { ...result, limits: isPossible ? result.limits.slice(reasons) : result.limits.slice(0, reasons) };
  });
  return [...limitsIn(some)].map(limitText);
}

/**
 * Separates the limits that several checks share (`texts`) from the limits of a single check (`ownOf`). `ownOf` returns null if
 * the check has no limits of its own.
 *
 * @param show returns the name of a check that is shown in the texts
 */
export function sharedLimits(
  results: readonly CheckResult[],
  show: (check: CheckName) => string = (check) => check,
) {
  const shared = new Map([...limitsIn(results)].filter(([, checks]) => checks.length > 1));
  return {
    texts: [...shared].map(([text, checks]) => limitText([text, checks.map(show)])),
    ownOf: ({ limits }: CheckResult) => limits.filter((text) => !shared.has(text)).join(' ') || null,
  };
}

function limitText([text, checks]: readonly [string, readonly string[]]): string {
  return `${checks.join(', ')}: ${text}`;
}

function limitsIn(results: readonly CheckResult[]): Map<string, CheckName[]> {
  const limits = new Map<string, CheckName[]>();
  for (const { check, limits: texts } of results)
    for (const text of texts) limits.set(text, [...(limits.get(text) ?? []), check]);
  return limits;
}

function byTime(left: Finding, right: Finding): number {
  const time = ({ timestamp }: Finding) => timestamp ?? Number.POSITIVE_INFINITY;
  if (time(left) !== time(right)) return time(left) - time(right);
  return left.id < right.id ? -1 : 1;
}

/** The number of findings of all checks in a place. */
export function countIn(checks: readonly Pick<CheckResult, 'counts'>[], place: Place): number {
  return checks.reduce((sum, { counts }) => sum + counts[place], 0);
}

/**
 * Returns sentences with the numbers of findings: open, accepted and set aside. The same sentences are on stderr, in JSON,
 * README.txt, close.json and the report.
 *
 * @param where a text that says where the findings that were set aside are listed
 */
export function statementOf(checks: readonly CheckResult[], where: string): string[] {
  const sum = (place: Place) => countIn(checks, place);
  const [open, accepted, aside] = [sum('open'), sum('accepted'), sum('spam') + sum('dust')];
  const were = (number: number) => `${plural(number, 'finding was', 'findings were')}`;
  const why = [
    ...(sum('spam') > 0 ? [`${count(sum('spam'))} on spam assets`] : []),
    ...(sum('dust') > 0 ? [`${count(sum('dust'))} below --dust`] : []),
  ].join(', ');
  return [
    `${plural(open, 'open finding', 'open findings')}.`,
    ...(accepted > 0 ? [`${were(accepted)} accepted with --ignore.`] : []),
    ...(aside > 0 ? [`${were(aside)} set aside (${why}), and listed ${where}.`] : []),
  ];
}
