import type { Temporal } from 'temporal-polyfill';
import { usageError } from '../base/errors.ts';
import type { OpenSpan, Span } from '../base/span.ts';
import type { Flag } from './define.ts';
import { integer, text } from './flags.ts';

/** The flags of time that every list of dated records takes. */
export const timeFlags = {
  from: text('--from <time>', 'first day (2025-07-01) or moment (2025-07-01T12:00, or with Z or +02:00)'),
  to: text('--to <time>', 'last day, the whole of it, or last moment'),
  period: periodFlag(),
  startTime: integer(
    '--start-time <ms>',
    "the service's own startTime, in Unix milliseconds, sent as given",
    { min: 0 },
  ),
  endTime: integer('--end-time <ms>', "the service's own endTime, in Unix milliseconds, sent as given", {
    min: 0,
  }),
};

export interface TimeValues {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly period: string | undefined;
  readonly startTime: number | undefined;
  readonly endTime: number | undefined;
}

/** How the flags are written where a command means something else by --to. */
export interface SpanNames {
  readonly from: string;
  readonly to: string;
}

const PERIOD = /^(?<year>\d{4})(?:-(?:Q(?<quarter>[1-4])|(?<month>0[1-9]|1[0-2])))?$|^last-year$/;

function periodFlag(): Flag<string | undefined> {
  return {
    written: '--period <period>',
    describe: 'a year, quarter or month: 2025, 2025-Q3, 2025-07, last-year',
    parse: (given) => {
      if (PERIOD.test(given)) return given;
      throw usageError('It is no period', 'As in 2025, 2025-Q3, 2025-07 or last-year.');
    },
  };
}

/**
 * The span that `--from`, `--to` and `--period` mean, in the zone of the user; empty where none was given.
 *
 * @throws usage error for a day that does not exist, an end before its start, or two ways of saying it
 */
export async function spanOf(
  values: TimeValues,
  timeZone: string | undefined,
  now: number,
  names: SpanNames = { from: '--from', to: '--to' },
): Promise<OpenSpan> {
  const { from, to, period, startTime, endTime } = values;
  const days = from !== undefined || to !== undefined;
  if (period !== undefined && days)
    throw usageError(`--period cannot stand with ${names.from} or ${names.to}`, 'Use one or the other.');
  if ((period !== undefined || days) && (startTime !== undefined || endTime !== undefined)) {
    throw usageError(
      '--start-time and --end-time cannot stand with --from, --to or --period',
      'Use one or the other.',
    );
  }
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw usageError('--start-time is after --end-time', 'Swap them.');
  }
  if (period === undefined && !days) return {};
  const { Temporal } = await import('temporal-polyfill');
  const zone = timeZone ?? Temporal.Now.timeZoneId();
  if (period !== undefined) return periodSpan(Temporal, period, zone, now);
  const span = {
    ...(from === undefined ? {} : { from: moment(Temporal, from, names.from, zone).first }),
    ...(to === undefined ? {} : { to: moment(Temporal, to, names.to, zone).last }),
  };
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
    throw usageError(`${names.from} ${from} is after ${names.to} ${to}`, 'Swap them.');
  }
  return span;
}

type TemporalLibrary = typeof import('temporal-polyfill').Temporal;

function periodSpan(Temporal: TemporalLibrary, period: string, zone: string, now: number): Span {
  const groups = PERIOD.exec(period)?.groups ?? {};
  const thisYear = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).year;
  const year = groups['year'] === undefined ? thisYear - 1 : Number(groups['year']);
  const quarter = groups['quarter'];
  const month = groups['month'];
  const first = quarter !== undefined ? Number(quarter) * 3 - 2 : month !== undefined ? Number(month) : 1;
  const months = quarter !== undefined ? 3 : month !== undefined ? 1 : 12;
  const start = Temporal.PlainDate.from({ year, month: first, day: 1 });
  return { from: startOf(start, zone), to: startOf(start.add({ months }), zone) - 1 };
}

function startOf(day: Temporal.PlainDate, zone: string): number {
  return day.toZonedDateTime(zone).epochMilliseconds;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** The first and last millisecond of a day, or of a moment (which is one). */
function moment(
  Temporal: TemporalLibrary,
  given: string,
  flag: string,
  zone: string,
): { first: number; last: number } {
  try {
    if (DAY.test(given)) {
      const day = Temporal.PlainDate.from(given);
      return { first: startOf(day, zone), last: startOf(day.add({ days: 1 }), zone) - 1 };
    }
    if (MOMENT.test(given)) {
      const written = given.toUpperCase().replace(' ', 'T');
      const at = /Z$|[+-]\d{2}:\d{2}$/.test(written)
        ? Temporal.Instant.from(written).epochMilliseconds
        : undefined;
      if (at !== undefined) return { first: at, last: at };
      // When the clock is set back an hour comes twice: a span takes in both.
      const local = Temporal.PlainDateTime.from(written);
      const first = local.toZonedDateTime(zone, { disambiguation: 'earlier' }).epochMilliseconds;
      const last = local.toZonedDateTime(zone, { disambiguation: 'later' }).epochMilliseconds;
      return { first, last };
    }
  } catch {
    throw usageError(`${flag} ${given} does not exist in the calendar`, lastDayHint(Temporal, given));
  }
  throw usageError(
    `${flag} ${JSON.stringify(given)} is no day and no moment`,
    'As in 2025-07-01, 2025-07-01T14:30 or 2025-07-01T14:30:00Z.',
  );
}

/** What is right about a day that does not exist; a day that does had a wrong time of day or offset behind it. */
function lastDayHint(Temporal: TemporalLibrary, given: string): string {
  const [year = 0, month = 0, day = 0] = given.slice(0, 10).split('-').map(Number);
  if (month < 1 || month > 12) return 'Months go from 01 to 12.';
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month });
  if (day < 1 || day > daysInMonth)
    return `The last day of that month is ${given.slice(0, 7)}-${daysInMonth}.`;
  return 'Hours go from 00 to 23, minutes and seconds from 00 to 59, offsets from -23:59 to +23:59.';
}
