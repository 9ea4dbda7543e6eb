// The query parameters of GET /v1/transactions. The specification does not name the parameters for wallets, dates and paging.
// The sandbox accepts `walletIds`, which is the opposite of `notWalletIds`. The sandbox also accepts the parameters
// `startTime`, `endTime`, `limit` and `offset` of GET /v1/ledgers.

import { hasBalance } from '../../books/columns.ts';
import type { BookContext } from '../../books/context.ts';
import { isIgnored, isReviewed, type LegGroup, transactionTypeOf } from '../../books/legs.ts';
import { readPage } from '../../http/lists.ts';
import { filter, type QueryReader, type RawQuery, readQuery, timeFilters } from '../../http/parameters.ts';
import { figuresOf } from '../ledgers/format.ts';

export function readTransactionQuery(raw: RawQuery, context: BookContext) {
  return readQuery(raw, (query) => ({ tests: testsOf(query, context), ...readPage(raw) }));
}

type Test = (transaction: LegGroup) => boolean;

/** The factor that converts units of 10^-8 (cost basis, proceeds and profit) to units of 10^-18. */
const FIGURE = 10n ** 10n;

/** Returns one test for each filter that is set. */
function testsOf(query: QueryReader, { book, catalogue, walletIds, bounds, knownProfit }: BookContext) {
  const { columns } = book;
  const { list, flag, decimal } = query;
  const first = ({ rows }: LegGroup) => rows[0] ?? 0;
  const labelOf = (transaction: LegGroup) => catalogue.labels[columns.kind[first(transaction)] ?? 0] ?? null;
  const labelled = (wanted: readonly (string | null)[]): Test => {
    return (transaction) => wanted.includes(labelOf(transaction));
  };
  const inWallet = (ids: readonly string[]): Test => {
    const wanted = new Set(ids.map((id) => walletIds.index(id)));
    return ({ rows }) => rows.some((row) => wanted.has(columns.wallet[row]));
  };
  const not = (test: Test): Test => {
    return (transaction) => !test(transaction);
  };
  const either = (name: string, test: Test) =>
    filter(
      flag(name),
      (wanted): Test =>
        (transaction) =>
          test(transaction) === wanted,
    );
  const profitOf = (row: number) => {
    const known = knownProfit(columns.number[row] ?? 0);
    if (known !== undefined) return known.profit;
    const figures = figuresOf(columns, row);
    return figures === undefined ? undefined : figures.profit * FIGURE;
  };
  return [
    // An unknown type matches no transaction, but is allowed, because the specification does not name all types.
    ...filter(
      list('types'),
      (types): Test =>
        (transaction) => {
          const legTypes = transaction.rows.map((row) => columns.type[row] ?? 0);
          const type = transactionTypeOf(labelOf(transaction), new Set(legTypes));
          return type !== undefined && types.includes(type);
        },
    ),
    ...filter(list('labels'), labelled),
    ...filter(list('notLabels'), (labels) => not(labelled(labels))),
    ...filter(list('walletIds'), inWallet),
    ...filter(list('notWalletIds'), (ids) => not(inWallet(ids))),
    ...either('isUncategorisedIgnored', ({ number }) => isIgnored(number)),
    // The minimum sum of the gains of all legs.
    ...filter(
      decimal('minTotalGains'),
      ({ ceiling }): Test =>
        ({ rows }) => {
          const profits = [...rows].map(profitOf).filter((profit) => profit !== undefined);
          return profits.length > 0 && profits.reduce((sum, profit) => sum + profit, 0n) >= ceiling;
        },
    ),
    ...either('isHighPnLReviewed', ({ number }) => isReviewed(number)),
    // As with the ledger filter `ltAfterBalance=0`, a negative running balance indicates a missing transaction.
    ...either('isMissingTransaction', ({ rows }) =>
      rows.some((row) => hasBalance(columns, row) && columns.after.get(row) < 0n),
    ),
    ...either('hasMissingPrice', ({ rows }) => rows.some((row) => Number.isNaN(columns.price[row]))),
    ...timeFilters(query, bounds, (transaction: LegGroup) => columns.timestamp[first(transaction)] ?? 0),
  ];
}
