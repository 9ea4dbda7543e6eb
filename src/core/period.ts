import type { Temporal } from 'temporal-polyfill';
import { usageError } from './errors.ts';
import { knownInstant } from './instant.ts';
import { nearMatches } from './nearest.ts';
import type { OpenSpan, Span } from './span.ts';

export interface TimeValues {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly period: string | undefined;
  /** `04-06`. */
  readonly fiscalYearStart?: string | undefined;
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}

export interface SpanNames {
  readonly from: string;
  readonly to: string;
  readonly period: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly fiscalYearStart: string;
}

/** On the command line, error messages use the names of the flags. */
export const FLAG_NAMES: SpanNames = {
  from: '--from',
  to: '--to',
  period: '--period',
  startTime: '--start-time',
  endTime: '--end-time',
  fiscalYearStart: '--fiscal-year-start',
};

const PERIOD =
  /^(?:(?<year>\d{4})(?:-(?:(?<part>[qh])(?<number>[1-4])|(?<month>0[1-9]|1[0-2])))?|(?<which>last|this)-(?<unit>year|quarter|month)|(?<ytd>ytd)|(?<days>[1-9]\d{0,4})d)$/i;

/** Periods that are named by a word, such as `last-year`. */
export const PERIOD_WORDS: readonly string[] = [
  ...['last', 'this'].flatMap((which) => ['year', 'quarter', 'month'].map((unit) => `${which}-${unit}`)),
  'ytd',
];

const PERIODS = '2025, 2025-H1, 2025-Q3, 2025-07, last-year, this-quarter, ytd or 7d';

/** @throws usage error for a string that is not a period */
export function checkPeriod(given: string): string {
  const { part, number } = PERIOD.exec(given)?.groups ?? {};
  if (PERIOD.test(given) && !(part?.toLowerCase() === 'h' && Number(number) > 2)) return given;
  throw usageError('It is not a period', periodHint(given));
}

function periodHint(given: string): string {
  if (/^(q[1-4]|h[12])$/i.test(given)) return `Include the year, as in 2025-${given.toUpperCase()}.`;
  const [near] = nearMatches(
    given,
    PERIOD_WORDS.map((value) => ({ value, names: [] })),
  );
  return near ? `Did you mean ${near.value}?` : `Use ${PERIODS}.`;
}

/** Whether the period depends on the fiscal year: the period is a year, a half-year or a quarter. */
export function isOfYear(period: string | undefined): boolean {
  return period !== undefined && !/^\d{4}-\d\d$|month$|\dd$/i.test(period);
}

/**
 * The span of `--from`, `--to` and `--period` in a time zone. If none of the three flags is set, the span is open at both ends.
 *
 * @throws usage error if a day does not exist, if the end is before the start, or if flags conflict
 */
export async function spanOf(
  values: TimeValues,
  timeZone: string,
  now: number,
  names: SpanNames = FLAG_NAMES,
): Promise<OpenSpan> {
  const { from, to, period, fiscalYearStart, startTime, endTime } = values;
  const days = from !== undefined || to !== undefined;
  if (period !== undefined && days)
    throw usageError(
      `${names.period} cannot be used with ${names.from} or ${names.to}`,
      'Use one or the other.',
    );
  if ((period !== undefined || days) && (startTime !== undefined || endTime !== undefined)) {
    throw usageError(
      `${names.startTime} and ${names.endTime} cannot be used with ${names.from}, ${names.to} or ${names.period}`,
      'Use one or the other.',
    );
  }
  if (startTime !== undefined && endTime !== undefined && startTime > endTime) {
    throw usageError(`${names.startTime} is after ${names.endTime}`, 'Swap them.');
  }
  if (fiscalYearStart !== undefined && !isOfYear(period)) {
    throw usageError(
      `${names.fiscalYearStart} requires a ${names.period} that is a year, half-year or quarter`,
      `For example: ${names.fiscalYearStart} 04-06 and ${names.period} 2025.`,
    );
  }
  if (period === undefined && !days) return {};
  const { Temporal } = await import('temporal-polyfill');
  if (period !== undefined) return periodSpan(Temporal, { period, fiscalYearStart, timeZone, now });
  const span = {
    ...(from === undefined ? {} : { from: moment(Temporal, from, names.from, timeZone).first }),
    ...(to === undefined ? {} : { to: moment(Temporal, to, names.to, timeZone).last }),
  };
  if (span.from !== undefined && span.to !== undefined && span.from > span.to) {
    throw usageError(`${names.from} ${from} is after ${names.to} ${to}`, 'Swap them.');
  }
  return span;
}

type TemporalLibrary = typeof import('temporal-polyfill').Temporal;

interface Named {
  readonly period: string;
  readonly fiscalYearStart: string | undefined;
  readonly timeZone: string;
  readonly now: number;
}

const MONTHS = { y: 12, h: 6, q: 3, m: 1 } as const;

