import type { ReportFigures } from '../../books/report.ts';
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

export type ReportFinding = ReportFigures['listed'][number];
export type ReportHistory = ReportFigures['histories'][number];
export type ReportLine = ReportFigures['rollForward'][number];
