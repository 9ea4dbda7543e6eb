import type { ToolFilter } from '../api/ledgers.ts';
import type { Client } from '../client/client.ts';
import type { ListPage } from '../client/envelope.ts';
import type { RecordReader } from '../client/listing.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { CryptodataError } from '../core/errors.ts';
import { sleep } from '../core/sleep.ts';
import type { OpenSpan, Span } from '../core/span.ts';
import type { Pace } from './pace.ts';
import { RowCheck } from './row-check.ts';
import { type Row, type RowEncoder, rowOf } from './rows.ts';

/** The largest page that GET /v1/ledgers gives ("Paging and size bounds"). */
export const LARGEST_PAGE = 200;

/** What is exported: filters less time, and the time that the user asked for. */
export interface LedgerSelection {
  readonly filters: LedgerFilters;
  /** The user's own span, to the millisecond; rows outside it are not wanted. */
  readonly span: OpenSpan;
  /** `startTime` and `endTime` as the user wants them sent, in the place of a span. */
  readonly sent: { readonly startTime?: number | undefined; readonly endTime?: number | undefined };
  /** Which rows are written, where the service has no such filter: the proof is over all rows of the selection. */
  readonly tool?: ToolFilter | undefined;
}

export interface SourceOptions {
  readonly client: Client;
  readonly selection: LedgerSelection;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  /** Milliseconds for which a service that has answered before may fail before it is given up. */
  readonly patience: number;
  /** Milliseconds before a page is asked for again that the transport gave up; doubles each time. */
  readonly backoff: number;
}

export interface RowCount {
  /** The service's claim. */
  readonly total: number | undefined;
  /** Whether there is a row behind the largest size of a window. */
  readonly more: boolean;
}

/** Pages and totals of GET /v1/ledgers for spans of time. */
export class LedgerSource {
  readonly #options: SourceOptions;
  readonly #check: RowCheck;
  #lastSuccess: number | undefined;
  #oddTotal: string | undefined;

  constructor(options: SourceOptions) {
    const { filters, sent } = options.selection;
    this.#options = options;
    this.#check = new RowCheck({ ...filters, ...sent });
  }

  /** Filters that the rows could not decide. */
  get unchecked(): readonly string[] {
    return this.#check.unchecked;
  }

  /** Why there is no total to compare the rows with. */
  get noTotal(): string {
    return this.#oddTotal === undefined
      ? 'the service gives no total to compare the rows with'
      : `the service gives ${this.#oddTotal} as its total, which is not a whole number`;
  }

  /**
   * A page of the rows of a span, oldest first. Whether the service's bounds are inclusive is not shown, so it is
   * asked for one millisecond more on both sides: the answer holds every row of the span, and maybe neighbours.
   *
   * @param span undefined for all that the user asked for
   */
  page(span: Span | undefined, offset: number, limit = LARGEST_PAGE): Promise<ListPage> {
    return this.#ask(this.#upwards(span, offset, limit));
  }

  /** A page as {@link page}, of rows for a segment. */
  async rows(span: Span | undefined, offset: number, encoder: RowEncoder): Promise<ListPage<Row>> {
    // Only whole records can be checked against filters.
    const reader = this.#check.isNeeded ? undefined : encoder.reader;
    const page = await this.#ask(this.#upwards(span, offset, LARGEST_PAGE), reader);
    return { ...page, rows: page.rows.map((row) => rowOf(row, encoder)) };
  }

  /** How many rows the service has in a span, neighbours included as in {@link page}. */
  async total(span: Span | undefined): Promise<number | undefined> {
    return (await this.page(span, 0, 1)).total;
  }

  /** The total of a span, and whether it really has more than `size` rows. */
  async count(span: Span, size: number): Promise<RowCount> {
    const { total, rows, offset } = await this.page(span, size, 1);
    return { total, more: rows.length > 0 && (offset === undefined || offset === size) };
  }

  /** The last row by time, and the total. */
  latest(): Promise<ListPage> {
    return this.#ask({ ...this.#bounds(undefined), sortBy: 'timestamp', sortOrder: 'desc', limit: 1 });
  }

  /** The last rows of a span by time, latest first. */
  lastOf(span: Span, limit = 1): Promise<ListPage> {
    return this.#ask({ ...this.#bounds(span), sortBy: 'timestamp', sortOrder: 'desc', limit });
  }

  /** Rows of a span, those that the service made last first. */
  newest(span: Span | undefined, offset: number): Promise<ListPage> {
    const order = { sortBy: 'createdAt', sortOrder: 'desc' } as const;
    return this.#ask({ ...this.#bounds(span), ...order, offset, limit: LARGEST_PAGE });
  }

  #upwards(span: Span | undefined, offset: number, limit: number): LedgerFilters {
    return { ...this.#bounds(span), sortBy: 'timestamp', sortOrder: 'asc', offset, limit };
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

  async #ask(query: LedgerFilters, reader?: RecordReader): Promise<ListPage> {
    const { client, selection, pace, signal } = this.#options;
    const list = client.ledgers.list({ ...selection.filters, ...query }, signal);
    const listing = reader ? list.readBy(reader) : list.asServed();
    for (let failures = 0; ; failures++) {
      try {
        const page = await pace.run(() => listing.page());
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

  /** A network that went away may come back, and a service that fails may recover: an export is long. */
  #worthWaiting(error: unknown): boolean {
    if (!(error instanceof CryptodataError) || this.#lastSuccess === undefined) return false;
    if (error.code === 'NESTED_TOO_DEEPLY') return false;
    if (!['network', 'service', 'rateLimited'].includes(error.kind)) return false;
    return performance.now() - this.#lastSuccess < this.#options.patience;
  }
}
