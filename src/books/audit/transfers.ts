import { textOf } from '../../api/ledgers.ts';
import { type Exact, exact } from '../../core/decimal.ts';
import { isRecord } from '../../core/json.ts';
import { figureOf, isFigure } from '../figure.ts';
import type { Draft } from './finding.ts';
import { type AuditLeg, valueAtPrice } from './leg.ts';

const HOUR = 3_600_000;
/** Maximum time from an outgoing leg to the matching incoming leg. Some chains are slow, and some exchanges confirm by hand. */
const LATEST = 15 * HOUR;
/** An incoming leg may precede the matching outgoing leg by at most this time, because clocks differ. */
const EARLIEST = 1 * HOUR;
/**
 * A leg is checked only after a leg has been added that is later by more than this time. By then, all legs that can match the
 * first leg have been read.
 */
const HORIZON = LATEST + EARLIEST;
/**
 * The incoming quantity must be at least this share of the outgoing quantity. The share is less than 1, because some networks
 * and exchanges deduct a fee for which there is no leg.
 */
const LEAST_SHARE = exact('0.98') as Exact;

/** The fields of a leg that are compared with the other legs of its transaction. */
interface Side {
  readonly type: string;
  readonly asset: string;
  readonly walletId: string;
  readonly quantity: unknown;
}

interface Transaction {
  readonly sides: Side[];
  /** Time of the transaction's last leg. */
  last: number;
}

/** A leg that may be one side of a transfer. Either the leg refers to another account of the user, or it is not categorised. */
interface Candidate {
  readonly leg: AuditLeg;
  readonly time: number;
  /** The user's wallet on the other side, if the leg refers to such a wallet. */
  readonly otherWallet: string | undefined;
  readonly transaction: Transaction;
  isMatched: boolean;
}

export interface MatchCounts {
  /** Number of transfers with the same quantity on both sides. */
  exact: number;
  /** Number of transfers whose two quantities differ by a fee. */
  withFee: number;
}

/**
 * Searches for the other side of each transfer.
 *
 * - A leg counts as a transfer if it refers to another account of the user. An uncategorised leg also counts as a transfer if
 *   its transaction has no leg in the other direction.
 * - The other side is a leg of the same asset in another wallet of the user. The incoming leg is at most 1 hour earlier and at
 *   most 15 hours later than the outgoing leg. The incoming quantity equals the outgoing quantity, or is smaller by a fee.
 * - If one transaction moves the asset between two wallets, both sides are already known.
 *
 * Memory grows with the number of legs in the busiest 32 hours.
 */
export class TransferCheck {
  readonly #report: (draft: Draft) => void;
  readonly #transactions = new RecentTransactions();
  /** Candidates that are not checked yet, in order of time. `#byAsset` contains the same candidates, grouped by asset. */
  readonly #window: Candidate[] = [];
  readonly #byAsset = new Map<string, Candidate[]>();
  readonly matches: MatchCounts = { exact: 0, withFee: 0 };

  constructor(report: (draft: Draft) => void) {
    this.#report = report;
  }

  add(leg: AuditLeg): void {
    const { time } = leg;
    if (time === undefined) return;
    this.#judgeBefore(time - HORIZON);
    const { type, asset, walletId } = leg;
    const transaction = this.#transactions.of(leg.transactionId, time);
    transaction.sides.push({ type, asset, walletId, quantity: leg.record['quantity'] });
    const otherWallet = counterparty(leg);
    if (!isMovement(leg) || (otherWallet === undefined && !isUncategorised(leg))) return;
    const candidate = { leg, time, otherWallet, transaction, isMatched: false };
    this.#window.push(candidate);
    const others = this.#byAsset.get(asset);
    if (others) others.push(candidate);
    else this.#byAsset.set(asset, [candidate]);
  }

  finish(): void {
    this.#judgeBefore(Number.POSITIVE_INFINITY);
  }

  #judgeBefore(time: number): void {
    for (let first = this.#window[0]; first && first.time < time; first = this.#window[0]) {
      this.#judge(first);
      this.#window.shift();
      this.#byAsset.get(first.leg.asset)?.shift();
    }
  }

  #judge(own: Candidate): void {
    if (own.isMatched || !isOneSided(own)) return;
    const partner = this.#partners(own).find((other) => this.#isFree(other, own));
    if (!partner) {
      this.#report(draftOf(own));
      return;
    }
    partner.isMatched = true;
    const [out, into] = own.leg.type === 'outgoing' ? [own, partner] : [partner, own];
    this.matches[fit(out, into) === EXACT ? 'exact' : 'withFee'] += 1;
  }

  /** Returns false if `partner` and a third leg are the best match for each other. */
  #isFree(partner: Candidate, own: Candidate): boolean {
    const [best] = this.#partners(partner);
    if (!best || best === own) return true;
    return this.#partners(best)[0] !== partner;
  }

  /**
   * Returns the unmatched legs that may be the other side of `own`, best match first. Equal quantities are better than
   * quantities that differ by a fee. If two legs match equally well, the leg that is closer in time comes first. If the times
   * are equally close, the leg with the smaller id comes first.
   */
  #partners(own: Candidate): Candidate[] {
    const found: { readonly partner: Candidate; readonly rank: number; readonly gap: number }[] = [];
    const isOut = own.leg.type === 'outgoing';
    for (const partner of this.#byAsset.get(own.leg.asset) ?? []) {
      const { leg, time, isMatched } = partner;
      if (isMatched || leg.type === own.leg.type || leg.walletId === own.leg.walletId) continue;
      const gap = isOut ? time - own.time : own.time - time;
      if (gap > LATEST || gap < -EARLIEST) continue;
      if (excludes(own, leg) || excludes(partner, own.leg) || !isOneSided(partner)) continue;
      const rank = isOut ? fit(own, partner) : fit(partner, own);
      if (rank !== NONE) found.push({ partner, rank, gap: Math.abs(gap) });
    }
    return found
      .sort((a, b) => a.rank - b.rank || a.gap - b.gap || (a.partner.leg.id < b.partner.leg.id ? -1 : 1))
      .map(({ partner }) => partner);
  }
}

