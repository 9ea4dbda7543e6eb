import { DAY, HOUR } from '../core/instant.ts';
import { once } from '../core/once.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { cellText } from './text.ts';

/**
 * Formats a time for display in a time zone, for example `2025-07-01 14:03:22`. If the clock is set back and therefore shows
 * the time twice, the offset is added: `2025-10-26 02:30:00 +01:00`.
 */
export function momentText(milliseconds: unknown, timeZone: string): string {
  const text = isoText(milliseconds, timeZone);
  // Do not cut at a fixed length: years before 0 or after 9999 have a sign and six digits.
  return text === ''
    ? cellText(milliseconds)
    : text.replace('T', ' ').replace(/\..*$/, '') + offsetIfTwice(milliseconds, timeZone);
}

/** Longer than any difference between two offsets of a zone. */
const LONGEST_CHANGE = 26 * HOUR;

/** Returns the offset of a time that the clock shows twice; empty for any other time. */
function offsetIfTwice(milliseconds: unknown, timeZone: string): string {
  if (timeZone === 'UTC' || typeof milliseconds !== 'number') return '';
  const time = Math.trunc(milliseconds);
  const { offset, text } = offsetAt(time, timeZone);
  const isTwice = [time - LONGEST_CHANGE, time + LONGEST_CHANGE].some((near) => {
    const other = offsetAt(near, timeZone).offset;
    return other !== offset && offsetAt(time + offset - other, timeZone).offset === other;
  });
  return isTwice ? ` ${text}` : '';
}

/** Formats a time as ISO 8601 with milliseconds. The suffix is `Z` for UTC, and the offset for any other zone. */
export function isoText(milliseconds: unknown, timeZone = 'UTC'): string {
  if (typeof milliseconds !== 'number' || Number.isNaN(new Date(milliseconds).getTime())) return '';
  // Drop fractions of a millisecond, as `Date` does.
  const time = Math.trunc(milliseconds);
  if (timeZone === 'UTC') return `${timeText(time)}Z`;
  const { offset, text } = offsetAt(time, timeZone);
  const local = time + offset;
  return Math.abs(local) > LATEST ? '' : timeText(local) + text;
}

/** Returns the time that a clock in a zone shows, in milliseconds as if it were UTC; undefined beyond the range of a `Date`. */
export function clockTime(time: number, timeZone: string): number | undefined {
  if (Number.isNaN(new Date(time).getTime())) return undefined;
  return time + (timeZone === 'UTC' ? 0 : offsetAt(Math.trunc(time), timeZone).offset);
}

/**
 * Formats a span: `2025-01-01 00:00 to 2025-12-31 23:59:59.999 (Europe/Berlin)`. Returns undefined for a span without bounds.
 */
export function spanText(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  timeZone: string,
): string | undefined {
  const written = (time: number) =>
    isoText(time, timeZone)
      .replace('T', ' ')
      .replace(/(\.\d{3}).*$/, '$1')
      .replace(/(:00)?\.000$/, '') + offsetIfTwice(time, timeZone);
  if (to === undefined) return from === undefined ? undefined : `from ${written(from)} (${timeZone})`;
  return `${from === undefined ? 'up to' : `${written(from)} to`} ${written(to)} (${timeZone})`;
}

/** Returns the IANA name of this machine's time zone, or undefined if the variable TZ contains an unknown zone. */
export function machineZone(): string | undefined {
  const variable = process.env['TZ'] ?? '';
  // Node does not understand rules such as `CET-1CEST`, and returns UTC for some of them, or a name with the opposite sign. The
  // prefixes `:` and `posix/` do not change the zone.
  const zone = variable.replace(/^:?(posix\/)?/, '');
  if (zone !== '' && (/^[+-]/.test(zone) || !isTimeZone(zone))) return undefined;
  // Contrary to its type declaration, Node returns undefined for an unknown TZ. For an empty TZ, Node returns Etc/Unknown.
  const name: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === 'Etc/Unknown' ? 'UTC' : name;
}

let day = { number: Number.NaN, text: '' };

