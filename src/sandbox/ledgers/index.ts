// The ledgers of the workspace, put together.

import { formatUnits } from '../decimal.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { createEdits, type Edits } from './edits.ts';
import type { TimeBounds } from './filter.ts';
import { createRowJson, type Formatter, textsOfBooks } from './format.ts';
import { type Books, generateBooks } from './generate.ts';
import { createIds } from './ids.ts';
import { Overlay } from './overlay.ts';
import { recount } from './recount.ts';
import { createLedgerStore, type LedgerStore, type Ties } from './store.ts';
import { createTransactionIds, type TransactionIds } from './transaction-ids.ts';
import type { LedgerTruth, NegativePair, Tally } from './truth.ts';

export interface LedgerOptions {
  readonly seed: string;
  readonly rows: number;
  readonly workspaceId: string;
  readonly timeBounds: TimeBounds;
  readonly ties: Ties;
  readonly clock: () => number;
}

export interface Ledgers extends Edits {
  /** As they were written. */
  readonly books: Books;
  readonly overlay: Overlay;
  readonly catalogue: Catalogue;
  readonly store: LedgerStore;
  readonly formatter: Formatter;
  readonly transactionIds: TransactionIds;
  /** As they are now. */
  readonly truth: LedgerTruth;
  /** Forgets what came and what went. */
  reset(): void;
}

export function createLedgers({ seed, rows, workspaceId, timeBounds, ties, clock }: LedgerOptions): Ledgers {
  const books = generateBooks(seed, rows);
  const overlay = new Overlay(books.columns);
  const catalogue = createCatalogue();
  const ids = createIds('led', seed);
  const walletIds = createIds('wal', seed);
  const syncIds = createIds('syn', seed);
  const transactionIds = createTransactionIds(createIds('txn', seed), books.transactions);
  const store = createLedgerStore({ ids, overlay, catalogue, transactionIds, bounds: timeBounds, ties });
  const parts = { workspaceId, catalogue, walletIds, syncIds, transactionIds };
  const written = createRowJson(overlay.books, textsOfBooks(ids), parts);
  const { size } = books.columns;
  const came = (row: number) => {
    const { id = '', description = null } = overlay.legs[row - size] ?? {};
    const texts = { id: () => id, description: () => description, internalLabel: () => null };
    return createRowJson(overlay.added, texts, parts)(row - size);
  };
  const formatter: Formatter = {
    json: (row) => (row < size ? written(row) : came(row)),
    walletId: walletIds.of,
    walletIds,
    syncIds,
  };
  const { priceAt } = books.positions;
  const { find } = store;
  const edits = createEdits({ overlay, catalogue, ids, walletIds, transactionIds, priceAt, clock, find });

  function count() {
    if (overlay.version !== 0) return recount(overlay, catalogue, books.tally.duplicateRows);
    const { columns, tally, transactions } = books;
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
    overlay,
    catalogue,
    store,
    formatter,
    transactionIds,
    ...edits,
    get truth() {
      return truth();
    },
    reset() {
      overlay.reset();
      catalogue.reset();
      transactionIds.reset();
    },
  };
}
