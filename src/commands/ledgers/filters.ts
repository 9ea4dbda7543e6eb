import { pickFilters } from '../../api/filters.ts';
import {
  type LedgerFilterValues,
  ledgerFilters,
  ledgers,
  passes,
  type ToolFilter,
  timeOf,
} from '../../api/ledgers.ts';
import { checkValues, type ValueCount } from '../../app/known-values.ts';
import { servedRange, untimedNotes } from '../../app/leg-range.ts';
import { periodIn, timeFlags } from '../../app/period.ts';
import type { Values } from '../../cli/define.ts';
import { flagsOf } from '../../cli/flags.ts';
import type { Note, RowStep } from '../../cli/outcome.ts';
import { listParametersOf, parameterFlag } from '../../cli/parameters.ts';
import type { LedgerFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isUnlimited, isWithin, type OpenSpan } from '../../core/span.ts';
import { count, plural, showText } from '../../core/text.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import { withSpan } from '../../read/ledgers.ts';
import { nameFlags, resolveNames } from './names.ts';

/** Flags for every filter of GET /v1/ledgers, and for the names of wallets and assets. The tool resolves these names. */
export const ledgerFilterFlags = {
  ...nameFlags,
  ...flagsOf(ledgerFilters),
  ...timeFlags,
  parameters: parameterFlag,
};

/** The user's selection, with resolved names. */
interface Chosen {
  readonly filters: LedgerFilterValues & { readonly extra: Record<string, string> };
  /** The filter that the tool applies to the returned rows; undefined if the service applies all filters. */
  readonly tool: ToolFilter | undefined;
  readonly notes: readonly Note[];
}

/** @throws usage error for an unknown or ambiguous name */
async function chosenFilters(context: Context, flags: Values<typeof ledgerFilterFlags>): Promise<Chosen> {
  const given = pickFilters(ledgerFilters, flags);
  const { filters, tool, notes } = await resolveNames(context, flags, given);
  return { filters: { ...given, ...filters, extra: listParametersOf(flags.parameters) }, tool, notes };
}

/** Returns the number of legs that each filter value matches on its own. */
type CountValues = () => Promise<readonly ValueCount[]>;

/** @throws usage error for an unknown value */
export async function checkLedgerValues(
  context: Context,
  flags: Values<typeof ledgerFilterFlags>,
): Promise<CountValues> {
  const query = { ...pickFilters(ledgerFilters, flags), extra: listParametersOf(flags.parameters) };
  return checkValues(context, ledgers, query, (await context.client()).ledgers.list);
}

/** A query for ledgers, and the filter for the returned rows. */
export class LedgerQuery implements RowStep {
  readonly filters: LedgerFilters;
  /** The requested period. */
  readonly span: OpenSpan;
  /** The filter that the tool applies to the returned rows; undefined if the service applies all filters. */
  readonly tool: ToolFilter | undefined;
  readonly #notes: readonly Note[];
  #read = 0;
  #kept = 0;
  #untimed = 0;

  constructor({ filters, tool, notes }: Chosen, span: OpenSpan, flags: Values<typeof ledgerFilterFlags>) {
    this.filters = withSpan(filters, span, flags);
    this.span = span;
    this.tool = tool;
    this.#notes = notes;
  }

  /** Returns true if a row passes the tool's own filter. Counts the row. */
  readonly pick = (row: JsonRecord): boolean => {
    const isPicked = this.tool === undefined || passes(row, this.tool);
    this.#read += 1;
    if (isPicked) this.#kept += 1;
    return isPicked;
  };

  /** Yields the rows inside the span that pass the tool's own filter. */
  async *over(rows: AsyncIterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    for await (const row of rows) {
      const time = timeOf(row);
      if (!isWithin(time, this.span) || !this.pick(row)) continue;
      if (time === undefined) this.#untimed += 1;
      yield row;
    }
  }

  /**
   * Notes on the resolved names, on the number of rows that the tool filtered, and on rows that belong to no period.
   *
   * @param selected text about the rows that the tool filtered, such as ` with a negative balance` (default: all rows)
   */
  notes(selected = ''): Note[] {
    return [
      ...this.#notes,
      ...(this.tool ? [filteredNote(this.#kept, this.#read, selected)] : []),
      ...(isUnlimited(this.span) ? [] : untimedNotes(this.#untimed, this.span)),
    ];
  }
}

/** Turns flags into a query. The request also selects some rows shortly before and after the span. */
export async function ledgerQuery(
  context: Context,
  flags: Values<typeof ledgerFilterFlags>,
): Promise<LedgerQuery> {
  const span = await periodIn(context, flags);
  return new LedgerQuery(await chosenFilters(context, flags), span, flags);
}

export function filteredNote(kept: number, read: number, selected = ''): Note {
  const matching = kept === 1 ? '1 matches' : `${count(kept)} match`;
  return {
    text: `The tool filtered the legs itself: it read ${plural(read, 'leg', 'legs')}${selected}, of which ${matching}.`,
  };
}

export type ChosenSelection = LedgerSelection &
  Pick<Chosen, 'tool' | 'notes'> & { whyEmpty(): Promise<Note[]> };

/** The selection of an export: filters, period, and the tool's own filter. */
export async function ledgerSelection(
  context: Context,
  flags: Values<typeof ledgerFilterFlags>,
): Promise<ChosenSelection> {
  const { startTime, endTime } = flags;
  const span = await periodIn(context, flags);
  const counts = await checkLedgerValues(context, flags);
  const { filters, tool, notes } = await chosenFilters(context, flags);
  const time = { startTime: span.from ?? startTime, endTime: span.to ?? endTime };
  const whyEmpty = () => whyNoLegs(context, { filters: { ...filters, ...time }, tool }, counts);
  return { filters, span, sent: { startTime, endTime }, tool, notes, whyEmpty };
}

/** Explains the empty result of a query whose filter values all exist. */
export async function whyNoLegs(
  context: Context,
  { filters: { startTime, endTime, ...filters }, tool }: Pick<LedgerQuery, 'filters' | 'tool'>,
  counts: CountValues,
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
  // Omit the counts if all of them are 0.
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
