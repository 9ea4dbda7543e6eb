import { textOf } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';
import { chained } from './chain.ts';
import { pairKey } from './pair.ts';

/** A leg, and the key of its wallet and asset. */
export interface OrderedLeg {
  readonly leg: JsonRecord;
  readonly pair: string;
}

/**
 * Gives the legs of each wallet and asset in the order of their running balances: legs of one moment may arrive in any
 * order. Legs without a time come last. Memory grows with wallets × assets and the legs of one moment.
 *
 * @param legs ordered by time
 */
export async function* inBalanceOrder(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
): AsyncGenerator<OrderedLeg> {
  const balances = new Map<string, string | null>();
  const untimed: JsonRecord[] = [];
  let moment: JsonRecord[] = [];
  for await (const leg of legs) {
    if (typeof leg['timestamp'] !== 'number') {
      untimed.push(leg);
      continue;
    }
    if (moment[0] && moment[0]['timestamp'] !== leg['timestamp']) {
      yield* orderMoment(moment, balances);
      moment = [];
    }
    moment.push(leg);
  }
  yield* orderMoment(moment, balances);
  for (const leg of byId(untimed)) yield { leg, pair: pairKey(leg) };
}

function* orderMoment(
  moment: readonly JsonRecord[],
  balances: Map<string, string | null>,
): Generator<OrderedLeg> {
  const pairs = new Map<string, JsonRecord[]>();
  for (const leg of moment.length > 1 ? byId(moment) : moment) {
    const key = pairKey(leg);
    const legs = pairs.get(key);
    if (legs) legs.push(leg);
    else pairs.set(key, [leg]);
  }
  for (const [pair, legs] of pairs) {
    const ordered = legs.length > 1 ? chained(legs, balances.get(pair) ?? null) : legs;
    for (const leg of ordered) yield { leg, pair };
    const after = ordered.at(-1)?.['afterBalance'];
    balances.set(pair, typeof after === 'string' ? after : null);
  }
}

function byId(legs: readonly JsonRecord[]): JsonRecord[] {
  return [...legs].sort((left, right) => (textOf(left['id']) < textOf(right['id']) ? -1 : 1));
}