/**
 * Returns the result of `toISOString` without the Z. If the previous call was for the same day, the cached date makes this call
 * five times as fast.
 */
function timeText(milliseconds: number): string {
  const number = Math.floor(milliseconds / DAY);
  if (number !== day.number) {
    day = { number, text: new Date(milliseconds).toISOString().slice(0, -'00:00:00.000Z'.length) };
  }
  const rest = milliseconds - number * DAY;
  const seconds = Math.floor(rest / 1000);
  const minutes = Math.floor(seconds / 60);
  const { minutes: byMinute, seconds: bySecond, milliseconds: byMillisecond } = clockTexts();
  return (
    day.text + byMinute[minutes] + bySecond[seconds - 60 * minutes] + byMillisecond[rest - 1000 * seconds]
  );
}

const numbers = (count: number, width: number) =>
  Array.from({ length: count }, (_, number) => String(number).padStart(width, '0'));
/**
 * Three lists of texts: for the minutes of a day, for the seconds of a minute, and for the milliseconds of a second. The index
 * of a text is the number of the minute, second or millisecond.
 */
const clockTexts = once(() => {
  const sixty = numbers(60, 2);
  return {
    minutes: numbers(24, 2).flatMap((hour) => sixty.map((minute) => `${hour}:${minute}:`)),
    seconds: sixty.map((second) => `${second}.`),
    milliseconds: numbers(1000, 3),
  };
});

/** A span during which the offset of a zone does not change. */
interface Steady {
  /** End, exclusive. */
  readonly to: number;
  /** Milliseconds by which local time is ahead of UTC. */
  readonly offset: number;
  /** `+02:00`. Offsets before 1900 may include seconds. */
  readonly text: string;
}

/** The spans of a day. A day has one span, or two spans if the offset changes on that day. */
type Day = readonly [Steady, Steady?];

/** Cached days, by zone and day number. */
const days = new Map<string, Map<number, Day>>();
/** Maximum number of days that are cached for each zone, enough for ten years. */
const MOST_DAYS = 3660;

/** Uses Intl only once for each day that occurs in the data. A call to Intl takes 200 times as long as writing a CSV row. */
function offsetAt(time: number, timeZone: string): Steady {
  let known = days.get(timeZone);
  if (known === undefined || known.size > MOST_DAYS) {
    known = new Map();
    days.set(timeZone, known);
  }
  const number = Math.floor(time / DAY);
  let steady = known.get(number);
  if (steady === undefined) {
    steady = steadyOf(number * DAY, timeZone);
    known.set(number, steady);
  }
  const [first, second = first] = steady;
  return time < first.to ? first : second;
}

function steadyOf(from: number, timeZone: string): Day {
  const to = from + DAY;
  const [before, after] = [offsetText(from, timeZone), offsetText(to, timeZone)];
  // No zone has ever changed its offset twice in a day. If both ends of a day have the same offset, the offset did not change.
  if (before === after) return [{ to, offset: offsetOf(before), text: before }];
  let change = to;
  for (let low = from; change - low > 1; ) {
    const middle = Math.floor((low + change) / 2);
    if (offsetText(middle, timeZone) === before) low = middle;
    else change = middle;
  }
  return [
    { to: change, offset: offsetOf(before), text: before },
    { to, offset: offsetOf(after), text: after },
  ];
}

/** Converts `+02:00` or `-00:53:28` to milliseconds. */
function offsetOf(text: string): number {
  const parts = text.slice(1).split(':').map(Number);
  const size = parts.reduce((sum, part, at) => sum + (part * HOUR) / 60 ** at, 0);
  return text.startsWith('-') ? -size : size;
}

/** The latest time that a `Date` can represent. */
const LATEST = 8.64e15;

function offsetText(time: number, timeZone: string): string {
  const named = formatterOf(timeZone)
    .formatToParts(Math.min(LATEST, time))
    .find(({ type }) => type === 'timeZoneName')?.value;
  return (named ?? 'GMT').replace(/^GMT$/, '+00:00').replace(/^GMT/, '').replace('−', '-');
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
