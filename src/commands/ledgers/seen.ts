import { symbolOf, textOf } from '../../api/ledgers.ts';
import type { Client } from '../../client/client.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { count } from '../../core/text.ts';

/** Maximum number of legs to read when a name or a filter value is looked up. */
const MOST = 5000;

/** The newest legs, in which names and filter values are looked up. */
export interface SeenLegs {
  readonly legs: readonly JsonRecord[];
  /** Whether `legs` contains all legs of the workspace. */
  readonly complete: boolean;
  /** Sentence that states how many legs were searched; empty if all legs were searched. */
  readonly partial: string;
}

export async function newestLegs(client: Client, signal: AbortSignal): Promise<SeenLegs> {
  const legs: JsonRecord[] = [];
  let total: number | undefined;
  const listing = client.ledgers.list({ sortBy: 'timestamp', sortOrder: 'desc' }, { signal }).asServed();
  for await (const page of listing.pages()) {
    total = page.total;
    legs.push(...page.rows.filter(isRecord));
    if (legs.length >= MOST) break;
  }
  const complete = total !== undefined && new Set(legs.map(({ id }) => id)).size === total;
  const of = total === undefined ? '' : ` of ${count(total)}`;
  const partial = complete ? '' : ` Only the newest ${count(legs.length)}${of} legs were searched.`;
  return { legs, complete, partial };
}

/** An asset that occurs in the legs. */
export interface SeenAsset {
  /** Null if the asset is unresolved. */
  readonly id: string | null;
  readonly symbol: string;
  readonly name: string;
  readonly type: string;
  readonly legs: number;
}

export function assetsOf(legs: readonly JsonRecord[]): SeenAsset[] {
  const assets = new Map<string, SeenAsset>();
  for (const leg of legs) {
    const symbol = symbolOf(leg);
    const id = typeof leg['assetId'] === 'string' ? leg['assetId'] : null;
    const key = JSON.stringify([id, symbol]);
    const { name, type } = isRecord(leg['asset']) ? leg['asset'] : {};
    const known = assets.get(key) ?? { id, symbol, name: textOf(name), type: textOf(type), legs: 0 };
    assets.set(key, { ...known, legs: known.legs + 1 });
  }
  return [...assets.values()];
}
