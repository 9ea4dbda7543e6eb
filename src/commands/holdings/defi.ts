import { defi as declared, defiTotals } from '../../api/holdings.ts';
import { checkedList, listFlags, printsOf } from '../../app/list-verb.ts';
import { sentLimit, showList } from '../../app/lists.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import { usageError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';

export const defi = verb({
  name: 'defi',
  summary: 'List DeFi positions, or show their totals',
  flags: { totals: toggle('--totals', 'print only the totals, as one record'), ...listFlags },
  examples: [
    { says: 'List all positions', line: 'cryptodata holdings defi --all' },
    { says: 'Show the total value', line: 'cryptodata holdings defi --totals --json' },
  ],
  prints: `${printsOf(declared)}\nWith --totals: one record with the totals, as served.`,
  output: [listOf(served(declared.record)), oneOf(served(defiTotals.record), { when: 'with --totals' })],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { totals, limit, offset, all, parameters, columns }) {
    const extra = listParametersOf(parameters);
    if (totals && (limit !== undefined || offset !== undefined || all)) {
      throw usageError(
        '--totals cannot be combined with --limit, --offset or --all',
        'The totals are a single record. Omit --totals, or omit --limit, --offset and --all.',
      );
    }
    const client = await context.client();
    if (totals) {
      const record = await client.holdings.defiTotals({ extra });
      return { kind: 'record', record, columns: openColumns, chosen: columns };
    }
    const query = { limit: sentLimit(limit), offset, extra };
    return showList(context, {
      ...(await checkedList(context, declared, query, client.holdings.defi)),
      all: all === true,
      limit,
      offset,
      columns: openColumns,
      chosen: columns,
    });
  },
});
