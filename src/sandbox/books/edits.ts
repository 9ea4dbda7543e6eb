// Adds and removes legs while the sandbox runs.

import { bracket, formatUnits, parseDecimal, powerOfTen } from '../core/decimal.ts';
import { listOf, nullable, number, object, type Reader, type Saved, text } from '../core/readers.ts';
import type { AddedLeg, Book } from './book.ts';
import { BY_HAND, type Catalogue } from './catalogue.ts';
import { NO_BALANCE, NOT_SYNCED, TYPES, UNPROCESSED } from './columns.ts';
import type { GrowingIds } from '../core/ids.ts';
import { type PriceAt, SPAN_END, SPAN_START } from './prices.ts';
import type { Wallet } from './wallets.ts';

/** A leg to add. Missing fields get default values. */
export interface NewLeg {
  readonly id?: string;
  /** Id of a new or existing transaction. */
  readonly transactionId?: string;
  /** `walletId` of an integration. */
  readonly walletId?: string;
  /** Default: `incoming`. */
  readonly type?: string;
  /** Symbol or id of an asset. If no asset matches, an unresolved asset is created. */
  readonly asset?: string;
  /** Decimal string with at most 18 decimal places (default: 1). */
  readonly quantity?: string;
  /** Time of the leg in Unix milliseconds (default: now). */
  readonly timestamp?: number;
  /** Price of one unit (default: the market price). Null means no price. */
  readonly price?: number | null;
  readonly label?: string | null;
  readonly description?: string | null;
}

export interface Edits {
  /**
   * Adds legs and returns their ids.
   *
   * @throws RangeError if any leg is invalid; in this case, no legs are added
   */
  insert(legs: readonly NewLeg[]): string[];
  /** Removes a leg. Returns false if the leg does not exist. */
  remove(id: string): boolean;
  save(): SavedEdits;
  /**
   * Replays saved changes. Call `restore` before any other change.
   *
   * @throws RangeError if a change cannot be applied
   */
  restore(saved: SavedEdits): void;
}

/** The changes in a snapshot: added accounts, inserted legs and removed legs. */
export type SavedEdits = Saved<typeof readSavedEdits>;

export type Account = Pick<Wallet, 'providerId' | 'alias'>;

export interface EditParts {
  readonly book: Book;
  readonly catalogue: Catalogue;
  readonly walletIds: GrowingIds;
  readonly transactionIds: GrowingIds;
  readonly priceAt: PriceAt;
  readonly clock: () => number;
  /** Finds a connected account, even if the account has no legs. */
  readonly account: (walletId: string) => Account | undefined;
}

/** Quantities must be smaller than this, in units of 10^-18. The filters cannot compare larger values. */
const LARGEST = powerOfTen(58);

