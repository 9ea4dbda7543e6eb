import { ledgers, type ToolFilter, timeOf } from '../api/ledgers.ts';
import type { ServiceClient } from '../client/client.ts';
import type { Listing, RecordReader } from '../client/listing.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { isRefusedPage, type WalkedPage, type WalkOptions, walkPages } from '../client/paging.ts';
import type { PagePosition } from '../client/paging-styles.ts';
import type { ListPage } from '../client/response.ts';
import { CryptodataError } from '../core/errors.ts';
import { sleep } from '../core/sleep.ts';
import type { OpenSpan, Span } from '../core/span.ts';
import type { Pace } from './pace.ts';
import { noTotal, RowCheck } from './pages.ts';
import { type Row, type RowEncoder, rowOf } from './rows.ts';

/** The maximum page size of GET /v1/ledgers, from "Paging and size bounds" in the specification. */
export const LARGEST_PAGE = 200;

/** Selects the legs of an export by time and by other filters. */
export interface LedgerSelection {
  readonly filters: LedgerFilters;
  /** The requested span of time, exact to the millisecond. Rows outside this span are dropped. */
  readonly span: OpenSpan;
  /** If set, `startTime` and `endTime` are sent unchanged instead of the bounds of `span`. */
  readonly sent: { readonly startTime?: number | undefined; readonly endTime?: number | undefined };
  /** A filter that the service does not support. The tool applies this filter after it has verified the rows. */
  readonly tool?: ToolFilter | undefined;
}

export interface SourceOptions {
  readonly client: ServiceClient;
  readonly selection: LedgerSelection;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Milliseconds to keep retrying after the last successful response. */
  readonly patience: number;
  /** Milliseconds before the first retry of a failed page. Each further retry doubles the delay, up to 10 seconds. */
  readonly backoff: number;
}

export interface RowsOptions extends Pick<WalkOptions<Row>, 'take' | 'toTheEnd'> {
  readonly encoder: RowEncoder;
  /** A reader from `encoder.newReader`. */
  readonly reader?: RecordReader | undefined;
}

export interface RowCount {
  /** The service's total. */
  readonly total: number | undefined;
  /** Whether the span contains more rows than the `size` passed to {@link LedgerSource.count}, according to total and rows. */
  readonly more: boolean;
}

/** Reads pages and totals of GET /v1/ledgers for spans of time. */
export class LedgerSource {
  readonly #options: SourceOptions;
  readonly #check: RowCheck;
  #lastSuccess: number | undefined;
  #oddTotal: string | undefined;

  constructor(options: SourceOptions) {
    const { filters, sent } = options.selection;
    this.#options = options;
    this.#check = new RowCheck(ledgers, { ...filters, ...sent });
  }

  /** Filters of the request that could not be checked for every row. */
  get unchecked(): readonly string[] {
    return this.#check.unchecked;
  }

