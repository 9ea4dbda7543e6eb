// Query parameters of GET /v1/ledgers (spec: Ledgers). A balance filter is read as an exact decimal.

import { bracket, parseDecimal } from '../decimal.ts';
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

export interface LedgerQuery {
  readonly filters: LedgerFilters;
  readonly sortBy: 'timestamp' | 'createdAt';
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
}

const MAX_LIMIT = 200;

/** What is wrong with the first parameter that is wrong. */
export class InvalidParameter extends Error {}

export function readLedgerQuery(raw: Readonly<Record<string, unknown>>): LedgerQuery {
  function text(name: string): string | undefined {
    const value = raw[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new InvalidParameter(`${name} is given more than once`);
  }
  function list(name: string): string[] | undefined {
    const items = text(name)?.split(',');
    if (items?.includes('')) throw new InvalidParameter(`${name} has an empty entry`);
    return items;
  }
  function flag(name: string): boolean | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    return oneOf(name, value, ['true', 'false']) === 'true';
  }
  function time(name: string): number | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw new InvalidParameter(`${name} must be Unix milliseconds`);
    return Number(value);
  }
  function whole(name: string, fallback: number, least: number, most: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidParameter(`${name} must be a whole number from ${least} to ${most}`);
  }
  function balance(name: string): { floor: bigint; ceiling: bigint } | undefined {
    const value = text(name);
    if (value === undefined) return undefined;
    const decimal = parseDecimal(value);
    if (decimal === undefined) throw new InvalidParameter(`${name} must be a decimal string`);
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
    sortBy: oneOf('sortBy', text('sortBy') ?? 'timestamp', ['timestamp', 'createdAt']),
    ascending: oneOf('sortOrder', text('sortOrder') ?? 'desc', ['asc', 'desc']) === 'asc',
    limit: whole('limit', 50, 1, MAX_LIMIT),
    offset: whole('offset', 0, 0, Number.MAX_SAFE_INTEGER),
  };
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((option) => option === value);
  if (found === undefined) throw new InvalidParameter(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}
