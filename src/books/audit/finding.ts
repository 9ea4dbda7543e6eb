import { createHash } from 'node:crypto';
import { presetNames, type TransactionPreset } from '../../api/transactions.ts';
import type { Exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { shellWord } from '../../core/text.ts';
import type { Pair } from '../pair.ts';

const SOURCE_CHECKS = ['failing-source', 'stale-source'] as const;

/** All checks that examine running balances. */
export const BALANCE_CHECKS = [
  'negative-balance',
  'unknown-balance',
  'opening-balance',
  'broken-chain',
  'arithmetic',
] as const;

/** All checks that examine legs. */
export const LEG_CHECKS = [
  ...BALANCE_CHECKS,
  'unmatched-transfer',
  'duplicate',
  'missing-price',
  'missing-asset',
  'unfinished-accounting',
  'profit',
  'half-posted',
] as const;

export type CheckName = (typeof SOURCE_CHECKS)[number] | (typeof LEG_CHECKS)[number] | TransactionPreset;

/** All checks, in the order in which the user should fix findings: causes before effects. */
export const CHECKS: readonly CheckName[] = [...SOURCE_CHECKS, ...LEG_CHECKS, ...presetNames];
export type Severity = 'error' | 'warning' | 'info';

/** A likely cause of a finding, supported by evidence in the data. */
export interface Cause extends JsonRecord {
  readonly cause: string;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly evidence: string;
  /** A sentence that recommends an action. */
  readonly action: string;
  /** The command that shows the evidence. */
  readonly next: string;
}

/** One problem in the books. Decimals are strings with every digit; times are Unix milliseconds. */
export interface Finding extends JsonRecord {
  /** Stays the same in every run while the problem exists. */
  readonly id: string;
  readonly check: CheckName;
  readonly severity: Severity;
  readonly walletId: string | null;
  readonly assetId: string | null;
  readonly symbol: string | null;
  /** The first leg that shows the problem. */
  readonly ledgerId: string | null;
  readonly transactionId: string | null;
  readonly timestamp: number | null;
  /** Number of legs that show the problem; null if the finding does not concern legs. */
  readonly legs: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  /** The wrong or missing quantity; null if the finding has no such quantity. */
  readonly amount: string | null;
  readonly message: string;
  readonly causes: readonly Cause[];
  /** The command to run next. */
  readonly next: string;
}

export interface CheckResult extends JsonRecord {
  readonly check: CheckName;
  readonly status: 'passed' | 'failed' | 'not-possible';
  readonly findings: number;
  /** Why the check was not possible or is incomplete; null if the check is complete. */
  readonly why: string | null;
}

/** A finding without causes, as a check reports it. */
export interface Draft {
  readonly check: CheckName;
  readonly severity: Severity;
  /** Identifies the finding among the findings of the same check. Stays the same in every run. */
  readonly key: readonly (string | null)[];
  readonly pair?: Pair | undefined;
  readonly walletId?: string | undefined;
  readonly leg?: FoundLeg | undefined;
  readonly legs?: number;
  readonly expected?: string | null;
  readonly actual?: string | null;
  readonly amount?: string | null;
  readonly message: string;
  readonly next?: string;
  /** False if the problem lies before the period. Such a finding is not reported, but can be the cause of another finding. */
  readonly inPeriod: boolean;
  /** When the account last synced, in Unix milliseconds; 0 if never. */
  readonly lastSyncedAt?: number;
  /** True if the problem concerns only the current status of an account. Such a problem cannot cause other findings. */
  readonly isPresentOnly?: boolean | undefined;
  /** Whether the leg is outgoing or a fee. */
  readonly outgoing?: boolean;
  /** The value of `amount`, if a price is known. */
  readonly value?: Money | null;
}

export interface Money {
  readonly amount: Exact;
  /** Empty if unknown. */
  readonly currency: string;
}

/** The leg that a finding points to. */
export interface FoundLeg {
  readonly id: string;
  readonly transactionId: string;
  readonly time: number | undefined;
}

export function findingOf(draft: Draft, causes: readonly Cause[]): Finding {
  const { check, severity, key, pair, leg, message } = draft;
  return {
    id: `${check}-${fingerprint([check, ...key])}`,
    check,
    severity,
    walletId: pair?.walletId || draft.walletId || null,
    assetId: pair?.assetId ?? null,
    symbol: pair?.symbol ?? null,
    ledgerId: leg?.id ?? null,
    transactionId: leg?.transactionId ?? null,
    timestamp: leg?.time ?? null,
    legs: draft.legs ?? null,
    expected: draft.expected ?? null,
    actual: draft.actual ?? null,
    amount: draft.amount ?? null,
    message,
    causes,
    next:
      draft.next ??
      (leg ? `cryptodata ledgers explain ${shellWord(leg.id)}` : 'cryptodata integrations list'),
  };
}

function fingerprint(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 10);
}

/**
 * Sorts findings by check (causes before effects), then by time, then by id. The result does not depend on the order of the
 * legs.
 */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => CHECKS.indexOf(finding.check);
  const time = ({ timestamp }: Finding) => timestamp ?? Number.POSITIVE_INFINITY;
  return [...findings].sort(
    (left, right) =>
      rank(left) - rank(right) ||
      (time(left) === time(right) ? 0 : time(left) - time(right)) ||
      (left.id < right.id ? -1 : 1),
  );
}
