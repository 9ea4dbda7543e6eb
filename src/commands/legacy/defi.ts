import { legacyDefi } from '../../api/legacy.ts';
import { type ListEnd, totalNotes } from '../../app/list-end.ts';
import { listVerb } from '../../app/lists.ts';
import { flagsOf, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { count, plural } from '../../core/text.ts';

const MAX_ROWS = 1000;

export const listLegacyDefi = listVerb(legacyDefi, {
  name: 'defi',
  summary: 'List DeFi positions from the legacy API',
  about:
    'The endpoint has no offset and returns at most 1000 positions. A note shows the total. The endpoint will be deprecated; use "cryptodata holdings defi" instead.',
  flags: {
    limit: flagsOf(legacyDefi.paging.parameters).limit,
    all: toggle('--all', 'all rows, up to the limit of the endpoint (1000)'),
  },
  without: ['offset'],
  examples: {
    'List all positions': 'cryptodata legacy defi --all',
    'Show one position': 'cryptodata legacy defi --doc-id ID --json',
  },
  prints:
    'Records as served (json, jsonl), or the columns of the specification (csv).\nOn stderr: the total value, and a note if some positions are not shown.',
  async select(_, { all, limit }) {
    const asked = limit ?? (all ? MAX_ROWS : undefined);
    return {
      query: { limit: asked },
      // The endpoint returns the whole result on one page, so do not request further pages.
      extent: { all: false, limit: undefined },
      notes: (end) => [...totalNotes(end.extras), ...restNote(end, asked, all === true)],
    };
  },
  listing: (client, query) => client.legacy.defi(query),
});

function restNote({ shown, total = 0 }: ListEnd, asked = 0, warning: boolean): Note[] {
  if (total <= shown) return [];
  const more =
    asked < MAX_ROWS
      ? '--all shows up to 1000 positions.'
      : 'The endpoint has no offset, so further positions cannot be read.';
  const of = plural(total, legacyDefi.noun, legacyDefi.nouns);
  return [{ text: `${count(shown)} of ${of} shown. ${more}`, warning }];
}
