// Formats a ledger as JSON. A ledger always has all fields in the table "Ledger" of the specification.

import type { Asset } from '../../books/assets.ts';
import {
  COA_EDITED,
  EDITED,
  EVERY_DIGIT,
  FEE,
  HALF_POSTED,
  INCOMING,
  LEG_TYPES,
  type LegColumns,
  NO_BALANCE,
  NOT_SYNCED,
  PROFIT_OFF,
  UNPROCESSED,
} from '../../books/columns.ts';
import type { BookContext } from '../../books/context.ts';
import type { Wallet } from '../../books/wallets.ts';
import { formatUnits, multiply } from '../../core/decimal.ts';

const BASE_CURRENCY = 'USD';
/** Number of decimal places of cost basis, proceeds and profit. */
const PLACES = 8;
const DAY = 86_400_000;
/** Each wallet syncs once a day. The number of a sync is wallet × SYNC_DAYS + days since 1970. */
export const SYNC_DAYS = 65_536;
const HOUR = 3_600_000;
const ACCOUNTS: readonly (readonly [debit: string, credit: string])[] = [
  ['1510', '4000'],
  ['6400', '1510'],
  ['6810', '1510'],
];

/** Returns the JSON of the ledger that a row contains. */
export type LedgerJson = (row: number) => string;

/** Most requests are for ledgers. Concatenating text is about three times as fast as calling `JSON.stringify`. */
export function createLedgerJson(context: BookContext): LedgerJson {
  const { book, transactionIds, syncIds, listsSyncs } = context;
  const { assets, wallets, labels } = context.catalogue;
  const assetJson = once((asset: Asset | undefined) => ({
    id: quote(asset?.id),
    raw: JSON.stringify({ symbol: asset?.symbol ?? '' }),
    summary: JSON.stringify(summaryOf(asset)),
  }));
  const accountJson = once((wallet: Wallet) => {
    const walletId = context.walletIds.of(wallets.indexOf(wallet));
    return { walletId: quote(walletId), json: JSON.stringify({ provider: wallet.providerId, walletId }) };
  });
  const account = (number: number) => {
    const wallet = wallets[number];
    return wallet === undefined ? undefined : accountJson(wallet);
  };
  const workspace = `,"workspaceId":${quote(context.workspaceId)},"type":`;

  return (row) => {
    const { columns } = book;
    const number = columns.number[row] ?? 0;
    const added = book.added(number);
    const type = columns.type[row] ?? 0;
    const asset = assets[columns.asset[row] ?? 0];
    const wallet = columns.wallet[row] ?? 0;
    const flags = columns.flags[row] ?? 0;
    const timestamp = columns.timestamp[row] ?? 0;
    const price = columns.price[row] ?? Number.NaN;
    const quantity = columns.quantity.get(row);
    const amount = formatUnits(quantity);
    const { id, raw, summary } = assetJson(asset);
    const own = account(wallet);
    const other = account(columns.other[row] ?? -1);
    const [from, to] = type === INCOMING ? [other, own] : [own, other];
    const synced = (flags & NOT_SYNCED) === 0;
    const sync = wallet * SYNC_DAYS + Math.floor(timestamp / DAY);
    const syncId = synced && listsSyncs(wallet) ? quote(syncIds.of(sync)) : 'null';
    const description =
      added === undefined ? describe(number, type, wallets[wallet], asset) : added.description;
    const internalLabel = added === undefined && number % 97 === 13 ? `review ${number % 7}` : null;
    const transactionId = quote(transactionIds.of(columns.transaction[row] ?? 0));
    return (
      `{"id":${quote(book.id(number))},"transactionId":${transactionId}${workspace}"${LEG_TYPES[type]}"` +
      `,"assetId":${id},"assetRaw":${raw},"quantity":"${amount}","baseCurrency":"${BASE_CURRENCY}"` +
      `,"price":${priceJson(price, timestamp, synced)},"timestamp":${timestamp}` +
      `,"walletId":${own?.walletId ?? '""'},"syncId":${syncId}` +
      `,"fromAccount":${from?.json ?? 'null'},"toAccount":${to?.json ?? 'null'}` +
      `,"label":${quote(labels[columns.kind[row] ?? 0])},"description":${quote(description)}` +
      `,"internalLabel":${quote(internalLabel)},"isEdited":${(flags & EDITED) !== 0}` +
      `${balances(columns, row, type, quantity, flags)}${accounting(columns, row)}${posting(type, flags)}` +
      `,"asset":${summary},"value":${value(quantity, amount, price, flags)}}`
    );
  };
}

