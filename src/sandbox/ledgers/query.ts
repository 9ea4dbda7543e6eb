// Query parameters of GET /v1/ledgers (spec: Ledgers). A balance filter is read as an exact decimal.

import { bracket, parseDecimal } from '../decimal.ts';
import { InvalidParameter, oneOf, parametersOf, type RawQuery } from '../parameters.ts';
import { TYPES } from './columns.ts';

export interface LedgerFilters {
  readonly transactionIds: readonly string[] | undefined;
  readonly assetIds: readonly string[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly providers: readonly string[] | undefined;
  readonly hasMissingPrice: boolean | undefined;
  readonly hasMissingAsset: boolean | undefined;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
  /** In 10^-18: the balance is less than this. */
  readonly lessThan: bigint | undefined;
  /** In 10^-18: the balance is greater than this. */
  readonly greaterThan: bigint | undefined;
}

export const NO_FILTERS: LedgerFilters = {
  transactionIds: undefined,
  assetIds: undefined,
  types: undefined,
  providers: undefined,
  hasMissingPrice: undefined,
  hasMissingAsset: undefined,
  startTime: undefined,
  endTime: undefined,
  lessThan: undefined,
  greaterThan: undefined,
};

export interface LedgerQuery {
  readonly filters: LedgerFilters;
  readonly sortBy: 'timestamp' | 'createdAt';
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
}

const MAX_LIMIT = 200;

export function readLedgerQuery(raw: RawQuery): LedgerQuery {
  const { text, list, flag, time, whole, choice } = parametersOf(raw);
  function balance(name: string): { floor: bigint; ceiling: bigint } | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    const decimal = parseDecimal(value);
    if (decimal === undefined) throw new InvalidParameter(name, 'a decimal string', `'${value}'`);
    return bracket(decimal);
  }

  const types = list('types');
  for (const type of types ?? []) oneOf('types', type, TYPES);
  return {
    filters: {
      transactionIds: list('transactionIds'),
      assetIds: list('assetIds'),
      types,
      providers: list('providers'),
      hasMissingPrice: flag('hasMissingPrice'),
      hasMissingAsset: flag('hasMissingAsset'),
      startTime: time('startTime'),
      endTime: time('endTime'),
      lessThan: balance('ltAfterBalance')?.ceiling,
      greaterThan: balance('gtAfterBalance')?.floor,
    },
    sortBy: choice('sortBy', 'timestamp', ['timestamp', 'createdAt']),
    ascending: choice('sortOrder', 'desc', ['desc', 'asc']) === 'asc',
    limit: whole('limit', 50, 1, MAX_LIMIT),
    offset: whole('offset', 0, 0, Number.MAX_SAFE_INTEGER),
  };
}
