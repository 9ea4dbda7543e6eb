import { columnsFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { integer, text, toggle, tristate } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { isRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import { cellText } from '../../formats/text.ts';
import { asRecord } from '../lists.ts';
import { DEFI_COLUMNS } from './columns.ts';

const MOST = 1000;

export const defi = verb({
  name: 'defi',
  summary: 'List DeFi positions, as the previous API gives them',
  about:
    'The endpoint takes a limit and no offset: what lies beyond the first 1000 positions cannot be had from it, and is told. It is to be deprecated. Now: "cryptodata holdings defi".',
  flags: {
    docId: text('--doc-id <id>', 'one position, by its document id'),
    sortByHighestValue: tristate('--sort-by-highest-value', "the service's own is true"),
    limit: integer('--limit <n>', 'rows to show: 1 to 1000', { min: 1, max: MOST }),
    all: toggle('--all', 'as many as the endpoint gives: 1000'),
    parameters: parameterFlag,
    columns: columnsFlag,
  },
  examples: [
    { says: 'Every position', line: 'cryptodata legacy defi --all' },
    { says: 'One', line: 'cryptodata legacy defi --doc-id ID --json' },
  ],
  prints:
    'Records as served (json, jsonl), or with the columns of the specification (csv).\nOn stderr: the total value, and how many of how many are shown, where not all are.',
  exits: SERVICE_EXITS,
  reads: true,
  async run(context, { all, columns, parameters, limit, ...filters }) {
    const client = await context.client();
    const query = { ...filters, limit: limit ?? (all ? MOST : undefined), extra: parametersOf(parameters) };
    const page = await client.legacy.defi(query).asServed().page();
    const rows = page.rows.map(asRecord);
    const { total_defi_value: value, base_currency: currency } = page.extras;
    const notes: Note[] = [];
    if (value !== undefined && value !== null && !isRecord(value)) {
      notes.push({ text: showText(`Total DeFi value: ${cellText(value)} ${cellText(currency)}`.trimEnd()) });
    }
    if (page.total !== undefined && page.total > rows.length) {
      const asked = query.limit ?? 0;
      const more =
        asked < MOST ? '--all shows up to 1000.' : 'The endpoint takes no offset: the rest cannot be had.';
      notes.push({
        text: `${rows.length} of ${page.total} DeFi positions shown. ${more}`,
        warning: all === true,
      });
    }
    return {
      kind: 'rows',
      rows,
      columns: DEFI_COLUMNS,
      chosen: columns,
      none: 'No DeFi positions found.',
      notes: () => notes,
    };
  },
});
