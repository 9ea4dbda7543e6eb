import { pickFilters } from '../../api/filters.ts';
import { providers } from '../../api/providers.ts';
import { catalogueOf } from '../../app/known-values.ts';
import { checkedList, listFlags, printsOf } from '../../app/list-verb.ts';
import { showList } from '../../app/lists.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { flagsOf, integer } from '../../cli/flags.ts';
import { listOf, served } from '../../cli/output.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import type { Client } from '../../client/client.ts';
import { usageError } from '../../core/errors.ts';
import { nearMatches, showNamed } from '../../core/nearest.ts';
import { count, showText } from '../../core/text.ts';

export const list = verb({
  name: 'list',
  summary: 'List providers: featured first, then working, each group by name',
  flags: {
    ...flagsOf(providers.filters),
    page: flagsOf(providers.paging.parameters).page,
    limit: integer('--limit <n>', 'maximum number of rows to show; with --page, rows per page (1 to 100)', {
      min: 1,
    }),
    all: listFlags.all,
    parameters: parameterFlag,
    columns: columnsFlagOf(() => providers.columns),
  },
  examples: [
    {
      says: 'List exchanges that can be connected now',
      line: 'cryptodata providers --type exchange --is-working',
    },
    { says: 'Export all fields as CSV', line: 'cryptodata providers list --all --csv > providers.csv' },
    {
      says: 'List providers that do not work',
      line: 'cryptodata providers --is-working=false --all --json | jq -r ".[].publicName"',
    },
  ],
  prints: printsOf(providers),
  output: [listOf(served(providers.record))],
  exits: [0, 2, 7, 8, 9, 12, 13, 130],
  reads: true,
  async run(context, { all, columns, parameters, page, limit, ...given }) {
    const filters = pickFilters(providers.filters, given);
    if (page !== undefined && limit !== undefined && limit > 100) {
      throw usageError('With --page, --limit must be a whole number from 1 to 100');
    }
    const client = await context.client();
    // Send the page size together with the page number, because the size determines which rows are on the page.
    const paged = page === undefined ? {} : { page, limit };
    const query = { ...filters, ...paged, extra: listParametersOf(parameters) };
    return showList(context, {
      ...(await checkedList(context, providers, query, client.providers.list)),
      all: all === true,
      limit,
      offset: ((page ?? 1) - 1) * (limit ?? 50),
      columns: providers.columns,
      chosen: columns,
      whyEmpty: async () =>
        filters.search === undefined || (page ?? 1) > 1
          ? []
          : [{ text: await whyNothingFound(client, filters.search, context.signal) }],
    });
  },
});

/** Explains an empty result. Either the name is misspelt, or other filters exclude the provider. */
async function whyNothingFound(client: Client, search: string, signal: AbortSignal): Promise<string> {
  const alone = await client.providers.list({ search, limit: 1 }, { signal }).asServed().page();
  if (alone.rows.length > 0) {
    const found = alone.total === undefined ? 'some' : count(alone.total);
    return `No provider matches all filters. --search ${showText(search)} alone matches ${found}.`;
  }
  const near = nearMatches(search, await catalogueOf(client, signal)).map(showNamed);
  const next =
    near.length === 0
      ? 'List all providers: cryptodata providers --all.'
      : `Did you mean ${near.join(' or ')}?`;
  return `No provider matches --search ${showText(search)}. ${next}`;
}
