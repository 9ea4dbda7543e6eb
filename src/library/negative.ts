import type { ServiceClient } from '../client/client.ts';
import { type CallOptions, within } from '../client/options.ts';
import { withSpan } from '../read/ledgers.ts';
import { countLegs, listMoved, negativeBooks } from './negative-books.ts';
import { scoped, selectionOf } from './params.ts';
import type { NegativeParams, NegativeResult } from './types.ts';

/**
 * Finds the episodes of negative balance. Equivalent to `cryptodata ledgers negative`.
 *
 * @throws UnverifiedError `LIST_MOVED` if ledgers changed during the read, or `FILTER_IGNORED` if the service returned a leg
 * that a filter excludes
 */
export async function findNegative(
  client: ServiceClient,
  { onProgress, ...params }: NegativeParams,
  options: CallOptions,
): Promise<NegativeResult> {
  return within(options, 'negative()', async (signal) => {
    const { filters, span, sent } = await selectionOf(params);
    const query = { filters: withSpan(filters, span, sent), span, pick: () => true };
    const own = scoped(client, { signal, retries: options.retries, headers: options.headers });
    const [books, legs] = await Promise.all([negativeBooks(own, query, onProgress), countLegs(own, query)]);
    if (books.doubt !== undefined) throw listMoved(books.doubt);
    const { withoutBalance = -1 } = legs;
    return {
      episodes: books.episodes,
      legs: legs.every,
      legsWithoutBalance: withoutBalance < 0 ? undefined : withoutBalance,
      unreadable: books.unreadable,
    };
  });
}
