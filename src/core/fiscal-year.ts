import { usageError } from './errors.ts';

/**
 * @param what name of the value, for the message
 * @throws usage error. A valid string is a month and a day that exist in every year, for example `04-06`.
 */
export function checkFiscalYearStart(given: string, what?: string): string {
  const [month = 0, day = 0] = /^\d\d-\d\d$/.test(given) ? given.split('-').map(Number) : [];
  // A fiscal year must start on a day that exists in every year. 2025 is not a leap year, so the check rejects February 29.
  const date = new Date(Date.UTC(2025, month - 1, day));
  if (month > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day) return given;
  const value = what === undefined ? 'The value' : `${what} is ${JSON.stringify(given)}, but`;
  throw usageError(`${value} must be a day that exists in every year`, 'Use month and day, as in 04-06.');
}
