import { openListVerb } from '../open-list.ts';

export const nfts = openListVerb({
  name: 'nfts',
  summary: 'List NFTs, and say what they are worth together',
  examples: [
    { says: 'All of them', line: 'cryptodata holdings nfts --all' },
    { says: 'As CSV, every field that came', line: 'cryptodata holdings nfts --all --csv > nfts.csv' },
  ],
  what: 'NFTs',
  listing: (client, filters) => client.holdings.nfts(filters),
});
