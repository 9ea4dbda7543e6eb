import { pickFilters } from '../../api/filters.ts';
import { legacyDefi } from '../../api/legacy.ts';
import { requireCredential } from '../../app/credential.ts';
import { checkedList } from '../../app/list-verb.ts';
import { asRecord, uncheckedNote } from '../../app/lists.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { flagsOf, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { listOf, served } from '../../cli/output.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import { isRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import { cellText } from '../../formats/text.ts';

const PARAMETERS = { ...legacyDefi.filters, ...legacyDefi.parameters, ...legacyDefi.paging.parameters };
const MAX_ROWS = 1000;

export const defi = verb({
  name: 'defi',
  summary: 'List DeFi positions from the legacy API',
  about:
    'The endpoint has no offset and returns at most 1000 positions. A note shows the total. The endpoint will be deprecated; use "cryptodata holdings defi" instead.',
  flags: {
    ...flagsOf(PARAMETERS),
    all: toggle('--all', 'all rows, up to the limit of the endpoint (1000)'),
    parameters: parameterFlag,
    columns: columnsFlagOf(() => legacyDefi.columns),
  },
  examples: [
    { says: 'List all positions', line: 'cryptodata legacy defi --all' },
    { says: 'Show one position', line: 'cryptodata legacy defi --doc-id ID --json' },
  ],
  prints:
    'Records as served (json, jsonl), or the columns of the specification (csv).\nOn stderr: the total value, and a note if some positions are not shown.',
  output: [listOf(served(legacyDefi.record))],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { all, columns, parameters, ...given }) {
    await requireCredential(context, legacyDefi, 'Listing DeFi positions from the legacy API');
    const client = await context.client();
    const query = {
      ...pickFilters(PARAMETERS, given),
      limit: given.limit ?? (all ? MAX_ROWS : undefined),
      extra: listParametersOf(parameters),
    };
    const { listing, check } = await checkedList(context, legacyDefi, query, client.legacy.defi);
    const page = await listing.page();
    check.check(page.rows);
    const rows = page.rows.map(asRecord);
    const { total_defi_value: value, base_currency: currency } = page.extras;
    const notes: Note[] = [];
    if (value !== undefined && value !== null && !isRecord(value)) {
      notes.push({ text: showText(`Total DeFi value: ${cellText(value)} ${cellText(currency)}`.trimEnd()) });
    }
    if (page.total !== undefined && page.total > rows.length) {
      const asked = query.limit ?? 0;
      const more =
        asked < MAX_ROWS
          ? '--all shows up to 1000 positions.'
          : 'The endpoint has no offset, so further positions cannot be read.';
      notes.push({
        text: `${count(rows.length)} of ${plural(page.total, legacyDefi.noun, legacyDefi.nouns)} shown. ${more}`,
        warning: all === true,
      });
    }
    notes.push(...uncheckedNote(check.uncheckedRows));
    return {
      kind: 'rows',
      rows,
      columns: legacyDefi.columns,
      chosen: columns,
      none: 'No DeFi positions found.',
      notes: () => notes,
    };
  },
});
