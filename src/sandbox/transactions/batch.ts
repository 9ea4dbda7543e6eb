// POST /v1/transactions/batch. The shape of its body is not shown, so that any JSON is taken: the items are those of
// the list in it, or the body itself. An item is about the transaction that it names by id, wherever in it the id
// stands, and fails when it names none that exists. Nothing is changed: what a batch does is not shown either.

import { member } from '../data/resources.ts';
import type { Period } from '../period.ts';
import { strings, within } from '../strings.ts';
import type { TransactionStore } from './store.ts';

export type BatchOutcome =
  | { readonly errorCount: number }
  | { readonly refused: 'BAD_REQUEST' | 'PERIOD_LOCKED' | 'CURRENCY_CONVERSION_FAILED' };

/** Those that prices are known for, on any date. */
const CONVERTIBLE = new Set(
  'USD EUR GBP CHF JPY AUD CAD NZD SEK NOK DKK PLN CZK HUF SGD HKD INR BRL MXN ZAR KRW TRY ILS CNY'.split(
    ' ',
  ),
);

export function applyBatch(body: unknown, store: TransactionStore, period: Period): BatchOutcome {
  const items = itemsOf(body);
  if (items === undefined) return { refused: 'BAD_REQUEST' };
  const spans = items.map((item) => strings(item).map((text) => store.find(text)));
  const found = spans.flat().filter((span) => span !== undefined);
  // Either rejects the write whole; nothing is partially applied.
  if (found.some((span) => period.isLocked(store.timeOf(span)))) return { refused: 'PERIOD_LOCKED' };
  if (items.some((item) => !pricesConvert(item))) return { refused: 'CURRENCY_CONVERSION_FAILED' };
  return { errorCount: spans.filter((named) => named.every((span) => span === undefined)).length };
}

function itemsOf(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const list: unknown = Object.values(body).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list : [body];
}

/** Spec: price.baseCurrency must be convertible on that date. */
function pricesConvert(value: unknown): boolean {
  for (const inner of within(value)) {
    const currency = member(member(inner, 'price'), 'baseCurrency');
    if (currency === undefined) continue;
    if (typeof currency !== 'string' || !CONVERTIBLE.has(currency)) return false;
  }
  return true;
}
