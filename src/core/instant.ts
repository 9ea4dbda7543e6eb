// The only place that reads a point in time from text. `Date.parse` must not be used: it reads a time without an offset as local
// time, and reads February 30 as March 2.

// Lengths in milliseconds.
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/i;

/**
 * Returns the Unix milliseconds of an ISO 8601 time such as `2025-07-01T14:30:00Z` or `2025-07-01T14:30+02:00`. Fractions of a
 * millisecond are dropped.
 *
 * Returns undefined for any other value, so that callers treat it as unreadable and not as another time:
 *
 * - a time without an offset, because its zone is unknown
 * - a day that does not exist, such as February 30
 * - an hour above 23, which RFC 3339 does not allow either. Midnight at the end of a day is `00:00` of the next day.
 * - a leap second (`23:59:60`), because Unix time has no number for it
 */
export function instantOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, , , offsetHour, offsetMinute] = parts.map(Number);
  const [, , , , , , , fraction = '', sign] = parts;
  const seconds = secondsOf(hour, minute, second);
  const offset = secondsOf(offsetHour, offsetMinute);
  if (seconds === undefined || offset === undefined) return undefined;
  const midnight = midnightOf(year ?? 0, month ?? 0, day ?? 0);
  if (midnight === undefined) return undefined;
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return midnight + (seconds - (sign === '-' ? -offset : offset)) * 1000 + milliseconds;
}

/** A missing part is NaN, and counts as 0. */
function secondsOf(hour = 0, minute = 0, second = 0): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return ((hour || 0) * 60 + (minute || 0)) * 60 + (second || 0);
}

function midnightOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/**
 * Returns the Unix milliseconds of a time that the tool itself wrote, and that was checked when it was read.
 *
 * @throws RangeError if the time is unreadable
 */
export function knownInstant(text: string): number {
  const time = instantOf(text);
  if (time === undefined) throw new RangeError(`${JSON.stringify(text)} is not a time`);
  return time;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const HTTP_DATE = /^[A-Z][a-z]+, (\d\d)[ -]([A-Z][a-z]{2})[ -](\d{4}|\d\d) (\d\d:\d\d:\d\d) GMT$/;

/**
 * Returns the Unix milliseconds of the date in an HTTP header, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section
 * 5.6.7). Returns undefined for other text.
 */
export function httpDateOf(text: string): number | undefined {
  const [, day, month = '', year = '', clock] = HTTP_DATE.exec(text) ?? [];
  const number = String(MONTHS.indexOf(month) + 1).padStart(2, '0');
  return instantOf(`${year.padStart(4, '20')}-${number}-${day}T${clock}Z`);
}
