/** The name of an asset: its id. If the asset is unresolved, its symbol. */
export interface AssetName {
  /** The id of the asset; null if the asset is unresolved. */
  readonly assetId: string | null;
  /** The symbol of the asset; null or empty if unknown. */
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
  // For nearly every asset, the key is the id itself, because it takes time to build a new text for every leg.
  return assetId.startsWith('symbol:') ? `id:${assetId}` : assetId;
}

/** Whether both the id and the symbol of an asset are unknown. Two such assets never count as the same asset. */
export function isNameless({ assetId, symbol }: AssetName): boolean {
  return assetId === null && (symbol ?? '') === '';
}

/** Returns the key of a pair. All nameless assets of a wallet have the same key, and therefore share one line in tables. */
export function pairKey({ walletId, assetId, symbol }: Pair): string {
  return JSON.stringify(assetId === null ? [walletId, null, symbol] : [walletId, assetId]);
}

/**
 * A map from each pair of wallet and asset to one item. An item is looked up by wallet and then by asset, because it would take
 * longer to build a joint key for every leg.
 */
export class PairMap<T> {
  /** All items, in the order in which their pairs were first looked up. */
  readonly all: T[] = [];
  readonly #make: (key: string, pair: Pair) => T;
  /** The items of resolved assets, by wallet and asset id. */
  readonly #resolved = new Map<string, Map<string, T>>();
  /** The items of unresolved assets, by wallet and symbol. */
  readonly #unresolved = new Map<string, Map<string, T>>();

  /** @param make creates the item for a pair. Receives the key of the pair. */
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
