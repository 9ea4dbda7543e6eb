import { symbolOf, textOf } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';

/** A wallet and one of its assets. The legs of a pair share one running balance. */
export interface Pair {
  readonly walletId: string;
  /** Null if the asset is unresolved; `symbol` then identifies the asset. */
  readonly assetId: string | null;
  readonly symbol: string;
}

export function pairOf(record: JsonRecord): Pair {
  const { walletId, assetId } = record;
  return {
    walletId: textOf(walletId),
    assetId: typeof assetId === 'string' ? assetId : null,
    symbol: symbolOf(record),
  };
}

/** Caches pair keys, because a lookup is faster than building a new key for every leg. */
export class PairKeys {
  /** The keys for resolved assets, by wallet and asset id. */
  readonly #resolved = new Map<unknown, Map<string, string>>();
  /** The keys for unresolved assets, by wallet and symbol. */
  readonly #unresolved = new Map<unknown, Map<string, string>>();

  of(record: JsonRecord): string {
    const { walletId, assetId } = record;
    const isResolved = typeof assetId === 'string';
    const wallets = isResolved ? this.#resolved : this.#unresolved;
    let keys = wallets.get(walletId);
    if (!keys) {
      keys = new Map();
      wallets.set(walletId, keys);
    }
    const asset = isResolved ? assetId : symbolOf(record);
    let key = keys.get(asset);
    if (key === undefined) {
      key = pairKey(record);
      keys.set(asset, key);
    }
    return key;
  }
}

/** Compares pairs by symbol, then by asset, then by wallet. */
export function byPair(left: Pair, right: Pair): number {
  const key = ({ symbol, assetId, walletId }: Pair) => `${symbol}\n${assetId}\n${walletId}`;
  return key(left) < key(right) ? -1 : 1;
}

/** Returns the key of the pair to which a leg belongs. */
export function pairKey(record: JsonRecord): string {
  return keyOfPair(pairOf(record));
}

export function keyOfPair({ walletId, assetId, symbol }: Pair): string {
  return JSON.stringify(assetId === null ? [walletId, null, symbol] : [walletId, assetId]);
}
