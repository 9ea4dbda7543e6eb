import type { JsonRecord } from '../core/json.ts';
import { inBalanceOrder } from './order.ts';

export interface Neighbours {
  /** Up to `before` legs of the same wallet and asset, in the order of their balances. */
  readonly before: readonly JsonRecord[];
  readonly leg: JsonRecord;
  readonly after: readonly JsonRecord[];
}

/**
 * The legs around one leg, of the same wallet and asset; undefined if it is not among them.
 *
 * @param legs ordered by time; legs of other wallets and assets may be among them
 */
export async function neighboursOf(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  id: string,
  { before = 10, after = 5 }: { readonly before?: number; readonly after?: number } = {},
): Promise<Neighbours | undefined> {
  const histories = new Map<string, JsonRecord[]>();
  let found: { readonly pair: string; readonly leg: JsonRecord; readonly before: JsonRecord[] } | undefined;
  const following: JsonRecord[] = [];
  for await (const { leg, pair } of inBalanceOrder(legs)) {
    if (found) {
      if (pair === found.pair) following.push(leg);
      if (following.length >= after) break;
      continue;
    }
    const history = histories.get(pair) ?? [];
    if (leg['id'] === id) found = { pair, leg, before: [...history] };
    history.push(leg);
    if (history.length > before) history.shift();
    histories.set(pair, history);
  }
  return found && { before: found.before, leg: found.leg, after: following };
}
