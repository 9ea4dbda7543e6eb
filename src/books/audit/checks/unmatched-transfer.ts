import { accountId } from '../../../api/integrations.ts';
import { type Exact, exact } from '../../../core/decimal.ts';
import { plural } from '../../../core/text.ts';
import type { Leg, TransactionKey } from '../../leg.ts';
import { evidenceOf } from '../causes.ts';
import { aboutLeg, amountText, check, type MatchCounts, valueAtPrice } from '../check.ts';
import { EARLIEST, LATEST, MARGIN } from '../margin.ts';

/**
 * The incoming quantity must be at least this share of the outgoing quantity. The share is less than 1, because some networks
 * and exchanges deduct a fee for which there is no leg.
 */
const LEAST_SHARE = exact('0.98') as Exact;

/**
 * Searches for the other side of each transfer.
 *
 * - A leg counts as a transfer if it names another account of the user. An uncategorised leg also counts as a transfer if its
 *   transaction has no leg in the other direction.
 * - The other side is a leg of the same asset in another wallet of the user. The incoming leg is at most 1 hour earlier and at
 *   most 15 hours later than the outgoing leg. The incoming quantity equals the outgoing quantity, or is smaller by a fee.
 * - If one transaction moves the asset between two wallets, both sides are already known.
 *
 * Memory grows with the number of legs in the busiest 32 hours, and of legs that name an unknown wallet.
 */
export const unmatchedTransfer = check({
  name: 'unmatched-transfer',
  title: 'Transfers with only one side',
  means:
    'An asset left a wallet without arriving in another wallet, or arrived in a wallet without leaving another wallet.',
  fix: 'Connect the other account, or categorise the leg.',
  needs: ['label', 'fromAccount', 'toAccount'],
  isOrdered: true,
  start(report, scope, { integrations = [] }) {
    /** The wallets of the user. */
    const own = new Set(integrations.map((account) => accountId(account)));
    /** Legs without a partner that name a wallet of which no account and no earlier leg is known. */
    const named: (readonly [leg: Leg, otherWallet: string])[] = [];
    const matches: MatchCounts = { high: 0, medium: 0, low: 0 };
    let unjudged = 0;
    const search = new TransferSearch({
      matched(out, into, confidence) {
        const inPeriod = scope.has(out.time) || scope.has(into.time);
        if (!inPeriod) return;
        matches[confidence] += 1;
        if (confidence !== 'low') return;
        const leg = scope.has(out.time) ? out : into;
        const difference = out.quantity && into.quantity && out.quantity.minus(into.quantity);
        report({
          ...{ ...aboutLeg(leg, scope), severity: 'info', key: ['guess', out.key, into.key], legs: 2 },
          ...{ expected: out.served('quantity'), actual: into.served('quantity') },
          ...{ amount: difference?.toFixed() ?? null, value: valueAtPrice(difference, leg) },
          message: `${amountText(out.quantity, out)} left this wallet (leg ${out.id}), and ${amountText(into.quantity, into)} arrived in wallet ${into.walletId} ${apart(out, into)} (leg ${into.id}). The two were matched by a guess (confidence: low): the difference of ${difference?.toFixed()} is taken as a fee.`,
        });
      },
      unmatched(leg, otherWallet) {
        if (otherWallet === undefined || own.has(otherWallet)) alone(leg, otherWallet);
        else named.push([leg, otherWallet]);
      },
    });
    function alone(leg: Leg, otherWallet?: string): void {
      const { time = 0, quantity } = leg;
      const isOut = leg.sign === -1;
      const [from, to] = isOut ? [time - EARLIEST, time + LATEST] : [time - LATEST, time + EARLIEST];
      if (!scope.covers(from, to)) {
        if (scope.has(leg.time)) unjudged += 1;
        return;
      }
      const where = otherWallet === undefined ? 'any other wallet' : `wallet ${otherWallet}`;
      report({
        ...{
          ...aboutLeg(leg, scope),
          severity: otherWallet === undefined ? 'info' : 'warning',
        },
        ...{ amount: quantity?.toFixed() ?? null, value: valueAtPrice(quantity, leg), isLost: isOut },
        message: isOut
          ? `${amountText(quantity, leg)} left this wallet and did not arrive in ${where} within 15 hours.`
          : `${amountText(quantity, leg)} arrived, but no matching leg left ${where} in the 15 hours before.`,
      });
    }
    return {
      matches,
      leg(leg) {
        own.add(leg.walletId);
        search.add(leg);
      },
      finish() {
        search.finish();
        for (const [leg, otherWallet] of named) {
          if (own.has(otherWallet)) alone(leg, otherWallet);
          else if (isUncategorised(leg)) alone(leg);
        }
      },
      notJudged: () =>
        unjudged === 0
          ? undefined
          : `${plural(unjudged, 'transfer', 'transfers')} at the edges of the data could not be judged, because the legs of the hours around are not known.`,
    };
  },
  cause(draft, effect) {
    // Most outgoing transfers are payments. Therefore, an outgoing transfer can explain a finding only if both concern the same
    // leg.
    if (!draft.outgoing || draft.leg?.id !== effect.leg?.id) return undefined;
    return {
      cause: 'outgoing transfer without a destination',
      confidence: 'low',
      action: "Compare the leg's quantity and asset with the account's records.",
      ...evidenceOf(draft, effect),
    };
  },
});

