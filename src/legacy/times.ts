import { Temporal } from 'temporal-polyfill';
import { exact } from '../core/decimal.ts';
import { DAY, instantOf } from '../core/instant.ts';
import { clip, shown } from './problems.ts';
import { digitsOf, iso } from './values.ts';

/** Units of numeric times. `divisor` is the number of units in a millisecond. */
const UNITS = {
  s: { name: 'seconds', divisor: '0.001' },
  ms: { name: 'milliseconds', divisor: '1' },
  us: { name: 'microseconds', divisor: '1000' },
  ns: { name: 'nanoseconds', divisor: '1000000' },
} as const;
type TimeUnit = 's' | 'ms';

/** Unix milliseconds, or why a value is not a time. */
export type TimeRead =
  | {
      readonly milliseconds: number;
      /** Whether the time has no offset, and is interpreted in the time zone of the user. */
      readonly isLocal?: boolean;
      /** Whether a fraction of a millisecond was dropped. */
      readonly isCut?: boolean;
      /** If the value is a day without a time: the start of the day, with its offset. */
      readonly start?: string;
      /** Why the time is unlikely. */
      readonly doubt?: string;
    }
  | { readonly problem: string; readonly hint?: string };

const [YEAR_2001, YEAR_2009, YEAR_2100] = [Date.UTC(2001), Date.UTC(2009), Date.UTC(2100)];
const OFFSET_HINT = 'Write hours from 00 to 23, and an offset such as Z or +01:00 at the end.';
const EXAMPLES =
  'Use a time such as 2025-01-31T14:30:00Z or 2025-01-31T14:30:00+01:00. With --tz, the offset is optional.';

export interface TimeOptions {
  /**
   * IANA name. A time without an offset is interpreted in this zone. If the zone is undefined, such a time is a problem, because
   * the file may come from another time zone.
   */
  readonly zone: string | undefined;
  /** Unit of numeric times. */
  readonly unit: TimeUnit;
  /** Unix milliseconds. */
  readonly now: number;
}

/** Reads a number, or an ISO 8601 date as text. */
export function readTime(value: unknown, { zone, unit, now }: TimeOptions): TimeRead {
  const text = typeof value === 'string' ? value.trim() : undefined;
  const digits = digitsOf(value) ?? (text !== undefined && NUMBER.test(text) ? text : undefined);
  const isCompactDay = text !== undefined && /^(19|20)\d{6}$/.test(text);
  if (digits === undefined && text === undefined)
    return { problem: `must be a time, not ${shown(value)}`, hint: EXAMPLES };
  const read = digits === undefined || isCompactDay ? readIso(text ?? '', zone) : readNumber(digits, unit);
  if (!('milliseconds' in read)) return read;
  const { milliseconds } = read;
  const unlikely =
    milliseconds < YEAR_2009
      ? 'a time before the first cryptocurrency'
      : milliseconds > now + DAY
        ? 'more than one day in the future'
        : undefined;
  return unlikely === undefined ? read : { ...read, doubt: `is ${iso(milliseconds)}, ${unlikely}` };
}

const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?$/;

