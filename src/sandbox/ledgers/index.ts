// The ledgers of the workspace, put together.

import { formatUnits } from '../decimal.ts';
import { ASSETS } from './assets.ts';
import type { TimeBounds } from './filter.ts';
import { createFormatter, type Formatter } from './format.ts';
import { type Books, generateBooks } from './generate.ts';
import { createLedgerStore, type LedgerStore, type Ties } from './store.ts';
import type { LedgerTruth, NegativePair } from './truth.ts';
import { WALLETS } from './wallets.ts';

export interface LedgerOptions {
  readonly seed: string;
  readonly rows: number;
  readonly workspaceId: string;
  readonly timeBounds: TimeBounds;
  readonly ties: Ties;
}

export interface Ledgers {
  readonly books: Books;
  readonly store: LedgerStore;
  readonly formatter: Formatter;
  readonly truth: LedgerTruth;
}

export function createLedgers({ seed, rows, workspaceId, timeBounds, ties }: LedgerOptions): Ledgers {
  const books = generateBooks(seed, rows);
  const store = createLedgerStore(books, { seed, timeBounds, ties });
  const { ids, transactionIds } = store;
  const formatter = createFormatter(books.columns, { seed, workspaceId, ids, transactionIds });
  return { books, store, formatter, truth: truthOf(books, store, formatter) };
}

function truthOf(
  { columns, tally, transactions }: Books,
  store: LedgerStore,
  formatter: Formatter,
): LedgerTruth {
  const negativePairs = [...tally.pairs.values()].map(
    ({ wallet, asset, firstRow, legs, deepest }): NegativePair => ({
      walletId: formatter.walletId(wallet),
      providerId: WALLETS[wallet]?.providerId ?? '',
      assetId: ASSETS[asset]?.id ?? '',
      symbol: ASSETS[asset]?.symbol ?? '',
      firstLedgerId: store.ids.of(firstRow),
      firstTimestamp: columns.timestamp[firstRow] ?? 0,
      legs,
      deepest: formatUnits(deepest),
    }),
  );
  return {
    ...tally.counts,
    ...tally.transactions.truth,
    ledgers: columns.size,
    transactions,
    firstTimestamp: columns.timestamp[0] ?? null,
    lastTimestamp: columns.timestamp[columns.size - 1] ?? null,
    negativePairs,
  };
}
