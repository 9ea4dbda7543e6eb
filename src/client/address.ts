import { usageError } from '../core/errors.ts';
import { plainNumber } from '../core/plain.ts';

/** One query value. A list is sent comma-separated; `undefined` is not sent. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern rejects control characters
const UNFIT = /[/\\\u0000-\u001f\u007f-\u009f]/;

/**
 * Joins path segments. A segment is data, such as an id typed by a user, and is rejected if it would lead to another path.
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
      'An id must not be empty, "." or "..", or contain slashes or control characters.',
      'BAD_PATH',
    );
  }
  return encoded(segment, 'The path');
}

/**
 * A query string with its `?`, or an empty string. The service receives values unchanged: `1E3` and `-1e-18` are not
 * converted to numbers.
 *
 * @throws usage error `BAD_FILTER` for values that cannot be sent unchanged
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
    throw usageError(`${name} must be a finite number, not ${value}`, undefined, 'BAD_FILTER');
  }
  // With an empty list, the service would not filter, and would return every row.
  if (value.length === 0) throw usageError(`${name} is an empty list`, undefined, 'BAD_FILTER');
  return value.map((item) => encodeItem(name, item)).join(',');
}

function encodeItem(name: string, item: string): string {
  if (item !== '' && !item.includes(',')) return encoded(item, name);
  throw usageError(
    `${name} cannot contain ${JSON.stringify(item)}`,
    'The list is sent comma-separated, so a value must not be empty or contain a comma.',
    'BAD_FILTER',
  );
}

function encoded(text: string, what: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair cannot be encoded.
    throw usageError(`${what} contains invalid Unicode: ${JSON.stringify(text)}`, undefined, 'BAD_TEXT');
  }
}