/** Reports a number as a problem if its time is so unlikely that the number probably has another unit. */
function readNumber(digits: string, unit: TimeUnit): TimeRead {
  if (/[eE]/.test(digits)) {
    return {
      problem: `must be written with all digits, not as ${clip(digits)}`,
      hint: 'A spreadsheet may have shortened the number. Format the column as a number without an exponent.',
    };
  }
  const time = timeIn(unit, digits);
  if (isLikely(time.milliseconds)) return time;
  const others = (Object.keys(UNITS) as (keyof typeof UNITS)[]).filter((other) => other !== unit);
  const likely = others.find((other) => isLikely(timeIn(other, digits).milliseconds));
  const other = likely ?? (unit === 's' ? 'ms' : 's');
  const means = (of: keyof typeof UNITS) => `${iso(timeIn(of, digits).milliseconds)} in ${UNITS[of].name}`;
  const hints = {
    s: 'If the numbers are seconds, add --time-unit s.',
    ms: 'If the numbers are milliseconds, omit --time-unit.',
  };
  const serial = likely === undefined ? serialTime(digits) : undefined;
  const also = serial === undefined ? '' : `; as a serial number of a spreadsheet, it is ${serial}`;
  return {
    problem: `has an unlikely time: ${clip(digits)} is ${means(unit)}, and ${means(other)}${also}`,
    hint:
      likely === undefined && serial !== undefined
        ? 'In the spreadsheet, format the column as yyyy-mm-dd hh:mm:ss.'
        : likely === undefined
          ? 'Correct the number, or write an ISO date. Only an ISO date may be before 2001 or after 2099.'
          : likely === 's' || likely === 'ms'
            ? hints[likely]
            : `If the number is in ${UNITS[likely].name}, write ${timeIn(likely, digits).milliseconds}.`,
  };
}

/** The date of a serial number of a spreadsheet, if the number means a date from 2000 to 2099. Day 25569 is 1970-01-01. */
function serialTime(digits: string): string | undefined {
  const days = Number(digits.replace(',', '.'));
  const milliseconds = Math.round((days - 25_569) * 86_400) * 1000;
  return milliseconds >= Date.UTC(2000) && milliseconds < YEAR_2100
    ? new Date(milliseconds).toISOString().slice(0, 19)
    : undefined;
}

function timeIn(unit: keyof typeof UNITS, digits: string): { milliseconds: number; isCut: boolean } {
  const time = exact(digits.replace(',', '.'))?.div(UNITS[unit].divisor);
  return { milliseconds: time?.floor().toNumber() ?? Number.NaN, isCut: time?.isInteger() === false };
}

function isLikely(milliseconds: number): boolean {
  return milliseconds >= YEAR_2001 && milliseconds < YEAR_2100;
}

const DATE = /^(\d{4})(-?)(\d{2})\2(\d{2})(?!\d)/;
const CLOCK = /^(\d{2})(?:(:?)(\d{2})(?:\2(\d{2})(?:[.,](\d+))?)?)?(?!\d)\s*/;
const OFFSET = /^(?:Z|UTC|([+\u2212-])(\d{2})(?::?(\d{2}))?)$/i;

/** Reads ISO 8601 in extended or basic form. A time that clocks skip or repeat in the zone is a problem. */
function readIso(text: string, zone: string | undefined): TimeRead {
  const written = shown(text);
  const wrong = (problem: string, hint = EXAMPLES) => ({ problem: `${problem}: ${written}`, hint });
  const [head, year = '', , month = '', day = ''] = DATE.exec(text) ?? [];
  if (head === undefined) return wrong(reasonFor(text), hintFor(text));
  const date = `${year}-${month}-${day}`;
  const impossibleDay = calendarReason(Number(year), Number(month), Number(day));
  if (impossibleDay !== undefined)
    return wrong(`does not exist in the calendar, because ${impossibleDay}`, 'Correct the date.');
  if (head.length === text.length) return zone === undefined ? withoutZone(written) : startOfDay(date, zone);

  const [separator = ''] = /^(?:T|\s+)/i.exec(text.slice(head.length)) ?? [];
  const rest = text.slice(head.length + separator.length);
  const [clock, hour = '', , minute = '00', second = '00', fraction = ''] =
    (separator !== '' && CLOCK.exec(rest)) || [];
  if (clock === undefined) return wrong(`has no time of day such as T14:30 after the day ${head}`);
  const impossibleTime = clockProblem(Number(hour), Number(minute), Number(second));
  if (impossibleTime !== undefined) return wrong(...impossibleTime);
  const isCut = /[1-9]/.test(fraction.slice(3));
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
  const offset = rest.slice(clock.length);
  if (offset === '') return zone === undefined ? withoutZone(written) : inZone(local, zone, isCut);
  const [known, sign = '+', hours = '00', minutes = '00'] = OFFSET.exec(offset) ?? [];
  if (known === undefined) return wrong(`ends with ${shown(offset)}, which is not an offset`, OFFSET_HINT);
  const milliseconds = instantOf(`${local}${sign === '+' ? '+' : '-'}${hours}:${minutes}`);
  if (milliseconds === undefined)
    return wrong(`has an offset that does not exist, ${shown(offset)}`, OFFSET_HINT);
  return { milliseconds, isCut };
}

