import { pickFilters } from '../../api/filters.ts';
import {
  type LedgerFilterValues,
  ledgerFilters,
  ledgerOrder,
  ledgers,
  passes,
  type ToolFilter,
  timeOf,
} from '../../api/ledgers.ts';
import { checkValues, type ValueCount } from '../../app/known-values.ts';
import { servedRange } from '../../app/leg-range.ts';
import { periodIn, timeFlags } from '../../app/period.ts';
import type { Values } from '../../cli/define.ts';
import { flagsOf } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import type { LedgerFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { count, showText } from '../../core/text.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import { withSpan } from '../../read/ledgers.ts';
import { nameFlags, resolveNames } from './names.ts';

/** Flags for every filter of GET /v1/ledgers, and for the names of wallets and assets. The tool resolves these names. */
export const filterFlags = {
  ...nameFlags,
  ...flagsOf(ledgerFilters),
  ...timeFlags,
  parameters: parameterFlag,
};

export const sortFlags = flagsOf(ledgerOrder);

/** The user's selection, resolved and checked. */
interface Chosen {
  readonly filters: LedgerFilterValues & { readonly extra: Record<string, string> };
  /** The filter that the tool applies itself; undefined if the service applies all filters. */
  readonly tool: ToolFilter | undefined;
  /** Returns the number of legs that each filter value matches on its own. */
  readonly counts: () => Promise<readonly ValueCount[]>;
  readonly notes: readonly Note[];
}

/** @throws usage error for an unknown name or value, or an ambiguous name */
async function chosenFilters(context: Context, flags: Values<typeof filterFlags>): Promise<Chosen> {
  const given = pickFilters(ledgerFilters, flags);
  const client = await context.client();
  const extra = listParametersOf(flags.parameters);
  const counts = await checkValues(context, ledgers, { ...given, extra }, client.ledgers.list);
  const { filters, tool, notes } = await resolveNames(context, flags, given);
  return { filters: { ...given, ...filters, extra }, tool, counts, notes };
}

/** A query for ledgers, and the filter for the returned rows. */
export interface LedgerQuery {
  readonly filters: LedgerFilters;
  /** The requested period. */
  readonly span: OpenSpan;
  /** The filter that the tool applies itself; undefined if the service applies all filters. */
  readonly tool: ToolFilter | undefined;
  /** Returns true if a row is inside the span and passes the tool's own filter. */
  keep(row: JsonRecord): boolean;
  /** Returns true if a row passes the tool's own filter. Each call adds to the counts that `notes` reports. */
  pick(row: JsonRecord): boolean;
  /** Notes on the resolved names, and on the number of rows that the tool filtered. */
  notes(): Note[];
  /** Explains an empty result. */
  whyEmpty(): Promise<Note[]>;
}

/** Turns flags into a query. The request covers slightly more than the span, so `keep` rejects rows outside the span. */
export async function ledgerQuery(context: Context, flags: Values<typeof filterFlags>): Promise<LedgerQuery> {
  const span = await periodIn(context, flags);
  const { filters: chosen, tool, counts, notes } = await chosenFilters(context, flags);
  const filters = withSpan(chosen, span, flags);
  const count = { read: 0, kept: 0 };
  const pick = (row: JsonRecord) => {
    const picked = tool === undefined || passes(row, tool);
    count.read += 1;
    if (picked) count.kept += 1;
    return picked;
  };
  return {
    span,
    filters,
    tool,
    keep: (row) => isWithin(timeOf(row), span) && pick(row),
    pick,
    notes: () => [...notes, ...(tool ? [filteredNote(count.kept, count.read)] : [])],
    whyEmpty: () => emptyNotes(context, filters, { counts, tool }),
  };
}

export function filteredNote(kept: number, read: number): Note {
  return {
    text: `The tool filtered the legs: ${count(kept)} of ${count(read)} match.`,
  };
}

export type ChosenSelection = LedgerSelection &
  Pick<Chosen, 'tool' | 'notes'> &
  Pick<LedgerQuery, 'whyEmpty'>;

/** The selection of an export: filters, period, and the tool's own filter. */
export async function ledgerSelection(
  context: Context,
  flags: Values<typeof filterFlags>,
): Promise<ChosenSelection> {
  const { startTime, endTime } = flags;
  const span = await periodIn(context, flags);
  const { filters, tool, counts, notes } = await chosenFilters(context, flags);
  const time = { startTime: span.from ?? startTime, endTime: span.to ?? endTime };
  const whyEmpty = () => emptyNotes(context, { ...filters, ...time }, { counts, tool });
  return { filters, span, sent: { startTime, endTime }, tool, notes, whyEmpty };
}

/** Explains why the result of a query is empty even though each filter value exists. */
async function emptyNotes(
  context: Context,
  { startTime, endTime, ...filters }: LedgerFilters,
  { counts, tool }: Pick<Chosen, 'counts' | 'tool'>,
): Promise<Note[]> {
  if (startTime !== undefined || endTime !== undefined) {
    const { total, range } = await servedRange(await context.client(), filters);
    const { timeZone } = await context.view();
    if (tool && total > 0) {
      return [{ text: range.sentence('The legs of all wallets and assets are', timeZone).trim() }];
    }
    const where = range.sentence(total === 1 ? 'It is' : 'They are', timeZone);
    if (total === 1) return [{ text: `The only matching leg is not in this period.${where}` }];
    if (total > 1) return [{ text: `None of the ${count(total)} matching legs is in this period.${where}` }];
  }
  if (tool) return [];
  const all = await counts();
  // If no value matches a leg, the counts do not explain more than the empty list.
  if (all.every(({ rows }) => rows === 0)) return [];
  const each = all.map(
    ({ flag, value, rows }) => `${rows === undefined ? 'some' : count(rows)} for ${flag} ${showText(value)}`,
  );
  return [
    {
      text: `No leg matches all filters. Number of legs that each filter matches on its own: ${each.join(', ')}.`,
    },
  ];
}
