// Reads the query parameters of GET /v1/transactions and creates a test for each filter. The specification does not name the
// parameters for wallets, dates and paging. The sandbox accepts `walletIds`, which is the opposite of `notWalletIds`. It also
// accepts the parameters `startTime`, `endTime`, `limit` and `offset` of GET /v1/ledgers.

import type { Catalogue } from '../../books/catalogue.ts';
import { type LegColumns, NO_BALANCE } from '../../books/columns.ts';
import type { LegBooks } from '../../books/index.ts';
import { isIgnored, isReviewed, type LegGroup, transactionTypeOf } from '../../books/legs.ts';
import type { NumberedIds } from '../../core/ids.ts';
import { type PageBounds, readPage } from '../../http/lists.ts';
import { type RawQuery, readQuery } from '../../http/parameters.ts';
import { figuresOf } from '../ledgers/format.ts';
import type { TimeBounds } from '../ledgers/query.ts';

export interface LegGroupFilters {
  /** An unknown type matches no transaction. It is allowed because the specification does not name all types. */
  readonly types: readonly string[] | undefined;
  readonly labels: readonly string[] | undefined;
  readonly notLabels: readonly string[] | undefined;
  readonly walletIds: readonly string[] | undefined;
  readonly notWalletIds: readonly string[] | undefined;
  readonly isUncategorisedIgnored: boolean | undefined;
  /** Minimum sum of the gains of all legs, in units of 10^-18. */
  readonly minTotalGains: bigint | undefined;
  readonly isHighPnLReviewed: boolean | undefined;
  readonly isMissingTransaction: boolean | undefined;
  readonly hasMissingPrice: boolean | undefined;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
}

export interface TransactionQuery extends PageBounds {
  readonly filters: LegGroupFilters;
}

export function readTransactionQuery(raw: RawQuery): TransactionQuery {
  return readQuery(raw, ({ list, flag, time, decimal }) => {
    return {
      filters: {
        types: list('types'),
        labels: list('labels'),
        notLabels: list('notLabels'),
        walletIds: list('walletIds'),
        notWalletIds: list('notWalletIds'),
        isUncategorisedIgnored: flag('isUncategorisedIgnored'),
        minTotalGains: decimal('minTotalGains')?.ceiling,
        isHighPnLReviewed: flag('isHighPnLReviewed'),
        isMissingTransaction: flag('isMissingTransaction'),
        hasMissingPrice: flag('hasMissingPrice'),
        startTime: time('startTime'),
        endTime: time('endTime'),
      },
      ...readPage(raw),
    };
  });
}

type Test = (transaction: LegGroup) => boolean;

/** The factor that converts units of 10^-8 (cost basis, proceeds and profit) to units of 10^-18. */
const FIGURE = 10n ** 10n;

export interface FilterContext {
  readonly columns: LegColumns;
  readonly catalogue: Catalogue;
  readonly walletIds: NumberedIds;
  readonly bounds: TimeBounds;
  readonly knownProfit: LegBooks['knownProfit'];
}

export function transactionTests(
  { columns, catalogue, walletIds, bounds, knownProfit }: FilterContext,
  filters: LegGroupFilters,
): Test[] {
  const tests: Test[] = [];
  const { labels } = catalogue;
  const first = ({ rows }: LegGroup) => rows[0] ?? 0;
  const timeOf = (transaction: LegGroup) => columns.timestamp[first(transaction)] ?? 0;
  const labelOf = (transaction: LegGroup) => labels[columns.kind[first(transaction)] ?? 0] ?? null;
  const profitOf = (row: number) => {
    const number = columns.number[row] ?? 0;
    const known = knownProfit(number);
    if (known !== undefined) return known.profit;
    const figures = figuresOf(columns, row);
    return figures === undefined ? undefined : figures.profit * FIGURE;
  };
  const inWallet = (ids: readonly string[]): Test => {
    const wanted = new Set(ids.map((id) => walletIds.index(id)));
    return ({ rows }) => rows.some((row) => wanted.has(columns.wallet[row]));
  };
  /** Adds a boolean filter. The filter selects the transactions for which `test` returns `wanted`. */
  const either = (wanted: boolean | undefined, test: Test) => {
    if (wanted !== undefined) tests.push((transaction) => test(transaction) === wanted);
  };
  const { types, notLabels, notWalletIds, minTotalGains, startTime, endTime } = filters;

  if (types !== undefined) {
    const named: readonly (string | undefined)[] = types;
    tests.push((transaction) => {
      const type = transactionTypeOf(
        labelOf(transaction),
        new Set(transaction.rows.map((row) => columns.type[row] ?? 0)),
      );
      return type !== undefined && named.includes(type);
    });
  }
  const labelled = (wanted: readonly (string | null)[]) => (transaction: LegGroup) =>
    wanted.includes(labelOf(transaction));
  if (filters.labels !== undefined) tests.push(labelled(filters.labels));
  if (notLabels !== undefined) tests.push((transaction) => !labelled(notLabels)(transaction));
  if (filters.walletIds !== undefined) tests.push(inWallet(filters.walletIds));
  if (notWalletIds !== undefined) {
    const within = inWallet(notWalletIds);
    tests.push((transaction) => !within(transaction));
  }
  either(filters.isUncategorisedIgnored, ({ number }) => isIgnored(number));
  either(filters.isHighPnLReviewed, ({ number }) => isReviewed(number));
  either(filters.hasMissingPrice, ({ rows }) => rows.some((row) => Number.isNaN(columns.price[row])));
  // As with the ledger filter `ltAfterBalance=0`, a negative running balance indicates a missing transaction.
  either(filters.isMissingTransaction, ({ rows }) =>
    rows.some((row) => ((columns.flags[row] ?? 0) & NO_BALANCE) === 0 && columns.after.get(row) < 0n),
  );
  if (minTotalGains !== undefined) {
    tests.push(({ rows }) => {
      const profits = [...rows].map(profitOf).filter((profit) => profit !== undefined);
      return profits.length > 0 && profits.reduce((sum, profit) => sum + profit, 0n) >= minTotalGains;
    });
  }
  const open = bounds === 'exclusive';
  if (startTime !== undefined) {
    tests.push((transaction) => (open ? timeOf(transaction) > startTime : timeOf(transaction) >= startTime));
  }
  if (endTime !== undefined)
    tests.push((transaction) => (open ? timeOf(transaction) < endTime : timeOf(transaction) <= endTime));
  return tests;
}
