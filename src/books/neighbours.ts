import type { JsonRecord } from '../core/json.ts';
import { inBalanceOrder, type OrderedLeg } from './order.ts';

export interface Neighbours {
  /** Up to `before` legs of the same wallet and asset, in the order of `inBalanceOrder`. */
  readonly before: readonly JsonRecord[];
  readonly leg: JsonRecord;
  readonly after: readonly JsonRecord[];
}

export interface NeighbourOptions {
  /** Maximum number of neighbours before each leg. */
  readonly before?: number;
  /** Maximum number of neighbours after each leg. */
  readonly after?: number;
}

/**
 * Collects the legs around given legs in one pass over all legs. Memory grows with wallets × assets, not with the number of
 * legs.
 */
export class NeighbourSearch {
  readonly found = new Map<string, Neighbours>();
  readonly #missing: Set<string>;
  readonly #before: number;
  readonly #after: number;
  readonly #histories = new Map<string, JsonRecord[]>();
  /** Incomplete lists of later neighbours, one for each found leg, by wallet/asset pair. */
  readonly #open = new Map<string, JsonRecord[][]>();

  /** @param ids ids of the legs to find */
  constructor(ids: Iterable<string>, { before = 10, after = 5 }: NeighbourOptions = {}) {
    this.#missing = new Set(ids);
    this.#before = before;
    this.#after = after;
  }

  /** Legs must arrive in the order of `inBalanceOrder`. */
  add({ leg, pair }: OrderedLeg): void {
    this.#follow(leg, pair);
    const { id } = leg;
    const isWanted = typeof id === 'string' && this.#missing.delete(id);
    const history = this.#histories.get(pair) ?? [];
    if (isWanted) {
      const after: JsonRecord[] = [];
      this.found.set(id, { before: [...history], leg, after });
      if (this.#after > 0) this.#open.set(pair, [...(this.#open.get(pair) ?? []), after]);
    }
    if (this.#missing.size === 0) {
      this.#histories.clear();
      return;
    }
    history.push(leg);
    if (history.length > this.#before) history.shift();
    this.#histories.set(pair, history);
  }

  /** Whether all neighbours are found. */
  get isComplete(): boolean {
    return this.#missing.size === 0 && this.#open.size === 0;
  }

  #follow(leg: JsonRecord, pair: string): void {
    const open = this.#open.get(pair);
    if (!open) return;
    for (const after of open) after.push(leg);
    const left = open.filter((after) => after.length < this.#after);
    if (left.length > 0) this.#open.set(pair, left);
    else this.#open.delete(pair);
  }
}

/**
 * The legs around one leg, of the same wallet and asset; undefined if the leg is not found.
 *
 * @param legs ordered by time; legs of other wallets and assets may be among them
 */
export async function neighboursOf(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  id: string,
  options?: NeighbourOptions,
): Promise<Neighbours | undefined> {
  const search = new NeighbourSearch([id], options);
  for await (const ordered of inBalanceOrder(legs)) {
    search.add(ordered);
    if (search.isComplete) break;
  }
  return search.found.get(id);
}
