import { usageError } from './errors.ts';
import { nearest } from './nearest.ts';

/**
 * @param what name of the value for the error message
 * @returns the name of the zone in its usual capitalization; an alias of UTC becomes `UTC`, and any other alias is unchanged
 * @throws usage error `BAD_SETTING` for an unknown zone
 */
export function checkTimeZone(text: string, what: string): string {
  try {
    const name = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
    // Return an alias unchanged. Users who set CET would not recognise the canonical name Europe/Brussels.
    return name === 'UTC' || name.toLowerCase() === text.toLowerCase() ? name : text;
  } catch {
    const near = nearest(text, [...Intl.supportedValuesOf('timeZone'), 'UTC']);
    throw usageError(
      `${what} is not a time zone: ${JSON.stringify(text)}`,
      `${near ? `Did you mean ${near}? ` : ''}Use a name such as Europe/Berlin, America/New_York or UTC.`,
      'BAD_SETTING',
    );
  }
}

export function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}
