import type { Exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { nameOfAsset } from '../../core/look-alikes.ts';
import { shellWord } from '../../core/text.ts';
import type { Pair } from '../asset.ts';
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
  /** Whether the check depends on the order of the legs. Such a check cannot check legs without a time. */
  readonly isOrdered?: true;
  /**
   * Whether the check also examines balances that are carried into the period. Such a check can run without legs in the period,
   * but needs all legs before the period.
   */
  readonly judgesCarried?: true;
  /** Whether the id of a finding depends on the period. A finding of a quarter is then not a finding of the year. */
  readonly isOfPeriod?: true;
  /** Whether other findings may cause the findings of this check. If so, the audit lists likely causes. */
  readonly isEffect?: true;
  /** Set if the check examines the connected accounts, or counts of transactions, instead of legs. */
  readonly isAboutService?: 'accounts' | 'transactions';
  start(report: (draft: Draft) => void, scope: Scope, service: ServiceData): Running;
  /**
   * Returns a finding of this check as the likely cause of another finding. Returns undefined if it is not a cause of that
   * finding.
   */
  cause?(draft: Draft, effect: Draft): DraftCause | undefined;
}

/** Declares a check. */
export function declareCheck<Name extends string>(declared: Check<Name>): Check<Name> {
  return declared;
}

/** A check that examines the legs of one audit. */
export interface Running extends Fold {
  /** Called after the last leg of the first read. */
  finish?(): void;
  /** Whether the check needs to read all legs a second time. Read by the audit after `finish`. */
  readonly readsAgain?: boolean;
  /** Receives each leg of the second read. */
  again?(leg: Leg): void;
  /** Called after the second read. */
  finishAgain?(): void;
  /** A sentence that says why the check could not run. */
  notPossible?(): string | undefined;
  /** A sentence that says which data the check could not check. */
  notJudged?(): string | undefined;
  /** Numbers of matches. Only the check that matches transfers has this field. */
  readonly matches?: MatchCounts;
}

/** Number of matched transfers, by the confidence of the match. */
export interface MatchCounts {
  /** Matches in which a leg names the other wallet. */
  high: number;
  /**
   * Matches in which the quantities are equal, or differ by exactly the amount of a fee leg. Also matches in which the
   * quantities differ by at most 1 %, and the legs are at most one hour apart.
   */
  medium: number;
  /**
   * Matches with a larger difference in quantity or time than a `medium` match, and matches for which another leg fits equally
   * well. Such a match is a guess, and is reported as a finding.
   */
  low: number;
}

/** A command to run next, without the flags that select its legs. */
export interface NextCommand {
  readonly next: string;
  /** An id to append to the command. */
  readonly operand?: string | undefined;
  /** Whether only the service can answer the command. If not, the command can also read the legs of a file or a mirror. */
  readonly needsService: boolean;
  /** Whether the command is about a leg from before the period. */
  readonly beforePeriod?: true;
}

/**
 * Returns the text of a command with flags, such as ` --period 2025`. An id that starts with a hyphen would be read as a flag, so
 * it comes last, after `--`.
 */
export function commandText({ next, operand }: NextCommand, flags = ''): string {
  if (operand === undefined) return next + flags;
  const word = shellWord(operand);
  return operand.startsWith('-') ? `${next}${flags} -- ${word}` : `${next} ${word}${flags}`;
}

/** The command that explains a leg. */
export function explainCommand(id: string): NextCommand {
  return { next: 'cryptodata ledgers explain', operand: id, needsService: false };
}

/** The command that lists the legs of a transaction. */
export function transactionCommand(id: string): NextCommand {
  return { next: 'cryptodata txns ledgers', operand: id, needsService: true };
}

/** The command that explains a leg. If the leg has no id, the command that lists the accounts. */
export function nextOf(leg: { readonly id: string } | undefined): NextCommand {
  return leg?.id ? explainCommand(leg.id) : { next: 'cryptodata integrations list', needsService: true };
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
  /** Whether the evidence is from before the period. */
  readonly beforePeriod?: true;
}

/** A cause in the form in which a check declares it. */
export interface DraftCause extends Cause, NextCommand {}

