import { exact } from '../core/decimal.ts';
import { isExactNumber, isJsonNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { isDecimal } from '../core/plain.ts';
import { type Column, money } from './columns.ts';
import { byOffset, list, single } from './endpoint.ts';
import {
  choiceFilter,
  decimalFilter,
  type FilterValues,
  flagFilter,
  timeFilter,
  listFilter as values,
} from './filters.ts';
import { isOneOf } from './readings.ts';
import {
  bool,
  int,
  nullable,
  number,
  object,
  open,
  parts,
  pathsOf,
  type RecordOf,
  required,
  text,
} from './records.ts';

/** The price of one unit at the time of the leg. */
const price = {
  price: number,
  baseCurrency: text,
  /** Unix milliseconds. */
  timestamp: int,
  source: text,
};
export type Price = RecordOf<typeof price>;

/** Types of a leg: an asset comes in, goes out or is paid as a fee. */
const LEG_TYPES = ['incoming', 'outgoing', 'fee'] as const;

/** Fields of a ledger, from "Ledger (one leg of a transaction)" in the specification. */
const record = {
  id: required(text),
  transactionId: text,
  workspaceId: text,
  type: open(...LEG_TYPES),
  /** Null while unresolved. */
  assetId: nullable(text),
  /** The asset, as reported by the source of the data. */
  assetRaw: parts('symbol'),
  /** A decimal string with up to 18 decimal places. Do not convert the string to a number. */
  quantity: text,
  /** Currency of `price` and `value`. */
  baseCurrency: text,
  price: nullable(object(price)),
  /** Quantity × price. All other amounts are strings, but this value is a JSON number. */
  value: nullable(number),
  /** Unix milliseconds. */
  timestamp: int,
  /** Id of the account that owns the leg. */
  walletId: text,
  syncId: nullable(text),
  fromAccount: nullable(parts('provider', 'walletId')),
  toAccount: nullable(parts('provider', 'walletId')),
  label: nullable(text),
  description: nullable(text),
  internalLabel: nullable(text),
  isEdited: bool,
  /** Decimal string. */
  beforeBalance: nullable(text),
  /** Decimal string. */
  afterBalance: nullable(text),
  /** The cost basis, as a decimal string; null until tax processing has run. */
  costbasis: nullable(text),
  /** The proceeds, as a decimal string; null until tax processing has run. */
  proceeds: nullable(text),
  /** The realised profit, as a decimal string; null until tax processing has run. */
  profit: nullable(text),
  /** Enterprise only. */
  debitCoaCode: nullable(text),
  /** Enterprise only. */
  creditCoaCode: nullable(text),
  /** Enterprise only. */
  isDebitCoaEdited: bool,
  /** Enterprise only. */
  isCreditCoaEdited: bool,
  asset: nullable(parts('symbol', 'name', 'logoUrl', 'type')),
};
export type Ledger = RecordOf<typeof record>;

/**
 * All filters of `GET /v1/ledgers`. The client, the command-line flags, exports and manifests use this declaration. The checks
 * of received rows also use it.
 */
export const ledgerFilters = {
  transactionIds: values('legs of these transactions', 'ids', {
    known: { word: 'transaction id', from: 'rows' },
    decides: ({ transactionId }, ids) =>
      typeof transactionId === 'string' ? ids.includes(transactionId) : undefined,
  }),
  assetIds: values('legs of these assets', 'ids', {
    known: { word: 'asset id', from: 'assets' },
    decides: ({ assetId }, ids) =>
      typeof assetId === 'string' ? ids.includes(assetId) : assetId === null ? false : undefined,
  }),
  types: values('legs of these types', 'types', {
    choices: LEG_TYPES,
    decides: ({ type }, types) => (typeof type === 'string' ? types.includes(type) : undefined),
  }),
  providers: values('legs of accounts at these providers', 'ids', {
    known: { word: 'provider', from: 'providers' },
    decides: (leg, ids) => isOneOf([providerOf(leg)], ids),
  }),
  hasMissingPrice: flagFilter('legs with no resolved price', isUnpriced),
  hasMissingAsset: flagFilter('legs whose asset is unresolved', ({ assetId }) =>
    assetId === null ? true : typeof assetId === 'string' && assetId !== '' ? false : undefined,
  ),
  ltAfterBalance: decimalFilter(
    'legs with a running balance below this value; 0 finds negative balances',
    ({ afterBalance }, limit) => compares(afterBalance, limit, -1),
  ),
  gtAfterBalance: decimalFilter('legs with a running balance above this value', ({ afterBalance }, limit) =>
    compares(afterBalance, limit, 1),
  ),
};

/**
 * Time bounds that the service applies. The specification does not say whether the bounds are inclusive. The client therefore
 * accepts a leg whose time equals a bound. An export sends the same filters with many different bounds, so the bounds are not
 * part of {@link ledgerFilters}.
 */
export const ledgerBounds = {
  startTime: timeFilter(
    'value of the parameter startTime in Unix milliseconds, sent unchanged',
    ({ timestamp }, from) => (typeof timestamp === 'number' ? timestamp >= from : undefined),
  ),
  endTime: timeFilter(
    'value of the parameter endTime in Unix milliseconds, sent unchanged',
    ({ timestamp }, to) => (typeof timestamp === 'number' ? timestamp <= to : undefined),
  ),
};

const ledgerOrder = {
  sortBy: choiceFilter('sort by', 'field', ['timestamp', 'createdAt'], { default: 'timestamp' }),
  sortOrder: choiceFilter('newest first (desc) or oldest first (asc)', 'order', ['asc', 'desc'], {
    default: 'desc',
  }),
};

/**
 * Columns that are computed when rows are written. Each column follows the column of the field that is its key in this object.
 */
const DERIVED: Readonly<Record<string, Column>> = {
  /** `timestamp` in ISO 8601. */
  timestamp: { key: 'time', from: ['timestamp'], isTime: true },
  /** The symbol of the resolved asset. Without a resolved asset, the symbol that the source reported. See {@link symbolOf}. */
  assetId: { key: 'symbol', names: 'asset', from: ['asset.symbol', 'assetRaw.symbol'] },
  /** The name of the account. */
  walletId: { key: 'wallet', names: 'account', from: ['walletId'] },
};

const INTERNAL = ['workspaceId', 'price.timestamp', 'timestamp', 'syncId', 'asset.logoUrl'];

export const ledgers = list({
  path: '/v1/ledgers',
  scope: 'transactions:read',
  noun: 'leg',
  nouns: 'legs',
  paging: byOffset({ max: 200 }),
  record,
  filters: ledgerFilters,
  parameters: { ...ledgerBounds, ...ledgerOrder },
  columns: {
    table: [
      { key: 'timestamp', header: 'time', moment: true },
      { key: 'type' },
      { key: 'quantity', figure: true, unit: 'asset.symbol' },
      { key: 'asset.symbol', header: 'asset', derive: (leg) => symbolOf(leg) },
      money('value', { drop: 3, unit: 'baseCurrency' }),
      { key: 'baseCurrency', header: 'currency', drop: 2 },
      { key: 'afterBalance', header: 'balance after', figure: true, drop: 5, unit: 'asset.symbol' },
      { key: 'wallet', names: 'account', drop: 4 },
      { key: 'label', drop: 1 },
      { key: 'id', drop: 6 },
    ],
    csv: pathsOf(record).flatMap((key) => [
      INTERNAL.includes(key) ? { key, internal: true } : { key },
      ...(DERIVED[key] ? [DERIVED[key]] : []),
    ]),
  },
});

export const ledger = single({
  path: '/v1/ledgers/{id}',
  scope: 'transactions:read',
  noun: 'leg',
  record,
  hasId: (leg, id) => isOneOf([leg['id']], [id]),
});

export type LedgerFilterValues = FilterValues<typeof ledgerFilters>;

/** Whether a leg has no resolved price; undefined if the fields of the leg do not show whether it has one. */
export function isUnpriced({ price }: JsonRecord): boolean | undefined {
  if (price === null) return true;
  if (!isRecord(price)) return undefined;
  return isJsonNumber(price['price']) ? false : undefined;
}

/**
 * Returns the provider of the account that owns a leg. The record contains this account only if it is `toAccount` or
 * `fromAccount`.
 */
function providerOf({ walletId, toAccount, fromAccount }: JsonRecord): unknown {
  const own = [toAccount, fromAccount].filter(isRecord).find((account) => account['walletId'] === walletId);
  return own?.['provider'];
}

/** Compares a running balance with a limit. A leg whose running balance is null does not pass the filter. */
function compares(balance: unknown, limit: string, sign: 1 | -1): boolean | undefined {
  if (balance === null) return false;
  const [left, right] = [exact(balance), exact(limit)];
  return left === null || right === null ? undefined : left.comparedTo(right) === sign;
}

/** Returns the symbol of the resolved asset. The fallback is the symbol that the source reported. */
export function symbolOf({ asset, assetRaw }: JsonRecord): string {
  return symbolIn(asset) || symbolIn(assetRaw);
}

function symbolIn(asset: unknown): string {
  return isRecord(asset) ? textOf(asset['symbol']) : '';
}

/** Filters that the tool applies itself, because the service cannot filter ledgers by wallet or symbol. */
export interface ToolFilter {
  readonly walletIds?: readonly string[] | undefined;
  /** A leg passes if its asset has one of these ids or one of these symbols. */
  readonly assets?: { readonly ids: readonly string[]; readonly symbols: readonly string[] } | undefined;
}

export function passes(leg: JsonRecord, { walletIds, assets }: ToolFilter): boolean {
  const { walletId, assetId } = leg;
  if (walletIds && !walletIds.some((id) => id === walletId)) return false;
  return !assets || assets.ids.some((id) => id === assetId) || assets.symbols.includes(symbolOf(leg));
}

/** Converts the value of a field to text. A missing value, an object and a list become an empty string. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isMissing = value === null || value === undefined || typeof value === 'object';
  return isMissing && !isExactNumber(value) ? '' : String(value);
}

/** Returns the time of a ledger in Unix milliseconds, or undefined if `timestamp` is missing or invalid. */
export function timeOf(ledger: unknown): number | undefined {
  return timeIn(isRecord(ledger) ? ledger['timestamp'] : undefined);
}

/** Returns the value of `timestamp` in Unix milliseconds, or undefined if it is missing or invalid. A decimal may be text. */
export function timeIn(timestamp: unknown): number | undefined {
  const value = isExactNumber(timestamp) ? timestamp.value : timestamp;
  const time = typeof value === 'string' && isDecimal(value) ? Number(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

/** Fields that are null until tax processing has run. */
export const accountingFields = ['costbasis', 'proceeds', 'profit'] as const;
