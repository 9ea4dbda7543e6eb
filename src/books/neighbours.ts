import type { JsonRecord } from '../core/json.ts';
import type { WalkStep } from './step.ts';
import { type LegInput, walkSteps } from './walk.ts';

export interface Neighbours {
  /** The preceding legs of the same wallet and asset, in the order of the walk. */
  readonly before: readonly JsonRecord[];
  readonly leg: JsonRecord;
  readonly after: readonly JsonRecord[];
}

export interface NeighbourOptions {
  /** Maximum number of preceding legs to collect (default: 10). */
  readonly before?: number;
  /** Maximum number of following legs to collect (default: 5). */
  readonly after?: number;
}

/**
 * Finds legs by id, and collects their neighbours in one pass over all legs. Memory use grows with the number of wallet/asset
 * pairs, not with the number of legs.
 */
export class NeighbourSearch {
  readonly found = new Map<string, Neighbours>();
  readonly #missing: Set<string>;
  readonly #before: number;
  readonly #after: number;
  readonly #histories = new Map<string, JsonRecord[]>();
  /** For each wallet/asset pair, the `after` lists that are still incomplete. */
  readonly #open = new Map<string, JsonRecord[][]>();

  /** @param ids ids of the legs to find */
  constructor(ids: Iterable<string>, { before = 10, after = 5 }: NeighbourOptions = {}) {
    this.#missing = new Set(ids);
    this.#before = before;
    this.#after = after;
  }

  step({ leg: { id, record: leg }, pair }: Pick<WalkStep, 'leg' | 'pair'>): void {
    this.#follow(leg, pair);
    const isWanted = this.#missing.delete(id);
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

  /** Whether all requested legs have been found, and no `after` list needs more legs. */
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
 * Finds legs by id, and collects the neighbouring legs of the same wallet and asset. The result lacks the ids that no leg has.
 *
 * @param legs ordered by time; may include legs of other wallets and assets
 */
export async function neighboursOf(
  legs: LegInput,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Neighbours>> {
  const search = new NeighbourSearch(ids);
  if (ids.length === 0) return search.found;
  for await (const step of walkSteps(legs)) {
    search.step(step);
    if (search.isComplete) break;
  }
  return search.found;
}
