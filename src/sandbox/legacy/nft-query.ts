// Query parameters of GET /api/v1/nft-holdings.

import { InvalidParameter, parametersOf, type RawQuery } from '../parameters.ts';
import { CHAINS, type ChainedNft } from './nfts.ts';

/** Spec: source and collection filters at most 30 values each. */
const MAX_VALUES = 30;
const MAX_LIMIT = 1000;

export interface NftQuery {
  readonly limit: number;
  readonly offset: number;
  matches(nft: ChainedNft): boolean;
}

export function readNftQuery(raw: RawQuery): NftQuery {
  const { text, list, whole, choice } = parametersOf(raw);
  function few(name: string): string[] | undefined {
    const values = list(name);
    if (values === undefined || values.length <= MAX_VALUES) return values;
    throw new InvalidParameter(name, `at most ${MAX_VALUES} values`, String(values.length));
  }
  const sources = few('source');
  const collections = few('collection');
  const chain = text('chain') === undefined ? undefined : choice('chain', 'ethereum', CHAINS);
  const tokenId = text('tokenId');
  const contract = text('contract')?.toLowerCase();
  return {
    limit: whole('limit', 100, 1, MAX_LIMIT),
    offset: whole('offset', 0, 0, Number.MAX_SAFE_INTEGER),
    matches({ chain: own, holding }) {
      const { source, collection, contractAddress } = holding;
      // What a source is called by is not shown: its provider, its wallet id and its address all name it.
      const names = [source.provider, source.walletId, source.publicAddress];
      return (
        (sources === undefined || names.some((name) => sources.includes(name))) &&
        (collections === undefined || collections.includes(collection.collectionId)) &&
        (chain === undefined || chain === own) &&
        (tokenId === undefined || tokenId === holding.tokenId) &&
        (contract === undefined || contract === contractAddress.toLowerCase())
      );
    },
  };
}
