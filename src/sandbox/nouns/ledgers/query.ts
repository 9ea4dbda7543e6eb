// The query parameters of GET /v1/ledgers. Balances are compared exactly.

import { hasBalance, LEG_TYPES } from '../../books/columns.ts';
import type { BookContext } from '../../books/context.ts';
import { filter, type QueryReader, type RawQuery, readQuery, timeFilters } from '../../http/parameters.ts';

export function readLedgerQuery(raw: RawQuery, context: BookContext) {
  return readQuery(raw, (query) => ({
    tests: testsOf(query, context),
    sortBy: query.choice('sortBy', ['timestamp', 'createdAt']) ?? 'timestamp',
    ascending: query.choice('sortOrder', ['desc', 'asc']) === 'asc',
    ...query.page(50, 200),
  }));
}

/** Returns one test of a row for each filter that is set. */
function testsOf(query: QueryReader, { book: { columns }, catalogue, transactionIds, bounds }: BookContext) {
  const { list, flag, decimal } = query;
  const { assets, wallets } = catalogue;
  const { timestamp, price, after } = columns;
  const among = (column: Uint8Array | Uint16Array, wanted: readonly boolean[]) => (row: number) =>
    wanted[column[row] ?? 0] === true;
  const ofAssets = (isWanted: (id: string | null) => boolean) =>
    among(
      columns.asset,
      assets.map(({ id }) => isWanted(id)),
    );
  const types = list('types');
  const other = types?.find((type) => !LEG_TYPES.some((known) => known === type));
  if (other !== undefined) query.reject('types', `one of ${LEG_TYPES.join(', ')}`, `'${other}'`);
  return [
    ...filter(list('transactionIds'), (ids) => {
      const wanted = new Set(ids.map((id) => transactionIds.index(id)));
      return (row: number) => wanted.has(columns.transaction[row]);
    }),
    ...filter(list('assetIds'), (ids) => ofAssets((id) => id !== null && ids.includes(id))),
    ...filter(types, (wanted) =>
      among(
        columns.type,
        LEG_TYPES.map((type) => wanted.includes(type)),
      ),
    ),
    ...filter(list('providers'), (ids) =>
      among(
        columns.wallet,
        wallets.map(({ providerId }) => ids.includes(providerId)),
      ),
    ),
    ...filter(flag('hasMissingPrice'), (wanted) => (row: number) => Number.isNaN(price[row]) === wanted),
    ...filter(flag('hasMissingAsset'), (wanted) => ofAssets((id) => (id === null) === wanted)),
    ...timeFilters(query, bounds, (row: number) => timestamp[row] ?? 0),
    // Legs without a running balance match neither balance filter.
    ...filter(
      decimal('ltAfterBalance'),
      ({ ceiling }) =>
        (row: number) =>
          hasBalance(columns, row) && after.get(row) < ceiling,
    ),
    ...filter(
      decimal('gtAfterBalance'),
      ({ floor }) =>
        (row: number) =>
          hasBalance(columns, row) && after.get(row) > floor,
    ),
  ];
}
