import type { Exact } from '../../core/decimal.ts';
import { ZERO } from '../figure.ts';
import type { AccountRole, Chart, PlaceholderValues } from './chart.ts';
import type { Account, Commodity, Posting, Reason } from './entry.ts';
import type { LegFacts } from './facts.ts';

/** How the legs of a transaction are related. */
export type Kind = 'single' | 'trade' | 'transfer';

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
  /** The value that the leg adds to the trade or transfer account; undefined if the leg has no posting there. */
  readonly clearing: Exact | undefined;
}

/** Trades and transfers have legs in both directions. In a transfer, the assets in both directions are the same. */
export function kindOf(legs: readonly LegFacts[]): Kind {
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
 * An incoming leg is booked at its value. An outgoing leg reduces the book value by the cost basis. The realised gain is the
 * difference between proceeds and cost basis. All values come from the service. A missing value is never derived from other
 * values. Instead, the rest of the leg is posted to suspense.
 *
 * @param isBlocked whether another leg of the same trade or transfer is incomplete
 */
export function postLeg(leg: LegFacts, kind: Kind, isBlocked: boolean, options: PostOptions): PostedLeg {
  const { chart, unitOf } = options;
  const values = placeholdersOf(leg, options);
  const suspense = chart.account('suspense', values);
  const other = otherSide(leg, kind);
  const clears = other === 'trade' || other === 'transfer';
  const reasons: Reason[] = [...leg.reasons];
  const isCoded = leg.debitCode !== '' || leg.creditCode !== '';
  if (isBlocked && clears && !isCoded && reasons.length === 0) reasons.push('incomplete-transaction');
  if (leg.type === null) return { postings: [], reasons, clearing: undefined };

  const postings: Posting[] = [];
  const add = (kind: Posting['kind'], account: Account, commodity: Commodity, amount: Exact, facts = {}) => {
    postings.push({ kind, account, commodity, amount, legs: [leg.id], facts });
  };
  const isIncoming = leg.type === 'incoming';
  if (leg.asset !== null && leg.quantity !== null) {
    const unit = unitOf(leg.asset);
    const change = isIncoming ? leg.quantity : leg.quantity.negated();
    const contra = reasons.length === 0 ? chart.account('contra', values) : suspense;
    add('quantity', chart.account('holdings', values), unit, change, worthOf(leg));
    add('quantity', contra, unit, change.negated());
  }
  if (leg.currency === null) return { postings, reasons, clearing: undefined };

  const { currency } = leg;
  const moved =
    leg.quantity === null ? {} : { quantity: `${plain(leg.quantity)} ${leg.asset?.symbol ?? '?'}` };
  const value = (account: Account, amount: Exact | null) => {
    if (amount !== null && !amount.isZero()) add('value', account, currency, amount, moved);
  };
  const [bookCode, otherCode] = isIncoming
    ? [leg.debitCode, leg.creditCode]
    : [leg.creditCode, leg.debitCode];
  const side = (code: string, role: AccountRole) =>
    !isCoded ? chart.account(role, values) : code === '' ? suspense : chart.coded(code, values);
  const book = side(bookCode, 'book');
  const opposite = clears && reasons.length > 0 && !isCoded ? suspense : side(otherCode, other);
  const amount = isIncoming ? leg.value?.negated() : leg.proceeds;
  if (isIncoming) {
    value(book, leg.value);
    value(opposite, amount ?? null);
  } else {
    value(book, leg.costbasis?.negated() ?? null);
    value(opposite, leg.proceeds);
    value(chart.account('gain', values), leg.profit?.negated() ?? null);
    const sum = postings.reduce(
      (total, posting) => (posting.kind === 'value' ? total.plus(posting.amount) : total),
      ZERO,
    );
    value(suspense, sum.negated());
  }
  const isCleared = clears && !isCoded && reasons.length === 0;
  return { postings, reasons, clearing: isCleared ? (amount ?? undefined) : undefined };
}

/** Returns the contra account for the values of a leg that has no account codes. */
function otherSide({ type, label }: LegFacts, kind: Kind): AccountRole {
  if (type === 'fee') return 'fee';
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
    ...(price === null ? {} : { 'market-price': `${plain(price)} ${currency.symbol}` }),
    ...(value === null ? {} : { 'market-value': `${plain(value)} ${currency.symbol}` }),
  };
}

/** Formats an amount with every digit, without an exponent, and without a sign for zero. */
export function plain(amount: Exact): string {
  return amount.isZero() ? '0' : amount.toFixed();
}
