import { exact } from '../core/decimal.ts';
import { isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';
import { decimal, type FilterValues, flag, list, time } from './filters.ts';

/**
 * Every filter of `GET /v1/ledgers` ("Ledgers"). The client's type and checks, the flags, the export's selection and
 * its manifest, and the check of each row all follow from this declaration.
 */
export const ledgerFilters = {
  transactionIds: list('legs of these transactions', 'ids', ({ transactionId }, ids) =>
    typeof transactionId === 'string' ? ids.includes(transactionId) : undefined,
  ),
  assetIds: list('legs of these assets', 'ids', ({ assetId }, ids) =>
    typeof assetId === 'string' ? ids.includes(assetId) : assetId === null ? false : undefined,
  ),
  types: list(
    'legs of these types',
    'types',
    ({ type }, types) => (typeof type === 'string' ? types.includes(type) : undefined),
    ['incoming', 'outgoing', 'fee'],
  ),
  /** No field of a leg is specified to hold the provider of its account. */
  providers: list('legs of accounts at these providers', 'ids'),
  hasMissingPrice: flag('legs with no resolved price', ({ price }, wanted) =>
    price === null ? wanted : hasPrice(price) ? !wanted : undefined,
  ),
  hasMissingAsset: flag('legs whose asset is unresolved', ({ assetId }, wanted) =>
    assetId === null ? wanted : typeof assetId === 'string' ? !wanted : undefined,
  ),
  ltAfterBalance: decimal(
    'running balance strictly less than this; 0 finds negative balances',
    ({ afterBalance }, limit) => compares(afterBalance, limit, -1),
  ),
  gtAfterBalance: decimal('running balance strictly greater than this', ({ afterBalance }, limit) =>
    compares(afterBalance, limit, 1),
  ),
};

/**
 * The service's own bounds of time. Whether they are inclusive is not specified, so a leg at a bound passes. They are
 * apart from the filters because an export asks for many spans of the same selection.
 */
export const ledgerBounds = {
  startTime: time(
    "the service's own startTime, in Unix milliseconds, sent as given",
    ({ timestamp }, from) => (typeof timestamp === 'number' ? timestamp >= from : undefined),
  ),
  endTime: time("the service's own endTime, in Unix milliseconds, sent as given", ({ timestamp }, to) =>
    typeof timestamp === 'number' ? timestamp <= to : undefined,
  ),
};

/** Values of {@link ledgerFilters}. */
export type LedgerFilterValues = FilterValues<typeof ledgerFilters>;

function hasPrice(price: unknown): boolean {
  if (!isRecord(price)) return false;
  return typeof price['price'] === 'number' || isExactNumber(price['price']);
}

/** Legs without a running balance pass neither balance filter. */
function compares(balance: unknown, limit: string, sign: 1 | -1): boolean | undefined {
  if (balance === null) return false;
  const [left, right] = [exact(balance), exact(limit)];
  return left === null || right === null ? undefined : left.comparedTo(right) === sign;
}

/** The symbol of the resolved asset, else the one that the source reported; empty if there is none. */
export function symbolOf({ asset, assetRaw }: JsonRecord): string {
  return symbolIn(asset) || symbolIn(assetRaw);
}

function symbolIn(asset: unknown): string {
  return isRecord(asset) ? textOf(asset['symbol']) : '';
}

/** What the tool selects itself: the service has no filter for wallets, and none for symbols. */
export interface ToolFilter {
  readonly walletIds?: readonly string[] | undefined;
  /** Assets by id or by symbol: a leg passes if either matches. */
  readonly assets?: { readonly ids: readonly string[]; readonly symbols: readonly string[] } | undefined;
}

export function passes(leg: JsonRecord, { walletIds, assets }: ToolFilter): boolean {
  const { walletId, assetId } = leg;
  if (walletIds && !walletIds.some((id) => id === walletId)) return false;
  return !assets || assets.ids.some((id) => id === assetId) || assets.symbols.includes(symbolOf(leg));
}

/** Text of a field; empty if it is absent. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : String(value);
}
