// Query parameters of GET /api/v1/nft-holdings.

import { type RawQuery, readQuery } from '../../http/parameters.ts';
import { CHAINS, type ChainedNft } from './store.ts';

/** Spec: the source and collection filters accept at most 30 values each. */
const MAX_VALUES = 30;

export function readNftQuery(raw: RawQuery) {
  return readQuery(raw, ({ text, list, page, choice }) => {
    const sources = list('source', MAX_VALUES);
    const collections = list('collection', MAX_VALUES);
    const chain = choice('chain', CHAINS);
    const tokenId = text('tokenId');
    const contract = text('contract')?.toLowerCase();
    return {
      ...page(100, 1000),
      matches({ chain: own, holding }: ChainedNft): boolean {
        const { source, collection, contractAddress } = holding;
        // The specification does not define the values of `source`, so a provider, a wallet id or an address is accepted.
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
  });
}
