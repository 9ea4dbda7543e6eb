import type { CheckResult, Finding, ReportFigures } from '../../books/report.ts';
import type { OpenSpan } from '../../core/span.ts';

export type { Finding };

/** The data of a report: the result of an audit, and sums of the same legs. */
export interface ReportData {
  /** Name of the client who owns the books. */
  readonly client: string;
  /** Name of the firm that wrote the report; undefined if it was not given. */
  readonly preparedBy: string | undefined;
  /** The day on which the report was written, as an ISO 8601 date. */
  readonly date: string;
  readonly period: OpenSpan;
  /** The first day of the fiscal year, `04-06`; undefined if the period does not depend on the fiscal year. */
  readonly fiscalYearStart: string | undefined;
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
  /** A sentence for clients, which says that no leg is missing. Used only if the legs are verified. */
  readonly noneMissing: string;
  readonly accountGaps: AccountGaps;
  /** Sentences about the limits of the source of the legs, and about the amounts that these limits affect. */
  readonly sourceLimits: readonly string[];
  /** Open findings, sorted so that causes come first. The `counts` of the checks include findings that are not listed. */
  readonly findings: readonly Finding[];
  readonly setAside: readonly Finding[];
  /** Accepted findings, each with the reason why it was accepted. */
  readonly accepted: readonly Finding[];
  readonly figures: ReportFigures;
  /** The files of a filing pack, except the report. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
  /** Returns the name of an account, or undefined if the name is unknown. */
  readonly nameOf: (walletId: string | null) => string | undefined;
}

/** Problems with accounts, because of which transactions may be missing from the service itself. */
export interface AccountGaps {
  /** As sentences. */
  readonly problems: readonly string[];
  /** A sentence that lists the checks of accounts that did not run; undefined if all of them ran. */
  readonly unknown: string | undefined;
  /** Sentences about what the checks of accounts could not check. */
  readonly limits: readonly string[];
}

/** The result of a check, with the texts of the check. */
export interface ReportCheck extends CheckResult {
  readonly title: string;
  /** Explains the findings in words that a client understands. */
  readonly means: string;
  readonly fix: string;
}
