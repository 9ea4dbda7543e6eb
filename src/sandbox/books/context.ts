// The legs of a workspace, for the code that reads, changes and formats them.

import type { GrowingIds, NumberedIds } from '../core/ids.ts';
import type { TimeBounds } from '../http/parameters.ts';
import type { Book } from './book.ts';
import type { Catalogue } from './catalogue.ts';
import type { Legs } from './legs.ts';

export interface BookContext {
  readonly workspaceId: string;
  readonly book: Book;
  readonly catalogue: Catalogue;
  /** The current legs of each transaction. */
  readonly legs: () => Legs;
  readonly walletIds: GrowingIds;
  readonly transactionIds: GrowingIds;
  readonly syncIds: NumberedIds;
  /** Whether the legs of a wallet contain the ids of their syncs. */
  readonly listsSyncs: (wallet: number) => boolean;
  /**
   * The profit of a supplied or edited ledger, in units of 10^-18; undefined if tax processing has not run. Returns undefined
   * for any other ledger, because the columns determine its profit.
   */
  readonly knownProfit: (number: number) => { readonly profit: bigint | undefined } | undefined;
  readonly bounds: TimeBounds;
}
