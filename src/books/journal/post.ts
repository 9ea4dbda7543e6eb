import { type Exact, ZERO } from '../../core/decimal.ts';
import { type Chart, NO_VALUES, type PlaceholderValues } from './chart.ts';
import {
  type AccountRole,
  type Commodity,
  type JournalAccount,
  joinAccounts,
  type Moved,
  type Posting,
  type Reason,
} from './entry.ts';
import type { LegFacts } from './facts.ts';

/** How the legs of a transaction are related. */
export type TransactionKind = 'single' | 'trade' | 'transfer';

/** Facts about the transaction of a leg that affect the postings of the leg. */
export interface TransactionFacts {
  readonly kind: TransactionKind;
  /** Whether a leg of the trade or transfer is incomplete. */
  readonly isBlocked: boolean;
  /** Whether the legs fall on several days, or are not all in the journal. */
  readonly isSplit: boolean;
}

export interface PostOptions {
  readonly chart: Chart;
  /** Returns the name of a wallet, or the id if the wallet has no name. */
  readonly walletName: (walletId: string) => string;
  readonly unitOf: (asset: Commodity) => Commodity;
}

/** The postings of one leg. In each commodity, the postings add up to zero. */
export interface PostedLeg {
  readonly postings: readonly Posting[];
  readonly reasons: readonly Reason[];
  /** Whether the trade or transfer account has, or will have, the other half of the leg's value. */
  readonly isJoined: boolean;
  /**
   * The value of the leg on the account `clearing`. `to` is the account that receives the sum that the transaction leaves on
   * `clearing`.
   */
  readonly cleared?: { readonly amount: Exact; readonly currency: Commodity; readonly to: JournalAccount };
}

/**
 * Returns how the legs are related. Trades and transfers have legs in both directions. In a transfer, the incoming and the
 * outgoing assets are the same.
 */
export function kindOf(legs: readonly LegFacts[]): TransactionKind {
  const assets = (type: LegFacts['type']) =>
    new Set(legs.flatMap((leg) => (leg.type === type ? (leg.asset?.key ?? '') : [])));
  const [into, out] = [assets('incoming'), assets('outgoing')];
  if (into.size === 0 || out.size === 0) return 'single';
  return into.size === out.size && [...into].every((key) => out.has(key)) ? 'transfer' : 'trade';
}

/**
 * Posts a leg. The quantity and the values are posted separately, each against a contra account. A single posting would need an
 * exchange rate, and no exchange rate reproduces both amounts to the last digit.
 *
 * An incoming leg is booked at its value. An outgoing leg reduces the book value by the cost basis. The realised profit is the
 * difference between proceeds and cost basis. For a transfer to another own wallet, this difference is not income. All values
 * come from the service. A missing value is never derived from other values. Instead, the rest of the leg is posted to suspense.
 */
export function postLeg(leg: LegFacts, transaction: TransactionFacts, options: PostOptions): PostedLeg {
  const { kind, isBlocked, isSplit } = transaction;
  const { chart, unitOf } = options;
  chart.find(leg);
  const values = placeholdersOf(leg, options);
  const suspense = chart.account('suspense', values);
  const other = otherSide(leg, kind);
  const clears = other === 'trade' || other === 'transfer';
  const reasons: Reason[] = [...leg.reasons];
  const isCoded = leg.debitCode !== '' || leg.creditCode !== '';
  if (isBlocked && clears && !isCoded && reasons.length === 0) reasons.push('incomplete-transaction');
  const isJoined = clears && !isCoded && reasons.length === 0;
  if (leg.type === null) return { postings: [], reasons, isJoined };

  const postings: Posting[] = [];
  const add = (
    kind: Posting['kind'],
    account: JournalAccount,
    commodity: Commodity,
    amount: Exact,
    more = {},
  ) => {
    postings.push({ kind, account, commodity, amount, legs: [leg.id], facts: {}, ...more });
  };
  const isIncoming = leg.type === 'incoming';
  if (leg.asset !== null && leg.quantity !== null) {
    const unit = unitOf(leg.asset);
    const change = isIncoming ? leg.quantity : leg.quantity.negated();
    const contra = reasons.length === 0 ? chart.account('contra', values) : suspense;
    add('quantity', chart.account('holdings', values), unit, change, { facts: worthOf(leg) });
    add('quantity', contra, unit, change.negated());
  }
  if (leg.currency === null) return { postings, reasons, isJoined };

  const { currency } = leg;
  const moved: Moved | undefined =
    leg.quantity === null || leg.asset === null
      ? undefined
      : { asset: leg.asset, quantity: leg.quantity, isIncoming };
  const value = (account: JournalAccount, amount: Exact | null) => {
    if (amount !== null && !amount.isZero()) add('value', account, currency, amount, { moved });
  };
  const [bookCode, otherCode] = isIncoming
    ? [leg.debitCode, leg.creditCode]
    : [leg.creditCode, leg.debitCode];
  const side = (code: string, role: AccountRole) =>
    isCoded ? chart.coded(code, role, values) : chart.account(role, values);
  const book = side(bookCode, 'book');
  const to = clears && reasons.length > 0 && !isCoded ? suspense : side(otherCode, other);
  const isCleared = isJoined && isSplit;
  const opposite = isCleared ? clearingAccount(chart, currency) : to;
  // A transfer between own wallets realises no profit, so a profit that the service reports for its leg is posted with the
  // proceeds.
  const gain = leg.kind === 'transfer' && !isIncoming ? opposite : chart.account('gain', values);
  const proceeds = gain === opposite && leg.profit ? leg.proceeds?.minus(leg.profit) : leg.proceeds;
  const amount = isIncoming ? leg.value?.negated() : proceeds;
  if (isIncoming) {
    value(book, leg.value);
    value(opposite, amount ?? null);
  } else {
    value(book, leg.costbasis?.negated() ?? null);
    value(opposite, leg.proceeds);
    value(gain, leg.profit?.negated() ?? null);
    const sum = postings.reduce(
      (total, posting) => (posting.kind === 'value' ? total.plus(posting.amount) : total),
      ZERO,
    );
    value(suspense, sum.negated());
  }
  return {
    postings,
    reasons,
    isJoined,
    ...(isCleared && amount ? { cleared: { amount, currency, to } } : {}),
  };
}

