import { nfts as declared } from '../../api/holdings.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import { TOTALS_PRINTS, totalsFlag, totalsInPage, totalsOf } from './totals.ts';

export const listNfts = listVerb(declared, {
  name: 'nfts',
  summary: 'List NFTs and their total value',
  flags: { totals: totalsFlag },
  examples: [
    { says: 'List all NFTs', line: 'cryptodata holdings nfts --all' },
    { says: 'Show the total value', line: 'cryptodata holdings nfts --totals --json' },
    { says: 'Export all fields as CSV', line: 'cryptodata holdings nfts --all --csv > nfts.csv' },
  ],
  prints: `${printsOf(declared)}\n${TOTALS_PRINTS}`,
  output: [listOf(served(declared.record)), oneOf(served({}), { when: 'with --totals' })],
  instead: (context, values) =>
    totalsOf(values, async () => {
      const { holdings } = await context.client();
      const query = { limit: 1, extra: listParametersOf(values.parameters) };
      return totalsInPage(await holdings.nfts(query).page());
    }),
  listing: (client, query) => client.holdings.nfts(query),
});
