import { textOf } from '../api/ledgers.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { chained } from './chain.ts';
import { PairKeys } from './pair.ts';

/** A leg and the key of its wallet/asset pair. */
export interface OrderedLeg {
  readonly leg: JsonRecord;
  readonly pair: string;
}

/**
 * Orders legs so that their balances form a chain. For each wallet and asset, the `beforeBalance` of a leg is the
 * `afterBalance` of the previous leg. Legs with the same timestamp may arrive in any order. Legs with different timestamps keep
 * their order. Legs without a timestamp come last. Memory use grows with the number of wallet/asset pairs and the number of
 * legs per timestamp.
 *
 * @param legs ordered by time
 */
export async function* inBalanceOrder(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
): AsyncGenerator<OrderedLeg> {
  const ordered: OrderedLeg[] = [];
  const order = new BalanceOrder((leg, pair) => ordered.push({ leg, pair }));
  for await (const leg of legs) {
    order.add(leg);
    if (ordered.length > 0) yield* ordered.splice(0);
  }
  order.finish();
  yield* ordered;
}

/**
 * Does the same as {@link inBalanceOrder}, but without generators, to be fast for millions of legs. The caller adds legs one at
 * a time, ordered by time. `use` receives each leg with a delay: when a leg with a later timestamp is added, or when `finish`
 * is called.
 */
export class BalanceOrder {
  readonly #use: (leg: JsonRecord, pair: string) => void;
  readonly #keys = new PairKeys();
  /** The latest balance of each wallet/asset pair. */
  readonly #balances = new Map<string, string | null>();
  readonly #untimed: JsonRecord[] = [];
  #moment: JsonRecord[] = [];

  constructor(use: (leg: JsonRecord, pair: string) => void) {
    this.#use = use;
  }

  add(leg: JsonRecord): void {
    const { timestamp } = leg;
    if (typeof timestamp !== 'number') {
      this.#untimed.push(leg);
      return;
    }
    const [other] = this.#moment;
    if (other && other['timestamp'] !== timestamp) this.#endMoment();
    this.#moment.push(leg);
  }

  finish(): void {
    this.#endMoment();
    for (const leg of byId(this.#untimed)) this.#use(leg, this.#keys.of(leg));
  }

  #endMoment(): void {
    const moment = this.#moment;
    this.#moment = [];
    const [first] = moment;
    if (first && moment.length === 1) {
      this.#handOver(this.#keys.of(first), moment);
      return;
    }
    const pairs = new Map<string, JsonRecord[]>();
    for (const leg of byId(moment)) {
      const key = this.#keys.of(leg);
      const legs = pairs.get(key);
      if (legs) legs.push(leg);
      else pairs.set(key, [leg]);
    }
    for (const [pair, legs] of pairs) {
      this.#handOver(pair, legs.length > 1 ? chained(legs, this.#balances.get(pair) ?? null) : legs);
    }
  }

  #handOver(pair: string, legs: readonly JsonRecord[]): void {
    for (const leg of legs) this.#use(leg, pair);
    const after = legs.at(-1)?.['afterBalance'];
    this.#balances.set(pair, typeof after === 'string' ? after : null);
  }
}

/** Sorts legs by id, then by content, so that the order of arrival does not matter. */
function byId(legs: readonly JsonRecord[]): JsonRecord[] {
  return [...legs].sort((left, right) => {
    const [one, other] = [textOf(left['id']), textOf(right['id'])];
    if (one !== other) return one < other ? -1 : 1;
    return stringifyJson(left) < stringifyJson(right) ? -1 : 1;
  });
}
