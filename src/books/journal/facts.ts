import { accountingFields, symbolOf, textOf, timeOf } from '../../api/ledgers.ts';
import type { Exact } from '../../core/decimal.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { figureOf } from '../figure.ts';
import type { Commodity, Reason } from './entry.ts';

/**
 * Maximum number of digits before or after the decimal point. Real amounts have fewer digits, and hledger allows 255 decimal
 * places.
 */
const MOST_DECIMALS = 200;
const TYPES = ['incoming', 'outgoing', 'fee'] as const;
type LegType = (typeof TYPES)[number];

/** The data that a journal needs about a leg. Missing or unreadable values are null. */
export interface LegFacts {
  readonly id: string;
  readonly transactionId: string;
  readonly time: number | undefined;
  readonly type: LegType | null;
  readonly walletId: string;
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

/**
 * Reads the data of a leg, and finds the reasons why the leg cannot be posted completely.
 *
 * @param usesCodes whether to use the leg's general-ledger codes
 */
export function factsOf(leg: JsonRecord, usesCodes = true): LegFacts {
  const codeIn = (field: string) => (usesCodes ? textOf(leg[field]).trim() : '');
  const price = isRecord(leg['price']) ? leg['price'] : {};
  const amounts = {
    quantity: amountOf(leg['quantity']),
    price: amountOf(price['price']),
    value: amountOf(leg['value']),
    costbasis: amountOf(leg['costbasis']),
    proceeds: amountOf(leg['proceeds']),
    profit: amountOf(leg['profit']),
  };
  const type = TYPES.find((known) => known === leg['type']) ?? null;
  const currencyCode = textOf(leg['baseCurrency']).trim();
  const facts = {
    ...amounts,
    id: textOf(leg['id']),
    transactionId: textOf(leg['transactionId']),
    time: timeOf(leg),
    type,
    walletId: textOf(leg['walletId']),
    asset: assetOf(leg),
    currency: currencyCode === '' ? null : currencyNamed(currencyCode),
    label: textOf(leg['label']).trim(),
    description: textOf(leg['description']).trim(),
    debitCode: codeIn('debitCoaCode'),
    creditCode: codeIn('creditCoaCode'),
    summary: [textOf(leg['type']) || 'no type', textOf(leg['quantity']) || '?', symbolOf(leg) || '?'].join(
      ' ',
    ),
  };
  const given = [leg['quantity'], price['price'], leg['value'], ...accountingFields.map((name) => leg[name])];
  const isUnreadable = given.some(
    (value) => value !== null && value !== undefined && value !== '' && amountOf(value) === null,
  );
  const priceCurrency = textOf(price['baseCurrency']).trim();
  const reasons: Reason[] = [
    ...(isUnreadable ? (['unreadable-amount'] as const) : []),
    ...(priceCurrency !== '' && currencyCode !== '' && priceCurrency !== currencyCode
      ? (['price-currency'] as const)
      : []),
    ...reasonsOf(facts),
  ];
  const isForeign = reasons.includes('price-currency');
  return { ...facts, ...(isForeign ? { price: null, value: null } : {}), reasons };
}

function reasonsOf(facts: Omit<LegFacts, 'reasons'>): Reason[] {
  const { type, quantity, asset, walletId, currency, value, costbasis, proceeds, profit } = facts;
  const { debitCode, creditCode } = facts;
  const figures = [costbasis, proceeds, profit];
  const reasons: Reason[] = [];
  const when = (condition: boolean, reason: Reason) => {
    if (condition) reasons.push(reason);
  };
  when(type === null, 'unknown-type');
  when(quantity === null, 'no-quantity');
  when(asset === null, 'no-asset');
  when(asset !== null && asset.assetId === null, 'unresolved-asset');
  when(walletId === '', 'no-wallet');
  when((debitCode === '') !== (creditCode === ''), 'half-posted');
  if (type === 'incoming') {
    when(value === null, 'missing-price');
    when(value !== null && currency === null, 'no-currency');
    when(
      figures.some((figure) => figure !== null && !figure.isZero()),
      'incoming-figures',
    );
  } else if (type !== null) {
    const unknown = figures.filter((figure) => figure === null).length;
    when(unknown === 3, 'unprocessed');
    when(unknown < 3 && costbasis === null, 'no-cost-basis');
    when(unknown < 3 && proceeds === null, 'no-proceeds');
    when(unknown < 3 && profit === null, 'no-profit');
    when(unknown < 3 && currency === null, 'no-currency');
    when(
      costbasis !== null && proceeds !== null && profit !== null && !proceeds.minus(costbasis).equals(profit),
      'profit-differs',
    );
  }
  return reasons;
}

function amountOf(value: unknown): Exact | null {
  const figure = figureOf(value);
  if (figure === null || figure.decimalPlaces() > MOST_DECIMALS || figure.e > MOST_DECIMALS) return null;
  return figure;
}

/**
 * Returns the asset of a leg. For fiat money, `fiat` contains the currency code. Therefore, a fiat
 * asset can be the same commodity as the currency of the values.
 */
function assetOf(leg: JsonRecord): Commodity | null {
  const { asset, assetId } = leg;
  const symbol = symbolOf(leg);
  if (typeof assetId === 'string' && assetId !== '') {
    const isFiat = isRecord(asset) && asset['type'] === 'fiat' && /^[A-Z]{3}$/.test(symbol);
    return {
      key: `asset:${assetId}`,
      symbol: symbol || assetId,
      assetId,
      ...(isFiat ? { fiat: symbol } : {}),
    };
  }
  return symbol === '' ? null : { key: `symbol:${symbol}`, symbol, assetId: null };
}

function currencyNamed(code: string): Commodity {
  return { key: `currency:${code}`, symbol: code, assetId: null };
}
