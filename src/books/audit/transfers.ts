import { type Exact, exact } from '../../core/decimal.ts';
import { canonicalDecimal } from '../figure.ts';
import type { Leg } from '../leg.ts';
import { type Alike, ByAmount, isCloser, nearestSide, sidesAt, type TransferSide } from './by-amount.ts';
import type { MatchCounts } from './check.ts';
import { EARLIEST, LATEST, MARGIN } from './margin.ts';
import { type RecentTransaction, RecentTransactions } from './recent-transactions.ts';

/**
 * The incoming quantity divided by the outgoing quantity must be at least this share. The share is less than 1, because some
 * networks and exchanges deduct a fee for which there is no leg.
 */
const LEAST_SHARE = exact('0.98') as Exact;
/**
 * Upper limit for the outgoing quantity, as a multiple of the incoming quantity. The limit is slightly larger than necessary.
 */
const MOST_SENT = exact('1.021') as Exact;
/** If the incoming quantity is at least this share of the outgoing quantity, the difference counts as a usual network fee. */
const USUAL_SHARE = exact('0.99') as Exact;

/** A leg that may be one side of a transfer. Either the leg names another account of the user, or it is not categorised. */
interface Candidate extends TransferSide {
  readonly transaction: RecentTransaction<Candidate>;
  /** Whether the leg still needs a partner. */
  isOpen: boolean;
  /** Whether the leg can be found by its amount. */
  isListed: boolean;
  /** For an outgoing leg: the quantity minus the fees that the transaction paid in the same asset, in its shortest form. */
  net?: string | undefined;
  best?: Best | undefined;
  /** The best partner, if it was matched to another leg that fits it equally well. */
  lost?: LostMatch;
  /** Legs that wait for this leg. They are judged again as soon as every possible partner of this leg is known. */
  waiting?: Candidate[];
}

/** The best partner of a leg. Valid only while the partner is open. */
interface Best {
  readonly partner: Candidate | undefined;
  /** The version of the list of open legs when the partner was found. */
  readonly version: number;
  /** Whether the quantities are equal. */
  readonly isEqual: boolean;
  /** Whether no later leg can be a better partner. */
  readonly isFinal: boolean;
}

/** A leg that fits, but was matched to another leg. */
export interface LostMatch {
  readonly leg: Leg;
  readonly to: Leg;
}

interface Found {
  /**
   * @param rival `open` if a leg that is still unmatched fits equally well. Otherwise, a leg that fits one of the two legs at least
   *   as well, but was matched before; undefined if there is no such leg
   */
  matched(out: Leg, into: Leg, confidence: keyof MatchCounts, rival: 'open' | LostMatch | undefined): void;
  /** @param lost a leg that fits, but was matched to another leg that fits it equally well */
  unmatched(leg: Leg, otherWallet: string | undefined, lost?: LostMatch): void;
  /** Receives a leg whose partner may be a leg that was not read. */
  undecided(leg: Leg): void;
  /** Whether every leg between two times was read. */
  covers(from: number, to: number): boolean;
}

/**
 * Matches the two sides of transfers. Two legs match if each is the best partner of the other. Matched legs are removed, and
 * the search continues with the remaining legs. Two legs are matched only if no unread leg can change the match, so the result
 * depends only on the legs. Memory grows with the number of legs in the busiest 32 hours.
 */
export class TransferSearch {
  readonly #found: Found;
  readonly #transactions = new RecentTransactions<Candidate>();
  /** Candidates, sorted by time. The first `#judged` candidates have already been judged. */
  #window: Candidate[] = [];
  #judged = 0;
  /** For legs before this time, every possible partner is known, provided that the legs around them were read. */
  #known = Number.NEGATIVE_INFINITY;
  readonly #atEdges: Candidate[] = [];
  readonly #assets = new Map<string, OpenCandidates>();

  constructor(found: Found) {
    this.#found = found;
  }

