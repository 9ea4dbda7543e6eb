import { type Exact, ZERO } from '../../core/decimal.ts';
import { figureOf } from '../figure.ts';
import type { Leg } from '../leg.ts';
import type { TransferSide } from './by-amount.ts';
import { MARGIN } from './margin.ts';

interface Fee {
  readonly asset: string;
  readonly time: number;
  readonly quantity: string;
}

const NONE: readonly never[] = [];

/** The direction, asset and wallet of a leg. A reference to the leg would keep its whole record in memory. */
interface KnownSide extends Pick<Leg, 'sign' | 'asset' | 'walletId'> {
  /** Time of the last leg with this direction, asset and wallet. */
  time: number;
}

/** One side of a possible transfer that may still need a partner. */
interface OpenSide extends TransferSide {
  readonly isOpen: boolean;
}

/** The legs of one transaction that lie at most 16 hours apart. */
export class RecentTransaction<T extends OpenSide> {
  /** Time of the transaction's last leg. */
  last: number;
  #candidates: T[] | undefined;
  readonly #sides: KnownSide[] = [];
  /** For each asset, the sum of the fees up to each time; undefined if the transaction has no fees. */
  #fees: Map<string, { readonly time: number; readonly sum: Exact }[]> | undefined;
  /** Fees that are not yet in the sums. The sums are calculated only when they are needed. */
  #added: Fee[] | undefined;

  constructor(time: number) {
    this.last = time;
  }

  get candidates(): readonly T[] {
    return this.#candidates ?? NONE;
  }

  addCandidate(candidate: T): void {
    this.#candidates ??= [];
    this.#candidates.push(candidate);
  }

  /** Adds an incoming or outgoing leg. Returns the open candidates for which this leg can be the other side. */
  addSide(leg: Leg, time: number): readonly T[] {
    const { sign, asset, walletId } = leg;
    const known = this.#sides.find(
      (one) => one.sign === sign && one.walletId === walletId && one.asset === asset,
    );
    const since = known?.time ?? Number.NEGATIVE_INFINITY;
    if (known) known.time = time;
    else this.#sides.push({ sign, asset, walletId, time });
    if (this.candidates.length === 0 || since >= time - MARGIN) return NONE;
    return this.candidates.filter((candidate) => candidate.isOpen && this.hasOtherSideOf(candidate));
  }

  /** Whether the transaction has a leg, at most 16 hours away, that can be the other side of the given leg. */
  hasOtherSideOf({ leg, time, otherWallet }: TransferSide): boolean {
    for (const side of this.#sides) {
      if (side.sign === leg.sign || Math.abs(side.time - time) > MARGIN) continue;
      if (otherWallet === undefined || (side.asset === leg.asset && side.walletId !== leg.walletId))
        return true;
    }
    return false;
  }

  addFee(leg: Leg, time: number): void {
    const quantity = leg.decimal('quantity');
    if (quantity === null) return;
    this.#added ??= [];
    this.#added.push({ asset: leg.asset, time, quantity });
  }

  get hasFees(): boolean {
    return this.#fees !== undefined || this.#added !== undefined;
  }

  /** Returns the sum of the fees that were paid in an asset between two times; undefined if there are no such fees. */
  feesIn(asset: string, from: number, to: number): Exact | undefined {
    this.#sumAdded();
    const upTo = (last: number) => this.#fees?.get(asset)?.findLast(({ time }) => time <= last)?.sum;
    return upTo(to)?.minus(upTo(from - 1) ?? ZERO);
  }

  #sumAdded(): void {
    for (const { asset, time, quantity } of this.#added ?? []) {
      this.#fees ??= new Map();
      const sums = this.#fees.get(asset) ?? [];
      this.#fees.set(asset, sums);
      sums.push({ time, sum: (figureOf(quantity) as Exact).plus(sums.at(-1)?.sum ?? ZERO) });
    }
    this.#added = undefined;
  }
}

/**
 * Transactions with a leg in the last 16 hours. Old transactions are not deleted one by one, because a map can keep deleted
 * entries in memory. Instead, a whole map is dropped.
 */
export class RecentTransactions<T extends OpenSide> {
  #current = new Map<Leg['transaction'], RecentTransaction<T>>();
  #previous = new Map<Leg['transaction'], RecentTransaction<T>>();
  #since = Number.NEGATIVE_INFINITY;

  of(id: Leg['transaction'], time: number): RecentTransaction<T> {
    if (time - this.#since > MARGIN) {
      this.#previous = this.#current;
      this.#current = new Map();
      this.#since = time;
    }
    const known = this.#current.get(id);
    let transaction = known ?? this.#previous.get(id);
    if (!transaction || transaction.last < time - MARGIN) transaction = new RecentTransaction<T>(time);
    transaction.last = time;
    if (transaction !== known) this.#current.set(id, transaction);
    return transaction;
  }
}
