import { textOf } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import { isRecord } from '../../core/json.ts';
import type { Draft } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

const HOUR = 3_600_000;
/** An incoming leg may come this much later than its outgoing leg: slow chains, exchanges that confirm by hand. */
const LATEST = 15 * HOUR;
/** Clocks differ: an incoming leg may bear an earlier time. */
const EARLIEST = 1 * HOUR;
/** A leg is judged when no partner can come any more. */
const HORIZON = LATEST + EARLIEST;
/** The part of a transfer that a network or an exchange may keep, if no fee leg explains it. */
const LARGEST_FEE = '0.02';

/** A leg that was sent to, or came from, an own account; the other side may be missing. */
interface Candidate {
  readonly leg: AuditLeg;
  /** The own account that the leg names as the other side. */
  readonly otherWallet: string | undefined;
  /** Fees in the same asset of the same transaction. */
  readonly fees: Exact | null;
}

interface Transaction {
  readonly legs: AuditLeg[];
  open: number;
}

export interface MatchCounts {
  /** Pairs with the same quantity on both sides. */
  exact: number;
  /** Pairs whose difference is explained as a fee. */
  withFee: number;
}

/**
 * Looks for the other side of each transfer: the same asset in another own wallet, from 1 hour before to 15 hours after
 * the outgoing leg, the same quantity or less by a fee. Legs of a transaction that moves the asset between two wallets
 * are matched already. A leg counts as a transfer if it names another own account, or if its transaction has one side
 * only and nobody has categorised it. Memory grows with the legs of 16 hours.
 */
export class TransferCheck {
  readonly #report: (draft: Draft) => void;
  readonly #transactions = new Map<string, Transaction>();
  /** Legs in the window, ordered by time. */
  readonly #window: AuditLeg[] = [];
  #judged = 0;
  readonly #byAsset = new Map<string, Set<AuditLeg>>();
  readonly #matched = new Set<AuditLeg>();
  readonly matches: MatchCounts = { exact: 0, withFee: 0 };

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  add(leg: AuditLeg): void {
    if (leg.time === undefined) return;
    this.#judgeBefore(leg.time - HORIZON);
    this.#window.push(leg);
    const transaction = this.#transactions.get(leg.transactionId) ?? { legs: [], open: 0 };
    transaction.legs.push(leg);
    transaction.open += 1;
    this.#transactions.set(leg.transactionId, transaction);
    if (leg.type === 'fee') return;
    const others = this.#byAsset.get(leg.asset);
    if (others) others.add(leg);
    else this.#byAsset.set(leg.asset, new Set([leg]));
  }

  finish(): void {
    this.#judgeBefore(Number.POSITIVE_INFINITY);
  }

