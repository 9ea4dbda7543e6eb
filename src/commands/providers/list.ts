import { providers } from '../../api/providers.ts';
import { catalogueOf } from '../../app/known-values.ts';
import { listVerb } from '../../app/lists.ts';
import { flagsOf, integerFlag } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { nearMatches, showNamed } from '../../core/nearest.ts';
import { count, showText } from '../../core/text.ts';

export const listProviders = listVerb(providers, {
  summary: 'List providers: featured first, then working, each group by name',
  flags: {
    page: flagsOf(providers.paging.parameters).page,
    limit: integerFlag(
      '--limit <n>',
      'maximum number of rows to show; with --page, rows per page (1 to 100)',
      {
        min: 1,
      },
    ),
  },
  without: ['offset'],
  examples: {
    'List exchanges that can be connected now': 'cryptodata providers --type exchange --is-working',
    'Export all fields as CSV': 'cryptodata providers list --all --csv > providers.csv',
    'List providers that do not work':
      'cryptodata providers --is-working=false --all --json | jq -r ".[].publicName"',
  },
  exits: [0, 2, 7, 8, 9, 12, 13, 130],
  async select(context, { page, limit, search }) {
    if (page !== undefined && limit !== undefined && limit > 100) {
      throw usageError('With --page, --limit must be a whole number from 1 to 100');
    }
    return {
      // Send the page size together with the page number, because the size determines which rows are on the page.
      query: page === undefined ? {} : { page, limit },
      extent: { offset: ((page ?? 1) - 1) * (limit ?? 50) },
      whyEmpty: async () =>
        search === undefined || (page ?? 1) > 1 ? [] : [await whyNothingFound(context, search)],
    };
  },
  listing: (client, query) => client.providers.list(query),
});

/** Explains an empty result. Either the text in --search is misspelt, or the other filters exclude the provider. */
async function whyNothingFound(context: Context, search: string): Promise<Note> {
  const { signal } = context;
  const client = await context.client();
  const alone = await client.providers.list({ search, limit: 1 }, { signal }).asServed().page();
  if (alone.rows.length > 0) {
    const found = alone.total === undefined ? 'some' : count(alone.total);
    return { text: `No provider matches all filters. --search ${showText(search)} alone matches ${found}.` };
  }
  const near = nearMatches(search, await catalogueOf(client, signal)).map(showNamed);
  const next =
    near.length === 0
      ? 'List all providers: cryptodata providers --all.'
      : `Did you mean ${near.join(' or ')}?`;
  return { text: `No provider matches --search ${showText(search)}. ${next}` };
}