function periodSpan(Temporal: TemporalLibrary, { period, fiscalYearStart, timeZone, now }: Named): Span {
  const groups = PERIOD.exec(period.toLowerCase())?.groups ?? {};
  const { year, part, number, month, which, unit = '', ytd, days } = groups;
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  const span = (first: Temporal.PlainDate, next: Temporal.PlainDate): Span => ({
    from: startOf(first, timeZone),
    to: startOf(next, timeZone) - 1,
  });
  const tomorrow = today.add({ days: 1 });
  if (days !== undefined) return span(tomorrow.subtract({ days: Number(days) }), tomorrow);

  const isMonth = month !== undefined || unit === 'month';
  const [startMonth = 1, startDay = 1] = isMonth ? [] : (fiscalYearStart ?? '01-01').split('-').map(Number);
  const yearStart = (of: number) => Temporal.PlainDate.from({ year: of, month: startMonth, day: startDay });
  const length = isMonth
    ? MONTHS.m
    : MONTHS[part === 'h' ? 'h' : part === 'q' || unit === 'quarter' ? 'q' : 'y'];
  // Calculate each start from the start of the fiscal year, not from the previous start. Otherwise, the last days of a fiscal
  // year that starts on the 31st of a month would belong to no period.
  const nth = (of: number, index: number) =>
    span(yearStart(of).add({ months: index * length }), yearStart(of).add({ months: (index + 1) * length }));
  if (year !== undefined) return nth(Number(year), Number(number ?? month ?? 1) - 1);

  const current = Temporal.PlainDate.compare(today, yearStart(today.year)) < 0 ? today.year - 1 : today.year;
  if (ytd !== undefined) return span(yearStart(current), tomorrow);
  let index = 0;
  while (Temporal.PlainDate.compare(yearStart(current).add({ months: (index + 1) * length }), today) <= 0)
    index += 1;
  if (which === 'this') return nth(current, index);
  return index > 0 ? nth(current, index - 1) : nth(current - 1, 12 / length - 1);
}

function startOf(day: Temporal.PlainDate, zone: string): number {
  return day.toZonedDateTime(zone).epochMilliseconds;
}

/** The first and last millisecond of a day. */
function dayOf(day: Temporal.PlainDate, zone: string): { first: number; last: number } | 'skipped' {
  const [first, next] = [startOf(day, zone), startOf(day.add({ days: 1 }), zone)];
  return first < next ? { first, last: next - 1 } : 'skipped';
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/i;

/**
 * Returns the first and last millisecond of a day. For a point in time, `first` and `last` are usually equal. `first` and
 * `last` differ if the local time occurs twice because clocks are set back.
 */
function moment(
  Temporal: TemporalLibrary,
  given: string,
  flag: string,
  zone: string,
): { first: number; last: number } {
  const found = momentOf(Temporal, given, flag, zone);
  if (found === 'skipped') {
    throw usageError(
      `${flag} ${given} does not exist in ${zone}, because the clock skipped this day`,
      'Use the day before or the day after.',
    );
  }
  return found;
}

/** @returns `skipped` if the time zone skipped the day, as Pacific/Apia skipped 30 December 2011 */
function momentOf(
  Temporal: TemporalLibrary,
  given: string,
  flag: string,
  zone: string,
): { first: number; last: number } | 'skipped' {
  try {
    if (DAY.test(given)) return dayOf(Temporal.PlainDate.from(given), zone);
    if (MOMENT.test(given)) {
      const written = given.toUpperCase().replace(' ', 'T');
      if (/Z$|[+-]\d{2}:\d{2}$/.test(written)) {
        const at = knownInstant(written);
        return { first: at, last: at };
      }
      // When clocks are set back, an hour occurs twice. A span includes both occurrences.
      // Temporal reads a leap second as the second before.
      if (/:60(\.\d+)?$/.test(written)) throw new RangeError('leap second');
      const local = Temporal.PlainDateTime.from(written);
      if (dayOf(local.toPlainDate(), zone) === 'skipped') return 'skipped';
      const first = local.toZonedDateTime(zone, { disambiguation: 'earlier' }).epochMilliseconds;
      const last = local.toZonedDateTime(zone, { disambiguation: 'later' }).epochMilliseconds;
      return { first, last };
    }
  } catch {
    throw usageError(`${flag} ${given} does not exist in the calendar`, lastDayHint(Temporal, given));
  }
  throw usageError(
    `${flag} ${JSON.stringify(given)} is not a day or a time`,
    'Use 2025-07-01, 2025-07-01T14:30 or 2025-07-01T14:30:00Z.',
  );
}

/** Returns a hint for an invalid date or time. If the day exists, the hint lists the valid times and offsets. */
function lastDayHint(Temporal: TemporalLibrary, given: string): string {
  const [year = 0, month = 0, day = 0] = given.slice(0, 10).split('-').map(Number);
  if (month < 1 || month > 12) return 'Months go from 01 to 12.';
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month });
  if (day < 1 || day > daysInMonth)
    return `The last day of ${given.slice(0, 7)} is ${given.slice(0, 7)}-${daysInMonth}.`;
  return 'Hours go from 00 to 23, minutes and seconds from 00 to 59, offsets from -23:59 to +23:59.';
}
