import type { List } from '../api/endpoint.ts';
import type { Note, Rows } from '../cli/outcome.ts';
import type { Listing } from '../client/listing.ts';
import { checkOnly, type WalkedPage } from '../client/paging.ts';
import type { Context } from '../context.ts';
import { type CryptodataError, unverifiedError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count, plural, showText } from '../core/text.ts';
import { type Columns, type ColumnsFrom, isPlainValue } from '../formats/columns.ts';
import { cellText } from '../formats/text.ts';
import { newSummary, type OnProgress, type ReadSummary, readPages } from '../read/pages.ts';
import type { RowCheck } from '../read/row-check.ts';

export interface ListParts {
  readonly listing: Listing<unknown>;
  /** Checks the rows against the filters of the request. */
  readonly check: RowCheck;
  /** Whether to read all pages. */
  readonly all: boolean;
  /** Maximum number of rows to show, from as many pages as needed. Without a limit, one page of the default size is shown. */
  readonly limit: number | undefined;
  readonly offset?: number | undefined;
  /** Selects the rows to show. The service may return rows that were not requested. */
  readonly keep?: (row: JsonRecord) => boolean;
  /** Whether `keep` probably returns false for most rows. If true, pages are read until `limit` rows are found. */
  readonly search?: boolean;
  /** Returns notes that explain an empty result. */
  readonly whyEmpty?: () => Promise<Note[]>;
  /** Whether the service's total may include rows for which `keep` returns false. */
  readonly approximate?: boolean;
  readonly columns: Columns | ColumnsFrom;
  readonly chosen: readonly string[] | undefined;
  /** Nouns of the rows, for notes. */
  readonly what: Pick<List, 'noun' | 'nouns'>;
}

/** Default maximum number of rows for a search, the same as the default page size of the service. */
const FOUND = 50;

/** The default page size in the specification. Every list accepts this number as `limit`. */
const ACCEPTED = 50;

/** The `limit` to send to a list without a specified maximum. A limit above 50 is not sent, so pages have the default size. */
export function sentLimit(limit: number | undefined): number | undefined {
  return limit !== undefined && limit <= ACCEPTED ? limit : undefined;
}

/** Shows one page of a list, or the whole list. Adds notes with the number of rows shown and the totals in the response. */
export async function showList(context: Context, parts: ListParts): Promise<Rows> {
  const { listing, check, all, keep, columns, chosen, what } = parts;
  if (all && parts.limit !== undefined) {
    throw usageError(
      '--limit cannot be combined with --all',
      'Use --limit N for the first N rows, or --all for all rows.',
    );
  }
  const limit = parts.limit ?? (parts.search && !all ? FOUND : undefined);
  const paged = all || limit !== undefined;
  const counts = {
    fetched: 0,
    shown: 0,
    more: false,
    stopped: false,
    total: undefined as number | undefined,
  };
  const summary = newSummary();
  // In a single page, a duplicate id does not mean that the list changed.
  const unique = paged;
  let extras: JsonRecord = {};
  let hint: string | undefined;
  let reasons: readonly Note[] = [];
  let startsUnknown = false;

  async function pages(): Promise<AsyncIterable<WalkedPage> | Iterable<WalkedPage>> {
    if (paged) {
      const isWhole = all || parts.search === true;
      return listing.pages({ maximum: isWhole ? undefined : limit, toTheEnd: isWhole, overlap: true });
    }
    const page = await listing.page();
    summary.early = checkOnly(page, parts.offset);
    return [{ ...page, fresh: page.rows, joined: true, hasIds: listing.identified }];
  }
  const onPage = (page: WalkedPage) => {
    extras = { ...extras, ...page.extras };
    hint = page.hint ?? hint;
    counts.total = page.total ?? counts.total;
    const showsStart = [page.total, page.offset, page.page].some((fact) => fact !== undefined);
    if (counts.fetched === 0) startsUnknown = !showsStart && page.rows.length > 0;
    counts.fetched += page.rows.length;
    counts.more = page.hasMore === true;
  };
  const onProgress: OnProgress = ({ rows, firstTotal }) => {
    if (!all || firstTotal === undefined || firstTotal <= 200) return;
    context.progress().update(`${count(rows)} of ${count(firstTotal)} ${what.nouns}`);
  };
  async function* rows(): AsyncGenerator<JsonRecord> {
    for await (const row of readPages(await pages(), summary, {
      unique,
      check,
      wrap: asRecord,
      onPage,
      onProgress,
    })) {
      if (keep && !keep(row)) continue;
      counts.shown += 1;
      yield row;
      if (counts.shown !== limit) continue;
      counts.stopped = parts.search === true;
      return;
    }
    // An offset beyond the end returns no rows, but the list is not empty.
    const isBeyond = (parts.offset ?? 0) > 0 && (counts.total ?? 0) > 0;
    if (counts.shown > 0) return;
    reasons = isBeyond ? [pastEnd(counts.total, what)] : ((await parts.whyEmpty?.()) ?? []);
  }
  return {
    kind: 'rows',
    rows: rows(),
    columns,
    chosen,
    notes: () => [
      ...(all ? [] : remainder({ ...counts, seen: summary.rows }, summary, parts)),
      ...(startsUnknown ? startNote(parts.offset) : []),
      ...totals(extras),
      ...uncheckedNote(check.uncheckedRows),
      ...reasons,
      ...(hint !== undefined && counts.shown === 0 ? [{ text: showText(hint) }] : []),
    ],
    // With --limit, the list was read to its end only if it has fewer rows.
    failed: () => changedError(summary, parts, paged && counts.shown !== limit),
    // A search drops most rows, so the service's total does not apply to its result.
    total: () =>
      parts.search || counts.total === undefined
        ? undefined
        : { rows: counts.total, isApproximate: parts.approximate === true },
    none: `No ${what.nouns} found.`,
  };
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
function changedError(
  { rows, duplicates, firstTotal, changedTotal, reordered, early }: ReadSummary,
  { offset = 0, what }: ListParts,
  isWhole: boolean,
): CryptodataError | undefined {
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
  if (!isWhole || firstTotal === undefined || end === firstTotal) return undefined;
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

interface Count {
  readonly fetched: number;
  readonly seen: number;
  readonly shown: number;
  readonly total: number | undefined;
  readonly more: boolean;
  /** Whether a search stopped before the last page. */
  readonly stopped: boolean;
}

function remainder(
  { fetched, seen, shown, total, more, stopped }: Count,
  { duplicates }: ReadSummary,
  { offset, what, approximate }: ListParts,
): Note[] {
  const flagHint = '--all shows all of them.';
  if (stopped)
    return [{ text: `${plural(shown, what.noun, what.nouns)} shown, and there may be more.`, flagHint }];
  const start = offset ?? 0;
  if (total !== undefined && start + seen < total) {
    const of = `${approximate ? 'about ' : ''}${plural(total, what.noun, what.nouns)}`;
    return [{ text: `${count(shown)} of ${of} shown.`, flagHint }];
  }
  // A service that ignores the limit returns more rows than requested.
  return more || seen + duplicates < fetched
    ? [{ text: `${plural(shown, what.noun, what.nouns)} shown, and there are more.`, flagHint }]
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

/** @param row singular noun for a row, such as `leg` */
export function uncheckedNote(filters: readonly string[]): Note[] {
  if (filters.length === 0) return [];
  const names = showText(filters.join(', '));
  return [
    {
      text: `Filters not verified: ${names}. The tool cannot tell from the rows whether the service applied them.`,
    },
  ];
}
