import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { parametersOf } from '../../cli/parameters.ts';
import { usageError } from '../../core/errors.ts';
import { openColumns } from '../../formats/open.ts';
import { showList } from '../lists.ts';
import { OPEN_PRINTS, openListFlags } from '../open-list.ts';

export const defi = verb({
  name: 'defi',
  summary: 'List DeFi positions, or show their totals',
  flags: { totals: toggle('--totals', 'the totals alone, as one record'), ...openListFlags },
  examples: [
    { says: 'Every position', line: 'cryptodata holdings defi --all' },
    { says: 'What they are worth', line: 'cryptodata holdings defi --totals --json' },
  ],
  prints: `${OPEN_PRINTS}\nWith --totals: one record, as served.`,
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { totals, limit, offset, all, parameters, columns }) {
    const extra = parametersOf(parameters);
    if (totals && (limit !== undefined || offset !== undefined || all)) {
      throw usageError(
        '--totals is one record: --limit, --offset and --all say nothing about it',
        'Leave them out, or leave --totals out.',
      );
    }
    const client = await context.client();
    if (totals) {
      const record = await client.holdings.defiTotals({ extra });
      return { kind: 'record', record, columns: openColumns, chosen: columns };
    }
    return showList(context, {
      listing: client.holdings.defi({ limit, offset, extra }).asServed(),
      all: all === true,
      limit,
      offset,
      columns: openColumns,
      chosen: columns,
      what: 'DeFi positions',
    });
  },
});
