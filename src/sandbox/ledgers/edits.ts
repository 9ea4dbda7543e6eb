// Legs that come and go while the sandbox runs.

import { bracket, parseDecimal, powerOfTen } from '../decimal.ts';
import type { AddedLeg, Book } from './book.ts';
import { BY_HAND, type Catalogue } from './catalogue.ts';
import { NO_BALANCE, NOT_SYNCED, TYPES, UNPROCESSED } from './columns.ts';
import type { GrowingIds } from './ids.ts';
import { type PriceAt, SPAN_END, SPAN_START } from './prices.ts';
import type { Wallet } from './wallets.ts';

/** A leg to be added; whatever is left out is made up. */
export interface NewLeg {
  readonly id?: string;
  /** Of a transaction that exists, which the leg joins, or of a new one. */
  readonly transactionId?: string;
  /** `walletId` of an integration. */
  readonly walletId?: string;
  /** `incoming` unless another is given. */
  readonly type?: string;
  /** Symbol or id of an asset; what the catalogue does not have stays unresolved. */
  readonly asset?: string;
  /** Decimal string of at most 18 places; 1 unless another is given. */
  readonly quantity?: string;
  /** Unix milliseconds, at any time of the past; now unless another is given. */
  readonly timestamp?: number;
  /** Null for none; that of the market unless another is given. */
  readonly price?: number | null;
  readonly label?: string | null;
  readonly description?: string | null;
}

export interface Edits {
  /**
   * Gives the ids of the legs.
   *
   * @throws RangeError for what is no leg; then none of them is added.
   */
  insert(legs: readonly NewLeg[]): string[];
  /** False when there is no such leg. */
  remove(id: string): boolean;
}

export type Account = Pick<Wallet, 'providerId' | 'alias'>;

export interface EditParts {
  readonly book: Book;
  readonly catalogue: Catalogue;
  readonly walletIds: GrowingIds;
  readonly transactionIds: GrowingIds;
  readonly priceAt: PriceAt;
  readonly clock: () => number;
  /** A connected account, whether or not a leg of the books is in it. */
  readonly account: (walletId: string) => Account | undefined;
}

/** Whole units of the largest quantity: beyond this the filters compare no more. */
const LARGEST = powerOfTen(58);

export function createEdits(parts: EditParts): Edits {
  const { book, catalogue, walletIds, transactionIds, priceAt, clock, account } = parts;

  function insert(legs: readonly NewLeg[]): string[] {
    const taken = new Set<string>();
    const read = legs.map((leg, index) => {
      const id = leg.id ?? book.id(book.next + index);
      if (book.find(id) !== undefined || taken.has(id)) throw new RangeError(`There is a leg ${id} already`);
      taken.add(id);
      return check(leg, id);
    });
    // Only now, when all of them are found good, do new assets and transactions come to be.
    const added = read.map((make) => make());
    book.insert(added);
    return added.map(({ id }) => id);
  }

  function check(leg: NewLeg, id: string): () => AddedLeg {
    const { type = 'incoming', walletId, quantity = '1', timestamp = clock(), label = null } = leg;
    const types: readonly string[] = TYPES;
    const typeIndex = types.indexOf(type);
    if (typeIndex < 0) throw new RangeError(`type must be one of ${TYPES.join(', ')}`);
    const source = sourceOf(walletId);
    if (source === undefined) throw new RangeError(`There is no wallet ${walletId}`);
    const units = unitsOf(quantity);
    if (units === undefined) throw new RangeError('quantity must be a decimal string of at most 18 places');
    if (!Number.isSafeInteger(timestamp)) throw new RangeError('timestamp must be Unix milliseconds');
    const kind = catalogue.labels.indexOf(label);
    if (kind < 0) throw new RangeError(`label must be one of ${catalogue.labels.join(', ')}`);
    const { price, description = null } = leg;
    if (typeof price === 'number' && !(price >= 0 && Number.isFinite(price))) {
      throw new RangeError('price must be a number from 0, or null');
    }
    return () => {
      const asset = catalogue.asset(leg.asset ?? source.native);
      const details = catalogue.assets[asset];
      const silent = source.silent || details?.id === null;
      return {
        id,
        transaction: transactionIds.number(leg.transactionId),
        type: typeIndex,
        asset,
        wallet: walletId === undefined ? 0 : walletNumber(walletId, source),
        kind,
        // No sync brought it, and tax processing has not seen it.
        flags: NOT_SYNCED | UNPROCESSED | (silent ? NO_BALANCE : 0),
        timestamp,
        createdAt: clock(),
        price: price === undefined ? marketPrice(asset, timestamp) : (price ?? Number.NaN),
        quantity: units,
        description,
      };
    };
  }

  function sourceOf(walletId: string | undefined): Wallet | undefined {
    const known = catalogue.wallets[walletId === undefined ? 0 : (walletIds.index(walletId) ?? -1)];
    if (known !== undefined || walletId === undefined) return known;
    const connected = account(walletId);
    return connected && { ...BY_HAND, providerId: connected.providerId, alias: connected.alias };
  }

  /** Of an account that no leg was in until now, it is the next one. */
  function walletNumber(walletId: string, source: Wallet): number {
    const number = walletIds.number(walletId);
    if (number === catalogue.wallets.length) catalogue.addWallet(source);
    return number;
  }

  /** The market is known for the time of the books; before and after, its first and last prices hold. */
  function marketPrice(asset: number, timestamp: number): number {
    const { price = 0 } = catalogue.assets[asset] ?? {};
    if (price === 0) return Number.NaN;
    return priceAt(asset, Math.min(SPAN_END, Math.max(SPAN_START, timestamp)), 0.5);
  }

  return {
    insert,
    remove(id) {
      const row = book.find(id);
      if (row === undefined) return false;
      book.remove(row);
      return true;
    },
  };
}

/** A decimal in 10^-18; undefined for what is none, is finer, or is beyond all measure. */
export function unitsOf(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { floor, ceiling } = bracket(decimal);
  return floor === ceiling && floor < LARGEST && floor > -LARGEST ? floor : undefined;
}

/** Reads a leg out of the body of a request, or says what is wrong with it. */
export function readNewLeg(body: unknown): NewLeg | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'A leg is an object';
  const given: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(given)) {
    const kinds = FIELDS[name];
    if (kinds === undefined) return `There is no ${name}; there are ${Object.keys(FIELDS).join(', ')}`;
    if (!kinds.includes(value === null ? 'null' : typeof value))
      return `${name} must be ${kinds.join(' or ')}`;
  }
  return given;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  id: ['string'],
  transactionId: ['string'],
  walletId: ['string'],
  type: ['string'],
  asset: ['string'],
  quantity: ['string'],
  timestamp: ['number'],
  price: ['number', 'null'],
  label: ['string', 'null'],
  description: ['string', 'null'],
};
