// Query parameters of GET /v1/transactions. The spec names its filters; how the wallet and date filters, which it says
// they combine with, and the paging are called, it does not: `walletIds` beside `notWalletIds`, `startTime`,
// `endTime`, `limit` and `offset` as in GET /v1/ledgers.

import { bracket, parseDecimal } from '../decimal.ts';
import { type Page, readPage } from '../lists.ts';
import { InvalidParameter, parametersOf, type RawQuery } from '../parameters.ts';

export interface TransactionFilters {
  /** What is none of the named types finds nothing: the other types are not shown. */
  readonly types: readonly string[] | undefined;
  readonly labels: readonly string[] | undefined;
  readonly notLabels: readonly string[] | undefined;
  readonly walletIds: readonly string[] | undefined;
  readonly notWalletIds: readonly string[] | undefined;
  readonly isUncategorisedIgnored: boolean | undefined;
  /** In 10^-18: the gains of all legs are at least this. */
  readonly minTotalGains: bigint | undefined;
  readonly isHighPnLReviewed: boolean | undefined;
  readonly isMissingTransaction: boolean | undefined;
  readonly hasMissingPrice: boolean | undefined;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
}

export interface TransactionQuery extends Page {
  readonly filters: TransactionFilters;
}

export function readTransactionQuery(raw: RawQuery): TransactionQuery {
  const { text, list, flag, time } = parametersOf(raw);
  function gains(): bigint | undefined {
    const value = text('minTotalGains');
    if (value === undefined) return undefined;
    const decimal = parseDecimal(value);
    if (decimal === undefined) throw new InvalidParameter('minTotalGains', 'a number', `'${value}'`);
    return bracket(decimal).ceiling;
  }
  return {
    filters: {
      types: list('types'),
      labels: list('labels'),
      notLabels: list('notLabels'),
      walletIds: list('walletIds'),
      notWalletIds: list('notWalletIds'),
      isUncategorisedIgnored: flag('isUncategorisedIgnored'),
      minTotalGains: gains(),
      isHighPnLReviewed: flag('isHighPnLReviewed'),
      isMissingTransaction: flag('isMissingTransaction'),
      hasMissingPrice: flag('hasMissingPrice'),
      startTime: time('startTime'),
      endTime: time('endTime'),
    },
    ...readPage(raw),
  };
}
