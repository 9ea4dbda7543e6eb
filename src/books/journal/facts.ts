import { accountingFields } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import type { Direction, Leg } from '../leg.ts';
import type { Commodity, Reason } from './entry.ts';

/**
 * Maximum number of digits before or after the decimal point. Real amounts have fewer digits, and hledger allows 255 decimal
 * places.
 */
const MOST_DECIMALS = 200;

/** The data that a journal needs about a leg. Missing or unreadable values are null. */
export interface LegFacts {
  readonly id: string;
  readonly transactionId: string;
  readonly type: Direction | null;
  readonly walletId: string;
  /** Whether the leg is one half of a transfer between own wallets. */
  readonly isTransfer: boolean;
  readonly asset: Commodity | null;
  readonly quantity: Exact | null;
  readonly currency: Commodity | null;
  readonly price: Exact | null;
  readonly value: Exact | null;
  readonly costbasis: Exact | null;
  readonly proceeds: Exact | null;
  readonly profit: Exact | null;
  readonly label: string;
  readonly description: string;
  readonly debitCode: string;
  readonly creditCode: string;
  /** Why the leg cannot be posted completely. */
  readonly reasons: readonly Reason[];
  /** A short description of the leg, for example `incoming 1.5 ETH`. */
  readonly summary: string;
}

interface FactsOptions {
  /** Whether to use the leg's general-ledger codes. */
  readonly usesCodes: boolean;
  readonly isOwn: (walletId: string) => boolean;
}

/** Reads the data of a leg, and finds the reasons why the leg cannot be posted completely. */
export function factsOf(leg: Leg, { usesCodes, isOwn }: FactsOptions): LegFacts {
  const textIn = (field: string) => (leg.served(field) ?? '').trim();
  const codeIn = (field: string) => (usesCodes ? textIn(field) : '');
  const isForeign = leg.hasForeignPrice;
  const amounts = {
    quantity: fit(leg.quantity),
    price: fit(leg.price),
    value: fit(leg.money('value')),
    costbasis: fit(leg.money('costbasis')),
    proceeds: fit(leg.money('proceeds')),
    profit: fit(leg.money('profit')),
  };
  const facts = {
    ...amounts,
    id: leg.id,
    transactionId: leg.transactionId,
    type: leg.direction,
    walletId: leg.walletId,
    isTransfer: leg.otherWallet !== undefined && isOwn(leg.otherWallet),
    asset: assetOf(leg),
    currency: leg.currency === null ? null : currencyNamed(leg.currency),
    label: textIn('label'),
    description: textIn('description'),
    debitCode: codeIn('debitCoaCode'),
    creditCode: codeIn('creditCoaCode'),
    summary: [leg.type || 'no type', leg.served('quantity') ?? '?', leg.symbol || '?'].join(' '),
  };
  const money = leg.currency === null || isForeign ? [] : ([...accountingFields, 'value'] as const);
  const isUnreadable =
    (['quantity', ...money] as const).some((name) => leg.served(name) !== null && amounts[name] === null) ||
    leg.hasUnreadablePrice ||
    (leg.price !== null && amounts.price === null);
  const reasons: Reason[] = [
    ...(isUnreadable ? (['unreadable-amount'] as const) : []),
    ...(isForeign ? (['price-currency'] as const) : []),
    ...reasonsOf(facts, leg),
  ];
  return { ...facts, reasons };
}

function reasonsOf(facts: Omit<LegFacts, 'reasons'>, leg: Leg): Reason[] {
  const { type, quantity, asset, walletId, currency, value, costbasis, proceeds, profit } = facts;
  const { debitCode, creditCode } = facts;
  const figures = [costbasis, proceeds, profit];
  const reasons: Reason[] = [];
  const when = (condition: boolean, reason: Reason) => {
    if (condition) reasons.push(reason);
  };
  const hasNoCurrency = (fields: readonly string[]) =>
    currency === null && fields.some((field) => leg.served(field) !== null);
  when(type === null, 'unknown-type');
  when(quantity === null, 'no-quantity');
  when(asset === null, 'no-asset');
  when(asset !== null && asset.assetId === null, 'unresolved-asset');
  when(walletId === '', 'no-wallet');
  when((debitCode === '') !== (creditCode === ''), 'half-posted');
  if (type === 'incoming') {
    const isUnpriced = hasNoCurrency(['value']);
    when(value === null && !isUnpriced, 'missing-price');
    when(isUnpriced, 'no-currency');
    when(
      figures.some((figure) => figure !== null && !figure.isZero()),
      'incoming-figures',
    );
  } else if (type !== null) {
    const isWithout = hasNoCurrency(accountingFields);
    const unknown = figures.filter((figure) => figure === null).length;
    when(isWithout, 'no-currency');
    when(unknown === 3 && !isWithout, 'unprocessed');
    when(unknown < 3 && costbasis === null, 'no-cost-basis');
    when(unknown < 3 && proceeds === null, 'no-proceeds');
    when(unknown < 3 && profit === null, 'no-profit');
    when(
      costbasis !== null && proceeds !== null && profit !== null && !proceeds.minus(costbasis).equals(profit),
      'profit-differs',
    );
  }
  return reasons;
}

function fit(figure: Exact | null): Exact | null {
  if (figure === null || figure.decimalPlaces() > MOST_DECIMALS || figure.e > MOST_DECIMALS) return null;
  return figure;
}

/**
 * Returns the asset of a leg. For fiat money, `fiat` contains the currency code. Therefore, a fiat
 * asset can be the same commodity as the currency of the values.
 */
function assetOf(leg: Leg): Commodity | null {
  const { symbol } = leg;
  const assetId = leg.assetId || null;
  if (assetId === null) return symbol === '' ? null : { key: `symbol:${symbol}`, symbol, assetId };
  const isFiat = leg.isFiat && /^[A-Z]{3}$/.test(symbol);
  return {
    key: `asset:${assetId}`,
    symbol: symbol || assetId,
    assetId,
    ...(isFiat ? { fiat: symbol } : {}),
  };
}

function currencyNamed(code: string): Commodity {
  return { key: `currency:${code}`, symbol: code, assetId: null };
}
