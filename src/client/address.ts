import { usageError } from '../core/errors.ts';
import { plainNumber } from '../core/plain.ts';

/** One query value. A list is sent as comma-separated values. A parameter with the value `undefined` is not sent. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const UNFIT = /[/\\\u0000-\u001f\u007f-\u009f]/;

/**
 * Joins path segments. A segment, such as an id, may come from a user. A segment that would change the path, such as `..`, is
 * rejected.
 *
 * @throws usage error `BAD_PATH`
 */
export function encodePath(segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeSegment(segment)}`).join('');
}

function encodeSegment(segment: string): string {
  if (segment === '' || segment === '.' || segment === '..' || UNFIT.test(segment)) {
    throw usageError(
      `${JSON.stringify(segment)} is not a valid id`,
      'An id must not be empty, "." or "..". It must not contain slashes or control characters.',
      'BAD_PATH',
    );
  }
  return encoded(segment, 'The path');
}

/**
 * Returns a query string that starts with `?`, or an empty string. Text such as `1E3` and `-1e-18` is sent unchanged.
 *
 * @throws usage error `BAD_FILTER` for a value that cannot be sent, or `BAD_TEXT` for invalid Unicode
 */
export function encodeQuery(query: Query): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    parts.push(`${encoded(name, 'The query')}=${encodeValue(name, value)}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function encodeValue(name: string, value: Exclude<QueryValue, undefined>): string {
  if (typeof value === 'string') return encoded(value, name);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return encoded(plainNumber(value), name);
    throw usageError(`"${name}" must be a finite number, not ${value}`, undefined, 'BAD_FILTER');
  }
  // Reject an empty list: the service would return every row instead of no rows.
  if (value.length === 0) throw usageError(`The list "${name}" is empty`, undefined, 'BAD_FILTER');
  return value.map((item) => encodeItem(name, item)).join(',');
}

function encodeItem(name: string, item: string): string {
  if (item !== '' && !item.includes(',')) return encoded(item, name);
  throw usageError(
    `"${name}" cannot contain the value ${JSON.stringify(item)}`,
    'The values are sent as a comma-separated list, so no value may be empty or contain a comma.',
    'BAD_FILTER',
  );
}

function encoded(text: string, what: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Text that contains only half of a surrogate pair cannot be encoded.
    throw usageError(`${what} contains invalid Unicode: ${JSON.stringify(text)}`, undefined, 'BAD_TEXT');
  }
}
