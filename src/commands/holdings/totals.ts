import { currencyNotes, totalsIn } from '../../app/list-end.ts';
import type { Values } from '../../cli/define.ts';
import { toggle } from '../../cli/flags.ts';
import type { One } from '../../cli/outcome.ts';
import { listParametersOf } from '../../cli/parameters.ts';
import type { ServiceClient } from '../../client/client.ts';
import type { Listing } from '../../client/listing.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { openColumns } from '../../formats/open.ts';

export const totalsFlag = toggle('--totals', 'print only the totals, as one record');

export const TOTALS_PRINTS = 'With --totals: one record with the totals, as served.';

interface TotalsValues extends Values<{ totals: typeof totalsFlag }> {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly all: boolean | undefined;
}

/**
 * Returns the record of the totals; undefined without `--totals`.
 *
 * @throws usage error if `--totals` is combined with a flag for the pages of the list
 */
export async function totalsOf(
  { totals, limit, offset, all }: TotalsValues,
  read: () => Promise<JsonRecord>,
): Promise<One | undefined> {
  if (!totals) return undefined;
  if (limit !== undefined || offset !== undefined || all) {
    throw usageError(
      '--totals cannot be combined with --limit, --offset or --all',
      'The totals are a single record. Omit --totals, or omit --limit, --offset and --all.',
    );
  }
  const record = await read();
  return {
    ...{ kind: 'record', record, columns: openColumns },
    notes: () => currencyNotes(record),
  };
}

interface PageQuery {
  readonly limit: number;
  readonly extra: Readonly<Record<string, string>>;
}

/** Returns the totals of a list that sends its totals with each page. */
export function totalsOfList(
  context: Context,
  values: TotalsValues & { readonly parameters: readonly string[] | undefined },
  list: (client: ServiceClient, query: PageQuery) => Listing<unknown>,
): Promise<One | undefined> {
  return totalsOf(values, async () => {
    const query = { limit: 1, extra: listParametersOf(values.parameters) };
    return totalsInPage(await list(await context.client(), query).page());
  });
}

/** Returns the totals in a page of a list: the number of records, and fields such as `totalValue`. */
function totalsInPage({
  total,
  extras,
}: {
  readonly total?: number;
  readonly extras: JsonRecord;
}): JsonRecord {
  return { ...(total === undefined ? {} : { totalCount: total }), ...Object.fromEntries(totalsIn(extras)) };
}
