import { CryptodataError } from '../base/errors.ts';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { showText } from '../base/text.ts';
import type { ListPage } from '../client/envelope.ts';
import type { Listing } from '../client/listing.ts';
import type { Context } from '../context.ts';
import { type Reading, readPages, startReading } from '../export/reading.ts';
import { type Columns, type ColumnsFrom, isPlainValue } from '../output/columns.ts';
import type { Note, Rows } from '../output/outcome.ts';
import { cellText } from '../output/text.ts';

export interface ListParts {
  readonly listing: Listing<unknown>;
  /** Follow the pages to the end. */
  readonly all: boolean;
  /** Rows to show without --all; one page of the service's default size where not given. */
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
  const count = { seen: 0, shown: 0, total: undefined as number | undefined, more: false, stopped: false };
  let extras: JsonRecord = {};
  let hint: string | undefined;
  let reasons: readonly Note[] = [];
  const notes = (): Note[] => [
    ...(all ? [] : remainder(count, parts)),
    ...totals(extras),
    ...reasons,
    ...hintOfService(),
  ];
  const hintOfService = (): Note[] =>
    hint !== undefined && count.shown === 0 ? [{ text: showText(hint) }] : [];

  const reading = startReading();
  async function* everyPage(): AsyncGenerator<unknown> {
    async function* pages(): AsyncGenerator<ListPage> {
      for await (const page of listing.pages()) {
        extras = { ...extras, ...page.extras };
        hint = page.hint;
        yield { ...page, rows: page.rows.map(asRecord) };
      }
    }
    yield* readPages(pages(), reading, {
      identified: parts.identified === true,
      onProgress: ({ rows, firstTotal }) => {
        if (firstTotal === undefined || firstTotal <= 200) return;
        context
          .progress()
          .update(`${rows.toLocaleString('en')} of ${firstTotal.toLocaleString('en')} ${what}`);
      },
    });
  }
  async function* onePage(): AsyncGenerator<unknown> {
    const page = await listing.page();
    // A service that takes no limit gives more than was asked for.
    const rows = parts.limit === undefined ? page.rows : page.rows.slice(0, parts.limit);
    count.total = page.total;
    count.seen = rows.length;
    count.more = page.hasMore === true || rows.length < page.rows.length;
    extras = page.extras;
    hint = page.hint;
    yield* rows;
  }
  async function* counted(rows: AsyncIterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    for await (const row of rows) {
      count.shown += 1;
      yield row;
    }
    if (count.shown === 0) reasons = (await parts.whyEmpty?.()) ?? [];
  }
  async function* found(): AsyncGenerator<JsonRecord> {
    for await (const row of keep(everyPage())) {
      yield row;
      if (count.shown < (parts.limit ?? FOUND)) continue;
      count.stopped = true;
      return;
    }
  }
  const rows = all ? keep(everyPage()) : parts.search ? found() : keep(onePage());
  return {
    kind: 'rows',
    rows: counted(rows),
    columns,
    chosen,
    notes,
    failed: () => (all || parts.search ? unsteady(reading, what) : undefined),
    none: `No ${what} found.`,
  };
}

/** Rows that came twice, or a total that changed, mean that others may have been passed over. */
function unsteady({ repeated, firstTotal, otherTotal }: Reading, what: string): CryptodataError | undefined {
  if (repeated === 0 && otherTotal === undefined) return undefined;
  const count = (number: number | undefined) => (number ?? 0).toLocaleString('en');
  const seen =
    repeated > 0
      ? `${count(repeated)} came twice and are left out`
      : `their total went from ${count(firstTotal)} to ${count(otherTotal)}`;
  return new CryptodataError(
    'unverified',
    'LIST_MOVED',
    `The ${what} changed while they were read: ${seen}; others may be missing`,
    {
      hint: 'Run it again. To hold the rows against the totals of the service, export them.',
    },
  );
}

interface Count {
  readonly seen: number;
  readonly shown: number;
  readonly total: number | undefined;
  readonly more: boolean;
  /** Whether a search stopped before the last page. */
  readonly stopped: boolean;
}

function remainder(
  { seen, shown, total, more, stopped }: Count,
  { offset, what, approximate }: ListParts,
): Note[] {
  if (stopped) return [{ text: `${shown} ${what} shown, and there may be more. --all shows all of them.` }];
  const start = offset ?? 0;
  if (total !== undefined && start + seen < total) {
    const of = `${approximate ? 'about ' : ''}${total.toLocaleString('en')}`;
    return [{ text: `${shown} of ${of} ${what} shown. --all shows all of them.` }];
  }
  return more ? [{ text: `${shown} ${what} shown, and there are more. --all shows all of them.` }] : [];
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
