// Ledgers that the user supplied. The sandbox serves the records unchanged. Filters work as they do for generated ledgers.

import { isLosslessNumber } from 'lossless-json';
import { AMOUNT_LIMITS, formatUnits, unitsOf } from '../core/decimal.ts';
import { parseExact } from '../core/exact-json.ts';
import { jsonOf, member } from '../data/resources.ts';
import { type Asset, unresolved } from './assets.ts';
import { BY_HAND, CUSTOM_PROVIDER } from './catalogue.ts';
import {
  EDITED,
  HALF_POSTED,
  LEG_TYPES,
  LegColumns,
  NO_BALANCE,
  NOT_SYNCED,
  UNPROCESSED,
} from './columns.ts';
import type { Wallet } from './wallets.ts';

/** A ledger that the user supplied, after parsing. */
export class GivenLedger {
  readonly text: string;
  readonly id: string;
  readonly transactionId: string;
  readonly walletId: string;
  readonly providerId: string;
  readonly type: number;
  readonly asset: Asset;
  readonly label: string | null;
  readonly syncId: string | undefined;
  readonly timestamp: number;
  readonly createdAt: number;
  readonly price: number;
  readonly flags: number;
  readonly quantity: bigint;
  readonly after: bigint;
  readonly profit: bigint | undefined;

  /** @throws RangeError if the record is not a valid ledger */
  constructor(record: unknown, text: string) {
    this.text = text;
    this.id = textOf(record, 'id');
    this.transactionId = textOf(record, 'transactionId');
    this.walletId = textOf(record, 'walletId');
    this.timestamp = momentOf(record);
    this.createdAt = Number(member(record, 'createdAt') ?? this.timestamp) || this.timestamp;
    this.type = typeOf(record);
    this.providerId = providerOf(record, this.walletId, this.type);
    this.asset = assetOf(record);
    const label = member(record, 'label');
    this.label = typeof label === 'string' ? label : null;
    const syncId = member(record, 'syncId');
    this.syncId = typeof syncId === 'string' ? syncId : undefined;
    const price = member(record, 'price');
    this.price = price === null || price === undefined ? Number.NaN : Number(member(price, 'price'));
    this.quantity = decimalOf(record, 'quantity') ?? missing('quantity', DECIMAL);
    const after = decimalOf(record, 'afterBalance');
    this.after = after ?? 0n;
    this.profit = decimalOf(record, 'profit');
    const given = (name: string) => (member(record, name) ?? null) !== null;
    this.flags =
      (after === undefined ? NO_BALANCE : 0) |
      (this.profit === undefined ? UNPROCESSED : 0) |
      (member(record, 'isEdited') === true ? EDITED : 0) |
      (given('syncId') ? 0 : NOT_SYNCED) |
      (given('debitCoaCode') && !given('creditCoaCode') ? HALF_POSTED : 0);
  }
}

/** Reads a ledger from a record, or from the JSON text of a record. */
export function readGivenLedger(given: unknown): GivenLedger {
  if (given instanceof GivenLedger) return given;
  if (typeof given === 'string') return new GivenLedger(parseExact(given), given.trim());
  const text = jsonOf(given);
  return new GivenLedger(parseExact(text), text);
}

/**
 * @param message describes two ledgers with the same id, which are counted from 1
 * @throws RangeError if two ledgers have the same id
 */
export function requireUniqueIds(
  ledgers: readonly GivenLedger[],
  message: (first: number, second: number) => string,
): void {
  const places = new Map<string, number>();
  for (const [place, { id }] of ledgers.entries()) {
    const before = places.get(id);
    if (before !== undefined) throw new RangeError(`${message(before + 1, place + 1)}: ${id}`);
    places.set(id, place);
  }
}

/** @throws RangeError if a ledger is invalid, if two ledgers have the same id, or if there are too many labels */
export function givenBooks(given: readonly unknown[]) {
  const read = given.map(readGivenLedger);
  requireUniqueIds(read, (a, b) => `Ledgers ${a} and ${b} have the same id`);
  // If the list is sorted newest first, reverse it, so that legs with the same time are not in newest-first order.
  if ((read[0]?.timestamp ?? 0) > (read.at(-1)?.timestamp ?? 0)) read.reverse();
  const firstSeen = numbered(read.map(({ transactionId }) => transactionId));
  const ledgers = read.sort(
    (a, b) =>
      a.timestamp - b.timestamp || firstSeen.number(a.transactionId) - firstSeen.number(b.transactionId),
  );
  const transactions = numbered(ledgers.map(({ transactionId }) => transactionId));
  const wallets = numbered(ledgers.map(({ walletId }) => walletId));
  const labels = [null, ...new Set(ledgers.map(({ label }) => label).filter((label) => label !== null))];
  const labelAt = new Map(labels.map((label, index) => [label, index]));
  const assetKeys = numbered(ledgers.map(({ asset }) => keyOf(asset)));
  const assets = new Map(ledgers.map(({ asset }) => [keyOf(asset), asset]));
  if (labels.length > 60_000) throw new RangeError('The ledgers have more than 60,000 different labels');
  const rowOf = new Map(ledgers.map(({ id }, row) => [id, row]));
  const columns = new LegColumns(ledgers.length);
  ledgers.forEach((ledger, row) => {
    columns.set(row, {
      ...ledger,
      number: row,
      transaction: transactions.number(ledger.transactionId),
      asset: assetKeys.number(keyOf(ledger.asset)),
      wallet: wallets.number(ledger.walletId),
      kind: labelAt.get(ledger.label) ?? 0,
    });
    columns.after.set(row, ledger.after);
  });
  return {
    columns,
    named: {
      assets: assetKeys.all.map((key) => assets.get(key) ?? unresolved('')),
      wallets: walletsOf(wallets.all, ledgers),
      labels,
    },
    ids: { of: (row: number) => ledgers[row]?.id ?? '', index: (id: string) => rowOf.get(id) },
    walletIds: { of: (wallet: number) => wallets.all[wallet] ?? '', index: wallets.index },
    transactionIds: { of: (number: number) => transactions.all[number] ?? '', index: transactions.index },
    transactions: transactions.all.length,
    /** Ids of the syncs to which the ledgers refer. */
    syncs: new Set(ledgers.map(({ syncId }) => syncId).filter((syncId) => syncId !== undefined)),
    /** In units of 10^-18; undefined if tax processing has not run. */
    profit: (row: number) => ledgers[row]?.profit,
    text: (row: number) => ledgers[row]?.text ?? 'null',
  };
}