  #judgeBefore(time: number): void {
    for (;;) {
      const leg = this.#window[this.#judged];
      if (!leg || (leg.time ?? 0) >= time) break;
      this.#judged += 1;
      this.#judge(leg);
      this.#forget(leg);
    }
    if (this.#judged > 1000 && this.#judged * 2 > this.#window.length) {
      this.#window.splice(0, this.#judged);
      this.#judged = 0;
    }
  }

  #judge(leg: AuditLeg): void {
    if (this.#matched.has(leg)) return;
    const own = this.#candidate(leg);
    if (!own) return;
    const partner = this.#partners(own).find((other) => this.#isFree(other, leg));
    if (partner) {
      this.#matched.add(partner.leg);
      const [out, into] = leg.type === 'outgoing' ? [own, partner] : [partner, own];
      this.matches[fit(out, into) === EXACT ? 'exact' : 'withFee'] += 1;
      return;
    }
    this.#report(draftOf(own));
  }

  #forget(leg: AuditLeg): void {
    this.#matched.delete(leg);
    const others = this.#byAsset.get(leg.asset);
    others?.delete(leg);
    if (others?.size === 0) this.#byAsset.delete(leg.asset);
    const transaction = this.#transactions.get(leg.transactionId);
    if (!transaction) return;
    transaction.open -= 1;
    if (transaction.open === 0) this.#transactions.delete(leg.transactionId);
  }

  #candidate(leg: AuditLeg): Candidate | undefined {
    if (leg.type !== 'outgoing' && leg.type !== 'incoming') return undefined;
    // Money comes from a bank and goes to one: no wallet is on the other side.
    if (isFiat(leg)) return undefined;
    const legs = this.#transactions.get(leg.transactionId)?.legs ?? [leg];
    const opposite = leg.type === 'outgoing' ? 'incoming' : 'outgoing';
    const otherSide = legs.filter(({ type }) => type === opposite);
    if (otherSide.some((other) => other.asset === leg.asset && other.walletId !== leg.walletId))
      return undefined;
    const otherWallet = counterparty(leg);
    if (otherWallet === undefined && (otherSide.length > 0 || !isUncategorised(leg))) return undefined;
    const fees = legs
      .filter((fee) => fee.type === 'fee' && fee.asset === leg.asset)
      .reduce<Exact | null>(
        (sum, { quantity }) => (quantity ? (sum?.plus(quantity) ?? quantity) : sum),
        null,
      );
    return { leg, otherWallet, fees };
  }

  /** Whether no other leg fits `partner` better that has no better partner itself. */
  #isFree(partner: Candidate, leg: AuditLeg): boolean {
    const [best] = this.#partners(partner);
    if (!best || best.leg === leg) return true;
    return this.#partners(best)[0]?.leg !== partner.leg;
  }

  /** Unmatched legs that fit, best first: exact before explained by a fee, then the nearest in time, then by id. */
  #partners(own: Candidate): Candidate[] {
    const found: { readonly partner: Candidate; readonly rank: number; readonly gap: number }[] = [];
    for (const other of this.#byAsset.get(own.leg.asset) ?? []) {
      if (other.type === own.leg.type || other.walletId === own.leg.walletId || this.#matched.has(other))
        continue;
      const [out, into] = own.leg.type === 'outgoing' ? [own.leg, other] : [other, own.leg];
      const gap = (into.time ?? 0) - (out.time ?? 0);
      if (gap > LATEST || gap < -EARLIEST) continue;
      const partner = this.#candidate(other);
      if (!partner || excludes(own, other) || excludes(partner, own.leg)) continue;
      const rank = own.leg.type === 'outgoing' ? fit(own, partner) : fit(partner, own);
      if (rank !== NONE) found.push({ partner, rank, gap: Math.abs(gap) });
    }
    return found
      .sort((a, b) => a.rank - b.rank || a.gap - b.gap || (a.partner.leg.id < b.partner.leg.id ? -1 : 1))
      .map(({ partner }) => partner);
  }
}

const [EXACT, FEE_LEG, FEE, NONE] = [0, 1, 2, 3];

/** How well an incoming leg explains an outgoing one; smaller is better. */
function fit(out: Candidate, into: Candidate): number {
  const [sent, received] = [out.leg.quantity, into.leg.quantity];
  if (sent === null || received === null) return NONE;
  const lost = sent.minus(received);
  if (lost.isZero()) return EXACT;
  if (lost.isNegative()) return NONE;
  if (out.fees !== null && lost.equals(out.fees)) return FEE_LEG;
  return lost.lessThanOrEqualTo(sent.times(LARGEST_FEE)) ? FEE : NONE;
}

function isFiat(leg: AuditLeg): boolean {
  const { asset } = leg.record;
  return isRecord(asset) && asset['type'] === 'fiat';
}

/** Whether a leg names an account that is not the other's. */
function excludes({ otherWallet }: Candidate, other: AuditLeg): boolean {
  return otherWallet !== undefined && otherWallet !== other.walletId;
}

/** The account on the other side, if the leg names one that is not its own. */
function counterparty(leg: AuditLeg): string | undefined {
  const account = leg.record[leg.type === 'outgoing' ? 'toAccount' : 'fromAccount'];
  const walletId = isRecord(account) ? textOf(account['walletId']) : '';
  return walletId === '' || walletId === leg.walletId ? undefined : walletId;
}

const UNCATEGORISED = new Set(['', 'deposit', 'withdrawal', 'transfer']);

/** Nobody said that it is income, a payment, a trade or anything else that ends at somebody else's account. */
function isUncategorised(leg: AuditLeg): boolean {
  return UNCATEGORISED.has(textOf(leg.record['label']).toLowerCase());
}

function draftOf({ leg, otherWallet }: Candidate): Draft {
  const quantity = leg.quantity?.toFixed() ?? 'an unknown quantity of';
  const out = leg.type === 'outgoing';
  const where = otherWallet === undefined ? 'any other wallet' : `wallet ${otherWallet}`;
  return {
    check: 'unmatched-transfer',
    severity: otherWallet === undefined ? 'info' : 'warning',
    key: [leg.id],
    pair: leg.pair,
    leg,
    legs: 1,
    outgoing: leg.type !== 'incoming',
    amount: leg.quantity?.toFixed() ?? null,
    value: valueAtPrice(leg.quantity, leg),
    message: out
      ? `${quantity} ${leg.symbol} left this wallet and did not arrive in ${where} within 15 hours.`
      : `${quantity} ${leg.symbol} arrived, and no matching leg left ${where} in the 15 hours before.`,
    inPeriod: leg.inPeriod,
  };
}
