import { nfts as declared } from '../../api/holdings.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { TOTALS_PRINTS, totalsFlag, totalsOfList } from './totals.ts';

export const listNfts = listVerb(declared, {
  name: 'nfts',
  summary: 'List NFTs and their total value',
  flags: { totals: totalsFlag },
  examples: {
    'List all NFTs': 'cryptodata holdings nfts --all',
    'Show the total value': 'cryptodata holdings nfts --totals --json',
    'Export all fields as CSV': 'cryptodata holdings nfts --all --csv > nfts.csv',
  },
  prints: `${printsOf(declared)}\n${TOTALS_PRINTS}`,
  output: [listOf(served(declared.record)), oneOf(served({}), { when: 'with --totals' })],
  instead: (context, values) => totalsOfList(context, values, ({ holdings }, query) => holdings.nfts(query)),
  listing: (client, query) => client.holdings.nfts(query),
});
