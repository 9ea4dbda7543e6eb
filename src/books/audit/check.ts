import type { Exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { toldApart } from '../../core/look-alikes.ts';
import type { AssetName, Pair } from '../asset.ts';
import type { Leg } from '../leg.ts';
import type { Scope } from '../scope.ts';
import type { Fold } from '../walk.ts';
import type { ServiceData } from './service-data.ts';

/** The gravest first. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * One audit check: its texts, the fields that it needs, and its code. To add a check, write a file in `checks/`, and add it to
 * the list in `checks/index.ts`.
 */
export interface Check<Name extends string = string> {
  readonly name: Name;
  /** The name of the findings in a report. */
  readonly title: string;
  /** Explains the findings in words that a client understands. */
  readonly means: string;
  readonly fix: string;
  /** Fields of a leg without which the check cannot run. */
  readonly needs: readonly string[];
  /** Whether the check depends on the order of the legs, so that it cannot check legs without a time. */
  readonly isOrdered?: true;
  /**
   * Whether the check also covers balances that are carried into the period. Such a check can run without legs in the period, but
   * needs all legs before it.
   */
  readonly judgesCarried?: true;
  /** Whether findings may be effects of other findings. The audit then lists likely causes. */
  readonly isEffect?: true;
  /** Whether a finding about one leg means that the other side of this leg is missing. */
  readonly findsOneSided?: true;
  /** What the check examines instead of legs: the connected accounts, or transactions that the service counts. */
  readonly isAboutService?: 'accounts' | 'transactions';
  start(report: (draft: Draft) => void, scope: Scope, service: ServiceData): Running;
  /** Returns a finding of this check as the likely cause of another finding; undefined if it is not a cause. */
  cause?(draft: Draft, effect: Draft): Cause | undefined;
}

/** Declares a check. */
export function declareCheck<Name extends string>(declared: Check<Name>): Check<Name> {
  return declared;
}

/** A check that examines the legs of one audit. */
export interface Running extends Fold {
  /** Called after the last leg. */
  finish?(): void;
  /** Whether the check needs to read all legs a second time. Called after `finish`. */
  readonly readsAgain?: boolean;
  /** Receives each leg of the second read. */
  again?(leg: Leg): void;
  /** Called after the second read. */
  finishAgain?(): void;
  /** Why the check could not run, as a sentence. */
  notPossible?(): string | undefined;
  /** What could not be checked, as a sentence. */
  notJudged?(): string | undefined;
  /** For the check that matches transfers. */
  readonly matches?: MatchCounts;
}

/** Number of matched transfers, by how certain the match is. */
export interface MatchCounts {
  /** A leg names the other wallet. */
  high: number;
  /**
   * The quantities are equal, or differ by exactly the amount of a fee leg. Alternatively, they differ by at most 1 %, and the legs
   * are at most one hour apart.
   */
  medium: number;
  /** The quantities differ by more, or the legs lie further apart. Such a match is a guess, and is reported as a finding. */
  low: number;
}

/** A likely cause of a finding, supported by evidence in the data. */
export interface Cause extends JsonRecord {
  readonly cause: string;
  readonly confidence: 'high' | 'medium' | 'low';
  readonly evidence: string;
  /** A sentence that recommends an action. */
  readonly action: string;
  /** The command that shows the evidence. */
  readonly next: string;
  /** Whether the evidence lies before the period. */
  readonly beforePeriod?: true;
}

/** A finding as a check reports it. */
export interface Draft {
  readonly severity: Severity;
  /** Identifies the finding among the findings of the same check. Stays the same in every run. */
  readonly key: readonly (string | null)[];
  readonly pair?: Pair | undefined;
  /** The assets, for a finding about several assets. It is set aside if at most one of them is not spam. */
  readonly assets?: readonly AssetName[];
  /** The account, for a finding that is not about an asset. */
  readonly walletId?: string | undefined;
  readonly leg?: FoundLeg | undefined;
  readonly legs?: number;
  readonly expected?: string | null;
  readonly actual?: string | null;
  readonly amount?: string | null;
  readonly message: string;
  readonly next?: string;
  /** False if the problem lies outside the period. Such a finding is not reported, but can be the cause of another finding. */
  readonly inPeriod: boolean;
  /** The value of `amount`, if a price is known. */
  readonly value?: Value | null;
  /** Findings with the same `stake` are about the same value. Only the largest of their values is at stake. */
  readonly stake?: string;
  /** Whether the leg is outgoing or a fee. */
  readonly outgoing?: boolean;
  /** The day of the leg, as an ISO 8601 date in the time zone of the books. */
  readonly day?: string;
  /** Whether the leg left a wallet and arrived in no other, so that its quantity may be missing elsewhere. */
  readonly isLost?: boolean;
  /** For an account: when it last synced, in Unix milliseconds, and the sync that the finding is about. */
  readonly lastSyncedAt?: number | undefined;
  readonly syncId?: string | undefined;
}

export interface Value {
  readonly amount: Exact;
  /** Null if unknown. */
  readonly currency: string | null;
  /** The time of the leg that has the price, in Unix milliseconds. Undefined if it is unknown, or if there are several prices. */
  readonly pricedAt?: number | undefined;
}

/** The leg that a finding points to. */
export interface FoundLeg {
  readonly id: string;
  readonly transactionId: string;
  /** Unix milliseconds; undefined if the leg has no time. */
  readonly time: number | undefined;
  readonly syncId: string | null;
}

/** Copies only the required fields, so that findings do not keep whole records in memory. */
export function foundLeg(leg: Leg): FoundLeg {
  const { id, transactionId, time } = leg;
  return { id, transactionId, time, syncId: leg.served('syncId') };
}

/** The parts of a finding about one leg. An acceptance covers this leg or, if it has no id, legs with the same content. */
export function aboutLeg(leg: Leg, scope: Scope) {
  return {
    ...{ key: [leg.key], pair: leg.pair, leg: foundLeg(leg), legs: 1, outgoing: leg.sign === -1 },
    inPeriod: scope.has(leg.time),
  };
}

/** Returns null if the amount or the price is unknown. */
export function valueAtPrice(amount: Exact | null, { price, currency, time }: Leg): Value | null {
  if (amount === null || price === null) return null;
  return { amount: amount.abs().times(price), currency, pricedAt: time };
}

/** The id of a leg in a sentence. */
export function idText({ id }: { readonly id: string }): string {
  return id || 'without an id';
}

/** The name of an asset in a sentence. */
export function assetText({ symbol, assetId }: Pick<Pair, 'symbol' | 'assetId'>): string {
  return toldApart(symbol) || assetId || 'an asset without a symbol';
}

/** Returns text such as `1.5 ETH`, also if one of the two is unknown. */
export function amountText(quantity: Exact | null, asset: Pick<Pair, 'symbol' | 'assetId'>): string {
  return `${quantity?.toFixed() ?? 'an unknown quantity of'} ${assetText(asset)}`;
}
