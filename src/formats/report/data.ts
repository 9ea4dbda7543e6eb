import type { Exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { OpenSpan } from '../../core/span.ts';

/** The data of a report: the result of an audit, and sums of the same legs. */
export interface ReportData {
  readonly period: OpenSpan;
  /** Time zone of days and months. */
  readonly timeZone: string;
  /** Why legs may be missing; undefined if the legs are verified as complete. */
  readonly unverified: string | undefined;
  /** A sentence about how and when the legs were verified. */
  readonly statement: string;
  /** Facts about the source of the legs, as pairs of name and value. */
  readonly origin: readonly (readonly [string, string])[];
  /** The flags that limit the findings, for example `--wallet kraken`. */
  readonly limitedTo: readonly string[];
  /** Legs in the period. */
  readonly legs: number;
  readonly checks: readonly ReportCheck[];
  /** Sentences with the numbers of findings that are open, accepted or set aside. */
  readonly findingsStatement: readonly string[];
  /** A sentence that says the same of verified legs, for a client. */
  readonly noneMissing: string;
  readonly accountGaps: AccountGaps;
  /** Open findings, sorted so that causes come first. `counts` of the checks counts those that are not listed too. */
  readonly findings: readonly ReportFinding[];
  readonly setAside: readonly ReportFinding[];
  /** Accepted findings, each with the reason why it was accepted. */
  readonly accepted: readonly (ReportFinding & { readonly reason?: string })[];
  readonly figures: ReportFigures;
  /** Returns the name of an account, or undefined if the name is unknown. */
  readonly nameOf: (walletId: string | null) => string | undefined;
}

/** What may be missing from the books although the service has no more legs. */
export interface AccountGaps {
  /** What is known to be missing, as sentences. */
  readonly known: readonly string[];
  /** A sentence if the accounts were not checked. */
  readonly unknown: string | undefined;
  /** What the checks of accounts could not judge, as sentences. */
  readonly limits: readonly string[];
}

export interface ReportCheck {
  readonly check: string;
  readonly title: string;
  /** Explains the findings in words that a client understands. */
  readonly means: string;
  readonly fix: string;
  readonly status: 'passed' | 'failed' | 'not-possible' | 'partial' | 'set-aside' | 'accepted';
  /** How many findings the check has in each place. The lists of findings may be shorter. */
  readonly counts: Readonly<Record<'open' | 'accepted' | 'spam' | 'dust', number>>;
  readonly why: string | null;
}

interface ReportCause {
  readonly cause: string;
  readonly confidence: string;
  readonly evidence: string;
  readonly next: string;
}

interface PairNames {
  readonly walletId: string | null;
  readonly assetId: string | null;
  readonly symbol: string | null;
}

export interface ReportFinding extends PairNames {
  readonly id: string;
  readonly check: string;
  readonly severity: string;
  readonly ledgerId: string | null;
  readonly timestamp: number | null;
  readonly legs: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly amount: string | null;
  readonly message: string;
  readonly causes: readonly ReportCause[];
  readonly next: string;
}

interface Step {
  readonly time: number;
  /** Null if the leg has no running balance. */
  readonly balance: Exact | null;
}

/** The running balance of a wallet and asset. */
export interface ReportHistory extends PairNames {
  /** Start of the history; undefined if the history starts with the first leg. */
  readonly from: number | undefined;
  readonly opening: Exact | null;
  readonly steps: readonly Step[];
  readonly lowest: Step | undefined;
  readonly highest: Step | undefined;
  readonly closing: Exact | null;
  readonly legs: number;
  readonly unknown: number;
  readonly breaks: readonly { readonly time: number; readonly findingId: string }[];
}

export interface ReportLine extends PairNames {
  readonly legs: number;
  readonly opening: string | null;
  readonly in: string | null;
  readonly out: string | null;
  readonly fees: string | null;
  readonly closing: string | null;
  readonly difference: string | null;
  readonly tiesOut: boolean | null;
  readonly baseCurrency: string | null;
  readonly figures: Readonly<Record<'profit', { readonly sum: string | null; readonly unknown: number }>>;
}

export interface ReportFigures {
  readonly rollForward: readonly ReportLine[];
  readonly byMonth: readonly JsonRecord[];
  readonly byAsset: readonly JsonRecord[];
  readonly totals: readonly JsonRecord[];
  readonly gaps: readonly string[];
  readonly listed: readonly ReportFinding[];
  readonly histories: readonly ReportHistory[];
  readonly affectedPairs: number;
  readonly around: ReadonlyMap<
    string,
    {
      readonly before: readonly JsonRecord[];
      readonly leg: JsonRecord;
      readonly after: readonly JsonRecord[];
    }
  >;
}