  /** Why the rows cannot be compared with a total. */
  get noTotal(): string {
    return noTotal(this.#oddTotal);
  }

  /**
   * Reads a page of the rows of a span, oldest first. The service's bounds may be exclusive, so the requested span is one
   * millisecond longer at each end. The response contains every row of the span, and possibly rows just outside it. If the
   * service rejects an offset after the end, the page has no rows.
   *
   * @param span a span within the selection; undefined for the whole selection
   */
  async page(span: Span | undefined, offset: number, limit = LARGEST_PAGE): Promise<ListPage> {
    const list = this.#list(this.#upwards(span));
    try {
      return await this.#ask(list, { offset, limit });
    } catch (error) {
      if (offset === 0 || !isRefusedPage(error)) throw error;
      return { ...(await this.#ask(list, { offset: 0, limit: 1 })), rows: [] };
    }
  }

  /** Reads all rows of a span for a segment, like {@link page}. */
  rows(
    span: Span | undefined,
    { encoder, reader, take, toTheEnd }: RowsOptions,
  ): AsyncGenerator<WalkedPage<Row>> {
    return this.#walk({
      query: this.#upwards(span),
      // Filters can be checked only on parsed records, which `reader` does not return.
      reader: this.#check.isNeeded ? undefined : reader,
      parse: (row) => rowOf(row, encoder),
      overlap: ({ time }: Row) => time,
      ...{ identify: ({ id }: Row) => id, withoutId: ({ content }: Row) => content, take, toTheEnd },
    });
  }

  /** Returns the service's total for a span. The total may include rows just outside the span; see {@link page}. */
  async total(span: Span | undefined): Promise<number | undefined> {
    return (await this.page(span, 0, 1)).total;
  }

  /** Requests the total of a span, and checks whether the span contains more than `size` rows. */
  async count(span: Span, size: number): Promise<RowCount> {
    const { total, rows, offset } = await this.page(span, size, 1);
    // A service may return a row for an offset after the end. A total of 0 is wrong if there are rows.
    if (total === 0 && rows.length > 0) return { total: undefined, more: false };
    const isThere = rows.length > 0 && (offset === undefined || offset === size);
    return { total, more: isThere && total !== undefined && total > size };
  }

  /** Reads the row with the latest time, and the total. */
  latest(): Promise<ListPage> {
    return this.lastOf(undefined);
  }

  /** Reads the last rows of a span, sorted by time, latest first. */
  lastOf(span: Span | undefined, limit = 1): Promise<ListPage> {
    const list = this.#list({ ...this.#bounds(span), sortBy: 'timestamp', sortOrder: 'desc' });
    return this.#ask(list, { limit });
  }

  /** Reads the rows of a span, sorted by creation time, newest first. */
  newest(span: Span | undefined): AsyncGenerator<WalkedPage> {
    const query = { ...this.#bounds(span), sortBy: 'createdAt', sortOrder: 'desc' } as const;
    return this.#walk({ query, parse: (row) => row, overlap: timeOf, toTheEnd: true });
  }

  #walk<R>({
    query,
    reader,
    parse,
    ...options
  }: Omit<WalkOptions<R>, 'fetch'> & {
    readonly query: LedgerFilters;
    readonly reader?: RecordReader | undefined;
    readonly parse: (row: unknown) => R;
  }): AsyncGenerator<WalkedPage<R>> {
    const list = this.#list(query, reader);
    const fetch = async (position: PagePosition) => {
      const page = await this.#ask(list, position);
      return { ...page, rows: page.rows.map(parse) };
    };
    const start = { offset: 0, limit: LARGEST_PAGE };
    return walkPages({ ...options, fetch, start, style: 'offset' });
  }

  #upwards(span: Span | undefined): LedgerFilters {
    return { ...this.#bounds(span), sortBy: 'timestamp', sortOrder: 'asc' };
  }

  #bounds(span: Span | undefined): Pick<LedgerFilters, 'startTime' | 'endTime'> {
    const { span: own, sent } = this.#options.selection;
    const lowest = sent.startTime ?? (own.from === undefined ? undefined : own.from - 1);
    const highest = sent.endTime ?? (own.to === undefined ? undefined : own.to + 1);
    if (span === undefined) return { startTime: lowest, endTime: highest };
    const from = Math.max(lowest ?? Number.NEGATIVE_INFINITY, span.from - 1);
    return {
      startTime: Number.isFinite(from) ? from : undefined,
      endTime: Math.min(highest ?? Number.POSITIVE_INFINITY, span.to + 1),
    };
  }

  #list(query: LedgerFilters, reader?: RecordReader): Listing<unknown> {
    const { client, selection, signal } = this.#options;
    const list = client.ledgers.list({ ...selection.filters, ...query }, { signal });
    return reader ? list.readBy(reader) : list.asServed();
  }

  async #ask(list: Listing<unknown>, position: PagePosition): Promise<ListPage> {
    const { pace, signal } = this.#options;
    for (let failures = 0; ; failures++) {
      try {
        const page = await pace.run(() => list.page(position));
        this.#lastSuccess = performance.now();
        this.#check.check(page.rows);
        if (page.oddTotal === undefined) return page;
        this.#oddTotal ??= page.oddTotal;
        const { total: _odd, ...rest } = page;
        return rest;
      } catch (error) {
        if (!this.#worthWaiting(error)) throw error;
        await sleep(Math.min(10_000, this.#options.backoff * 2 ** failures), signal);
      }
    }
  }

  /** Whether to retry after a failure. A failure of the network or the service should not end a long export. */
  #worthWaiting(error: unknown): boolean {
    if (!(error instanceof CryptodataError) || this.#lastSuccess === undefined) return false;
    if (error.code === 'NESTED_TOO_DEEPLY') return false;
    if (!['network', 'service', 'rateLimited'].includes(error.kind)) return false;
    return performance.now() - this.#lastSuccess < this.#options.patience;
  }
}
