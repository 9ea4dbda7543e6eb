// Which currencies a price can be converted from, and when. The specification shows neither.

import { isLosslessNumber } from 'lossless-json';
import { member } from '../data/resources.ts';

/** @param time Unix milliseconds; undefined where nothing says which date is meant: then any date will do */
export type Converts = (currency: string, time: number | undefined) => boolean;

/** On any date. */
const DEFAULT: readonly string[] =
  'USD EUR GBP CHF JPY AUD CAD NZD SEK NOK DKK PLN CZK HUF SGD HKD INR BRL MXN ZAR KRW TRY ILS CNY'.split(
    ' ',
  );

/**
 * Out of records that the user gave: a code, or `{ currency, from, to }` with days or moments, both of which belong to the
 * span.
 */
export function createConverts(given: readonly unknown[] = DEFAULT): Converts {
  const known = given.map((record) => ({
    currency: typeof record === 'string' ? record : member(record, 'currency'),
    from: momentOf(member(record, 'from'), 0) ?? Number.NEGATIVE_INFINITY,
    to: momentOf(member(record, 'to'), DAY - 1) ?? Number.POSITIVE_INFINITY,
  }));
  return (currency, time) =>
    known.some(
      (one) => one.currency === currency && (time === undefined || (one.from <= time && time <= one.to)),
    );
}

const DAY = 86_400_000;

/** @param added to a day, which stands for all of it */
function momentOf(value: unknown, added: number): number | undefined {
  if (typeof value === 'number' || isLosslessNumber(value)) return Number(value);
  if (typeof value !== 'string') return undefined;
  const parsed = Date.parse(value);
  if (Number.isNaN(parsed)) throw new RangeError(`currencies: ${JSON.stringify(value)} is no date`);
  return /^\d{4}-\d\d-\d\d$/.test(value) ? parsed + added : parsed;
}
