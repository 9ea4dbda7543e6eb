import type { List } from '../api/endpoint.ts';
import { type Filters, type FilterValue, pickFilters } from '../api/filters.ts';
import { timeOf } from '../api/ledgers.ts';
import { pathsOf } from '../api/records.ts';
import { DEFAULT_SCOPES, REGISTER } from '../api/scopes.ts';
import { columnsFlag, columnsFlagOf } from '../cli/common-flags.ts';
import { type AnyVerb, type Examples, type Flags, type Operand, type Values, verb } from '../cli/define.ts';
import { LIST_EXITS } from '../cli/exits.ts';
import { flagsOf, integerFlag, toggle } from '../cli/flags.ts';
import { alsoNotes, type End, type Note, type Outcome, type RowStep, type Rows } from '../cli/outcome.ts';
import { listOf, type Output, served } from '../cli/output.ts';
import { listParametersOf, parameterFlag } from '../cli/parameters.ts';
import type { ServiceClient } from '../client/client.ts';
import type { ListQuery } from '../client/filters.ts';
import type { Listing } from '../client/listing.ts';
import { checkOnly, type WalkedPage } from '../client/paging.ts';
import type { Context } from '../context.ts';
import { gravestFirst, usageError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { Returned } from '../core/returned.ts';
import { count } from '../core/text.ts';
import type { Columns, ColumnsFrom } from '../formats/columns.ts';
import { columnsAfter, openColumns } from '../formats/open.ts';
import { asRecord, newSummary, type ReadSummary, RowCheck, readPages } from '../read/pages.ts';
import { requireCredential } from './credential.ts';
import { checkValues, type ValueCount } from './known-values.ts';
import {
  changedError,
  type Extent,
  emptyNotes,
  isPaged,
  type ListEnd,
  type ListParts,
  limitOf,
  listNotes,
  pastEnd,
  uncheckedNote,
} from './list-end.ts';

/** Flags that list commands share. The filters of each command come from the declaration of its list. */
const listFlags = {
  limit: integerFlag('--limit <n>', 'maximum number of rows to show; as many pages as needed are read', {
    min: 1,
  }),
  offset: integerFlag('--offset <n>', 'rows to skip', { min: 0 }),
  all: toggle('--all', 'read all pages'),
  parameters: parameterFlag,
  columns: columnsFlag,
};

const PRINTS_OPEN =
  'Records as served (json, jsonl), all fields as columns (csv), or the first fields (table).\nOn stderr: totals from the response, such as totalValue. If rows are omitted, stderr also contains the number of rows shown and the total number of rows.';
const PRINTS_CLOSED =
  'Records as served (json, jsonl), or the columns of the specification (csv).\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.';

export function printsOf({ isOpen }: Pick<List, 'isOpen'>): string {
  return isOpen ? PRINTS_OPEN : PRINTS_CLOSED;
}

/** If the specification does not define all fields of a record, the rows determine the further columns. */
function columnsOf({ columns, isOpen, record }: List): Columns | ColumnsFrom {
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

type FilterFlags<F extends Filters> = { readonly [K in keyof F]: FilterValue<F[K]> | undefined };

type ListValues<L extends List, F extends Flags> = Values<F> &
  Values<typeof listFlags> &
  FilterFlags<L['filters']> &
  FilterFlags<L['parameters']>;

/** The choices of a list command that are not values of its filter flags. */
interface Selection<L extends List> extends Partial<ListView> {
  /** Query parameters that are added to the values of the flags, or that replace them. */
  readonly query?: Partial<ListQuery<L>>;
  /** The rows of the list to read. Replaces the values of `--limit`, `--offset` and `--all`. */
  readonly extent?: Partial<Extent>;
  readonly sieve?: RowStep | undefined;
  readonly search?: boolean;
  /**
   * Explains an empty result.
   *
   * @param counts returns the number of rows that each filter value matches on its own
   */
  readonly whyEmpty?: (counts: () => Promise<readonly ValueCount[]>) => Promise<readonly Note[]>;
}

interface ListVerbParts<L extends List, F extends Flags> {
  readonly name?: string;
  readonly summary: string;
  readonly about?: string;
  readonly operands?: readonly Operand[];
  /** Flags that are neither filters nor in {@link listFlags}. */
  readonly flags?: F;
  /** The flags in {@link listFlags} that the command does not have. */
  readonly without?: readonly (keyof typeof listFlags)[];
  readonly examples: Examples;
  readonly prints?: string;
  readonly output?: Output;
  readonly exits?: readonly number[];
  /** Columns that replace the columns in the declaration of the list. */
  readonly columns?: Columns | ColumnsFrom;
  /** If the flags ask for a result that is not the list, returns this result. */
  instead?(context: Context, values: ListValues<L, F>, operand?: string): Promise<Outcome | undefined>;
  /** Returns the id that the operand names. */
  resolve?(context: Context, operand: string): Promise<string>;
  /** @throws usage error for flags that contradict each other */
  select?(context: Context, values: ListValues<L, F>, operand?: string): Promise<Selection<L>>;
  listing(client: ServiceClient, query: ListQuery<L>, id: string): Listing<unknown>;
}

/** Creates a list command. The flags and columns of the command come from the declaration of the list. */
export function listVerb<L extends List, F extends Flags = Record<never, never>>(
  declared: L,
  parts: ListVerbParts<L, F>,
): AnyVerb {
  const { name = 'list', summary, about, operands, examples, exits = LIST_EXITS, without = [] } = parts;
  const { prints = printsOf(declared), output = [listOf(served(declared.record))] } = parts;
  const { columns = columnsOf(declared) } = parts;
  const help = [about, scopeHelp(declared)].filter((text) => text !== undefined).join('\n\n');
  const selecting = { ...declared.filters, ...declared.parameters };
  const paging = Object.entries(listFlags).filter(([name]) => without.every((other) => other !== name));
  // The command's own flags come first, and replace list flags with the same name.
  const flags = { ...parts.flags, ...flagsOf(selecting), ...Object.fromEntries(paging), ...parts.flags };
  return verb({
    name,
    summary,
    ...(help === '' ? {} : { about: help }),
    ...(operands ? { operands } : {}),
    flags: { ...flags, columns: columnsFlagOf(() => columns) },
    examples,
    prints,
    output,
    exits,
    reads: true,
    list: declared,
    async run(context, given, [operand]) {
      // The cast is safe, because the type is made from the same declarations as the flags.
      const values = given as ListValues<L, F>;
      const other = await parts.instead?.(context, values, operand);
      if (other) return other;
      const id = operand === undefined ? undefined : ((await parts.resolve?.(context, operand)) ?? operand);
      await requireCredential(context, declared, `Listing ${declared.nouns} from the legacy API`);
      const selection: Selection<L> = (await parts.select?.(context, values, operand)) ?? {};
      const { query: own, extent, sieve, search, whyEmpty, ...view } = selection;
      const { all, limit, offset, parameters } = values;
      const client = await context.client();
      // The client chooses the page size if the list has a maximum page size, or if the command searches the list.
      const sized = declared.paging.max === undefined && !search;
      const filters = { ...pickFilters(selecting, values), extra: listParametersOf(parameters) };
      const page = { ...(sized ? { limit: sentLimit(limit) } : {}), offset };
      const query = { ...filters, ...page, ...own } as ListQuery<L>;
      const request = (query: ListQuery<L>) => parts.listing(client, query, id ?? '');
      const counts = await checkValues(context, declared, filters, request);
      const list = {
        ...{ listing: request(query).asServed(), check: new RowCheck(declared, query, id), what: declared },
        ...{ all: all === true, limit, offset, ...extent },
        ...{ sieve, search, whyEmpty: whyEmpty && (() => whyEmpty(counts)) },
      };
      return showList(context, list, { columns, ...view });
    },
  });
}

/** The default page size in the specification. Every list accepts this number as `limit`. */
const ACCEPTED = 50;

/** The `limit` to send for a list without a specified maximum. Above 50, no `limit` is sent, so pages have the default size. */
function sentLimit(limit: number | undefined): number | undefined {
  return limit !== undefined && limit <= ACCEPTED ? limit : undefined;
}

/** Yields the rows of one page, or of the whole list. Then returns the totals, notes and other facts about the list. */
async function* readList(context: Context, parts: ListParts): AsyncGenerator<JsonRecord, ListEnd> {
  const { check, all, offset = 0, sieve, what } = parts;
  const limit = limitOf(parts);
  const summary = newSummary();
  let [fetched, shown, hasMore, startsUnknown] = [0, 0, false, false];
  let total: number | undefined;
  let hint: string | undefined;
  let extras: JsonRecord = {};
  const onPage = (page: WalkedPage) => {
    if (fetched === 0) startsUnknown = page.rows.length > 0 && !showsStart(page);
    fetched += page.rows.length;
    hasMore = page.hasMore === true;
    total = page.total ?? total;
    hint = page.hint ?? hint;
    extras = { ...extras, ...page.extras };
  };
  const onProgress = ({ rows, firstTotal = 0 }: Readonly<ReadSummary>) => {
    if (!all || firstTotal <= 200) return;
    context.progress().update(`${count(rows)} of ${count(firstTotal)} ${what.nouns}`);
  };
  const ended = (reasons: readonly Note[] = []): ListEnd => ({
    ...{ fetched, shown, total, hasMore, isCut: shown === limit, summary },
    ...{ extras, hint, startsUnknown, reasons },
  });
  // In a single page, a duplicate id does not mean that the list changed, so ids are compared only if several pages are read.
  const how = { unique: isPaged(parts), check, wrap: asRecord, onPage, onProgress };
  const read = readPages(await pagesOf(parts, summary), summary, how);
  for await (const row of sieve?.over(read) ?? read) {
    shown += 1;
    yield row;
    if (shown === limit) return ended();
  }
  if (shown > 0) return ended();
  // An offset beyond the end returns no rows, but the list is not empty.
  const isBeyond = offset > 0 && (total ?? 0) > 0;
  return ended(isBeyond ? [pastEnd(total, what)] : await parts.whyEmpty?.());
}

async function pagesOf(
  parts: ListParts,
  summary: ReadSummary,
): Promise<AsyncIterable<WalkedPage> | Iterable<WalkedPage>> {
  const { listing, all, search } = parts;
  if (isPaged(parts)) {
    const isWhole = all || search === true;
    const maximum = isWhole ? undefined : limitOf(parts);
    // Only legs show the value that they are sorted by.
    return listing.pages({ maximum, toTheEnd: isWhole, overlap: (row) => timeOf(row) ?? identityOf(row) });
  }
  const page = await listing.page();
  summary.early = checkOnly(page, parts.offset);
  return [{ ...page, fresh: page.rows, joined: true, hasIds: listing.identified }];
}

function showsStart({ total, offset, page }: WalkedPage): boolean {
  return [total, offset, page].some((fact) => fact !== undefined);
}

interface ListView extends Pick<Rows, 'columns'> {
  /** Steps that run after the list is truncated to its limit. */
  readonly steps?: readonly RowStep[] | undefined;
  /** Sums to show in place of the rows. */
  readonly sums?: RowStep | undefined;
  /** Returns notes on the totals, and on rows that are not shown. */
  readonly notes?: ((end: ListEnd) => readonly Note[]) | undefined;
}

/** Shows one page of a list, or the whole list. Adds notes with the number of rows shown and the totals in the response. */
function showList(context: Context, parts: ListParts, view: ListView): Rows {
  const { all, limit, what, check, search, sieve } = parts;
  if (all && limit !== undefined) {
    throw usageError(
      '--limit cannot be combined with --all',
      'Use --limit N for the first N rows, or --all for all rows.',
    );
  }
  const { columns, sums, notes = (end: ListEnd) => listNotes(end, parts) } = view;
  const after = sums ? [sums] : (view.steps ?? []);
  const steps = sieve ? [sieve, ...after] : after;
  async function* rows(): AsyncGenerator<JsonRecord, End> {
    const list = new Returned(readList(context, parts));
    yield* after.reduce<AsyncIterable<JsonRecord>>((read, step) => step.over(read), list);
    const end = list.value;
    const [failed, ...others] = gravestFirst([
      end && changedError(end, parts),
      ...steps.map((step) => step.failed?.()),
    ]);
    return {
      notes: [
        ...(end ? [...notes(end), ...uncheckedNote(check.uncheckedRows), ...emptyNotes(end)] : []),
        ...steps.flatMap((step) => step.notes()),
        ...alsoNotes(others),
      ],
      failed,
      // The service's total does not apply to a search, which drops most rows, or to sums, which combine rows.
      total:
        search || sums || end?.total === undefined
          ? undefined
          : { rows: end.total, isApproximate: sieve !== undefined },
    };
  }
  return { kind: 'rows', rows: rows(), columns, none: `No ${what.nouns} found.` };
}