/**
 * Transactions with a leg in the last 16 hours. Old transactions are not deleted one by one, because a map can keep deleted
 * entries in memory. Instead, a whole map is dropped.
 */
class RecentTransactions {
  #current = new Map<string, Transaction>();
  #previous = new Map<string, Transaction>();
  #since = Number.NEGATIVE_INFINITY;

  of(id: string, time: number): Transaction {
    if (time - this.#since > HORIZON) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#since = time;
    }
    const known = this.#current.get(id);
    let transaction = known ?? this.#previous.get(id);
    if (!transaction || transaction.last < time - HORIZON) transaction = { sides: [], last: time };
    transaction.last = time;
    if (transaction !== known) this.#current.set(id, transaction);
    return transaction;
  }
}

const [EXACT, FEE_LEG, FEE, NONE] = [0, 1, 2, 3];

/** Rates how well an incoming leg matches an outgoing leg. A smaller result is better. */
function fit(out: Candidate, into: Candidate): number {
  // First, compare the quantities as text. This is fast, and usually sufficient, because most transfers arrive in full.
  const { quantity } = out.leg.record;
  if (quantity === into.leg.record['quantity']) return isFigure(quantity) ? EXACT : NONE;
  const [sent, received] = [out.leg.quantity, into.leg.quantity];
  if (sent === null || received === null) return NONE;
  const order = sent.comparedTo(received);
  if (order <= 0) return order === 0 ? EXACT : NONE;
  if (feesOf(out)?.equals(sent.minus(received))) return FEE_LEG;
  return received.lessThan(sent.times(LEAST_SHARE)) ? NONE : FEE;
}

/** Returns the sum of the transaction's fees that were paid in the leg's asset; null if there are no such fees. */
function feesOf({ leg, transaction }: Candidate): Exact | null {
  return transaction.sides
    .filter(({ type, asset }) => type === 'fee' && asset === leg.asset)
    .map(({ quantity }) => figureOf(quantity))
    .reduce<Exact | null>((sum, fee) => (fee ? (sum?.plus(fee) ?? fee) : sum), null);
}

/** True if no leg in the candidate's transaction can be the other side. */
function isOneSided({ leg, otherWallet, transaction }: Candidate): boolean {
  const opposite = leg.type === 'outgoing' ? 'incoming' : 'outgoing';
  const isOtherSide = ({ type, asset, walletId }: Side) =>
    type === opposite && (otherWallet === undefined || (asset === leg.asset && walletId !== leg.walletId));
  return !transaction.sides.some(isOtherSide);
}

/** Excludes fees and fiat money. Fiat money moves to or from a bank, not between wallets. */
function isMovement(leg: AuditLeg): boolean {
  return (leg.type === 'outgoing' || leg.type === 'incoming') && !isFiat(leg);
}

function isFiat(leg: AuditLeg): boolean {
  const { asset } = leg.record;
  return isRecord(asset) && asset['type'] === 'fiat';
}

/** True if the candidate refers to a wallet on the other side, and `other` belongs to a different wallet. */
function excludes({ otherWallet }: Candidate, other: AuditLeg): boolean {
  return otherWallet !== undefined && otherWallet !== other.walletId;
}

/** Returns the wallet in `toAccount` or `fromAccount`; undefined if this field contains no wallet, or the wallet of the leg. */
function counterparty(leg: AuditLeg): string | undefined {
  const account = leg.record[leg.type === 'outgoing' ? 'toAccount' : 'fromAccount'];
  const walletId = isRecord(account) ? textOf(account['walletId']) : '';
  return walletId === '' || walletId === leg.walletId ? undefined : walletId;
}

/** Labels that a transfer can have. All other labels, such as income, payment and trade, point to a third party. */
const UNCATEGORISED = new Set(['', 'deposit', 'withdrawal', 'transfer']);

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
      : `${quantity} ${leg.symbol} arrived, but no matching leg left ${where} in the 15 hours before.`,
    inPeriod: leg.inPeriod,
  };
}
