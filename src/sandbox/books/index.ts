// The ledgers of a workspace, either generated or supplied by the user.

import { createGrowingIds, createIds, type NumberedIds } from '../core/ids.ts';
import type { TimeBounds } from '../http/parameters.ts';
import { createLedgerJson } from '../nouns/ledgers/format.ts';

import { createLedgerStore, type Ties } from '../nouns/ledgers/store.ts';
import { Book } from './book.ts';
import { createCatalogue } from './catalogue.ts';
import type { BookContext } from './context.ts';
import { createEdits, type EditParts } from './edits.ts';
import { generateBooks } from './generate.ts';
import { givenBooks, withBalances } from './given.ts';
import { Legs } from './legs.ts';
import { countLedgers } from './truth.ts';

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
  /** Names of sync states; the last name is the state of a finished sync. */
  readonly syncStates: readonly string[];
}

export type LegBooks = ReturnType<typeof createLedgers>;

/** The original ledgers, generated from the seed. */
function generate(seed: string, rows: number) {
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
    ...{ syncs: new Set<string>(), profit: undefined, text: undefined },
  };
}

/** The original ledgers, supplied by the user. */
function read(given: readonly unknown[], seed: string) {
  const { named, ...books } = givenBooks(given);
  return {
    ...books,
    generated: undefined,
    catalogue: createCatalogue(named),
    ids: continued(books.ids, books.columns.size, createIds('led', seed)),
    transactionIds: continued(books.transactionIds, books.transactions, createIds('txn', seed)),
    priceAt: (): number => Number.NaN,
  };
}

/** Uses the user's ids for the first `size` items, and generated ids for added items. */
function continued(ids: NumberedIds, size: number, further: NumberedIds): NumberedIds {
  return { of: (index) => (index < size ? ids.of(index) : further.of(index)), index: ids.index };
}

export function createLedgers(options: LedgerOptions) {
  const { seed, rows, workspaceId, timeBounds, ties, clock, given, account, syncStates } = options;
  const source = given === undefined ? generate(seed, rows) : read(given, seed);
  const { catalogue, ids, priceAt, text } = source;
  const book = new Book(source.columns, ids);
  const transactionIds = createGrowingIds(source.transactionIds, source.transactions);
  const context: BookContext = {
    ...{ workspaceId, book, catalogue, transactionIds, bounds: timeBounds },
    legs: book.derive((columns) => new Legs(columns, transactionIds.size)),
    walletIds: createGrowingIds(source.walletIds, catalogue.wallets.length),
    syncIds: createIds('syn', seed),
    listsSyncs: (wallet) => syncStates.length > 0 || catalogue.wallets[wallet]?.listsSyncs === true,
    knownProfit: (number) => book.edited(number) ?? (source.profit && { profit: source.profit(number) }),
  };
  const made = createLedgerJson(context);
  const store = createLedgerStore(context, ties);

  /** Returns the JSON of the ledger in a row. */
  function json(row: number): string {
    const { columns, written } = book;
    const number = columns.number[row] ?? 0;
    const given = text !== undefined && number < written.size;
    const known =
      book.edited(number) ?? (given ? { text: text(number), after: written.after.get(number) } : undefined);
    return known === undefined ? made(row) : withBalances(known.text, columns.after.get(row) - known.after);
  }

  return {
    ...context,
    /** Undefined if the user supplied the ledgers. */
    generated: source.generated,
    store,
    json,
    /** Ids of the syncs to which the user's ledgers refer. */
    givenSyncs: source.syncs,
    ...createEdits(context, { priceAt, clock, json, account }),
    /** Counts the current ledgers. */
    truth: book.derive((columns) => countLedgers(columns, context, source.generated?.duplicates ?? [])),
    /** Undoes every insertion, removal and edit. */
    reset() {
      book.reset();
      store.restore(0);
      catalogue.reset();
      transactionIds.reset();
      context.walletIds.reset();
    },
  };
}