  add(leg: Leg): void {
    const { time, otherWallet } = leg;
    if (time === undefined) return;
    this.#judgeBefore(time - MARGIN);
    const transaction = this.#transactions.of(leg.transaction, time);
    if (leg.type === 'fee') {
      transaction.addFee(leg, time);
      if (transaction.candidates.length > 0) this.#openOf(leg).feesChanged(transaction);
    } else if (leg.sign !== null) {
      const closed = transaction.addSide(leg, time);
      for (const candidate of closed) this.#openOf(candidate.leg).close(candidate);
    }
    if (leg.sign === null || leg.type === 'fee' || leg.isNameless || leg.isFiat) return;
    if (otherWallet === undefined && !leg.isUncategorised) return;
    // If the quantity is zero, nothing moves, so nothing can be missing on the other side.
    if (leg.movesNothing) return;
    const candidate = { leg, time, otherWallet, transaction, isOpen: true, isListed: false };
    if (transaction.hasOtherSideOf(candidate)) return;
    transaction.addCandidate(candidate);
    this.#window.push(candidate);
    this.#openOf(leg).add(candidate);
  }

  finish(): void {
    this.#judgeBefore(Number.POSITIVE_INFINITY);
    for (const edge of this.#atEdges)
      for (const { isOpen, leg } of [edge, ...(edge.waiting ?? [])]) if (isOpen) this.#found.undecided(leg);
  }

  #openOf({ asset }: Leg): OpenCandidates {
    let open = this.#assets.get(asset);
    if (!open) {
      open = new OpenCandidates(asset);
      this.#assets.set(asset, open);
    }
    return open;
  }

