import type { Note, Rows } from '../cli/outcome.ts';
import type { ListPage } from '../client/envelope.ts';
import type { Listing } from '../client/listing.ts';
import type { Context } from '../context.ts';
import { type CryptodataError, unverifiedError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { type Columns, type ColumnsFrom, isPlainValue } from '../formats/columns.ts';
import { cellText } from '../formats/text.ts';
import { type OnProgress, type Reading, readPages, startReading } from '../read/reading.ts';

export interface ListParts {
  readonly listing: Listing<unknown>;
  /** Follow the pages to the end. */
  readonly all: boolean;
  /** Rows to show, over as many pages as it takes; one page of the service's default size if not given. */
  readonly limit: number | undefined;
  readonly offset?: number | undefined;
  /** Drops rows that the service gave beyond what was asked for. */
  readonly keep?: (rows: AsyncIterable<unknown>) => AsyncGenerator<JsonRecord>;
  /** Whether `keep` searches for rows: pages are followed until there are as many as `limit` says. */
  readonly search?: boolean;
  /** Says why there is no row. */
  readonly whyEmpty?: () => Promise<Note[]>;
  /** Whether the service's total may be a little more than the rows that are kept. */
  readonly approximate?: boolean;
  /** Whether an id stands for one record: then one that comes again shows that the list moved while it was read. */
  readonly identified?: boolean;
  /** Whether --all reads up to an empty page, whatever the total says. */
  readonly toEmptyPage?: boolean;
  readonly columns: Columns | ColumnsFrom;
  readonly chosen: readonly string[] | undefined;
  /** What the rows are, for notes: `ledgers`. */
  readonly what: string;
}

/** Rows of a search without --limit, as many as on the service's own page. */
const FOUND = 50;

/** One page of a list, or all of it; says how many of how many were shown, and the totals beside them. */
export async function showList(context: Context, parts: ListParts): Promise<Rows> {
  const { listing, all, columns, chosen, what } = parts;
  const keep = parts.keep ?? records;
  if (all && parts.limit !== undefined) {
    throw usageError(
      '--limit cannot be combined with --all',
      'Use --limit N for the first N rows, or --all for all of them.',
    );
  }
  const limit = parts.limit ?? (parts.search && !all ? FOUND : undefined);
  const paged = all || limit !== undefined;
  const count = {
    ...{ fetched: 0, seen: 0, shown: 0, more: false, stopped: false },
    total: undefined as number | undefined,
  };
  let extras: JsonRecord = {};
  let hint: string | undefined;
  let reasons: readonly Note[] = [];
  const notes = (): Note[] => [
    ...(all ? [] : remainder(count, reading, parts)),
    ...totals(extras),
    ...reasons,
    ...hintOfService(),
  ];
  const hintOfService = (): Note[] =>
    hint !== undefined && count.shown === 0 ? [{ text: showText(hint) }] : [];

  // Within one page nothing can have moved.
  const identified = parts.identified === true && paged;
  const reading = startReading();
  async function* pages(): AsyncGenerator<ListPage> {
    const size = parts.search ? undefined : limit;
    const asked = paged ? listing.pages(size, parts.toEmptyPage) : [await listing.page()];
    for await (const page of asked) {
      extras = { ...extras, ...page.extras };
      hint = page.hint;
      count.total = page.total;
      count.fetched += page.rows.length;
      count.more = page.hasMore === true;
      yield { ...page, rows: page.rows.map(asRecord) };
    }
  }
  async function* rows(): AsyncGenerator<JsonRecord> {
    const onProgress: OnProgress = ({ rows, firstTotal }) => {
      if (!all || firstTotal === undefined || firstTotal <= 200) return;
      context.progress().update(`${rows.toLocaleString('en')} of ${firstTotal.toLocaleString('en')} ${what}`);
    };
    for await (const row of readPages(pages(), reading, { identified, onProgress })) {
      count.seen += 1;
      yield row;
    }
  }
  async function* shown(): AsyncGenerator<JsonRecord> {
    for await (const row of keep(rows())) {
      count.shown += 1;
      yield row;
      if (count.shown !== limit) continue;
      count.stopped = parts.search === true;
      return;
    }
    if (count.shown === 0) reasons = (await parts.whyEmpty?.()) ?? [];
  }
  return {
    kind: 'rows',
    rows: shown(),
    columns,
    chosen,
    notes,
    failed: () => unsteady(reading, { ...parts, identified }),
    none: `No ${what} found.`,
  };
}

/** Rows that came twice, or a total that changed or is not the number of rows, mean that others may be missing. */
function unsteady(
  { rows, repeated, firstTotal, otherTotal }: Reading,
  { all, identified, offset = 0, what }: ListParts,
): CryptodataError | undefined {
  const count = (number: number | undefined) => (number ?? 0).toLocaleString('en');
  const end = offset + rows;
  if (repeated > 0 || otherTotal !== undefined) {
    const seen =
      repeated > 0
        ? `${count(repeated)} came twice and are left out`
        : `their total went from ${count(firstTotal)} to ${count(otherTotal)}`;
    return unverifiedError(
      `The ${what} changed while they were read: ${seen}; others may be missing`,
      'Run it again. To hold the rows against the totals of the service, export them.',
      'LIST_MOVED',
    );
  }
  if (!all || !identified || firstTotal === undefined || end === firstTotal || rows === 0) return undefined;
  return unverifiedError(
    `The service says there are ${count(firstTotal)} ${what}, but its pages hold ${count(end)}`,
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
  { repeated }: Reading,
  { offset, what, approximate }: ListParts,
): Note[] {
  if (stopped) return [{ text: `${shown} ${what} shown, and there may be more. --all shows all of them.` }];
  const start = offset ?? 0;
  if (total !== undefined && start + seen < total) {
    const of = `${approximate ? 'about ' : ''}${total.toLocaleString('en')}`;
    return [{ text: `${shown} of ${of} ${what} shown. --all shows all of them.` }];
  }
  // A service that takes no limit returns more rows than were asked for.
  return more || seen + repeated < fetched
    ? [{ text: `${shown} ${what} shown, and there are more. --all shows all of them.` }]
    : [];
}

/** Totals of the whole list, as the service names them: `totalValue`, `totalEstimatedValueUsd`. */
function totals(extras: JsonRecord): Note[] {
  return Object.entries(extras)
    .filter(([name, value]) => /^total/i.test(name) && value !== null && isPlainValue(value))
    .map(([name, value]) => ({ text: showText(`${name}: ${cellText(value)}`) }));
}

async function* records(rows: AsyncIterable<unknown>): AsyncGenerator<JsonRecord> {
  for await (const row of rows) yield asRecord(row);
}

/** An open list may hold plain values: they are shown as records of one field. */
export function asRecord(row: unknown): JsonRecord {
  return isRecord(row) ? row : { value: row };
}
