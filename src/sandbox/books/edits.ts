// Adds and removes legs while the sandbox runs.

import { AMOUNT_LIMITS, formatUnits, unitsOf } from '../core/decimal.ts';
import { parseExact } from '../core/exact-json.ts';
import { type Reader, type Saved, shape } from '../core/readers.ts';
import { jsonOf } from '../data/resources.ts';
import type { AddedLeg } from './book.ts';
import { BY_HAND } from './catalogue.ts';
import { LEG_TYPES, NO_BALANCE, NOT_SYNCED, UNPROCESSED } from './columns.ts';
import type { BookContext } from './context.ts';
import { readGivenLedger } from './given.ts';
import { type PriceAt, SPAN_END, SPAN_START } from './prices.ts';
import type { Wallet } from './wallets.ts';

const { flag, listOf, nullable, number, object, record, text } = shape;

/** Fields that identify a ledger. */
const FIXED: readonly string[] = ['id', 'workspaceId'];

/** A leg to add. Missing fields get default values. */
export const readNewLeg = object(
  {},
  {
    id: text,
    /** Id of a new or existing transaction. */
    transactionId: text,
    /** `walletId` of an integration. */
    walletId: text,
    /** Default: `incoming`. */
    type: text,
    /** Symbol or id of an asset. If no asset matches, an unresolved asset is created. */
    asset: text,
    /** Decimal string with at most 18 decimal places (default: 1). */
    quantity: text,
    /** Time of the leg in Unix milliseconds (default: now). */
    timestamp: number,
    /** Time of the leg's creation in Unix milliseconds, for the sort key `createdAt` (default: now). */
    createdAt: number,
    /** Price of one unit (default: the market price). Null means no price. */
    price: nullable(number),
    label: nullable(text),
    description: nullable(text),
  },
);
export type NewLeg = Saved<typeof readNewLeg>;

export type Edits = ReturnType<typeof createEdits>;

/** The changes in a snapshot: added accounts, inserted legs and removed legs. */
type SavedEdits = Saved<typeof readSavedEdits>;

type LegAccount = Pick<Wallet, 'providerId' | 'alias'>;

export interface EditParts {
  readonly priceAt: PriceAt;
  readonly clock: () => number;
  /** The JSON of the ledger in a row. */
  readonly json: (row: number) => string;
  /** Finds a connected account, with or without legs. */
  readonly account: (walletId: string) => LegAccount | undefined;
}

export function createEdits(context: BookContext, { priceAt, clock, json, account }: EditParts) {
  const { book, catalogue, walletIds, transactionIds } = context;
  const writtenWallets = catalogue.wallets.length;

  /**
   * Adds legs and returns their ids.
   *
   * @throws RangeError if any leg is invalid; in this case, no legs are added
   */
  function insert(legs: readonly NewLeg[]): string[] {
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

  function check(leg: NewLeg, id: string): () => AddedLeg {
    const { type = 'incoming', walletId, quantity = '1', timestamp = clock(), label = null } = leg;
    const types: readonly string[] = LEG_TYPES;
    const typeIndex = types.indexOf(type);
    if (typeIndex < 0) throw new RangeError(`"type" must be one of ${LEG_TYPES.join(', ')}`);
    const source = sourceOf(walletId);
    if (source === undefined) throw new RangeError(`Unknown walletId ${walletId}`);
    const units = unitsOf(quantity);
    if (units === undefined)
      throw new RangeError(`"quantity" must be a decimal string with ${AMOUNT_LIMITS}`);
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

  /** Removes a leg. Returns false if the leg does not exist. */
  function remove(id: string): boolean {
    const row = book.find(id);
    if (row === undefined) return false;
    book.remove(row);
    return true;
  }

  /**
   * Replaces fields of a leg. Only the given fields change, and `isEdited` becomes true. Returns false if the leg does not exist.
   *
   * @param recalculate whether to rebuild the running balances of the wallet and asset
   * @throws RangeError if a field is unknown, or a value is invalid
   */
  function edit(id: string, fields: Readonly<Record<string, unknown>>, recalculate = false): boolean {
    const row = book.find(id);
    if (row === undefined) return false;
    const record = shape.record(parseExact(json(row)), '');
    const fixed = Object.keys(fields).find((name) => FIXED.includes(name) || !Object.hasOwn(record, name));
    if (fixed !== undefined) {
      const known = Object.keys(record).filter((name) => !FIXED.includes(name));
      throw new RangeError(`The field "${fixed}" cannot be edited; use one of ${known.join(', ')}`);
    }
    const ledger = readGivenLedger(jsonOf({ ...record, isEdited: true, ...fields }));
    const { asset, label, walletId } = ledger;
    const source = sourceOf(walletId);
    if (source === undefined) throw new RangeError(`Unknown walletId ${walletId}`);
    const kind = catalogue.labels.indexOf(label);
    if (kind < 0) throw new RangeError(`"label" must be one of ${catalogue.labels.join(', ')}`);
    const numbers = {
      kind,
      transaction: transactionIds.number(ledger.transactionId),
      asset: catalogue.asset(asset.id ?? asset.symbol),
      wallet: walletNumber(walletId, source),
    };
    book.edit(row, { ...ledger, ...numbers, text: ledger.text }, { edit: id, fields, recalculate });
    return true;
  }

  function savedLeg({ price, transaction, ...leg }: AddedLeg): SavedLeg {
    const { id, symbol } = catalogue.assets[leg.asset] ?? { id: null, symbol: '' };
    return {
      id: leg.id,
      transactionId: transactionIds.of(transaction),
      walletId: walletIds.of(leg.wallet),
      type: LEG_TYPES[leg.type] ?? '',
      asset: id ?? symbol,
      quantity: formatUnits(leg.quantity),
      timestamp: leg.timestamp,
      createdAt: leg.createdAt,
      price: Number.isNaN(price) ? null : price,
      label: catalogue.labels[leg.kind] ?? null,
      description: leg.description,
    };
  }

  /**
   * Replays saved changes. Call `restore` before any other change.
   *
   * @throws RangeError if a change cannot be applied
   */
  function restore({ accounts, changes }: SavedEdits): void {
    for (const { walletId, ...shown } of accounts) walletNumber(walletId, { ...BY_HAND, ...shown });
    for (const change of changes) {
      if ('insert' in change) insert(change.insert);
      else if ('edit' in change) edit(change.edit, change.fields, change.recalculate);
      else if (!remove(change.remove))
        throw new RangeError(`Broken snapshot: unknown ledger ${change.remove}`);
    }
  }

  return {
    insert,
    remove,
    edit,
    save: (): SavedEdits => ({
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

/** A leg in a snapshot. */
type SavedLeg = Required<NewLeg>;

const readSavedLeg: Reader<SavedLeg> = object({
  ...{ id: text, transactionId: text, walletId: text, type: text, asset: text, quantity: text },
  ...{ timestamp: number, createdAt: number, price: nullable(number) },
  ...{ label: nullable(text), description: nullable(text) },
});

const readInsertion = object({ insert: listOf(readSavedLeg) });
const readRemoval = object({ remove: text });
const readEdit = object({ edit: text, fields: record, recalculate: flag });

export const readSavedEdits = object({
  accounts: listOf(object({ walletId: text, providerId: text, alias: text })),
  changes: listOf((value, place) => {
    const change = record(value, place);
    if ('insert' in change) return readInsertion(value, place);
    return 'edit' in change ? readEdit(value, place) : readRemoval(value, place);
  }),
});
