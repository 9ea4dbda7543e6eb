/** What identifies an asset: its id or, if the asset is unresolved, its symbol. */
export interface AssetName {
  /** Null if the asset is unresolved. */
  readonly assetId: string | null;
  /** Null or empty if unknown. */
  readonly symbol: string | null;
}

/** A wallet and one of its assets. The legs of a pair share one running balance. */
export interface Pair extends AssetName {
  readonly walletId: string;
  readonly symbol: string;
}

/** Returns the key of an asset. Unresolved assets with the same symbol have the same key. */
export function assetKey({ assetId, symbol }: AssetName): string {
  return assetId === null ? `symbol:${symbol ?? ''}` : `id:${assetId}`;
}

/** Whether id and symbol are both unknown. Such an asset is never the same as another asset. */
export function isNameless({ assetId, symbol }: AssetName): boolean {
  return assetId === null && (symbol ?? '') === '';
}

/** Returns the key of a pair. All nameless assets of a wallet share one key, and so one line. */
export function pairKey({ walletId, assetId, symbol }: Pair): string {
  return JSON.stringify(assetId === null ? [walletId, null, symbol] : [walletId, assetId]);
}

/** Caches pair keys, because a lookup is faster than building a new key for every leg. */
export class PairKeys {
  /** The keys for resolved assets, by wallet and asset id. */
  readonly #resolved = new Map<string, Map<string, string>>();
  /** The keys for unresolved assets, by wallet and symbol. */
  readonly #unresolved = new Map<string, Map<string, string>>();

  of(pair: Pair): string {
    const { walletId, assetId } = pair;
    const wallets = assetId === null ? this.#unresolved : this.#resolved;
    let keys = wallets.get(walletId);
    if (!keys) {
      keys = new Map();
      wallets.set(walletId, keys);
    }
    const asset = assetId ?? pair.symbol;
    let key = keys.get(asset);
    if (key === undefined) {
      key = pairKey(pair);
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

/** Groups items by asset, in the order of the first item of each asset. */
export function byAsset<T extends AssetName>(items: readonly T[]): [T, ...T[]][] {
  const assets = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const key = assetKey(item);
    const others = assets.get(key);
    if (others) others.push(item);
    else assets.set(key, [item]);
  }
  return [...assets.values()];
}