/** Moves the amount that a transaction leaves on the account `clearing` to the trade or transfer account. */
export function settleClearing(posted: readonly PostedLeg[], chart: Chart): Posting[] {
  const sums = new Map<string, { amount: Exact; currency: Commodity; to: JournalAccount }>();
  for (const { cleared } of posted) {
    if (!cleared) continue;
    const key = JSON.stringify([cleared.to.segments, cleared.currency.key]);
    const known = sums.get(key);
    const amount = known?.amount.plus(cleared.amount) ?? cleared.amount;
    sums.set(key, { ...cleared, to: joinAccounts(cleared.to, known?.to ?? cleared.to), amount });
  }
  return [...sums.values()].flatMap(({ amount, currency: commodity, to }): Posting[] => {
    if (amount.isZero()) return [];
    const common = { kind: 'value', commodity, legs: [], facts: {} } as const;
    const clearing = clearingAccount(chart, commodity);
    return [
      { ...common, account: clearing, amount: amount.negated() },
      { ...common, account: to, amount },
    ];
  });
}

function clearingAccount(chart: Chart, { symbol }: Commodity): JournalAccount {
  return chart.account('clearing', { ...NO_VALUES, currency: symbol });
}

/** Returns the contra account for the values of a leg that has no account codes. */
function otherSide({ type, label, isTransfer }: LegFacts, kind: TransactionKind): AccountRole {
  if (type === 'fee') return 'fee';
  if (isTransfer) return 'transfer';
  if (kind !== 'single') return kind;
  if (label === '') return 'unlabelled';
  return type === 'incoming' ? 'incoming' : 'outgoing';
}

function placeholdersOf(leg: LegFacts, { walletName }: Pick<PostOptions, 'walletName'>): PlaceholderValues {
  return {
    wallet: leg.walletId === '' ? '' : walletName(leg.walletId),
    walletId: leg.walletId,
    symbol: leg.asset?.symbol ?? '',
    assetId: leg.asset?.assetId ?? '',
    type: leg.type ?? '',
    label: leg.label,
    currency: leg.currency?.symbol ?? '',
    code: '',
  };
}

/**
 * Returns the market price and value as tags. The names have the prefix `market-`, because the program `ledger` would evaluate
 * a tag named `value` and change the value of the posting.
 */
function worthOf({ price, value, currency }: LegFacts): Readonly<Record<string, string>> {
  if (currency === null) return {};
  return {
    ...(price === null ? {} : { 'market-price': `${plainAmount(price)} ${currency.symbol}` }),
    ...(value === null ? {} : { 'market-value': `${plainAmount(value)} ${currency.symbol}` }),
  };
}

/** Formats an amount with every digit, without an exponent, and without a sign for zero. */
export function plainAmount(amount: Exact): string {
  return amount.isZero() ? '0' : amount.toFixed();
}
