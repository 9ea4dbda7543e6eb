// Reads query parameters, and rejects every value whose format differs from the specification.

import { BALANCE_FORM, bracket, parseDecimal } from '../core/decimal.ts';
import type { Issue } from './errors.ts';

/** Describes the invalid parameters of a query. The application sends this description in the error format of the API. */
export class InvalidQuery extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('Invalid query parameters');
    this.issues = issues;
  }
}

export type RawQuery = Readonly<Record<string, unknown>>;

/** The type of a route with a query, for Fastify. */
export interface Asks {
  Querystring: RawQuery;
}

/**
 * Reads all parameters of a query.
 *
 * @throws InvalidQuery if a parameter is invalid
 */
export function readQuery<T>(raw: RawQuery, read: (query: QueryReader) => T): T {
  const issues: Issue[] = [];
  const result = read(queryOf(raw, issues));
  if (issues.length > 0) throw new InvalidQuery(issues);
  return result;
}

export type QueryReader = ReturnType<typeof queryOf>;

/** The methods add an issue if the value is invalid, and then return undefined or the fallback. */
function queryOf(raw: RawQuery, issues: Issue[]) {
  function reject(parameter: string, expected: string, received: string): undefined {
    const message = `${parameter} must be ${expected}, but is ${received}`;
    issues.push({ code: 'invalid_type', expected, received, path: [parameter], message });
  }
  function text(name: string): string | undefined {
    const value = raw[name];
    if (value === undefined || typeof value === 'string') return value;
    return reject(name, 'one value', 'given more than once');
  }
  /** Returns the result of `read`; undefined if the parameter is missing. `read` returns undefined for an invalid value. */
  function parsed<T>(name: string, expected: string, read: (value: string) => T | undefined): T | undefined {
    const value = text(name);
    return value === undefined ? undefined : (read(value) ?? reject(name, expected, `'${value}'`));
  }
  function choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return parsed(name, `one of ${allowed.join(', ')}`, (value) =>
      allowed.find((option) => option === value),
    );
  }
  function whole(name: string, fallback: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
    const read = (value: string) => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? number : undefined;
    };
    return parsed(name, `a whole number from ${least} to ${most}`, read) ?? fallback;
  }
  return {
    reject,
    text,
    parsed,
    choice,
    whole,
    /** Reads a list that is separated by commas. */
    list(name: string, most = Number.POSITIVE_INFINITY): string[] | undefined {
      const items = parsed(name, 'a list without empty entries', (value) =>
        value.split(',').includes('') ? undefined : value.split(','),
      );
      if (items === undefined || items.length <= most) return items;
      return reject(name, `at most ${most} values`, String(items.length));
    },
    flag(name: string): boolean | undefined {
      const value = choice(name, ['true', 'false']);
      return value === undefined ? undefined : value === 'true';
    },
    /** Unix milliseconds. */
    time: (name: string) =>
      parsed(name, 'Unix milliseconds', (value) =>
        /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined,
      ),
    /** A decimal in units of 10^-18, rounded down and up. */
    decimal: (name: string) =>
      parsed(name, BALANCE_FORM, (value) => {
        const decimal = parseDecimal(value);
        return decimal && bracket(decimal);
      }),
    page: (usual: number, most: number): PageBounds => ({
      limit: whole('limit', usual, 1, most),
      offset: whole('offset', 0, 0),
    }),
  };
}

export interface PageBounds {
  readonly limit: number;
  readonly offset: number;
}

/** Returns a list with one test, made from the value of a parameter. If the parameter is missing, the list is empty. */
export function filter<V, T>(value: V | undefined, make: (value: V) => (item: T) => boolean) {
  return value === undefined ? [] : [make(value)];
}

/** Whether time ranges include their bounds. The specification does not define whether bounds are included. */
export type TimeBounds = 'inclusive' | 'exclusive';

/** The filters `startTime` and `endTime`. */
export function timeFilters<T>({ time }: QueryReader, bounds: TimeBounds, timeOf: (item: T) => number) {
  const open = bounds === 'exclusive';
  return [
    ...filter(
      time('startTime'),
      (start) => (item: T) => (open ? timeOf(item) > start : timeOf(item) >= start),
    ),
    ...filter(time('endTime'), (end) => (item: T) => (open ? timeOf(item) < end : timeOf(item) <= end)),
  ];
}

/** Returns a key for a query. All pages of a query have the same key. */
export function keyOf(raw: RawQuery): string {
  return JSON.stringify({ ...raw, sortOrder: '', limit: '', offset: '' });
}