export function createEdits(parts: EditParts): Edits {
  const { book, catalogue, walletIds, transactionIds, priceAt, clock, account } = parts;
  const writtenWallets = catalogue.wallets.length;

  function insert(legs: readonly DatedLeg[]): string[] {
    const taken = new Set<string>();
    const read = legs.map((leg, index) => {
      const id = leg.id ?? book.id(book.next + index);
      if (book.find(id) !== undefined || taken.has(id)) throw new RangeError(`Leg ${id} already exists`);
      taken.add(id);
      return check(leg, id);
    });
    // Create new assets and transactions only after all legs have been checked.
    const added = read.map((make) => make());
    book.insert(added);
    return added.map(({ id }) => id);
  }

  function check(leg: DatedLeg, id: string): () => AddedLeg {
    const { type = 'incoming', walletId, quantity = '1', timestamp = clock(), label = null } = leg;
    const types: readonly string[] = TYPES;
    const typeIndex = types.indexOf(type);
    if (typeIndex < 0) throw new RangeError(`"type" must be one of ${TYPES.join(', ')}`);
    const source = sourceOf(walletId);
    if (source === undefined) throw new RangeError(`Unknown walletId ${walletId}`);
    const units = unitsOf(quantity);
    if (units === undefined)
      throw new RangeError('"quantity" must be a decimal string with at most 18 decimal places');
    if (!Number.isSafeInteger(timestamp)) throw new RangeError('"timestamp" must be Unix milliseconds');
    const kind = catalogue.labels.indexOf(label);
    if (kind < 0) throw new RangeError(`"label" must be one of ${catalogue.labels.join(', ')}`);
    const { price, description = null } = leg;
    if (typeof price === 'number' && !(price >= 0 && Number.isFinite(price))) {
      throw new RangeError('"price" must be null, or a number that is 0 or greater');
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
        // No sync produced the leg, and tax processing has not run for the leg.
        flags: NOT_SYNCED | UNPROCESSED | (silent ? NO_BALANCE : 0),
        timestamp,
        createdAt: leg.createdAt ?? clock(),
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

  /** Returns the number of an account. An account without a number gets the next number. */
  function walletNumber(walletId: string, source: Wallet): number {
    const number = walletIds.number(walletId);
    if (number === catalogue.wallets.length) catalogue.addWallet(source);
    return number;
  }

  /**
   * Prices exist only for the period of the original legs. Legs before this period get the first price, and legs after this
   * period get the last price.
   */
  function marketPrice(asset: number, timestamp: number): number {
    const { price = 0 } = catalogue.assets[asset] ?? {};
    if (price === 0) return Number.NaN;
    return priceAt(asset, Math.min(SPAN_END, Math.max(SPAN_START, timestamp)), 0.5);
  }

  function remove(id: string): boolean {
    const row = book.find(id);
    if (row === undefined) return false;
    book.remove(row);
    return true;
  }

  function savedLeg({ price, transaction, ...leg }: AddedLeg): SavedLeg {
    const { id, symbol } = catalogue.assets[leg.asset] ?? { id: null, symbol: '' };
    return {
      id: leg.id,
      transactionId: transactionIds.of(transaction),
      walletId: walletIds.of(leg.wallet),
      type: TYPES[leg.type] ?? '',
      asset: id ?? symbol,
      quantity: formatUnits(leg.quantity),
      timestamp: leg.timestamp,
      createdAt: leg.createdAt,
      price: Number.isNaN(price) ? null : price,
      label: catalogue.labels[leg.kind] ?? null,
      description: leg.description,
    };
  }

  function restore({ accounts, changes }: SavedEdits): void {
    for (const { walletId, ...shown } of accounts) walletNumber(walletId, { ...BY_HAND, ...shown });
    for (const change of changes) {
      if ('insert' in change) insert(change.insert);
      else if (!remove(change.remove))
        throw new RangeError(`Broken snapshot: unknown ledger ${change.remove}`);
    }
  }

  return {
    insert,
    remove,
    save: () => ({
      accounts: catalogue.wallets.slice(writtenWallets).map(({ providerId, alias }, index) => ({
        walletId: walletIds.of(writtenWallets + index),
        ...{ providerId, alias },
      })),
      changes: book.changes.map((change) =>
        'insert' in change ? { insert: change.insert.map(savedLeg) } : change,
      ),
    }),
    restore,
  };
}

/** A leg to add. A leg from a snapshot keeps the time at which it was first added. */
type DatedLeg = NewLeg & { readonly createdAt?: number };
type SavedLeg = Required<DatedLeg>;

const readSavedLeg: Reader<SavedLeg> = object({
  ...{ id: text, transactionId: text, walletId: text, type: text, asset: text, quantity: text },
  ...{ timestamp: number, createdAt: number, price: nullable(number) },
  ...{ label: nullable(text), description: nullable(text) },
});

const readInsertion = object({ insert: listOf(readSavedLeg) });
const readRemoval = object({ remove: text });

export const readSavedEdits = object({
  accounts: listOf(object({ walletId: text, providerId: text, alias: text })),
  changes: listOf((value, place) =>
    typeof value === 'object' && value !== null && 'insert' in value
      ? readInsertion(value, place)
      : readRemoval(value, place),
  ),
});

/** Converts a decimal to units of 10^-18. Returns undefined if the decimal is invalid, too large, or too precise. */
export function unitsOf(text: string): bigint | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  const { floor, ceiling } = bracket(decimal);
  return floor === ceiling && floor < LARGEST && floor > -LARGEST ? floor : undefined;
}

/** Reads a leg from the body of a request. Returns an error message if the leg is invalid. */
export function readNewLeg(body: unknown): NewLeg | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'A leg must be an object';
  const given: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(given)) {
    const kinds = FIELDS[name];
    if (kinds === undefined) return `Unknown field "${name}"; use one of ${Object.keys(FIELDS).join(', ')}`;
    if (!kinds.includes(value === null ? 'null' : typeof value))
      return `"${name}" must be of type ${kinds.join(' or ')}`;
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
