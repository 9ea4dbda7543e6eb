import { Temporal } from 'temporal-polyfill';

/** The result of reading a time: Unix milliseconds, or why the time cannot be read. */
export type TimeRead =
  | { readonly milliseconds: number; readonly doubt?: string; readonly local: boolean }
  | { readonly problem: string; readonly hint: string };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const EXAMPLES =
  'Use a time such as 2025-01-31T14:30:00Z or 2025-01-31T14:30:00+01:00. With --tz, the offset is optional.';

/**
 * Reads ISO dates. A time without an offset is interpreted in `zone`. If a clock change in `zone` skips or repeats the time,
 * the function reports a problem, because a guess could be wrong by an hour.
 *
 * @param zone IANA name. If `zone` is undefined, a time without an offset is always reported as a problem, because the file may
 * come from another time zone.
 */
export function isoReader(zone: string | undefined): (text: string) => TimeRead | undefined {
  return (text) => {
    const written = text.trim();
    if (!/^\d{4}-\d/.test(written)) return undefined;
    if (!DAY.test(written) && !MOMENT.test(written)) {
      return { problem: `is not an ISO date: ${JSON.stringify(text)}`, hint: EXAMPLES };
    }
    try {
      return read(written.toUpperCase().replace(' ', 'T'), zone);
    } catch {
      return { problem: `does not exist in the calendar: ${JSON.stringify(text)}`, hint: EXAMPLES };
    }
  };
}

function read(written: string, zone: string | undefined): TimeRead {
  if (/(Z|[+-]\d{2}:?\d{2})$/.test(written) && !DAY.test(written)) {
    return { milliseconds: Temporal.Instant.from(written).epochMilliseconds, local: false };
  }
  const local = Temporal.PlainDateTime.from(written);
  if (zone === undefined) {
    return {
      problem: `has no time zone: ${JSON.stringify(written)}`,
      hint: 'Set the time zone of the file, for example with --tz Europe/Berlin, or add an offset such as Z or +01:00.',
    };
  }
  const earlier = local.toZonedDateTime(zone, { disambiguation: 'earlier' });
  const later = local.toZonedDateTime(zone, { disambiguation: 'later' });
  if (earlier.epochMilliseconds === later.epochMilliseconds) {
    const { epochMilliseconds: milliseconds, offset } = earlier;
    if (!DAY.test(written)) return { milliseconds, local: true };
    return { milliseconds, local: true, doubt: `has no time of day, so ${written}T00:00${offset} is sent` };
  }
  const both = [earlier, later].map((moment) => moment.toString({ timeZoneName: 'never' })).join(' or ');
  const exists = local.equals(earlier.toPlainDateTime());
  return exists
    ? {
        problem: `occurs twice in ${zone}, because the clock was set back: ${written}`,
        hint: `Add the offset: ${both}.`,
      }
    : {
        problem: `does not exist in ${zone}, because the clock was set forward: ${written}`,
        hint: `Correct the time, or add an offset. Nearest valid times: ${both}.`,
      };
}
