import type { List } from '../api/endpoint.ts';
import { alsoNotes, type Note, type Rows } from '../cli/outcome.ts';
import type { Listing } from '../client/listing.ts';
import { checkOnly, type WalkedPage } from '../client/paging.ts';
import type { Context } from '../context.ts';
import { type CryptodataError, gravestFirst, unverifiedError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count, plural, showText } from '../core/text.ts';
import { isPlainValue } from '../formats/columns.ts';
import { cellText } from '../formats/text.ts';
import { newSummary, type ReadSummary, readPages } from '../read/pages.ts';
import type { RowCheck } from '../read/row-check.ts';

/** A step between the rows of a list and the output, such as a filter that the tool applies itself. */
export interface RowStep {
  over(rows: AsyncIterable<JsonRecord>): AsyncIterable<JsonRecord>;
  /** Returns notes on the rows. Called after the rows are read. */
  notes(): readonly Note[];
  /** Returns an error if rows may be missing. Called after the rows are read. */
  failed?(): CryptodataError | undefined;
}

/** Which part of a list to read. */
export interface Extent {
  /** Whether to read all pages. */
  readonly all: boolean;
  /** Maximum number of rows to show, from as many pages as needed. Without a limit, one page of the default size is shown. */
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

export interface ListParts extends Extent {
  readonly listing: Listing<unknown>;
  /** Checks the rows against the filters of the request. */
  readonly check: RowCheck;
  /** Selects the rows to show. The service may return rows that were not requested. */
  readonly sieve?: RowStep | undefined;
  /** Whether `sieve` probably drops most rows. If true, pages are read until `limit` rows are found. */
  readonly search?: boolean | undefined;
  /** Returns notes that explain an empty result. */
  readonly whyEmpty?: (() => Promise<readonly Note[]>) | undefined;
  /** Nouns of the rows, for notes. */
  readonly what: Pick<List, 'noun' | 'nouns'>;
}

/** What a list contained, and what the service said about it. */
export interface ListEnd {
  /** Number of rows that the service sent. */
  readonly fetched: number;
  readonly shown: number;
  /** The latest total that the service reported. */
  readonly total: number | undefined;
  /** Whether further rows exist after the last page. */
  readonly hasMore: boolean;
  /** Whether the limit ended the list. */
  readonly isCut: boolean;
  readonly summary: Readonly<ReadSummary>;
  /** Other fields of the responses, such as `totalValue`. */
  readonly extras: JsonRecord;
  readonly hint: string | undefined;
  /** Whether the first page does not show where the list starts. */
  readonly startsUnknown: boolean;
  /** Why the list is empty. */
  readonly reasons: readonly Note[];
}

/** Default maximum number of rows for a search, the same as the default page size of the service. */
const FOUND = 50;

/** The default page size in the specification. Every list accepts this number as `limit`. */
const ACCEPTED = 50;

/** The `limit` to send to a list without a specified maximum. A limit above 50 is not sent, so pages have the default size. */
export function sentLimit(limit: number | undefined): number | undefined {
  return limit !== undefined && limit <= ACCEPTED ? limit : undefined;
}

/** Yields the rows to show of one page, or of the whole list. Returns what the list contained. */
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
  // In a single page, a duplicate id does not mean that the list changed.
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

/** A search shows a limited number of rows, because it may read many pages. */
function limitOf({ all, limit, search }: ListParts): number | undefined {
  return limit ?? (search && !all ? FOUND : undefined);
}

function isPaged(parts: ListParts): boolean {
  return parts.all || limitOf(parts) !== undefined;
}

async function pagesOf(
  parts: ListParts,
  summary: ReadSummary,
): Promise<AsyncIterable<WalkedPage> | Iterable<WalkedPage>> {
  const { listing, all, search } = parts;
  if (isPaged(parts)) {
    const isWhole = all || search === true;
    const maximum = isWhole ? undefined : limitOf(parts);
    return listing.pages({ maximum, toTheEnd: isWhole, overlap: true });
  }
  const page = await listing.page();
  summary.early = checkOnly(page, parts.offset);
  return [{ ...page, fresh: page.rows, joined: true, hasIds: listing.identified }];
}

function showsStart({ total, offset, page }: WalkedPage): boolean {
  return [total, offset, page].some((fact) => fact !== undefined);
}

/** How to show a list. */
export interface ListView extends Pick<Rows, 'columns' | 'chosen'> {
  /** Steps after the list is cut to its limit. */
  readonly steps?: readonly RowStep[] | undefined;
  /** Sums to show in place of the rows. */
  readonly sums?: RowStep | undefined;
  /** Returns notes on the totals, and on rows that are not shown. */
  readonly notes?: ((end: ListEnd) => readonly Note[]) | undefined;
}

/** Shows one page of a list, or the whole list. Adds notes with the number of rows shown and the totals in the response. */
export function showList(context: Context, parts: ListParts, view: ListView): Rows {
  const { all, limit, what, check, search, sieve } = parts;
  if (all && limit !== undefined) {
    throw usageError(
      '--limit cannot be combined with --all',
      'Use --limit N for the first N rows, or --all for all rows.',
    );
  }
  const { columns, chosen, sums, notes = (end: ListEnd) => listNotes(end, parts) } = view;
  const after = sums ? [sums] : (view.steps ?? []);
  const steps = sieve ? [sieve, ...after] : after;
  let end: ListEnd | undefined;
  async function* rows(): AsyncGenerator<JsonRecord> {
    end = yield* readList(context, parts);
  }
  const errors = () =>
    gravestFirst([end && changedError(end, parts), ...steps.map((step) => step.failed?.())]);
  return {
    kind: 'rows',
    rows: after.reduce<AsyncIterable<JsonRecord>>((read, step) => step.over(read), rows()),
    columns,
    chosen,
    notes: () => [
      ...(end ? [...notes(end), ...uncheckedNote(check.uncheckedRows), ...emptyNotes(end)] : []),
      ...steps.flatMap((step) => step.notes()),
      ...alsoNotes(errors().slice(1)),
    ],
    failed: () => errors()[0],
    // A search drops most rows, and sums are fewer rows, so the service's total does not apply to the result.
    total: () =>
      search || sums || end?.total === undefined
        ? undefined
        : { rows: end.total, isApproximate: sieve !== undefined },
    none: `No ${what.nouns} found.`,
  };
}

function listNotes(end: ListEnd, parts: ListParts): Note[] {
  const { startsUnknown, extras } = end;
  return [
    ...(parts.all ? [] : remainder(end, parts)),
    ...(startsUnknown ? startNote(parts.offset) : []),
    ...totals(extras),
  ];
}

function emptyNotes({ reasons, hint, shown }: ListEnd): Note[] {
  return [...reasons, ...(hint !== undefined && shown === 0 ? [{ text: showText(hint) }] : [])];
}

function pastEnd(total: number | undefined, { noun, nouns }: ListParts['what']): Note {
  return { text: `The list ends before this page: it has ${plural(total ?? 0, noun, nouns)}.` };
}

function startNote(offset = 0): Note[] {
  if (offset === 0) return [];
  const text = `The service does not say where its list starts, so it may have ignored the offset ${offset}.`;
  return [{ text, warning: true }];
}

/** Returns an error if rows may be missing: if the list changed, ended early, or differs from its total. */
function changedError({ summary, isCut }: ListEnd, parts: ListParts): CryptodataError | undefined {
  const { rows, duplicates, firstTotal, changedTotal, reordered, early } = summary;
  const { offset = 0, what } = parts;
  const end = offset + rows;
  if (duplicates > 0 || changedTotal !== undefined || reordered) {
    const seen =
      duplicates > 0
        ? `${plural(duplicates, 'duplicate was', 'duplicates were')} skipped`
        : changedTotal !== undefined
          ? `the total changed from ${count(firstTotal ?? 0)} to ${count(changedTotal)}`
          : 'rows changed position';
    return unverifiedError(
      `The ${what.nouns} changed while they were read: ${seen}. Rows may be missing`,
      "Run the command again. To verify the rows against the service's totals, export the rows.",
      'LIST_MOVED',
    );
  }
  if (early) return early;
  // With a limit, the list was read to its end only if it has fewer rows.
  if (!isPaged(parts) || isCut || firstTotal === undefined || end === firstTotal) return undefined;
  if (rows === 0 && offset >= firstTotal) return undefined;
  if (offset > 0 && rows === firstTotal) {
    return unverifiedError(
      `The service ignored the offset ${offset}: it returned all ${plural(rows, what.noun, what.nouns)}`,
      'Omit --offset.',
      'OFFSET_IGNORED',
    );
  }
  return unverifiedError(
    `The service reports a total of ${plural(firstTotal, what.noun, what.nouns)}, but its pages contain ${count(end)}`,
    'Report this to the service: its total or its pages are wrong.',
    'TOTAL_MISMATCH',
  );
}

function remainder(
  { fetched, shown, total, hasMore, isCut, summary: { rows, duplicates } }: ListEnd,
  { offset = 0, what, search, sieve }: ListParts,
): Note[] {
  const flagHint = '--all shows all of them.';
  const all = plural(shown, what.noun, what.nouns);
  if (search && isCut) return [{ text: `${all} shown, and there may be more.`, flagHint }];
  if (total !== undefined && offset + rows < total) {
    // The service's total may include rows that the sieve drops.
    const of = `${sieve ? 'about ' : ''}${plural(total, what.noun, what.nouns)}`;
    return [{ text: `${count(shown)} of ${of} shown.`, flagHint }];
  }
  // A service that ignores the limit returns more rows than requested.
  return hasMore || rows + duplicates < fetched
    ? [{ text: `${all} shown, and there are more.`, flagHint }]
    : [];
}

/** The totals in the response, with the service's own names, such as `totalValue`. */
function totals(extras: JsonRecord): Note[] {
  return Object.entries(extras)
    .filter(([name, value]) => /^total/i.test(name) && value !== null && isPlainValue(value))
    .map(([name, value]) => ({ text: showText(`${name}: ${cellText(value)}`) }));
}

/** Converts a plain value to a record with one field. Lists of unspecified records may contain plain values. */
export function asRecord(row: unknown): JsonRecord {
  return isRecord(row) ? row : { value: row };
}

/** @param filters filters that could not be checked */
export function uncheckedNote(filters: readonly string[]): Note[] {
  if (filters.length === 0) return [];
  const names = showText(filters.join(', '));
  return [
    {
      text: `Filters not verified: ${names}. The tool cannot tell from the rows whether the service applied them.`,
    },
  ];
}
