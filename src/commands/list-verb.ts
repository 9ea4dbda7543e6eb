import type { List } from '../api/endpoint.ts';
import { pickFilters } from '../api/filters.ts';
import { pathsOf } from '../api/records.ts';
import { DEFAULT_SCOPES, REGISTER } from '../api/scopes.ts';
import { columnsFlag, columnsFlagOf } from '../cli/common-flags.ts';
import { type AnyVerb, type Example, type Flags, type Operand, type Values, verb } from '../cli/define.ts';
import { LIST_EXITS } from '../cli/exits.ts';
import { flagsOf, integer, toggle } from '../cli/flags.ts';
import { listOf, served } from '../cli/output.ts';
import { parameterFlag, parametersOf } from '../cli/parameters.ts';
import type { Client } from '../client/client.ts';
import type { ListQuery } from '../client/filters.ts';
import type { Listing } from '../client/listing.ts';
import type { Columns, ColumnsFrom } from '../formats/columns.ts';
import { columnsAfter, openColumns } from '../formats/open.ts';
import { sentLimit, showList } from './lists.ts';

/** Flags that every list has in addition to its filters. */
export const listFlags = {
  limit: integer('--limit <n>', 'maximum rows to show; reads as many pages as needed', { min: 1 }),
  offset: integer('--offset <n>', 'rows to skip', { min: 0 }),
  all: toggle('--all', 'read all pages'),
  parameters: parameterFlag,
  columns: columnsFlag,
};

const PRINTS_OPEN =
  'Records as served (json, jsonl), all fields as columns (csv), or the first fields (table).\nOn stderr: totals from the response, such as totalValue. If not all rows are shown, also the number of rows shown and in total.';
const PRINTS_CLOSED =
  'Records as served (json, jsonl), or the columns of the specification (csv).\nOn stderr, if not all rows are shown: the number shown and the total.';

/** Help text for the output of a list. */
export function printsOf({ isOpen }: Pick<List, 'isOpen'>): string {
  return isOpen ? PRINTS_OPEN : PRINTS_CLOSED;
}

/** The columns of a list. If the specification does not list the fields of a record, the columns are derived from the rows. */
export function columnsOf({ columns, isOpen, record }: List): Columns | ColumnsFrom {
  if (!isOpen) return columns;
  if (columns.csv.length === 0) return openColumns;
  const known = pathsOf(record);
  return columnsAfter(columns, (key) => known.includes(key));
}

/** Help text for a scope outside the default set ("Scopes", rules 1 and 2). */
function scopeHelp({ scope }: List): string | undefined {
  if (typeof scope !== 'string' || DEFAULT_SCOPES.includes(scope)) return undefined;
  return `The scope ${scope} is not in the default set. Register the scope for the client first (${REGISTER}), then request the scope: cryptodata login --scopes +${scope}. Without the scope, the service returns 403 insufficient_scope.`;
}

export interface ListVerbParts<L extends List> {
  readonly name?: string;
  readonly summary: string;
  readonly about?: string;
  readonly operands?: readonly Operand[];
  readonly examples: readonly Example[];
  readonly exits?: readonly number[];
  /** Columns that replace the declared columns. */
  readonly columns?: Columns | ColumnsFrom;
  listing(client: Client, query: ListQuery<L>, operand: string): Listing<unknown>;
}

/** Creates the command that lists a declared noun. Flags, help and columns come from the declaration. */
export function listVerb<L extends List>(declared: L, parts: ListVerbParts<L>): AnyVerb {
  const { name = 'list', summary, about, operands, examples, exits = LIST_EXITS, columns } = parts;
  const help = [about, scopeHelp(declared)].filter((text) => text !== undefined).join('\n\n');
  const selecting = { ...declared.filters, ...declared.parameters };
  const chosenColumns = columnsFlagOf(() => columns ?? columnsOf(declared));
  const flags: Flags & typeof listFlags = { ...flagsOf(selecting), ...listFlags, columns: chosenColumns };
  return verb({
    name,
    summary,
    ...(help === '' ? {} : { about: help }),
    ...(operands ? { operands } : {}),
    flags,
    examples,
    prints: printsOf(declared),
    output: [listOf(served(declared.record))],
    exits,
    reads: true,
    async run(context, values: Values<typeof flags>, [operand = '']) {
      const { limit, offset, all, parameters, columns: chosen } = values;
      const client = await context.client();
      const query = {
        ...pickFilters(selecting, values),
        // If the service limits the page size, pages of that size are read.
        ...(declared.paging.max === undefined ? { limit: sentLimit(limit) } : {}),
        offset,
        extra: parametersOf(parameters),
      } as ListQuery<L>;
      return showList(context, {
        listing: parts.listing(client, query, operand).asServed(),
        columns: columns ?? columnsOf(declared),
        what: declared.nouns,
        all: all === true,
        limit,
        offset,
        chosen,
      });
    },
  });
}
