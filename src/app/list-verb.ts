import type { List } from '../api/endpoint.ts';
import { pickFilters } from '../api/filters.ts';
import { pathsOf } from '../api/records.ts';
import { DEFAULT_SCOPES, REGISTER } from '../api/scopes.ts';
import { columnsFlag, columnsFlagOf } from '../cli/common-flags.ts';
import { type AnyVerb, type Example, type Flags, type Operand, type Values, verb } from '../cli/define.ts';
import { LIST_EXITS } from '../cli/exits.ts';
import { flagsOf, integer, toggle } from '../cli/flags.ts';
import { listOf, served } from '../cli/output.ts';
import { listParametersOf, parameterFlag } from '../cli/parameters.ts';
import type { Client } from '../client/client.ts';
import type { ListQuery } from '../client/filters.ts';
import type { Listing } from '../client/listing.ts';
import type { Context } from '../context.ts';
import type { Columns, ColumnsFrom } from '../formats/columns.ts';
import { columnsAfter, openColumns } from '../formats/open.ts';
import { RowCheck } from '../read/row-check.ts';
import { requireCredential } from './credential.ts';
import { checkValues } from './known-values.ts';
import { type ListParts, sentLimit, showList } from './lists.ts';

/** Flags that list commands share. The filters of each command come from the declaration of its list. */
export const listFlags = {
  limit: integer('--limit <n>', 'maximum number of rows to show; as many pages as needed are read', {
    min: 1,
  }),
  offset: integer('--offset <n>', 'rows to skip', { min: 0 }),
  all: toggle('--all', 'read all pages'),
  parameters: parameterFlag,
  columns: columnsFlag,
};

const PRINTS_OPEN =
  'Records as served (json, jsonl), all fields as columns (csv), or the first fields (table).\nOn stderr: totals from the response, such as totalValue. If rows are omitted, stderr also contains the number of rows shown and the total number of rows.';
const PRINTS_CLOSED =
  'Records as served (json, jsonl), or the columns of the specification (csv).\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.';

/** Help text about the output of a list command. */
export function printsOf({ isOpen }: Pick<List, 'isOpen'>): string {
  return isOpen ? PRINTS_OPEN : PRINTS_CLOSED;
}

/** If the specification does not define all fields of a record, further columns are derived from the rows. */
export function columnsOf({ columns, isOpen, record }: List): Columns | ColumnsFrom {
  if (!isOpen) return columns;
  if (columns.csv.length === 0) return openColumns;
  const known = pathsOf(record);
  return columnsAfter(columns, (key) => known.includes(key));
}

/** Help text for a list whose scope is not in the default set (rules 1 and 2 of "Scopes" in the specification). */
function scopeHelp({ scope }: List): string | undefined {
  if (typeof scope !== 'string' || DEFAULT_SCOPES.includes(scope)) return undefined;
  return `The scope ${scope} is not in the default set. First register the scope for the client (${REGISTER}). Then request the scope: cryptodata login --scopes +${scope}. Without the scope, the service returns 403 insufficient_scope.`;
}

/**
 * Checks the filter values of a query, and returns the list with a check of its rows.
 *
 * @param id the id in the path, if there is one
 * @throws usage error `UNKNOWN_VALUE`
 */
export async function checkedList<L extends List>(
  context: Context,
  declared: L,
  query: ListQuery<L>,
  request: (query: ListQuery<L>) => Listing<unknown>,
  id?: string,
): Promise<Pick<ListParts, 'listing' | 'check' | 'what'>> {
  await checkValues(context, declared, query, request);
  const check = new RowCheck(declared, query, id);
  return { listing: request(query).asServed(), check, what: declared };
}

export interface ListVerbParts<L extends List> {
  readonly name?: string;
  readonly summary: string;
  readonly about?: string;
  readonly operands?: readonly Operand[];
  readonly examples: readonly Example[];
  readonly exits?: readonly number[];
  /** Columns to use instead of those in the declaration. */
  readonly columns?: Columns | ColumnsFrom;
  /** Returns the id that the operand names. */
  resolve?(context: Context, operand: string): Promise<string>;
  listing(client: Client, query: ListQuery<L>, id: string): Listing<unknown>;
}

/** Creates a list command. The flags and columns of the command come from the declaration of the list. */
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
    async run(context, values: Values<typeof flags>, [operand]) {
      const id = operand === undefined ? undefined : ((await parts.resolve?.(context, operand)) ?? operand);
      const { limit, offset, all, parameters, columns: chosen } = values;
      await requireCredential(context, declared, `Listing ${declared.nouns} from the legacy API`);
      const client = await context.client();
      const query = {
        ...pickFilters(selecting, values),
        // If the list has a maximum page size, the client chooses the page size when it reads the pages.
        ...(declared.paging.max === undefined ? { limit: sentLimit(limit) } : {}),
        offset,
        extra: listParametersOf(parameters),
      } as ListQuery<L>;
      return showList(context, {
        ...(await checkedList(
          context,
          declared,
          query,
          (query) => parts.listing(client, query, id ?? ''),
          id,
        )),
        columns: columns ?? columnsOf(declared),
        all: all === true,
        limit,
        offset,
        chosen,
      });
    },
  });
}
