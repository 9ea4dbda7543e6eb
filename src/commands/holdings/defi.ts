import { defi as declared, defiTotals } from '../../api/holdings.ts';
import { listVerb, printsOf } from '../../app/lists.ts';
import { toggle } from '../../cli/flags.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import { usageError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';

export const listDefi = listVerb(declared, {
  name: 'defi',
  summary: 'List DeFi positions, or show their totals',
  flags: { totals: toggle('--totals', 'print only the totals, as one record') },
  examples: [
    { says: 'List all positions', line: 'cryptodata holdings defi --all' },
    { says: 'Show the total value', line: 'cryptodata holdings defi --totals --json' },
  ],
  prints: `${printsOf(declared)}\nWith --totals: one record with the totals, as served.`,
  output: [listOf(served(declared.record)), oneOf(served(defiTotals.record), { when: 'with --totals' })],
  async instead(context, { totals, limit, offset, all, parameters, columns }) {
    if (!totals) return undefined;
    if (limit !== undefined || offset !== undefined || all) {
      throw usageError(
        '--totals cannot be combined with --limit, --offset or --all',
        'The totals are a single record. Omit --totals, or omit --limit, --offset and --all.',
      );
    }
    const client = await context.client();
    const record = await client.holdings.defiTotals({ extra: listParametersOf(parameters) });
    return { kind: 'record', record, columns: openColumns, chosen: columns };
  },
  listing: (client, query) => client.holdings.defi(query),
});
