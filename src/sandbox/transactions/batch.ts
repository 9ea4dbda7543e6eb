// POST /v1/transactions/batch. The shape of its body is not shown, so that any JSON is taken: the items are those of
// the list in it, or the body itself. An item is about the transaction that it names by id, wherever in it the id
// stands, and fails when it names none that exists. Nothing is changed: what a batch does is not shown either.

import { member } from '../data/resources.ts';
import type { Period } from '../period.ts';
import { strings, within } from '../strings.ts';
import type { Converts } from './currencies.ts';
import type { TransactionStore } from './store.ts';

export type BatchOutcome =
  | { readonly errorCount: number }
  | { readonly refused: 'BAD_REQUEST' | 'PERIOD_LOCKED' | 'CURRENCY_CONVERSION_FAILED' };

export function applyBatch(
  body: unknown,
  { store, period, converts }: { store: TransactionStore; period: Period; converts: Converts },
): BatchOutcome {
  const items = itemsOf(body);
  if (items === undefined) return { refused: 'BAD_REQUEST' };
  const spans = items.map((item) => strings(item).map((text) => store.find(text)));
  const found = spans.flat().filter((span) => span !== undefined);
  // Either rejects the write whole; nothing is partially applied.
  if (found.some((span) => period.isLocked(store.timeOf(span)))) return { refused: 'PERIOD_LOCKED' };
  const converted = items.every((item, index) => {
    const [span] = spans[index]?.filter((one) => one !== undefined) ?? [];
    return pricesConvert(item, span && store.timeOf(span), converts);
  });
  if (!converted) return { refused: 'CURRENCY_CONVERSION_FAILED' };
  return { errorCount: spans.filter((named) => named.every((span) => span === undefined)).length };
}

function itemsOf(body: unknown): readonly unknown[] | undefined {
  if (Array.isArray(body)) return body;
  if (typeof body !== 'object' || body === null) return undefined;
  const list: unknown = Object.values(body).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list : [body];
}

/**
 * Spec: price.baseCurrency must be convertible on that date, which is the `timestamp` of the price, else the time of the
 * transaction.
 */
function pricesConvert(value: unknown, time: number | undefined, converts: Converts): boolean {
  for (const inner of within(value)) {
    const price = member(inner, 'price');
    const currency = member(price, 'baseCurrency');
    if (currency === undefined) continue;
    const own = member(price, 'timestamp');
    const at = typeof own === 'number' ? own : time;
    if (typeof currency !== 'string' || !converts(currency, at)) return false;
  }
  return true;
}