/** Assigns numbers to the distinct values, in the order in which they first appear. */
function numbered(values: readonly string[]) {
  const numbers = new Map<string, number>();
  for (const value of values) if (!numbers.has(value)) numbers.set(value, numbers.size);
  const index = (value: string) => numbers.get(value);
  return { all: [...numbers.keys()], index, number: (value: string) => numbers.get(value) ?? 0 };
}

function keyOf({ id, symbol }: Asset): string {
  return JSON.stringify([id, symbol]);
}

function walletsOf(ids: readonly string[], ledgers: readonly GivenLedger[]): Wallet[] {
  const first = new Map<string, GivenLedger>();
  for (const ledger of ledgers) {
    const known = first.get(ledger.walletId);
    if (
      known === undefined ||
      (known.providerId === CUSTOM_PROVIDER && ledger.providerId !== CUSTOM_PROVIDER)
    ) {
      first.set(ledger.walletId, ledger);
    }
  }
  return ids.map((id) => {
    const { providerId = CUSTOM_PROVIDER, asset } = first.get(id) ?? {};
    return { ...BY_HAND, providerId, native: asset?.symbol ?? '' };
  });
}

function missing(name: string, expected: string): never {
  throw new RangeError(`"${name}" must be ${expected}`);
}

function textOf(record: unknown, name: string): string {
  const value = member(record, name);
  return typeof value === 'string' && value !== '' ? value : missing(name, 'a string');
}

function momentOf(record: unknown): number {
  const value = member(record, 'timestamp');
  const moment = isLosslessNumber(value) ? Number(value.value) : Number.NaN;
  return Number.isFinite(moment) ? moment : missing('timestamp', 'a number of Unix milliseconds');
}

function typeOf(record: unknown): number {
  const types: readonly unknown[] = LEG_TYPES;
  const type = types.indexOf(member(record, 'type'));
  return type < 0 ? missing('type', `one of ${LEG_TYPES.join(', ')}`) : type;
}

const DECIMAL = `a decimal string with ${AMOUNT_LIMITS}`;

function decimalOf(record: unknown, name: string): bigint | undefined {
  const value = member(record, name);
  if (value === undefined || value === null) return undefined;
  return (typeof value === 'string' ? unitsOf(value) : undefined) ?? missing(name, DECIMAL);
}

/** Returns the provider of the leg's own account, which is in `toAccount` or `fromAccount`. */
function providerOf(record: unknown, walletId: string, type: number): string {
  const sides = [member(record, 'toAccount'), member(record, 'fromAccount')];
  const own = (LEG_TYPES[type] === 'incoming' ? sides : sides.reverse()).find(
    (account) => member(account, 'walletId') === walletId,
  );
  const provider = member(own, 'provider');
  return typeof provider === 'string' ? provider : CUSTOM_PROVIDER;
}

function assetOf(record: unknown): Asset {
  const id = member(record, 'assetId');
  const string = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const asset = member(record, 'asset');
  const symbol =
    string(member(member(record, 'assetRaw'), 'symbol')) ?? string(member(asset, 'symbol')) ?? '';
  return {
    ...unresolved(symbol),
    id: string(id) ?? null,
    name: string(member(asset, 'name')) ?? symbol,
    type: string(member(asset, 'type')) ?? 'token',
    logoUrl: string(member(asset, 'logoUrl')) ?? '',
  };
}

/** Returns the text of a ledger, with new values of some fields. */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string {
  const record: unknown = parseExact(text);
  return typeof record === 'object' && record !== null ? jsonOf({ ...record, ...fields }) : text;
}

/** Returns the text of a ledger, with `moved` added to its balances. */
export function withBalances(text: string, moved: bigint): string {
  if (moved === 0n) return text;
  const record: unknown = parseExact(text);
  const balances = ['beforeBalance', 'afterBalance'].flatMap((name) => {
    const units = decimalOf(record, name);
    return units === undefined ? [] : [[name, formatUnits(units + moved)]];
  });
  return withFields(text, Object.fromEntries(balances));
}
