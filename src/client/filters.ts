import type { Filter, FilterKind, Filters } from '../api/filters.ts';
import { isDecimal } from '../core/decimal.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import type { Query, QueryValue } from './address.ts';

/** Parameters that have no name here, sent as they are. */
export type Extra = Readonly<Record<string, string>>;

/** Says what is wrong with a value: the end of the sentence "NAME …"; undefined where it is right. */
export type Check = (value: Exclude<QueryValue, undefined>) => string | undefined;

/**
 * Checks filters before anything is sent, and joins what `extra` adds to them.
 *
 * @throws usage error `BAD_FILTER`
 */
export function checkFilters<F extends object>(
  filters: F & { readonly extra?: Extra | undefined },
  checks: Readonly<Record<Exclude<keyof F & string, 'extra'>, Check>>,
): Query {
  const { extra = {}, ...named } = filters;
  const known: Readonly<Record<string, Check>> = checks;
  const query: Record<string, QueryValue> = {};
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) continue;
    if (!isQueryValue(value)) throw bad(name, 'cannot be sent', value);
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    const wrong = check ? check(value) : `is no filter of this list: ${Object.keys(known).join(', ')}`;
    if (wrong !== undefined) throw bad(name, wrong, value);
    query[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (query[name] !== undefined) throw bad(name, 'is given twice', value);
    query[name] = value;
  }
  return query;
}

export const isText: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text');

export const isFlag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

/** A decimal as a string: a number may have lost digits before it came here. */
export const isDecimalText: Check = (value) =>
  typeof value === 'string' && isDecimal(value)
    ? undefined
    : 'must be a decimal in a string, as in "0", "-1.5" or "1e-18"';

/** Unix milliseconds. */
export const isTime: Check = (value) =>
  Number.isSafeInteger(value) ? undefined : 'must be a whole number of milliseconds since 1970';

export function isOneOf(...words: readonly string[]): Check {
  return (value) => (words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`);
}

export function isWhole(least: number, most = Number.MAX_SAFE_INTEGER): Check {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number, ${bounds}`;
}

/** The checks that follow from declared filters. */
export function checksOf<F extends Filters>(declared: F): { readonly [K in keyof F]: Check } {
  const checks = Object.entries(declared).map(([name, filter]) => [name, checkOf(filter)]);
  // Every name is a key of `declared`.
  return Object.fromEntries(checks) as { readonly [K in keyof F]: Check };
}

export function checkOf(filter: Filter): Check {
  return CHECK_OF[filter.kind](filter);
}

const CHECK_OF: Readonly<Record<FilterKind, (filter: Filter) => Check>> = {
  list: ({ choices }) => isListOf(choices ? isOneOf(...choices) : isText),
  flag: () => isFlag,
  decimal: () => isDecimalText,
  time: () => isTime,
};

/** A list, sent comma-separated; one value may stand alone. */
export function isListOf(check: Check): Check {
  return (value) => {
    const items: readonly string[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    if (items.length === 0) return 'must be a list with at least one value';
    // A comma in a value would be two values to the service.
    if (items.some((item) => item === '' || item.includes(',')))
      return 'cannot hold an empty value or a comma';
    return items.map(check).find((wrong) => wrong !== undefined);
  };
}

export function isQueryValue(value: unknown): value is Exclude<QueryValue, undefined> {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function bad(name: string, wrong: string, value: unknown): CryptodataError {
  return usageError(`${name} ${wrong}, and is ${JSON.stringify(value)}`, undefined, 'BAD_FILTER');
}