function apart(out: Leg, into: Leg): string {
  const minutes = Math.round(((into.time ?? 0) - (out.time ?? 0)) / 60_000);
  const [number, unit] =
    Math.abs(minutes) < 120 ? [Math.abs(minutes), 'minute'] : [Math.round(Math.abs(minutes) / 60), 'hour'];
  return `${plural(number, unit, `${unit}s`)} ${minutes < 0 ? 'earlier' : 'later'}`;
}

interface Transaction {
  readonly legs: Leg[];
  /** Time of the transaction's last leg. */
  last: number;
}

/** A leg that may be one side of a transfer. Either the leg names another account of the user, or it is not categorised. */
interface Candidate {
  readonly leg: Leg;
  readonly time: number;
  /** The wallet on the other side, if the leg names one. */
  readonly otherWallet: string | undefined;
  readonly transaction: Transaction;
  isMatched: boolean;
}

interface Found {
  matched(out: Leg, into: Leg, confidence: keyof MatchCounts): void;
  unmatched(leg: Leg, otherWallet: string | undefined): void;
}

class TransferSearch {
  readonly #found: Found;
  readonly #transactions = new RecentTransactions();
  /** Candidates that are not checked yet, in order of time. `#byAsset` contains the same candidates, grouped by asset. */
  readonly #window: Candidate[] = [];
  readonly #byAsset = new Map<string, Candidate[]>();

  constructor(found: Found) {
    this.#found = found;
  }

