const MOMENT = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):(\d\d)))?$/;

/**
 * Returns the Unix milliseconds of a day (its start in UTC) or of an ISO 8601 time with an offset. Returns undefined for other
 * text, and for days and times that do not exist.
 */
export function unixTimeOf(text: string): number | undefined {
  const parts = MOMENT.exec(text);
  if (parts === null) return undefined;
  const [, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map((part) =>
    Number(part ?? 0),
  );
  const [, , , , , , , fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  // If a part is out of range, `Date` adds the excess to the next larger part: February 30 becomes March 2.
  const exists = date.toISOString().startsWith(text.slice(0, 10)) && hour < 24 && minute < 60 && second < 60;
  if (!exists || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000;
  return date.getTime() - (sign === '-' ? -offset : offset);
}
