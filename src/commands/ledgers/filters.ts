import { pickFilters } from '../../api/filters.ts';
import {
  type LedgerFilterValues,
  ledgerFilters,
  ledgerOrder,
  passes,
  type ToolFilter,
  timeOf,
} from '../../api/ledgers.ts';
import type { Values } from '../../cli/define.ts';
import { flagsOf } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import type { LedgerFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isWithin, type OpenSpan } from '../../core/span.ts';
import { count } from '../../core/text.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import { withSpan } from '../../read/ledgers.ts';
import { RowCheck } from '../../read/row-check.ts';
import { periodIn, timeFlags } from '../period.ts';
import { checkValues, emptyNotes, type ValueCount } from './known-values.ts';
import { nameFlags, resolveNames } from './names.ts';

/** Every filter of GET /v1/ledgers, as flags, and the flags with names that the tool resolves. */
export const filterFlags = {
  ...nameFlags,
  ...flagsOf(ledgerFilters),
  ...timeFlags,
  parameters: parameterFlag,
};

export const sortFlags = flagsOf(ledgerOrder);

/** The selection of the user, resolved and checked. */
interface Chosen {
  readonly filters: LedgerFilterValues & { readonly extra: Record<string, string> };
  /** The filter of the tool, if the service cannot filter everything. */
  readonly tool: ToolFilter | undefined;
  readonly counts: readonly ValueCount[];
  readonly notes: readonly Note[];
}

/** @throws usage error for a name or value that is unknown, or a name that is ambiguous */
async function chosenFilters(context: Context, flags: Values<typeof filterFlags>): Promise<Chosen> {
  const given = pickFilters(ledgerFilters, flags);
  const counts = await checkValues(context, given);
  const { filters, tool, notes } = await resolveNames(context, flags, given);
  return { filters: { ...given, ...filters, extra: parametersOf(flags.parameters) }, tool, counts, notes };
}

/** The query of a list, and the filter for its rows. */
export interface LedgerQuery {
  readonly filters: LedgerFilters;
  /** The text of the span; undefined if there is none. */
  readonly span: OpenSpan;
  /** The filter of the tool; undefined if the service filters everything. */
  readonly tool: ToolFilter | undefined;
  /**
   * Whether a row is requested; the span is checked to the millisecond.
   *
   * @throws CryptodataError `FILTER_IGNORED` for a row that a filter excludes
   */
  keep(row: JsonRecord): boolean;
  /** Whether a row passes the tool's filter. Counts every call. */
  pick(row: JsonRecord): boolean;
  /** How the names were resolved, and how many rows the tool filtered. */
  notes(): Note[];
  /** Why there are no rows. */
  whyEmpty(): Promise<Note[]>;
}

/** Turns flags into filters. Rows outside the span are dropped here. */
export async function ledgerQuery(context: Context, flags: Values<typeof filterFlags>): Promise<LedgerQuery> {
  const span = await periodIn(context, flags);
  const { filters: chosen, tool, counts, notes } = await chosenFilters(context, flags);
  const filters = withSpan(chosen, span, flags);
  const check = new RowCheck(filters);
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
    keep(row) {
      check.check([row]);
      return isWithin(timeOf(row), span) && pick(row);
    },
    pick,
    notes: () => [...notes, ...(tool ? [filteredNote(count.kept, count.read)] : [])],
    whyEmpty: () => emptyNotes(context, filters, { counts, tool }),
  };
}

export function filteredNote(kept: number, read: number): Note {
  return {
    text: `Filtered in the tool: ${count(kept)} of ${count(read)} legs read.`,
  };
}

export type ChosenSelection = LedgerSelection &
  Pick<Chosen, 'tool' | 'notes'> &
  Pick<LedgerQuery, 'whyEmpty'>;

/** The selection of an export: filters, time, and the filter of the tool. */
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
