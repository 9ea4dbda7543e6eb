// POST /v1/transactions/batch. The specification does not define the body, so any object or list is accepted. If the body is a
// list or contains a list, the entries of the list are the items. If the body has no list, the body is the only item. An item
// refers to a transaction if any string in the item is the id of the transaction. An item without a known id counts as an
// error. A batch changes no data, because the specification does not define the effect of a batch.

import { isLosslessNumber } from 'lossless-json';
import { unixTimeOf } from '../../core/instant.ts';
import { strings, valuesWithin } from '../../core/strings.ts';
import { member } from '../../data/resources.ts';
import { refuseNested } from '../../http/errors.ts';
import { PERIOD_LOCKED, type Period } from '../period/store.ts';
import type { TransactionStore } from './store.ts';

/** Returns the number of items that are errors. PERIOD_LOCKED and CURRENCY_CONVERSION_FAILED reject the whole batch. */
export function applyBatch(
  body: unknown,
  { store, period, converts }: { store: TransactionStore; period: Period; converts: Converts },
): number {
  const items = itemsOf(body) ?? refuseNested(400, 'BAD_REQUEST', 'The body is neither an object nor a list');
  const named = items.map((item) =>
    strings(item)
      .map((text) => store.find(text))
      .filter((transaction) => transaction !== undefined),
  );
  if (named.flat().some((transaction) => period.isLocked(store.timeOf(transaction)))) {
    refuseNested(409, 'PERIOD_LOCKED', PERIOD_LOCKED);
  }
  const converted = items.every((item, index) => {
    const transaction = named[index]?.[0];
    return pricesConvert(item, transaction && store.timeOf(transaction), converts);
  });
  if (!converted) refuseNested(422, 'CURRENCY_CONVERSION_FAILED', 'A supplied price could not be converted');
  return named.filter((found) => found.length === 0).length;
}

function itemsOf(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const list: unknown = Object.values(body).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list : [body];
}

/**
 * Whether all prices in `value` can be converted. According to the specification, `price.baseCurrency` must be convertible on
 * the date of the price. If a price has no `timestamp`, the time of the transaction is used.
 */
function pricesConvert(value: unknown, time: number | undefined, converts: Converts): boolean {
  for (const inner of valuesWithin(value)) {
    const price = member(inner, 'price');
    const currency = member(price, 'baseCurrency');
    if (currency === undefined) continue;
    const own = member(price, 'timestamp');
    const at = typeof own === 'number' ? own : time;
    if (typeof currency !== 'string' || !converts(currency, at)) return false;
  }
  return true;
}

/**
 * Whether a price in `currency` can be converted at `time`. The specification does not define which currencies can be converted,
 * or on which dates.
 *
 * @param time Unix milliseconds; undefined if the time is unknown. An unknown time counts as inside every date range.
 */
export type Converts = (currency: string, time: number | undefined) => boolean;

/** Currencies that are convertible on any date. */
const DEFAULT: readonly string[] =
  'USD EUR GBP CHF JPY AUD CAD NZD SEK NOK DKK PLN CZK HUF SGD HKD INR BRL MXN ZAR KRW TRY ILS CNY'.split(
    ' ',
  );

/**
 * @param given currency codes or objects `{ currency, from, to }`; `from` and `to` are inclusive days or times
 */
export function createConverts(given: readonly unknown[] = DEFAULT): Converts {
  const known = given.map((record) => ({
    currency: typeof record === 'string' ? record : member(record, 'currency'),
    from: boundOf(member(record, 'from'), 0) ?? Number.NEGATIVE_INFINITY,
    to: boundOf(member(record, 'to'), DAY - 1) ?? Number.POSITIVE_INFINITY,
  }));
  return (currency, time) =>
    known.some(
      (one) => one.currency === currency && (time === undefined || (one.from <= time && time <= one.to)),
    );
}

const DAY = 86_400_000;

/** @param added milliseconds to add if `value` is a day */
function boundOf(value: unknown, added: number): number | undefined {
  if (typeof value === 'number' || isLosslessNumber(value)) return Number(value);
  if (typeof value !== 'string') return undefined;
  const time = unixTimeOf(value);
  if (time === undefined) throw new RangeError(`currencies: ${JSON.stringify(value)} is not a date`);
  return /^\d{4}-\d\d-\d\d$/.test(value) ? time + added : time;
}
