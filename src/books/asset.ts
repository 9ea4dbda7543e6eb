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
  if (assetId === null) return `symbol:${symbol ?? ''}`;
  // Nearly every id is its own key, because building a new text for every leg takes time.
  return assetId.startsWith('symbol:') ? `id:${assetId}` : assetId;
}

/** Whether id and symbol are both unknown. Such an asset is never the same as another asset. */
export function isNameless({ assetId, symbol }: AssetName): boolean {
  return assetId === null && (symbol ?? '') === '';
}

/** Returns the key of a pair. All nameless assets of a wallet share one key, and so one line. */
export function pairKey({ walletId, assetId, symbol }: Pair): string {
  return JSON.stringify(assetId === null ? [walletId, null, symbol] : [walletId, assetId]);
}

/**
 * One item for each wallet and asset. Items are looked up by wallet and then by asset, because a joint key for every leg would
 * take longer.
 */
export class PairMap<T> {
  /** In the order in which the pairs were first looked up. */
  readonly all: T[] = [];
  readonly #make: (key: string, pair: Pair) => T;
  /** The items of resolved assets, by wallet and asset id. */
  readonly #resolved = new Map<string, Map<string, T>>();
  /** The items of unresolved assets, by wallet and symbol. */
  readonly #unresolved = new Map<string, Map<string, T>>();

  /** @param make returns the item for a pair, which has this key */
  constructor(make: (key: string, pair: Pair) => T) {
    this.#make = make;
  }

  of(pair: Pair): T {
    const { walletId, assetId } = pair;
    const wallets = assetId === null ? this.#unresolved : this.#resolved;
    const asset = assetId ?? pair.symbol;
    let items = wallets.get(walletId);
    const known = items?.get(asset);
    if (known !== undefined) return known;
    if (!items) {
      items = new Map();
      wallets.set(walletId, items);
    }
    const item = this.#make(pairKey(pair), pair);
    items.set(asset, item);
    this.all.push(item);
    return item;
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
