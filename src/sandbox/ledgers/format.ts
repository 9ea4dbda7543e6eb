// One ledger as it is served (spec: Ledger). Every field of the table is on every row.

import { formatUnits, multiply } from '../decimal.ts';
import type { Asset } from './assets.ts';
import type { Catalogue } from './catalogue.ts';
import {
  COA_EDITED,
  type Columns,
  EDITED,
  EVERY_DIGIT,
  FEE,
  HALF_POSTED,
  INCOMING,
  NO_BALANCE,
  NOT_SYNCED,
  PROFIT_OFF,
  TYPES,
  UNPROCESSED,
} from './columns.ts';
import type { Ids } from './ids.ts';
import type { Wallet } from './wallets.ts';

export const BASE_CURRENCY = 'USD';
/** Accounting figures are kept to eight places. */
const PLACES = 8;
const DAY = 86_400_000;
/** A wallet syncs once a day: the number of its run is wallet × SYNC_DAYS + days since 1970. */
export const SYNC_DAYS = 65_536;
const HOUR = 3_600_000;
const ACCOUNTS: readonly (readonly [debit: string, credit: string])[] = [
  ['1510', '4000'],
  ['6400', '1510'],
  ['6810', '1510'],
];

/** JSON text of one row. */
export type RowJson = (row: number) => string;

export interface Formatter {
  readonly json: RowJson;
  walletId(wallet: number): string;
  readonly walletIds: Ids;
  readonly syncIds: Ids;
}

export interface FormatOptions {
  readonly workspaceId: string;
  readonly catalogue: Catalogue;
  readonly walletIds: Ids;
  readonly syncIds: Ids;
  readonly transactionIds: Ids;
}

/** How the rows of some columns say what columns of numbers do not hold. */
export interface RowTexts {
  id(row: number): string;
  description(row: number, type: number, wallet: Wallet | undefined, asset: Asset | undefined): string | null;
  internalLabel(row: number): string | null;
}

/**
 * Writes the text of a row by itself, in about a third of the time that an object and `JSON.stringify` take: pages of
 * ledgers are most of what the sandbox is asked for.
 */
export function createRowJson(columns: Columns, texts: RowTexts, options: FormatOptions): RowJson {
  const { transactionIds, syncIds } = options;
  const { assets, wallets, labels } = options.catalogue;
  const assetJson = rememberedAssets();
  // Once, and not for each row of a million.
  const beside = `,"workspaceId":${quote(options.workspaceId)},"type":`;
  const accounts = wallets.map(({ providerId }, wallet) => {
    const walletId = options.walletIds.of(wallet);
    return { walletId: quote(walletId), json: JSON.stringify({ provider: providerId, walletId }) };
  });

  return function json(row) {
    const type = columns.type[row] ?? 0;
    const asset = assets[columns.asset[row] ?? 0];
    const wallet = columns.wallet[row] ?? 0;
    const flags = columns.flags[row] ?? 0;
    const timestamp = columns.timestamp[row] ?? 0;
    const price = columns.price[row] ?? Number.NaN;
    const quantity = columns.quantity.get(row);
    const amount = formatUnits(quantity);
    const { id, raw, summary } = assetJson(asset);
    const own = accounts[wallet];
    const other = accounts[columns.other[row] ?? -1];
    const [from, to] = type === INCOMING ? [other, own] : [own, other];
    const synced = (flags & NOT_SYNCED) === 0;
    const syncId = synced ? quote(syncIds.of(wallet * SYNC_DAYS + Math.floor(timestamp / DAY))) : 'null';
    const description = texts.description(row, type, wallets[wallet], asset);
    const transactionId = quote(transactionIds.of(columns.transaction[row] ?? 0));
    return (
      `{"id":${quote(texts.id(row))},"transactionId":${transactionId}${beside}"${TYPES[type]}"` +
      `,"assetId":${id},"assetRaw":${raw},"quantity":"${amount}","baseCurrency":"${BASE_CURRENCY}"` +
      `,"price":${priceJson(price, timestamp, synced)},"timestamp":${timestamp}` +
      `,"walletId":${own?.walletId ?? '""'},"syncId":${syncId}` +
      `,"fromAccount":${from?.json ?? 'null'},"toAccount":${to?.json ?? 'null'}` +
      `,"label":${quote(labels[columns.kind[row] ?? 0])},"description":${quote(description)}` +
      `,"internalLabel":${quote(texts.internalLabel(row))},"isEdited":${(flags & EDITED) !== 0}` +
      `${balances(columns, row, type, quantity, flags)}${accounting(columns, row)}${posting(type, flags)}` +
      `,"asset":${summary},"value":${value(quantity, amount, price, flags)}}`
    );
  };
}

function quote(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : JSON.stringify(text);
}

interface AssetJson {
  readonly id: string;
  readonly raw: string;
  readonly summary: string;
}

