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
import type { LedgerSelection } from '../../read/ledger-source.ts';
import { RowCheck } from '../../read/row-check.ts';
import { periodIn, timeFlags } from '../period.ts';
import { checkValues, emptyNotes, type ValueCount } from './known-values.ts';
import { nameFlags, resolveNames } from './names.ts';

/** Every filter of GET /v1/ledgers, as flags, and the names that the tool resolves. */
export const filterFlags = {
  ...nameFlags,
  ...flagsOf(ledgerFilters),
  ...timeFlags,
  parameters: parameterFlag,
};

export const sortFlags = flagsOf(ledgerOrder);

/** What the user chose, resolved and checked. */
interface Chosen {
  readonly filters: LedgerFilterValues & { readonly extra: Record<string, string> };
  /** What the tool filters, because the service cannot; undefined if nothing. */
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

/** The query of a list, and which of its rows the user asked for. */
export interface LedgerQuery {
  readonly filters: LedgerFilters;
  /** The span in the user's words, if one was given. */
  readonly span: OpenSpan;
  /** What the tool filters; undefined if the service filters everything. */
  readonly tool: ToolFilter | undefined;
  /**
   * Whether the user asked for a row; the span is checked to the millisecond.
   *
   * @throws CryptodataError `FILTER_IGNORED` for a row that a filter excludes
   */
  keep(row: JsonRecord): boolean;
  /** Whether a row passes the tool's filter; every row that is asked about is counted. */
  pick(row: JsonRecord): boolean;
  /** How the names were resolved, and how many rows the tool filtered. */
  notes(): Note[];
  /** Why there are no rows. */
  whyEmpty(): Promise<Note[]>;
}

/**
 * Turns flags into filters. Whether the service takes `startTime` and `endTime` as inclusive is not specified, so a
 * span of days is requested with one millisecond more on both sides, and rows outside it are dropped here.
 */
export async function ledgerQuery(context: Context, flags: Values<typeof filterFlags>): Promise<LedgerQuery> {
  const { startTime, endTime } = flags;
  const span = await periodIn(context, flags);
  const { filters: chosen, tool, counts, notes } = await chosenFilters(context, flags);
  const filters = {
    ...chosen,
    startTime: span.from === undefined ? startTime : span.from - 1,
    endTime: span.to === undefined ? endTime : span.to + 1,
  };
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
    whyEmpty: async () => (tool ? [] : emptyNotes(await context.client(), filters, counts)),
  };
}

export function filteredNote(kept: number, read: number): Note {
  return {
    text: `Filtered in the tool: ${kept.toLocaleString('en')} of ${read.toLocaleString('en')} legs read.`,
  };
}

export type ChosenSelection = LedgerSelection &
  Pick<Chosen, 'tool' | 'notes'> &
  Pick<LedgerQuery, 'whyEmpty'>;

/** The selection of an export: its filters, its time apart from them, and what the tool filters. */
export async function ledgerSelection(
  context: Context,
  flags: Values<typeof filterFlags>,
): Promise<ChosenSelection> {
  const { startTime, endTime } = flags;
  const span = await periodIn(context, flags);
  const { filters, tool, counts, notes } = await chosenFilters(context, flags);
  const time = { startTime: span.from ?? startTime, endTime: span.to ?? endTime };
  const whyEmpty = async () =>
    tool ? [] : emptyNotes(await context.client(), { ...filters, ...time }, counts);
  return { filters, span, sent: { startTime, endTime }, tool, notes, whyEmpty };
}
