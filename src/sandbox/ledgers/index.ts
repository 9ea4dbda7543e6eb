// The ledgers of the workspace, put together.

import { formatUnits } from '../decimal.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import type { Columns } from './columns.ts';
import { createEdits, type EditParts, type Edits } from './edits.ts';
import type { TimeBounds } from './filter.ts';
import { createRowJson, type Formatter, type RowJson, textsOfBooks } from './format.ts';
import { type Books, generateBooks } from './generate.ts';
import { givenBooks, withBalances } from './given.ts';
import { createGrowingIds, type GrowingIds } from './growing-ids.ts';
import { createIds, type Ids } from './ids.ts';
import { Overlay, type Places } from './overlay.ts';
import type { PriceAt } from './prices.ts';
import { recount } from './recount.ts';
import { createLedgerStore, type LedgerStore, type Ties } from './store.ts';
import type { LedgerTruth, NegativePair, Tally } from './truth.ts';

export interface LedgerOptions {
  readonly seed: string;
  readonly rows: number;
  readonly workspaceId: string;
  readonly timeBounds: TimeBounds;
  readonly ties: Ties;
  readonly clock: () => number;
  /** Records, or the JSON texts of records, in the place of what the seed gives. */
  readonly given: readonly unknown[] | undefined;
  readonly account: EditParts['account'];
}

export interface Ledgers extends Edits {
  /** As they were written; undefined where they were given. */
  readonly books: Books | undefined;
  /** Transactions before any came or went. */
  readonly transactions: number;
  readonly overlay: Overlay;
  readonly catalogue: Catalogue;
  readonly store: LedgerStore;
  readonly formatter: Formatter;
  readonly transactionIds: GrowingIds;
  /** Sync runs that given ledgers name. */
  readonly givenSyncs: ReadonlySet<string>;
  /** As they are now. */
  readonly truth: LedgerTruth;
  /** Forgets what came and what went. */
  reset(): void;
}

/** What the ledgers are made of: the books that the seed gives, or what the user gives. */
interface Source {
  readonly columns: Columns;
  readonly transactions: number;
  readonly catalogue: Catalogue;
  readonly ids: Ids;
  readonly writtenWalletIds: Ids;
  readonly writtenTransactionIds: Ids;
  readonly places: Places;
  readonly syncs: ReadonlySet<string>;
  readonly priceAt: PriceAt;
  /** Undefined where nothing was counted yet. */
  readonly tally: Tally | undefined;
  /** Undefined where it is written out of the columns. */
  readonly text: ((row: number) => string) | undefined;
}

function written(books: Books, seed: string): Source {
  const { columns, tally, transactions, positions } = books;
  return {
    columns,
    transactions,
    catalogue: createCatalogue(),
    ids: createIds('led', seed),
    writtenWalletIds: createIds('wal', seed),
    writtenTransactionIds: createIds('txn', seed),
    places: {},
    syncs: new Set(),
    priceAt: positions.priceAt,
    tally,
    text: undefined,
  };
}

function taken(given: readonly unknown[], seed: string): Source {
  const { columns, named, transactions, starts, scattered, syncs, text, ...ids } = givenBooks(given);
  return {
    columns,
    transactions,
    catalogue: createCatalogue(named),
    ids: beyond(ids.ids, columns.size, createIds('led', seed)),
    writtenWalletIds: ids.walletIds,
    writtenTransactionIds: beyond(ids.transactionIds, transactions, createIds('txn', seed)),
    places: { starts, scattered },
    syncs,
    priceAt: () => Number.NaN,
    tally: undefined,
    text,
  };
}

/** Ids for what comes beside what was given. */
function beyond(ids: Ids, size: number, further: Ids): Ids {
  return { of: (index) => (index < size ? ids.of(index) : further.of(index)), index: ids.index };
}

export function createLedgers(options: LedgerOptions): Ledgers {
  const { seed, rows, workspaceId, timeBounds, ties, clock, given, account } = options;
  const books = given === undefined ? generateBooks(seed, rows) : undefined;
  const source = books === undefined ? taken(given ?? [], seed) : written(books, seed);
  const { columns, catalogue, ids, priceAt } = source;
  const overlay = new Overlay(columns, source.places);
  const syncIds = createIds('syn', seed);
  const transactionIds = createGrowingIds(source.writtenTransactionIds, source.transactions);
  const walletIds = createGrowingIds(source.writtenWalletIds, catalogue.wallets.length);
  const store = createLedgerStore({ ids, overlay, catalogue, transactionIds, bounds: timeBounds, ties });
  const parts = { workspaceId, catalogue, walletIds, syncIds, transactionIds };
  const { text } = source;
  const ofBooks =
    text === undefined
      ? createRowJson(overlay.books, textsOfBooks(ids), parts)
      : (row: number) => withBalances(text(row), overlay.moved(row));
  const { size } = columns;
  let added: { version: number; json: RowJson } | undefined;
  const came = (row: number) => {
    const { version } = overlay;
    if (added?.version !== version) {
      const texts = {
        id: (index: number) => overlay.legs[index]?.id ?? '',
        description: (index: number) => overlay.legs[index]?.description ?? null,
        internalLabel: () => null,
      };
      added = { version, json: createRowJson(overlay.added, texts, parts) };
    }
    return added.json(row - size);
  };
  const formatter: Formatter = {
    json: (row) => (row < size ? ofBooks(row) : came(row)),
    walletId: walletIds.of,
    walletIds,
    syncIds,
  };
  const { find } = store;
  const edits = createEdits({
    overlay,
    catalogue,
    ids,
    walletIds,
    transactionIds,
    priceAt,
    clock,
    account,
    find,
  });

  function count() {
    const { tally, transactions } = source;
    if (overlay.version !== 0 || tally === undefined) {
      return recount(overlay, catalogue, tally?.duplicateRows ?? []);
    }
    const firstTimestamp = columns.timestamp[0] ?? null;
    const lastTimestamp = columns.timestamp[size - 1] ?? null;
    return { tally, ledgers: size, transactions, firstTimestamp, lastTimestamp };
  }

  function pairsOf(tally: Tally): NegativePair[] {
    return [...tally.pairs.values()].map(({ wallet, asset, firstRow, legs, deepest }) => {
      const { columns, index } = overlay.locate(firstRow);
      return {
        walletId: walletIds.of(wallet),
        providerId: catalogue.wallets[wallet]?.providerId ?? '',
        assetId: catalogue.assets[asset]?.id ?? '',
        symbol: catalogue.assets[asset]?.symbol ?? '',
        firstLedgerId: firstRow < size ? ids.of(firstRow) : (overlay.legs[index]?.id ?? ''),
        firstTimestamp: columns.timestamp[index] ?? 0,
        legs,
        deepest: formatUnits(deepest),
      };
    });
  }

  let known: { version: number; truth: LedgerTruth } | undefined;
  function truth(): LedgerTruth {
    const { version } = overlay;
    if (known?.version === version) return known.truth;
    const { tally, ...counted } = count();
    const counts = { ...tally.counts, ...tally.transactions.truth, ...counted };
    known = { version, truth: { ...counts, negativePairs: pairsOf(tally) } };
    return known.truth;
  }

  return {
    books,
    transactions: source.transactions,
    overlay,
    catalogue,
    store,
    formatter,
    transactionIds,
    givenSyncs: source.syncs,
    ...edits,
    get truth() {
      return truth();
    },
    reset() {
      overlay.reset();
      catalogue.reset();
      transactionIds.reset();
      walletIds.reset();
    },
  };
}