function quote(text: string | null | undefined): string {
  return text === null || text === undefined ? 'null' : JSON.stringify(text);
}

function once<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

function priceJson(price: number, timestamp: number, synced: boolean): string {
  if (Number.isNaN(price)) return 'null';
  const source = synced ? 'market' : 'manual';
  return `{"price":${price},"baseCurrency":"${BASE_CURRENCY}","timestamp":${timestamp - (timestamp % HOUR)},"source":"${source}"}`;
}

/** `quantity` × `price`. The product is exact if EVERY_DIGIT is set. Without EVERY_DIGIT, the product is a double. */
function value(quantity: bigint, amount: string, price: number, flags: number): string {
  if (Number.isNaN(price)) return 'null';
  return (flags & EVERY_DIGIT) === 0
    ? JSON.stringify(Number(amount) * price)
    : formatUnits(multiply(quantity, price, 30), 30);
}

/** The summary of an unresolved asset is an empty object, never null. */
function summaryOf(asset: Asset | undefined): Record<string, unknown> {
  if (asset === undefined || asset.id === null) return {};
  return { symbol: asset.symbol, name: asset.name, logoUrl: asset.logoUrl, type: asset.type };
}

function balances(columns: LegColumns, row: number, type: number, quantity: bigint, flags: number): string {
  if ((flags & NO_BALANCE) !== 0) return ',"beforeBalance":null,"afterBalance":null';
  const after = columns.after.get(row);
  const before = type === INCOMING ? after - quantity : after + quantity;
  return `,"beforeBalance":"${formatUnits(before)}","afterBalance":"${formatUnits(after)}"`;
}

/** Values in units of 10^-8; undefined if tax processing has not run. All values of an incoming leg are 0. */
export function figuresOf(columns: LegColumns, row: number) {
  const flags = columns.flags[row] ?? 0;
  if ((flags & UNPROCESSED) !== 0) return undefined;
  if (columns.type[row] === INCOMING) return { costbasis: 0n, proceeds: 0n, profit: 0n };
  const quantity = columns.quantity.get(row);
  const proceeds = multiply(quantity, columns.price[row] ?? 0, PLACES);
  const costbasis = multiply(quantity, columns.unitCost[row] ?? 0, PLACES);
  const profit = proceeds - costbasis + ((flags & PROFIT_OFF) !== 0 ? 1_000_000n : 0n);
  return { costbasis, proceeds, profit };
}

function accounting(columns: LegColumns, row: number): string {
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

/** Sample text with commas, quotes and line breaks. */
function describe(
  number: number,
  type: number,
  wallet: Wallet | undefined,
  asset: Asset | undefined,
): string | null {
  if (asset?.hostile === true) return `Received ${asset.name}`;
  switch (number % 41) {
    case 3:
      return `${LEG_TYPES[type]} at "${wallet?.alias}", see note`;
    case 17:
      return `Invoice 2024/${number}\nnet 30 days;\tpaid`;
    case 29:
      return number % 2 === 0 ? '=SUM(A1:A9)' : '-';
    case 37:
      return `Überweisung – ${'sehr lange Beschreibung, '.repeat(1 + (number % 30))}Ende`;
    default:
      return null;
  }
}