  #judgeBefore(time: number): void {
    this.#known = time;
    for (;;) {
      const own = this.#window[this.#judged];
      if (!own || own.time >= time) break;
      this.#judged += 1;
      if (!own.isOpen && !own.waiting) continue;
      if (!this.#isSettled(own)) this.#atEdges.push(own);
      else for (const one of [own, ...(own.waiting ?? [])]) this.#judge(one);
    }
    // Judged candidates are removed in batches, because it takes long to remove single items from the start of a long list.
    if (this.#judged <= this.#window.length / 2) return;
    this.#window = this.#window.slice(this.#judged);
    this.#judged = 0;
  }

  /** Whether every possible partner of a leg is known. */
  #isSettled({ time, leg }: Candidate): boolean {
    if (time >= this.#known) return false;
    return !leg.has('quantity') || this.#found.covers(time - MARGIN, time + MARGIN);
  }

  /**
   * Judges a leg. Goes from the leg to its best partner, then to the best partner of that leg, and so on, until two legs are
   * the best partners of each other.
   */
  #judge(own: Candidate): void {
    const open = this.#openOf(own.leg);
    const chain = [own];
    for (let one = chain.at(-1); one; one = chain.at(-1)) {
      const partner = one.isOpen ? open.partnerOf(one) : undefined;
      if (!partner) {
        if (one.isOpen) this.#found.unmatched(one.leg, one.otherWallet, one.lost);
        if (one.isOpen) open.close(one);
        chain.pop();
      } else if (partner === chain.at(-2)) {
        const rivals = [...open.rivals(one, partner), ...open.rivals(partner, one)];
        const unsettled = rivals.find(({ rival }) => !this.#isSettled(rival));
        const better = rivals.find(({ isBetterOff }) => isBetterOff);
        if (unsettled) {
          wait(unsettled.rival, own);
          return;
        }
        // A leg that has a better partner does not compete, so it is matched first.
        if (better) {
          chain.push(better.rival);
          continue;
        }
        const [out, into] = one.leg.sign === -1 ? [one, partner] : [partner, one];
        const rival = rivals.length > 0 ? 'open' : (out.lost ?? into.lost);
        for (const { rival } of rivals) loses(rival, out.leg, into.leg);
        open.close(one);
        open.close(partner);
        this.#found.matched(out.leg, into.leg, confidenceOf(out, into, rival !== undefined), rival);
      } else if (this.#isSettled(partner)) chain.push(partner);
      else {
        wait(partner, own);
        return;
      }
    }
  }
}

function wait(candidate: Candidate, own: Candidate): void {
  candidate.waiting ??= [];
  candidate.waiting.push(own);
}

/** Notes that one of two matched legs could equally well have been matched to `rival`. Keeps the legs with the lowest ids. */
function loses(rival: Candidate, out: Leg, into: Leg): void {
  const lost = rival.leg.sign === -1 ? { leg: into, to: out } : { leg: out, to: into };
  const ids = ({ leg, to }: LostMatch) => JSON.stringify([leg.id, to.id]);
  if (!rival.lost || ids(lost) < ids(rival.lost)) rival.lost = lost;
}

/** The legs of one asset that still need a partner. */
class OpenCandidates {
  readonly #asset: string;
  readonly #in = new ByAmount<Candidate>();
  readonly #out = new ByAmount<Candidate>();
  /** Outgoing legs, by the quantity minus fees. */
  readonly #net = new ByAmount<Candidate>();
  /**
   * Legs that are not yet listed by amount. A leg of the same transaction closes most of these legs before any leg of the asset
   * is judged.
   */
  #added: Candidate[] = [];
  /** Open outgoing legs whose `net` does not yet include all fees. */
  readonly #outdated = new Set<Candidate>();
  #version = 0;
  /** Time of the last leg that was listed. */
  #now = Number.NEGATIVE_INFINITY;

  constructor(asset: string) {
    this.#asset = asset;
  }

  add(candidate: Candidate): void {
    while (this.#added.at(-1)?.isOpen === false) this.#added.pop();
    this.#added.push(candidate);
    const { leg, transaction } = candidate;
    if (leg.sign === -1 && transaction.hasFees) this.#outdated.add(candidate);
  }

  close(candidate: Candidate): void {
    const { leg, net } = candidate;
    candidate.isOpen = false;
    candidate.best = undefined;
    this.#outdated.delete(candidate);
    if (!candidate.isListed) return;
    const decimal = decimalOf(leg);
    if (decimal !== undefined) (leg.sign === 1 ? this.#in : this.#out).remove(decimal, candidate);
    if (net) this.#net.remove(net, candidate);
  }

  #listAdded(): void {
    for (const candidate of this.#added) {
      const { leg, time, isOpen } = candidate;
      const decimal = isOpen ? decimalOf(leg) : undefined;
      if (decimal === undefined) continue;
      this.#version += 1;
      this.#now = time;
      candidate.isListed = true;
      (leg.sign === 1 ? this.#in : this.#out).add(decimal, candidate);
    }
    this.#added = [];
  }

  /** Notes that a transaction has another fee in the asset. */
  feesChanged({ candidates }: RecentTransaction<Candidate>): void {
    for (const candidate of candidates) {
      const { isOpen, leg } = candidate;
      if (isOpen && leg.sign === -1 && leg.asset === this.#asset) this.#outdated.add(candidate);
    }
  }

  /**
   * Returns the best open partner. Equal quantities are better than quantities that differ by a fee. If two legs match equally
   * well, the leg that is closer in time is better. If both are equally close, the leg with the smaller id is better.
   */
  partnerOf(own: Candidate): Candidate | undefined {
    this.#listAdded();
    const known = own.best;
    if (known?.isFinal && known.partner?.isOpen) return known.partner;
    // Fees do not matter if the quantities are equal.
    if (known && !known.isEqual) this.#updateNet();
    if (known?.version === this.#version && known.partner?.isOpen !== false) return known.partner;
    const partner = this.#findBest(own);
    const isEqual = partner !== undefined && decimalOf(partner.leg) === decimalOf(own.leg);
    const isFinal = isEqual && own.time + distanceOf(own, partner) < this.#now;
    own.best = { partner, version: this.#version, isEqual, isFinal };
    return partner;
  }

  /**
   * Yields the other open legs that fit `own` exactly as well as its best partner. `isBetterOff` says whether such a leg has a
   * better partner than `own`.
   */
  *rivals(own: Candidate, partner: Candidate): Generator<{ rival: Candidate; isBetterOff: boolean }> {
    const [from, to] = spanOf(own);
    const place = { time: own.time, distance: distanceOf(own, partner), from, to };
    for (const rank of this.#ranks(own)) {
      let isRank = false;
      const rivals: Candidate[] = [];
      for (const { sides } of rank) {
        for (const side of sidesAt(sides, place)) {
          if (side === partner) isRank = true;
          else rivals.push(side);
        }
      }
      if (!isRank) continue;
      for (const rival of rivals) {
        const best = this.partnerOf(rival);
        yield { rival, isBetterOff: best !== undefined && !isEquallyGood(rival, best, own) };
      }
      return;
    }
  }

  #findBest(own: Candidate): Candidate | undefined {
    const [from, to] = spanOf(own);
    for (const rank of this.#ranks(own)) {
      let best: Candidate | undefined;
      for (const { sides } of rank) {
        const side = nearestSide(sides, own.time, from, to);
        if (side && (!best || isCloser(side, best, own.time))) best = side;
      }
      if (best) return best;
    }
    return undefined;
  }

  /**
   * Yields the possible partners, better ones first. The best partners have an equal quantity. Next come quantities that differ
   * by a fee that has a leg, then quantities that differ by an unrecorded fee.
   */
  *#ranks(own: Candidate): Generator<Alike<Candidate>[]> {
    const { leg } = own;
    const decimal = decimalOf(leg);
    if (decimal === undefined) return;
    const isOut = leg.sign === -1;
    yield (isOut ? this.#in : this.#out).at(decimal, own);
    this.#updateNet();
    if (!isOut) yield this.#net.at(decimal, own);
    else if (own.net) yield this.#in.at(own.net, own);
    const quantity = leg.quantity as Exact;
    yield isOut ? this.#in.between(quantity.times(LEAST_SHARE), quantity, own) : this.#senders(own, quantity);
  }

  #senders(own: Candidate, received: Exact): Alike<Candidate>[] {
    return this.#out.between(received, received.times(MOST_SENT), own).filter(({ sides }) => {
      const sent = sides[0]?.leg.quantity;
      return sent && !received.lessThan(sent.times(LEAST_SHARE));
    });
  }

  #updateNet(): void {
    for (const candidate of this.#outdated) {
      const { leg, net, time, transaction } = candidate;
      if (leg.quantity === null) continue;
      // Ignore later fees, because they are still unknown when the last possible partner is judged.
      const fees = transaction.feesIn(this.#asset, time - MARGIN, time + LATEST);
      candidate.net = fees?.greaterThan(0) ? leg.quantity.minus(fees).toFixed() : undefined;
      if (candidate.net === net) continue;
      if (net) this.#net.remove(net, candidate);
      if (candidate.net) this.#net.add(candidate.net, candidate);
      this.#version += 1;
    }
    this.#outdated.clear();
  }
}

/** Returns the quantity in its shortest form; undefined if it is unknown. Most quantities need not be parsed. */
function decimalOf(leg: Leg): string | undefined {
  return leg.has('quantity') ? canonicalDecimal(leg.decimal('quantity')) : undefined;
}

/** Returns the times between which the other side of a leg must lie. */
function spanOf({ leg, time }: Candidate): [from: number, to: number] {
  return leg.sign === -1 ? [time - EARLIEST, time + LATEST] : [time - LATEST, time + EARLIEST];
}

function distanceOf(own: Candidate, other: Candidate): number {
  return Math.abs(own.time - other.time);
}

/** Whether two legs fit `own` equally well. */
function isEquallyGood(own: Candidate, left: Candidate, right: Candidate): boolean {
  return distanceOf(own, left) === distanceOf(own, right) && rankOf(own, left) === rankOf(own, right);
}

/** How well the quantities of two legs match; 0 is best. */
function rankOf(one: Candidate, other: Candidate): number {
  const [out, into] = one.leg.sign === -1 ? [one, other] : [other, one];
  const received = decimalOf(into.leg);
  if (decimalOf(out.leg) === received) return 0;
  return out.net === received ? 1 : 2;
}

/** @param isGuess whether another leg fits equally well as one of the two legs */
function confidenceOf(out: Candidate, into: Candidate, isGuess: boolean): keyof MatchCounts {
  if (out.otherWallet !== undefined || into.otherWallet !== undefined) return 'high';
  const [sent, received] = [out.leg.quantity, into.leg.quantity];
  if (sent === null || received === null || isGuess) return 'low';
  if (rankOf(out, into) < 2) return 'medium';
  const isSmall = received.greaterThanOrEqualTo(sent.times(USUAL_SHARE));
  return isSmall && Math.abs(into.time - out.time) <= EARLIEST ? 'medium' : 'low';
}
