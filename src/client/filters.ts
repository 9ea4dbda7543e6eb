import type { List, QueryOf } from '../api/endpoint.ts';
import type { Filter, FilterKind, Filters } from '../api/filters.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { isDecimal } from '../core/plain.ts';
import type { Query, QueryValue } from './address.ts';

/** Unchecked query parameters that are not in the specification. */
export type Extra = Readonly<Record<string, string>>;

export type ListQuery<L extends List> = QueryOf<L> & {
  /** Unchecked parameters that are not in the specification. */
  readonly extra?: Extra | undefined;
};

type Value = Exclude<QueryValue, undefined>;

/** Returns what is wrong with a value, such as `must be a string`; undefined if the value is valid. */
export type ValueCheck = (value: Value) => string | undefined;

/**
 * Returns the query for a list. Checks the declared parameters; adds the parameters in `extra` without a check.
 *
 * @throws usage error `BAD_FILTER`
 */
export function checkFilters(
  { extra = {}, ...given }: { readonly extra?: Extra | undefined },
  declared: Filters,
): Query {
  // The object has no prototype. Otherwise, a name such as `constructor` would seem to be set already.
  const query: Record<string, QueryValue> = Object.create(null);
  for (const [name, value] of Object.entries<unknown>(given)) {
    if (value === undefined) continue;
    if (!isQueryValue(value)) throw bad(name, 'cannot be sent', value);
    const filter = Object.hasOwn(declared, name) ? declared[name] : undefined;
    const wrong = filter
      ? valueCheckOf(filter)(value)
      : `is not a parameter of this list (valid: ${Object.keys(declared).join(', ')})`;
    if (wrong !== undefined) throw bad(name, wrong, value);
    query[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (query[name] !== undefined) throw bad(name, 'is set twice', value);
    query[name] = value;
  }
  return query;
}

export function valueCheckOf(filter: Filter): ValueCheck {
  return CHECK_OF[filter.kind](filter);
}

const isText: ValueCheck = (value) => (typeof value === 'string' ? undefined : 'must be a string');

const CHECK_OF: Readonly<Record<FilterKind, (filter: Filter) => ValueCheck>> = {
  list: ({ choices, max }) => isListOf(choices ? isOneOf(choices) : isText, max),
  flag: () => (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  // Require a string, because a JavaScript number may already have lost digits.
  decimal: () => (value) =>
    typeof value === 'string' && isDecimal(value)
      ? undefined
      : 'must be a string with a decimal number, such as "0", "-1.5" or "1e-18"',
  time: () => (value) =>
    Number.isSafeInteger(value) ? undefined : 'must be a whole number of milliseconds since 1970',
  text: () => isText,
  choice: ({ choices = [] }) => isOneOf(choices),
  count: ({ min = 0, max }) => isWhole(min, max),
};

function isOneOf(words: readonly string[]): ValueCheck {
  return (value) => (words.some((word) => word === value) ? undefined : `must be one of ${words.join(', ')}`);
}

function isWhole(least: number, most = Number.MAX_SAFE_INTEGER): ValueCheck {
  const bounds = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `${least} to ${most}`;
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number (${bounds})`;
}

/** Accepts an array of strings, or a single string. */
function isListOf(check: ValueCheck, most = Number.POSITIVE_INFINITY): ValueCheck {
  return (value) => {
    const items: readonly string[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    if (items.length === 0) return 'must be a list with at least one value';
    // The list is sent comma-separated, so a comma would split a value in two.
    if (items.some((item) => item === '' || item.includes(',')))
      return 'cannot contain an empty value or a comma';
    if (items.length > most) return `accepts at most ${most} values`;
    return items.map(check).find((wrong) => wrong !== undefined);
  };
}

export function isQueryValue(value: unknown): value is Value {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function bad(name: string, wrong: string, value: unknown): CryptodataError {
  return usageError(`${name} ${wrong}; it is ${JSON.stringify(value)}`, undefined, 'BAD_FILTER');
}