/** The form of a text that is not an ISO date of year, month and day. */
const OTHER_FORMS: readonly (readonly [form: RegExp, reason: string])[] = [
  [/^\d{4}-?W\d\d/i, 'is a week instead of a month and a day'],
  [/^\d{4}-\d{3}(?!\d)/, 'has the day of the year instead of a month and a day'],
  [/^\d{4}-\d{1,2}$/, 'has no day'],
  [/^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)/, 'has a date that is not written as YYYY-MM-DD'],
  [/^\d{1,2}[-/.]\d{1,2}[-/.]\d{2}/, 'does not begin with the year, so its day and month are uncertain'],
  [/^[+-]\d{5,}-/, 'has a year of more than four digits'],
];

function reasonFor(text: string): string {
  return (
    OTHER_FORMS.find(([form]) => form.test(text))?.[1] ??
    'is neither an ISO date nor a number of Unix milliseconds or seconds'
  );
}

function hintFor(text: string): string | undefined {
  const [, year, month = '', day = '', rest] =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)(.*)$/s.exec(text) ?? [];
  return year === undefined
    ? undefined
    : `Write ${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}${rest}.`;
}

function calendarReason(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return 'months go from 01 to 12';
  const { daysInMonth } = Temporal.PlainYearMonth.from({ year, month });
  if (day >= 1 && day <= daysInMonth) return undefined;
  return `days of this month go from 01 to ${daysInMonth}`;
}

function clockProblem(
  hour: number,
  minute: number,
  second: number,
): readonly [problem: string, hint?: string] | undefined {
  if (hour < 24 && minute < 60 && second < 60) return undefined;
  if (hour < 24 && minute < 60 && second === 60)
    return [
      'has a leap second, for which Unix time has no number',
      'Use the second before or after the leap second.',
    ];
  if (hour === 24) return ['has the hour 24', 'Write 00:00 of the next day.'];
  return ['does not exist, because hours go from 00 to 23, and minutes and seconds from 00 to 59'];
}

function withoutZone(written: string): TimeRead {
  return {
    problem: `has no time zone: ${written}`,
    hint: 'Set the time zone of the file, for example with --tz Europe/Berlin, or add an offset such as Z or +01:00.',
  };
}

function startOfDay(date: string, zone: string): TimeRead {
  const day = Temporal.PlainDate.from(date);
  const start = day.toZonedDateTime(zone);
  if (!start.toPlainDate().equals(day)) {
    return {
      problem: `does not exist in ${zone}, because the clock skipped this day: ${date}`,
      hint: 'Correct the day.',
    };
  }
  return {
    milliseconds: start.epochMilliseconds,
    isLocal: true,
    start: start.toString({ timeZoneName: 'never', smallestUnit: 'minute' }),
  };
}

function inZone(local: string, zone: string, isCut: boolean): TimeRead {
  const time = Temporal.PlainDateTime.from(local);
  const earlier = time.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = time.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.epochMilliseconds === later.epochMilliseconds) {
    return { milliseconds: earlier.epochMilliseconds, isLocal: true, isCut };
  }
  const both = [earlier, later].map((moment) => moment.toString({ timeZoneName: 'never' })).join(' or ');
  return time.equals(earlier.toPlainDateTime())
    ? {
        problem: `occurs twice in ${zone}, because the clock was set back: ${time}`,
        hint: `Add the offset: ${both}.`,
      }
    : {
        problem: `does not exist in ${zone}, because the clock was set forward: ${time}`,
        hint: `Correct the time, or add an offset. Nearest valid times: ${both}.`,
      };
}