function rememberedAssets(): (asset: Asset | undefined) => AssetJson {
  const known = new Map<Asset | undefined, AssetJson>();
  return (asset) => {
    const found = known.get(asset) ?? {
      id: quote(asset?.id),
      raw: JSON.stringify({ symbol: asset?.symbol ?? '' }),
      summary: JSON.stringify(summaryOf(asset)),
    };
    known.set(asset, found);
    return found;
  };
}

/** Rows of the books. */
export function textsOfBooks(ids: Ids): RowTexts {
  const internalLabel = (row: number) => (row % 97 === 13 ? `review ${row % 7}` : null);
  return { id: ids.of, description: describe, internalLabel };
}

function priceJson(price: number, timestamp: number, synced: boolean): string {
  if (Number.isNaN(price)) return 'null';
  const source = synced ? 'market' : 'manual';
  return `{"price":${price},"baseCurrency":"${BASE_CURRENCY}","timestamp":${timestamp - (timestamp % HOUR)},"source":"${source}"}`;
}

/** `quantity` × price; on some rows with more digits than a double holds, as an exact backend would print it. */
function value(quantity: bigint, amount: string, price: number, flags: number): string {
  if (Number.isNaN(price)) return 'null';
  return (flags & EVERY_DIGIT) === 0
    ? JSON.stringify(Number(amount) * price)
    : formatUnits(multiply(quantity, price, 30), 30);
}

/** While an asset is unresolved there is nothing to sum up: the object is empty, never null. */
function summaryOf(asset: Asset | undefined): Record<string, unknown> {
  if (asset === undefined || asset.id === null) return {};
  return { symbol: asset.symbol, name: asset.name, logoUrl: asset.logoUrl, type: asset.type };
}

function balances(columns: Columns, row: number, type: number, quantity: bigint, flags: number): string {
  if ((flags & NO_BALANCE) !== 0) return ',"beforeBalance":null,"afterBalance":null';
  const after = columns.after.get(row);
  const before = type === INCOMING ? after - quantity : after + quantity;
  return `,"beforeBalance":"${formatUnits(before)}","afterBalance":"${formatUnits(after)}"`;
}

export interface Figures {
  readonly costbasis: bigint;
  readonly proceeds: bigint;
  readonly profit: bigint;
}

/** In 10^-8; undefined until tax processing has run. An acquisition disposes of nothing: its figures are zero. */
export function figuresOf(columns: Columns, row: number): Figures | undefined {
  const flags = columns.flags[row] ?? 0;
  if ((flags & UNPROCESSED) !== 0) return undefined;
  if (columns.type[row] === INCOMING) return { costbasis: 0n, proceeds: 0n, profit: 0n };
  const quantity = columns.quantity.get(row);
  const proceeds = multiply(quantity, columns.price[row] ?? 0, PLACES);
  const costbasis = multiply(quantity, columns.unitCost[row] ?? 0, PLACES);
  const profit = proceeds - costbasis + ((flags & PROFIT_OFF) !== 0 ? 1_000_000n : 0n);
  return { costbasis, proceeds, profit };
}

function accounting(columns: Columns, row: number): string {
  const figures = figuresOf(columns, row);
  if (figures === undefined) return ',"costbasis":null,"proceeds":null,"profit":null';
  const text = (figure: bigint) => formatUnits(figure, PLACES);
  const { costbasis, proceeds, profit } = figures;
  return `,"costbasis":"${text(costbasis)}","proceeds":"${text(proceeds)}","profit":"${text(profit)}"`;
}

function posting(type: number, flags: number): string {
  const [debit, credit] = ACCOUNTS[type] ?? ['', ''];
  const half = (flags & HALF_POSTED) !== 0;
  const unposted = (flags & UNPROCESSED) !== 0 && !half;
  const edited = (flags & COA_EDITED) !== 0;
  return (
    `,"debitCoaCode":${unposted ? 'null' : `"${debit}"`},"creditCoaCode":${unposted || half ? 'null' : `"${credit}"`}` +
    `,"isDebitCoaEdited":${edited},"isCreditCoaEdited":${edited && type === FEE}`
  );
}

/** What a user or a source may have written, commas, quotes and line breaks included. */
function describe(
  row: number,
  type: number,
  wallet: Wallet | undefined,
  asset: Asset | undefined,
): string | null {
  if (asset?.hostile === true) return `Received ${asset.name}`;
  switch (row % 41) {
    case 3:
      return `${TYPES[type]} at "${wallet?.alias}", see note`;
    case 17:
      return `Invoice 2024/${row}\nnet 30 days;\tpaid`;
    case 29:
      return row % 2 === 0 ? '=SUM(A1:A9)' : '-';
    case 37:
      return `Überweisung – ${'sehr lange Beschreibung, '.repeat(1 + (row % 30))}Ende`;
    default:
      return null;
  }
}
