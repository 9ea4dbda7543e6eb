import { columnsFlag } from '../cli/common-flags.ts';
import { type AnyVerb, type Example, verb } from '../cli/define.ts';
import { LIST_EXITS } from '../cli/exits.ts';
import { integer, toggle } from '../cli/flags.ts';
import { parameterFlag, parametersOf } from '../cli/parameters.ts';
import type { Client } from '../client/client.ts';
import type { Listing } from '../client/listing.ts';
import type { OpenFilters } from '../client/resources/open.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns, ColumnsFrom } from '../formats/columns.ts';
import { openColumns } from '../formats/open.ts';
import { showList } from './lists.ts';

/** The flags of a list of which no parameter is shown. */
export const openListFlags = {
  limit: integer('--limit <n>', 'number of rows to show, over as many pages as it takes', { min: 1 }),
  offset: integer('--offset <n>', 'rows to skip', { min: 0 }),
  all: toggle('--all', 'follow the pages to the end'),
  parameters: parameterFlag,
  columns: columnsFlag,
};

/** What a list of open records prints, for its help. */
export const OPEN_PRINTS =
  'Records as served (json, jsonl), with every field that came (csv), or the first of them (table).\nOn stderr: how many of how many are shown, where not all are, and totals that stand beside the list.';

export interface OpenListParts {
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly examples: readonly Example[];
  /** What the rows are, for notes: `labels`. */
  readonly what: string;
  readonly listing: (client: Client, filters: OpenFilters) => Listing<JsonRecord>;
  readonly columns?: Columns | ColumnsFrom;
}

/** A verb that lists records whose parameters and fields are not shown. */
export function openListVerb({ name, summary, about, examples, ...parts }: OpenListParts): AnyVerb {
  return verb({
    name,
    summary,
    ...(about === undefined ? {} : { about }),
    flags: openListFlags,
    examples,
    prints: OPEN_PRINTS,
    exits: LIST_EXITS,
    reads: true,
    async run(context, { limit, offset, all, parameters, columns }) {
      const client = await context.client();
      const filters = { limit, offset, extra: parametersOf(parameters) };
      return showList(context, {
        columns: openColumns,
        ...parts,
        listing: parts.listing(client, filters).asServed(),
        all: all === true,
        limit,
        offset,
        chosen: columns,
      });
    },
  });
}
