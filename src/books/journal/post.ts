import type { Exact } from '../../core/decimal.ts';
import { ZERO } from '../figure.ts';
import type { AccountRole, Chart, PlaceholderValues } from './chart.ts';
import type { Account, Commodity, Posting, Reason } from './entry.ts';
import type { LegFacts } from './facts.ts';

/** How the legs of a transaction are related. */
export type Kind = 'single' | 'trade' | 'transfer';

export interface PostOptions {
  readonly chart: Chart;
  /** Returns the name of a wallet, or its id if it has no name. */
  readonly walletName: (walletId: string) => string;
  /** The unit of an asset. */
  readonly unitOf: (asset: Commodity) => Commodity;
}

/** The postings of one leg; they add up to zero in each commodity. */
export interface PostedLeg {
  readonly postings: readonly Posting[];
  readonly reasons: readonly Reason[];
  /** The value that the leg leaves in the trade or transfer account. */
  readonly clearing: Exact | undefined;
}

/** A trade or a transfer has legs in both directions. In a transfer, both directions have the same assets. */
export function kindOf(legs: readonly LegFacts[]): Kind {
  const assets = (type: LegFacts['type']) =>
    new Set(legs.flatMap((leg) => (leg.type === type ? (leg.asset?.key ?? '') : [])));
  const [into, out] = [assets('incoming'), assets('outgoing')];
  if (into.size === 0 || out.size === 0) return 'single';
  return into.size === out.size && [...into].every((key) => out.has(key)) ? 'transfer' : 'trade';
}

/**
 * Posts a leg. Quantity and values are posted separately, each with its own contra account, because no exchange rate reproduces
 * both to the last digit. An incoming leg is booked at its value. An outgoing leg reduces the book value by its cost basis; the
 * difference between proceeds and cost basis is the realised gain. All values come from the service. A missing value is not
 * derived from other values; the rest of the leg goes to suspense.
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

/** The account for the other side of a leg without account codes. */
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
 * The tag names have a prefix, because ledger would evaluate a tag named `value` as an expression that changes the posting's
 * value.
 */
function worthOf({ price, value, currency }: LegFacts): Readonly<Record<string, string>> {
  if (currency === null) return {};
  return {
    ...(price === null ? {} : { 'market-price': `${plain(price)} ${currency.symbol}` }),
    ...(value === null ? {} : { 'market-value': `${plain(value)} ${currency.symbol}` }),
  };
}

/** Every digit, without an exponent or a negative zero. */
export function plain(amount: Exact): string {
  return amount.isZero() ? '0' : amount.toFixed();
}
