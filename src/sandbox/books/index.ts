// The ledgers of a workspace, either generated or supplied by the user.

import { createGrowingIds, createIds, type GrowingIds, type NumberedIds } from '../core/ids.ts';
import type { TimeBounds } from '../http/parameters.ts';
import { createLedgerJson, type LedgerJson } from '../nouns/ledgers/format.ts';

import { createLedgerStore, type LedgerStore, type Ties } from '../nouns/ledgers/store.ts';
import { Book } from './book.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import type { LegColumns } from './columns.ts';
import { createEdits, type EditParts, type Edits } from './edits.ts';
import { type GeneratedBooks, generateBooks } from './generate.ts';
import { givenBooks, withBalances } from './given.ts';
import { Legs } from './legs.ts';
import type { PriceAt } from './prices.ts';
import { countLedgers, type LedgerTruth } from './truth.ts';

export interface LedgerOptions {
  readonly seed: string;
  readonly rows: number;
  readonly workspaceId: string;
  readonly timeBounds: TimeBounds;
  readonly ties: Ties;
  readonly clock: () => number;
  /** Ledgers that the user supplied, as records or as JSON texts. If `given` is undefined, ledgers are generated. */
  readonly given: readonly unknown[] | undefined;
  readonly account: EditParts['account'];
  /** Whether the user named the state of a successful sync. */
  readonly hasFinishedState: boolean;
}

export interface LegBooks extends Edits {
  /** Undefined if the user supplied the ledgers. */
  readonly generated: GeneratedBooks | undefined;
  readonly book: Book;
  /** The current legs of each transaction. */
  readonly legs: () => Legs;
  readonly catalogue: Catalogue;
  readonly store: LedgerStore;
  readonly json: LedgerJson;
  readonly walletIds: GrowingIds;
  readonly transactionIds: GrowingIds;
  readonly syncIds: NumberedIds;
  /** Whether the legs of a wallet name their syncs. */
  readonly listsSyncs: (wallet: number) => boolean;
  /** Ids of the syncs to which the user's ledgers refer. */
  readonly givenSyncs: ReadonlySet<string>;
  /**
   * The profit of a supplied or edited ledger, in units of 10^-18; undefined if tax processing has not run. Returns undefined for
   * other ledgers, whose profit follows from the columns.
   */
  readonly knownProfit: (number: number) => { readonly profit: bigint | undefined } | undefined;
  /** Counts the current ledgers. */
  readonly truth: () => LedgerTruth;
  /** Undoes every insertion and removal. */
  reset(): void;
}

/** The original ledgers, either generated from the seed or supplied by the user. */
interface Source {
  readonly generated?: GeneratedBooks;
  readonly columns: LegColumns;
  readonly transactions: number;
  readonly catalogue: Catalogue;
  readonly ids: NumberedIds;
  readonly walletIds: NumberedIds;
  readonly transactionIds: NumberedIds;
  readonly syncs?: ReadonlySet<string>;
  readonly profit?: (number: number) => bigint | undefined;
  /** The JSON text of a ledger that the user supplied. */
  readonly text?: (number: number) => string;
  readonly priceAt: PriceAt;
}

function generate(seed: string, rows: number): Source {
  const generated = generateBooks(seed, rows);
  return {
    generated,
    columns: generated.columns,
    transactions: generated.transactions,
    catalogue: createCatalogue(),
    ids: createIds('led', seed),
    walletIds: createIds('wal', seed),
    transactionIds: createIds('txn', seed),
    priceAt: generated.positions.priceAt,
  };
}

function read(given: readonly unknown[], seed: string): Source {
  const { named, ...books } = givenBooks(given);
  return {
    ...books,
    catalogue: createCatalogue(named),
    ids: continued(books.ids, books.columns.size, createIds('led', seed)),
    transactionIds: continued(books.transactionIds, books.transactions, createIds('txn', seed)),
    priceAt: () => Number.NaN,
  };
}

/** Uses the user's ids for the first `size` items, and generated ids for added items. */
function continued(ids: NumberedIds, size: number, further: NumberedIds): NumberedIds {
  return { of: (index) => (index < size ? ids.of(index) : further.of(index)), index: ids.index };
}

export function createLedgers(options: LedgerOptions): LegBooks {
  const { seed, rows, workspaceId, timeBounds, ties, clock, given, account, hasFinishedState } = options;
  const source = given === undefined ? generate(seed, rows) : read(given, seed);
  const { catalogue, ids, priceAt, text } = source;
  const book = new Book(source.columns, ids);
  const syncIds = createIds('syn', seed);
  const transactionIds = createGrowingIds(source.transactionIds, source.transactions);
  const walletIds = createGrowingIds(source.walletIds, catalogue.wallets.length);
  const legs = book.derive((columns) => new Legs(columns, transactionIds.size));
  const listsSyncs = (wallet: number) => hasFinishedState || catalogue.wallets[wallet]?.listsSyncs === true;
  const made = createLedgerJson({
    ...{ book, workspaceId, catalogue, walletIds, syncIds, transactionIds, listsSyncs },
  });
  const duplicates = source.generated?.duplicates ?? [];
  const truth = book.derive((columns) =>
    countLedgers(columns, { book, catalogue, walletIds, legs, duplicates }),
  );

  const store = createLedgerStore({ book, catalogue, transactionIds, bounds: timeBounds, ties });

  function json(row: number): string {
    const { columns, written } = book;
    const number = columns.number[row] ?? 0;
    const given = text !== undefined && number < written.size;
    const known =
      book.edited(number) ?? (given ? { text: text(number), after: written.after.get(number) } : undefined);
    return known === undefined ? made(row) : withBalances(known.text, columns.after.get(row) - known.after);
  }

  return {
    generated: source.generated,
    book,
    legs,
    catalogue,
    store,
    json,
    walletIds,
    transactionIds,
    syncIds,
    listsSyncs,
    givenSyncs: source.syncs ?? new Set(),
    knownProfit: (number) => book.edited(number) ?? (source.profit && { profit: source.profit(number) }),
    ...createEdits({ book, catalogue, walletIds, transactionIds, priceAt, clock, json, account }),
    truth,
    reset() {
      book.reset();
      store.restore(0);
      catalogue.reset();
      transactionIds.reset();
      walletIds.reset();
    },
  };
}
