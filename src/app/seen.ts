import { symbolOf, textOf } from '../api/ledgers.ts';
import type { ServiceClient } from '../client/client.ts';
import type { Listing } from '../client/listing.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count } from '../core/text.ts';

/** Maximum number of rows to read when a name or a filter value is looked up. */
const MOST = 5000;

interface SeenRows {
  readonly rows: readonly JsonRecord[];
  /** Whether `rows` contains all rows of the list. */
  readonly complete: boolean;
  /** Sentence with the number of rows that were searched; empty if all rows were searched. */
  readonly partial: string;
}

/** The newest legs, in which names and filter values are looked up. */
export interface SeenLegs extends Omit<SeenRows, 'rows'> {
  readonly legs: readonly JsonRecord[];
}

export async function newestLegs(client: ServiceClient, signal: AbortSignal): Promise<SeenLegs> {
  const listing = client.ledgers.list({ sortBy: 'timestamp', sortOrder: 'desc' }, { signal });
  const { rows, ...rest } = await firstRows(listing.asServed(), 'legs', 'newest ');
  return { legs: rows, ...rest };
}

/**
 * @param what plural noun for the rows
 * @param which adjective for the first rows, followed by a space
 */
export async function firstRows(listing: Listing<unknown>, what: string, which = ''): Promise<SeenRows> {
  const rows: JsonRecord[] = [];
  let total: number | undefined;
  for await (const page of listing.pages()) {
    total = page.total;
    rows.push(...page.rows.filter(isRecord));
    if (rows.length >= MOST) break;
  }
  const complete = total !== undefined && new Set(rows.map(({ id }) => id)).size === total;
  const of = total === undefined ? '' : ` of ${count(total)}`;
  const partial = complete ? '' : ` Only the ${which}${count(rows.length)}${of} ${what} were searched.`;
  return { rows, complete, partial };
}

/**
 * Whether a leg confirms the id of an account. Undefined if no leg was found but not all legs were searched. If the books have
 * no legs, the id counts as confirmed.
 */
export function isConfirmed({ legs, complete }: SeenLegs, id: string): boolean | undefined {
  if (legs.length === 0 || legs.some(({ walletId }) => walletId === id)) return true;
  return complete ? false : undefined;
}

export interface SeenAsset {
  /** The id of the asset; null if the asset is unresolved. */
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
