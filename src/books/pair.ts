import { symbolOf, textOf } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';

/** A wallet and one of its assets: legs of a pair share one running balance. */
export interface Pair {
  readonly walletId: string;
  /** Null while the asset is unresolved; then `symbol` identifies it. */
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

/** Equal for two legs of one pair. */
export function pairKey(record: JsonRecord): string {
  return keyOfPair(pairOf(record));
}

export function keyOfPair({ walletId, assetId, symbol }: Pair): string {
  return JSON.stringify(assetId === null ? [walletId, null, symbol] : [walletId, assetId]);
}
