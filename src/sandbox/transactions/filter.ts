// Which transactions a query is about. A transaction is its legs, which stand one after another in the columns.

import type { Catalogue } from '../ledgers/catalogue.ts';
import { type Columns, NO_BALANCE } from '../ledgers/columns.ts';
import type { TimeBounds } from '../ledgers/filter.ts';
import { figuresOf } from '../ledgers/format.ts';
import type { Ids } from '../ledgers/ids.ts';
import type { Span } from './gathered.ts';
import { isIgnored, isReviewed, typeOf } from './marks.ts';
import type { TransactionFilters } from './query.ts';

type Test = (span: Span) => boolean;

/** From accounting figures, 10^-8, to 10^-18. */
const FIGURE = 10n ** 10n;

export interface FilterContext {
  /** Those that the spans stand in. */
  readonly columns: Columns;
  readonly catalogue: Catalogue;
  readonly walletIds: Ids;
  readonly bounds: TimeBounds;
}

/** One test a filter given. */
export function testsFor(
  { columns, catalogue, walletIds, bounds }: FilterContext,
  filters: TransactionFilters,
): Test[] {
  const tests: Test[] = [];
  const { labels } = catalogue;
  const some = ({ start, end }: Span, test: (row: number) => boolean) => {
    for (let row = start; row < end; row += 1) if (test(row)) return true;
    return false;
  };
  const timeOf = ({ start }: Span) => columns.timestamp[start] ?? 0;
  const labelOf = ({ start }: Span) => labels[columns.kind[start] ?? 0] ?? null;
  const inWallet = (ids: readonly string[]): Test => {
    const wanted = new Set(ids.map((id) => walletIds.index(id)));
    return (span) => some(span, (row) => wanted.has(columns.wallet[row]));
  };
  /** A boolean filter finds one side or the other. */
  const either = (wanted: boolean | undefined, test: Test) => {
    if (wanted !== undefined) tests.push((span) => test(span) === wanted);
  };
  const { types, notLabels, notWalletIds, minTotalGains, startTime, endTime } = filters;

  if (types !== undefined) {
    const named: readonly (string | undefined)[] = types;
    tests.push((span) => {
      const type = typeOf(labelOf(span), new Set(columns.type.slice(span.start, span.end)));
      return type !== undefined && named.includes(type);
    });
  }
  const labelled = (wanted: readonly (string | null)[]) => (span: Span) => wanted.includes(labelOf(span));
  if (filters.labels !== undefined) tests.push(labelled(filters.labels));
  if (notLabels !== undefined) tests.push((span) => !labelled(notLabels)(span));
  if (filters.walletIds !== undefined) tests.push(inWallet(filters.walletIds));
  if (notWalletIds !== undefined) {
    const within = inWallet(notWalletIds);
    tests.push((span) => !within(span));
  }
  either(filters.isUncategorisedIgnored, ({ transaction }) => isIgnored(transaction));
  either(filters.isHighPnLReviewed, ({ transaction }) => isReviewed(transaction));
  either(filters.hasMissingPrice, (span) => some(span, (row) => Number.isNaN(columns.price[row])));
  // The same as a leg that ltAfterBalance=0 finds.
  either(filters.isMissingTransaction, (span) =>
    some(span, (row) => ((columns.flags[row] ?? 0) & NO_BALANCE) === 0 && columns.after.get(row) < 0n),
  );
  if (minTotalGains !== undefined) {
    tests.push((span) => {
      const gains = totalGains(columns, span);
      return gains !== undefined && gains >= minTotalGains;
    });
  }
  const open = bounds === 'exclusive';
  if (startTime !== undefined) {
    tests.push((span) => (open ? timeOf(span) > startTime : timeOf(span) >= startTime));
  }
  if (endTime !== undefined) tests.push((span) => (open ? timeOf(span) < endTime : timeOf(span) <= endTime));
  return tests;
}

/** In 10^-18; undefined when tax processing has reached none of the legs. */
function totalGains(columns: Columns, { start, end }: Span): bigint | undefined {
  let sum: bigint | undefined;
  for (let row = start; row < end; row += 1) {
    const profit = columns.profit === undefined ? profitOf(columns, row) : columns.profit(row);
    if (profit !== undefined) sum = (sum ?? 0n) + profit;
  }
  return sum;
}

function profitOf(columns: Columns, row: number): bigint | undefined {
  const figures = figuresOf(columns, row);
  return figures === undefined ? undefined : figures.profit * FIGURE;
}
