import type { Exact } from '../../core/decimal.ts';

/** The name of an account, outermost part first: `assets`, `holdings`, `Kraken`. */
export interface Account {
  readonly segments: readonly string[];
  /** Whether the name comes from the service, the user's template or the tool's defaults. */
  readonly origin: 'service' | 'template' | 'default';
}

/** The unit of an amount: an asset, or a currency. Two units are the same only if their keys are equal. */
export interface Commodity {
  readonly key: string;
  /** Symbol or currency code, as served. */
  readonly symbol: string;
  readonly assetId: string | null;
  /** Currency code; set only for fiat money in a wallet. */
  readonly fiat?: string;
}

export interface Posting {
  /** A quantity of an asset, or a value in the base currency. */
  readonly kind: 'quantity' | 'value';
  readonly account: Account;
  readonly commodity: Commodity;
  /** Debits are positive. */
  readonly amount: Exact;
  /** Ids of the legs in the posting; empty if entries are rolled up. */
  readonly legs: readonly string[];
  /** Further facts for display: `market-price`, `quantity`. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The postings of one transaction, day or month, which add up to zero in each commodity. */
export interface Entry {
  /** `2025-03-31`, in the zone of the journal. */
  readonly date: string;
  /** The transaction id, or the day or month. */
  readonly id: string;
  readonly description: string;
  readonly postings: readonly Posting[];
  readonly legs: number;
  /** Why postings are in suspense; empty if no posting is in suspense. */
  readonly reasons: readonly Reason[];
}

/** Why a leg, or a part of the leg, is in suspense or not posted. */
export const REASONS = {
  'no-date': 'no usable time, so it is not posted',
  'unknown-type': 'its type is not incoming, outgoing or fee, so it is not posted',
  'no-quantity': 'no quantity, so only its values are posted',
  'no-asset': 'neither an asset nor a symbol, so its quantity is not posted',
  'unreadable-amount': 'an amount that is not a decimal, or is too long',
  'no-wallet': 'no wallet',
  'unresolved-asset': 'a symbol, but no asset id',
  'no-currency': 'no base currency, so its values are not posted',
  'price-currency': 'its price is in another currency than its value, so the value is not posted',
  'missing-price': 'no value, so only its quantity is posted',
  'incoming-figures': 'it is incoming, but has a cost basis, proceeds or profit, which are not posted',
  unprocessed: 'no cost basis, proceeds or profit, so only its quantity is posted',
  'no-cost-basis': 'no cost basis',
  'no-proceeds': 'no proceeds',
  'no-profit': 'no profit',
  'profit-differs': 'proceeds less cost basis is not the profit',
  'half-posted': 'only one of its two account codes is known',
  'incomplete-transaction': 'another leg of its transaction is incomplete',
} as const;
export type Reason = keyof typeof REASONS;

/** A leg that is wholly or partly in suspense, or not posted. */
export interface Problem {
  readonly legId: string;
  readonly transactionId: string;
  /** Empty if the leg has no usable time. */
  readonly date: string;
  readonly reasons: readonly Reason[];
  /** Whether any posting of the leg is in the journal. */
  readonly posted: boolean;
  /** The leg for display: `incoming 1.5 ETH`. */
  readonly leg: string;
}

/** A part of a journal: an entry, or a leg with a problem. */
export type Item =
  | { readonly entry: Entry; readonly problem?: never }
  | { readonly problem: Problem; readonly entry?: never };

/** Adds an amount to the sum for a key. */
export function addTo<Key>(sums: Map<Key, Exact>, key: Key, amount: Exact): void {
  sums.set(key, sums.get(key)?.plus(amount) ?? amount);
}
