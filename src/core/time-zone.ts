import { usageError } from './errors.ts';
import { nearest } from './nearest.ts';

/**
 * @param what names the value in the message
 * @returns the usual spelling of the zone
 * @throws usage error `BAD_SETTING` for an unknown zone
 */
export function checkTimeZone(text: string, what: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    const near = nearest(text, [...Intl.supportedValuesOf('timeZone'), 'UTC']);
    throw usageError(
      `${what} is not a time zone: ${JSON.stringify(text)}`,
      `${near ? `Did you mean ${near}? ` : ''}Use a name such as Europe/Berlin, America/New_York or UTC.`,
      'BAD_SETTING',
    );
  }
}