/** A finding in the form in which a check reports it. */
export interface Draft {
  readonly severity: Severity;
  /** Distinguishes this finding from all other findings of the same check. The key is the same in every run. */
  readonly key: readonly (string | null)[];
  readonly pair?: Pair | undefined;
  /**
   * The wallets and assets of a finding that is about several assets. The finding is set aside if all of these assets, or all
   * except one, are spam.
   */
  readonly pairs?: readonly Pair[];
  /** The account, for a finding that is not about an asset. */
  readonly walletId?: string | undefined;
  readonly leg?: FoundLeg | undefined;
  readonly legs?: number;
  readonly expected?: string | null;
  readonly actual?: string | null;
  readonly amount?: string | null;
  readonly message: string;
  /** A command that only the service can answer. If undefined, the command to run next explains the leg. */
  readonly next?: string;
  /** An id to append to `next`. */
  readonly operand?: string;
  /** False if the problem is outside the period. Such a finding is not reported, but can be the cause of another finding. */
  readonly inPeriod: boolean;
  /** The value of `amount`, if a price of the asset is known. */
  readonly value?: Value | null;
  /**
   * Findings with the same `stake` are about the same value. Only the largest value among these findings counts as the value at
   * stake.
   */
  readonly stake?: string;
  /** Whether the leg is outgoing or a fee. */
  readonly outgoing?: boolean;
  /**
   * The movement that the books lack before the leg, according to this finding; undefined if unknown. The movement is positive
   * for a missing inflow or a duplicate outflow, and negative for a missing outflow or a duplicate inflow.
   */
  readonly lack?: Exact | undefined;
  /** Whether `lack` is a minimum, so that more may be missing. */
  readonly lacksMore?: true;
  /** The day of the leg, as an ISO 8601 date in the time zone of the books. */
  readonly day?: string;
  /** Whether the leg left a wallet and has no match, so that its quantity may be missing in another wallet. */
  readonly isLost?: boolean;
  /** For a finding about an account: the time of its last sync in Unix milliseconds, and the sync that the finding is about. */
  readonly lastSyncedAt?: number | undefined;
  readonly syncId?: string | undefined;
}

export interface Value {
  readonly amount: Exact;
  /** Null if unknown. */
  readonly currency: string | null;
  /**
   * The time of the leg that has the price, in Unix milliseconds. Undefined if this time is unknown, or if several prices are
   * used.
   */
  readonly pricedAt?: number | undefined;
}

/** The leg that a finding points to. */
export interface FoundLeg {
  readonly id: string;
  readonly transactionId: string;
  /** The time of the leg in Unix milliseconds; undefined if the leg has no time. */
  readonly time: number | undefined;
  readonly syncId: string | null;
}

/** Copies only the required fields, so that findings do not keep whole records in memory. */
export function foundLeg(leg: Leg): FoundLeg {
  const { id, transactionId, time } = leg;
  return { id, transactionId, time, syncId: leg.served('syncId') };
}

/**
 * Returns the parts of a finding about one leg. If the user accepts the finding, the acceptance applies to this leg. If the leg
 * has no id, the acceptance applies to all legs with the same content.
 */
export function aboutLeg(leg: Leg, scope: Scope) {
  return {
    ...{ key: [leg.key], pair: leg.pair, leg: foundLeg(leg), legs: 1, outgoing: leg.sign === -1 },
    inPeriod: scope.has(leg.time),
  };
}

/** Returns the value of an amount at the price of a leg; null if the amount or the price is unknown. */
export function valueAtPrice(amount: Exact | null, { price, currency, time }: Leg): Value | null {
  if (amount === null || price === null) return null;
  return { amount: amount.abs().times(price), currency, pricedAt: time };
}

/** The id of a leg in a sentence. */
export function idText({ id }: { readonly id: string }): string {
  return id || 'without an id';
}

/** The name of an asset in a sentence. */
export function assetText(asset: Pick<Pair, 'symbol' | 'assetId'>): string {
  return nameOfAsset(asset, 'an asset without a symbol');
}

/** Returns text such as `1.5 ETH`, with words for an unknown quantity or asset. */
export function amountText(quantity: Exact | null, asset: Pick<Pair, 'symbol' | 'assetId'>): string {
  return `${quantity?.toFixed() ?? 'an unknown quantity of'} ${assetText(asset)}`;
}
