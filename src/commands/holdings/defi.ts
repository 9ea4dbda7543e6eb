import { defi as declared, defiTotals } from '../../api/holdings.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import { TOTALS_PRINTS, totalsFlag, totalsOf } from './totals.ts';

export const listDefi = listVerb(declared, {
  name: 'defi',
  summary: 'List DeFi positions, or show their totals',
  flags: { totals: totalsFlag },
  examples: {
    'List all DeFi positions': 'cryptodata holdings defi --all',
    'Show the total value': 'cryptodata holdings defi --totals --json',
  },
  prints: `${printsOf(declared)}\n${TOTALS_PRINTS}`,
  output: [listOf(served(declared.record)), oneOf(served(defiTotals.record), { when: 'with --totals' })],
  instead: (context, values) =>
    totalsOf(values, async () => {
      const client = await context.client();
      return client.holdings.defiTotals({ extra: listParametersOf(values.parameters) });
    }),
  listing: (client, query) => client.holdings.defi(query),
});
