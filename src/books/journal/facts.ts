import { accountingFields } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import { type Disposal, disposalKind } from '../disposals.ts';
import { type Direction, type Leg, MONEY, type ServedName } from '../leg.ts';
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
  /** Whether the leg names a second wallet that is not known to be an own wallet. */
  readonly namesOther: boolean;
  /** The kind of the leg, determined as in a list of disposals, so that the realised profits agree. */
  readonly kind: Disposal['kind'];
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
  const { currency, otherWallet, hasForeignPrice: isForeign } = leg;
  const reasons: Reason[] = [];
  const facts: LegFacts = {
    quantity: fitAmount(leg.quantity),
    price: fitAmount(leg.price),
    value: fitAmount(leg.money('value')),
    costbasis: fitAmount(leg.money('costbasis')),
    proceeds: fitAmount(leg.money('proceeds')),
    profit: fitAmount(leg.money('profit')),
    id: leg.id,
    transactionId: leg.transactionId,
    type: leg.direction,
    walletId: leg.walletId,
    isTransfer: otherWallet !== undefined && isOwn(otherWallet),
    namesOther: otherWallet !== undefined && !isOwn(otherWallet),
    kind: disposalKind(leg, isOwn),
    asset: commodityOf(leg),
    currency: currency === null ? null : currencyNamed(currency),
    label: textIn(leg, 'label'),
    description: textIn(leg, 'description'),
    debitCode: usesCodes ? textIn(leg, 'debitCoaCode') : '',
    creditCode: usesCodes ? textIn(leg, 'creditCoaCode') : '',
    summary: `${leg.type || 'no type'} ${leg.served('quantity') ?? '?'} ${leg.symbol || '?'}`,
    reasons,
  };
  const isUnreadable =
    (facts.quantity === null && leg.served('quantity') !== null) ||
    (currency !== null &&
      !isForeign &&
      MONEY.some((name) => facts[name] === null && leg.served(name) !== null)) ||
    leg.hasUnreadablePrice ||
    (facts.price === null && leg.price !== null);
  if (isUnreadable) reasons.push('unreadable-amount');
  if (isForeign) reasons.push('price-currency');
  addReasons(reasons, facts, leg);
  return facts;
}

function textIn(leg: Leg, field: ServedName): string {
  return (leg.served(field) ?? '').trim();
}

function addReasons(reasons: Reason[], facts: LegFacts, leg: Leg): void {
  const { type, quantity, asset, walletId, currency, value, costbasis, proceeds, profit } = facts;
  const { debitCode, creditCode } = facts;
  const hasNoCurrency = (fields: readonly ServedName[]) =>
    currency === null && fields.some((field) => leg.served(field) !== null);
  if (type === null) reasons.push('unknown-type');
  if (quantity === null) reasons.push('no-quantity');
  if (asset === null) reasons.push('no-asset');
  else if (asset.assetId === null) reasons.push('unresolved-asset');
  if (walletId === '') reasons.push('no-wallet');
  if ((debitCode === '') !== (creditCode === '')) reasons.push('half-posted');
  if (type === 'incoming') {
    if (hasNoCurrency(['value'])) reasons.push('no-currency');
    else if (value === null) reasons.push('missing-price');
    const isPosted = (figure: Exact | null) => figure !== null && !figure.isZero();
    if (isPosted(costbasis) || isPosted(proceeds) || isPosted(profit)) reasons.push('incoming-figures');
  } else if (type !== null) {
    const isWithout = hasNoCurrency(accountingFields);
    if (isWithout) reasons.push('no-currency');
    if (costbasis === null && proceeds === null && profit === null) {
      if (!isWithout) reasons.push('unprocessed');
      return;
    }
    if (costbasis === null) reasons.push('no-cost-basis');
    if (proceeds === null) reasons.push('no-proceeds');
    if (profit === null) reasons.push('no-profit');
    if (costbasis && proceeds && profit && !proceeds.minus(costbasis).equals(profit))
      reasons.push('profit-differs');
  }
}

/** Returns the amount; null if it has more digits than journals can contain. */
export function fitAmount(figure: Exact | null): Exact | null {
  if (figure === null || figure.decimalPlaces() > MOST_DECIMALS || figure.e > MOST_DECIMALS) return null;
  return figure;
}

/**
 * Returns the asset of a leg. For fiat money, `fiat` contains the currency code, so that the asset can be the same commodity as
 * the currency of the values.
 */
export function commodityOf(leg: Leg): Commodity | null {
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
