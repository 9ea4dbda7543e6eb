import type { Exact } from '../../core/decimal.ts';

/** The accounts of a journal, with default names. A template can replace these names. */
export const ACCOUNTS = {
  /** Quantities of assets. */
  holdings: 'assets:holdings:{wallet}',
  /** The contra account for quantities. */
  contra: 'equity:holdings',
  /** The contra account for the quantities at the start of the period. */
  opening: 'equity:opening balances',
  /** Book values of assets. */
  book: 'assets:book:{wallet}',
  incoming: 'income:{label}',
  outgoing: 'expenses:{label}',
  fee: 'expenses:fees',
  gain: 'income:realised gains',
  /** Links the legs of a trade. */
  trade: 'equity:trades',
  /** Links the legs of a transfer between wallets. */
  transfer: 'equity:transfers',
  /** Links the entries of a transaction whose legs fall on several days. */
  clearing: 'equity:clearing',
  /** The contra account for legs without a label. */
  unlabelled: 'equity:uncategorised',
  suspense: 'equity:suspense',
  rounding: 'equity:rounding',
  /** The account for a general-ledger code from the service. */
  code: 'coa:{code}',
} as const;
export type AccountRole = keyof typeof ACCOUNTS;

/** An account. The segments of its name start with the top level, for example `assets`, `holdings`, `Kraken`. */
export interface JournalAccount {
  readonly role: AccountRole;
  readonly segments: readonly string[];
  /** The source of the name: the service, the user's template or the tool's defaults. */
  readonly origin: 'service' | 'template' | 'default';
  /** The code from the service; set if the template neither maps the code nor has an account with this name. */
  readonly unmapped?: string;
  /** The chart entries from which the account gets its name. Usually one entry, but several entries can have the same name. */
  readonly entries: readonly string[];
  /** The entries that would provide the name if the legs had no account codes from the service. */
  readonly replaced: readonly string[];
}

/** Combines two accounts with the same name into one account. */
export function joinAccounts(first: JournalAccount, second: JournalAccount): JournalAccount {
  const join = (known: readonly string[], more: readonly string[]) =>
    more.every((entry) => known.includes(entry)) ? known : [...new Set([...known, ...more])];
  const entries = join(first.entries, second.entries);
  const replaced = join(first.replaced, second.replaced);
  return entries === first.entries && replaced === first.replaced ? first : { ...first, entries, replaced };
}

/** The unit of an amount: an asset or a currency. Units with the same key are the same unit. */
export interface Commodity {
  readonly key: string;
  /** Symbol or currency code, exactly as the service sent it. */
  readonly symbol: string;
  readonly assetId: string | null;
  /** The currency code of fiat money in a wallet. Not set for other units. */
  readonly fiat?: string;
}

export interface Posting {
  /** Whether the amount is a quantity of an asset, or a value in the base currency. */
  readonly kind: 'quantity' | 'value';
  readonly account: JournalAccount;
  readonly commodity: Commodity;
  /** Debits are positive. */
  readonly amount: Exact;
  /** Ids of the legs in the posting; empty if entries are rolled up. */
  readonly legs: readonly string[];
  /** The quantity of the leg whose value is posted. */
  readonly moved?: Moved | undefined;
  /** Additional values to display, for example `market-price`. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The quantity of a leg. All postings of the leg share one object. */
export interface Moved {
  readonly asset: Commodity;
  readonly quantity: Exact;
  readonly isIncoming: boolean;
}

/**
 * The postings of one transaction on one day, or of all transactions of a day or month. In each commodity, the postings add up
 * to zero.
 */
export interface JournalEntry {
  /** The date in the time zone of the journal, for example `2025-03-31`. */
  readonly date: string;
  /** The transaction id, or the day or month if entries are rolled up. */
  readonly id: string;
  /** Whether the transaction has more legs in another entry, because these legs fall on another day. */
  readonly isPart: boolean;
  readonly description: string;
  readonly postings: readonly Posting[];
  readonly legs: number;
  /** Why postings are in suspense; empty if no posting is in suspense. */
  readonly reasons: readonly Reason[];
}

/** Why a leg, or a part of the leg, is in suspense or not posted. */
export const REASONS = {
  'no-date': 'the leg has no usable time, so the leg is not posted',
  'unknown-type': 'the type is not incoming, outgoing or fee, so the leg is not posted',
  'no-quantity': 'the leg has no quantity, so only the values are posted',
  'no-asset': 'the leg has no asset and no symbol, so the quantity is not posted',
  'unreadable-amount': 'an amount is not a decimal or is too long, so the amount counts as missing',
  'no-wallet': 'the leg has no wallet',
  'unresolved-asset': 'the leg has a symbol, but no asset id',
  'no-currency': 'the leg has no base currency, so the values are not posted',
  'price-currency': 'the price is not in the currency of the leg, so the value is not posted',
  'missing-price': 'the leg has no value, so only the quantity is posted',
  'incoming-figures': 'the cost basis, proceeds and profit of an incoming leg are not posted',
  unprocessed: 'the leg has no cost basis, proceeds or profit, so only the quantity is posted',
  'no-cost-basis': 'the leg has no cost basis',
  'no-proceeds': 'the leg has no proceeds',
  'no-profit': 'the leg has no profit',
  'profit-differs': 'the profit is not equal to proceeds minus cost basis',
  'half-posted': 'only one of the two account codes is known',
  'incomplete-transaction': 'another leg of the transaction is incomplete',
} as const;
export type Reason = keyof typeof REASONS;

/** The place of an incomplete leg: wholly or partly in suspense, only on ordinary accounts, or not in the journal. */
export const POSTED_PLACES = { suspense: 'in suspense', posted: 'posted', none: 'not posted' } as const;
export type PostedPlace = keyof typeof POSTED_PLACES;

/** An incomplete leg. */
export interface JournalProblem {
  readonly legId: string;
  readonly transactionId: string;
  /** The date of the leg; empty if the leg has no usable time. */
  readonly date: string;
  readonly reasons: readonly Reason[];
  readonly place: PostedPlace;
  /** A short description of the leg, for example `incoming 1.5 ETH`. */
  readonly leg: string;
}

/** A part of a journal: an entry, or a leg with a problem. */
export type Item =
  | { readonly entry: JournalEntry; readonly problem?: never }
  | { readonly problem: JournalProblem; readonly entry?: never };

export function addTo<Key>(sums: Map<Key, Exact>, key: Key, amount: Exact): void {
  sums.set(key, sums.get(key)?.plus(amount) ?? amount);
}