  add(leg: Leg): void {
    const { time, otherWallet } = leg;
    if (time === undefined) return;
    this.#judgeBefore(time - MARGIN);
    const transaction = this.#transactions.of(leg.transaction, time);
    transaction.legs.push(leg);
    if (leg.sign === null || leg.type === 'fee' || leg.isNameless || leg.isFiat) return;
    if (otherWallet === undefined && !isUncategorised(leg)) return;
    const candidate = { leg, time, otherWallet, transaction, isMatched: false };
    this.#window.push(candidate);
    const others = this.#byAsset.get(leg.asset);
    if (others) others.push(candidate);
    else this.#byAsset.set(leg.asset, [candidate]);
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
      this.#found.unmatched(own.leg, own.otherWallet);
      return;
    }
    partner.isMatched = true;
    const [out, into] = own.leg.sign === -1 ? [own, partner] : [partner, own];
    this.#found.matched(out.leg, into.leg, confidenceOf(out, into));
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
    const isOut = own.leg.sign === -1;
    for (const partner of this.#byAsset.get(own.leg.asset) ?? []) {
      const { leg, time, isMatched } = partner;
      if (isMatched || leg.sign === own.leg.sign || leg.walletId === own.leg.walletId) continue;
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
  #current = new Map<TransactionKey, Transaction>();
  #previous = new Map<TransactionKey, Transaction>();
  #since = Number.NEGATIVE_INFINITY;

  of(id: TransactionKey, time: number): Transaction {
    if (time - this.#since > MARGIN) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#since = time;
    }
    const known = this.#current.get(id);
    let transaction = known ?? this.#previous.get(id);
    if (!transaction || transaction.last < time - MARGIN) transaction = { legs: [], last: time };
    transaction.last = time;
    if (transaction !== known) this.#current.set(id, transaction);
    return transaction;
  }
}

const [EXACT, FEE_LEG, FEE, NONE] = [0, 1, 2, 3];

/** Rates how well an incoming leg matches an outgoing leg. A smaller result is better. */
function fit(out: Candidate, into: Candidate): number {
  // First, compare the quantities as text. This is fast, and usually sufficient, because most transfers arrive in full.
  const quantity = out.leg.decimal('quantity');
  if (quantity === into.leg.decimal('quantity')) return quantity === null ? NONE : EXACT;
  const [sent, received] = [out.leg.quantity, into.leg.quantity];
  if (sent === null || received === null) return NONE;
  const order = sent.comparedTo(received);
  if (order <= 0) return order === 0 ? EXACT : NONE;
  if (feesOf(out)?.equals(sent.minus(received))) return FEE_LEG;
  return received.lessThan(sent.times(LEAST_SHARE)) ? NONE : FEE;
}

/** The largest share that a network takes as its fee, as far as anyone can tell without a leg for the fee. */
const USUAL_SHARE = exact('0.99') as Exact;

function confidenceOf(out: Candidate, into: Candidate): keyof MatchCounts {
  if (out.otherWallet !== undefined || into.otherWallet !== undefined) return 'high';
  if (fit(out, into) !== FEE) return 'medium';
  const [sent, received] = [out.leg.quantity, into.leg.quantity];
  const isSmall = sent !== null && received?.greaterThanOrEqualTo(sent.times(USUAL_SHARE)) === true;
  return isSmall && Math.abs(into.time - out.time) <= EARLIEST ? 'medium' : 'low';
}

/** Returns the sum of the transaction's fees that were paid in the leg's asset; null if there are no such fees. */
function feesOf({ leg, transaction }: Candidate): Exact | null {
  return transaction.legs
    .filter(({ type, asset }) => type === 'fee' && asset === leg.asset)
    .reduce<Exact | null>((sum, { quantity }) => (quantity ? (sum?.plus(quantity) ?? quantity) : sum), null);
}

/** True if no leg in the candidate's transaction can be the other side. */
function isOneSided({ leg, otherWallet, transaction }: Candidate): boolean {
  return !transaction.legs.some(
    ({ sign, type, asset, walletId }) =>
      type !== 'fee' &&
      sign === -(leg.sign ?? 0) &&
      (otherWallet === undefined || (asset === leg.asset && walletId !== leg.walletId)),
  );
}

/** True if the candidate names a wallet on the other side, and `other` belongs to a different wallet. */
function excludes({ otherWallet }: Candidate, other: Leg): boolean {
  return otherWallet !== undefined && otherWallet !== other.walletId;
}

/** Labels that a transfer can have. All other labels, such as income, payment and trade, point to a third party. */
const UNCATEGORISED = new Set(['', 'deposit', 'withdrawal', 'transfer']);

function isUncategorised(leg: Leg): boolean {
  return UNCATEGORISED.has((leg.served('label') ?? '').toLowerCase());
}
