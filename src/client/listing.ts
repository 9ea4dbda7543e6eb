import type { Paging } from '../api/endpoint.ts';
import { decodeText } from '../core/body.ts';
import type { Api } from '../core/credentials.ts';
import { type JsonRecord, parseJson } from '../core/json.ts';
import type { Query } from './address.ts';
import { type CallPromise, callPromise } from './call-promise.ts';
import { callerOfEach } from './caller.ts';
import type { CallOptions } from './options.ts';
import { fetchPage, type WalkedPage, walkPages } from './paging.ts';
import type { PagePosition } from './paging-styles.ts';
import type { Notice, ServiceAnswer } from './request.ts';
import { type ListPage, readList } from './response.ts';
import type { Transport } from './transport.ts';

export interface ListRequest extends CallOptions {
  readonly api: Api;
  readonly path: readonly string[];
  readonly auth: boolean;
  /** Filters and, optionally, `limit`, `offset` or `page`. */
  readonly query?: Query | undefined;
  /** The largest page size that the service accepts. Used to read several pages if `query` contains no `limit`. */
  readonly allLimit?: number | undefined;
  /** Paging style (default: `open`). With `open`, the responses determine whether the list is paged by offset or by page. */
  readonly style?: Paging['style'] | undefined;
  /** See {@link Listing.identified}. */
  readonly identified?: boolean | undefined;
}

/** How to read the pages of a list. */
export interface PagesOptions<T = unknown> {
  /** Number of rows that the caller needs; the page size is at most this number. */
  readonly maximum?: number | undefined;
  /** Whether to read until a page has no new row. If false, the fields of a page can end the list earlier. */
  readonly toTheEnd?: boolean | undefined;
  /** @internal */
  readonly overlap?: ((row: T) => unknown) | undefined;
}

/**
 * Reads the pages of a list. This reader is faster than the default reader, because it does not parse the whole page.
 *
 * @internal
 */
export interface RecordReader {
  /**
   * @param page valid UTF-8
   * @returns the envelope, with rows in the reader's own format; undefined if the reader does not support the page
   */
  read(page: Buffer): JsonRecord | undefined;
}

/** @internal */
export interface ListingParts<T> {
  readonly transport: Transport;
  readonly request: ListRequest;
  readonly parse: (row: unknown) => T;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly reader?: RecordReader | undefined;
}

/**
 * A list that sends requests only while it is read. Use `for await` for all rows, `page()` for one page, and `pages()` for all
 * pages. If the list is read twice, all requests are sent twice.
 *
 * If rows are added during the read, existing rows can be skipped or repeated. If the service reports more rows than its pages
 * contain, the read ends with the UnverifiedError `LIST_ENDED_EARLY`.
 */
export interface Listing<T> extends AsyncIterable<T> {
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  /** Whether the field `id` identifies a row. If false, several rows may have the same id. */
  readonly identified: boolean;
  /**
   * Returns the page at `position` (default: `limit`, `offset` and `page` of the query). `total` is the number of rows in the
   * whole list.
   */
  page(position?: PagePosition): CallPromise<ListPage<T>>;
  /** Yields every page, starting with the page that `page()` returns. Requests a page only when the caller needs it. */
  pages(options?: PagesOptions<T>): AsyncGenerator<WalkedPage<T>, void, undefined>;
  /** Yields every row, or the first `maximum` rows, with as few requests as possible. */
  rows(maximum?: number): AsyncGenerator<T, void, undefined>;
  /** Returns this list, but with rows exactly as the service sends them. The fields of these rows are not checked. */
  asServed(): Listing<unknown>;
  /**
   * Returns a copy of this list that reads its pages with `reader`. If the reader cannot read a page, the page is parsed in the
   * default way, and its records are returned unchanged.
   *
   * @internal
   */
  readBy(reader: RecordReader): Listing<unknown>;
}

/** @internal */
export class RequestedList<T> implements Listing<T> {
  readonly #parts: ListingParts<T>;

  constructor(parts: ListingParts<T>) {
    this.#parts = parts;
  }

  get identified(): boolean {
    return this.#parts.request.identified === true;
  }

  page(position?: PagePosition): CallPromise<ListPage<T>> {
    const { onNotice, request, transport } = this.#parts;
    return callPromise(transport.redactor, (seen) =>
      fetchPage((at) => this.#fetch(at, seen), position ?? positionOf(request.query), onNotice),
    );
  }

  pages({ maximum = Number.POSITIVE_INFINITY, ...how }: PagesOptions<T> = {}): AsyncGenerator<WalkedPage<T>> {
    const { request, onNotice, transport } = this.#parts;
    const { allLimit, style, query } = request;
    const limit = allLimit === undefined ? undefined : Math.min(allLimit, maximum);
    const pages = walkPages({
      ...{ fetch: (position) => this.#fetch(position), style, onNotice, ...how },
      start: { ...(limit === undefined ? {} : { limit }), ...positionOf(query) },
      identified: this.identified,
    });
    return callerOfEach(transport.redactor, pages);
  }

  async *rows(maximum = Number.POSITIVE_INFINITY): AsyncGenerator<T> {
    if (maximum <= 0) return;
    let left = maximum;
    for await (const { rows } of this.pages({ maximum })) {
      yield* left < rows.length ? rows.slice(0, left) : rows;
      left -= rows.length;
      if (left <= 0) return;
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<T> {
    return this.rows();
  }

  asServed(): Listing<unknown> {
    return new RequestedList({ ...this.#parts, parse: (row) => row });
  }

  readBy(reader: RecordReader): Listing<unknown> {
    return new RequestedList({ ...this.#parts, parse: (row) => row, reader });
  }

  async #fetch(position: PagePosition, seen?: Seen): Promise<ListPage<T>> {
    const page = await this.#request(position, seen);
    return { ...page, rows: page.rows.map(this.#parts.parse) };
  }

  async #request(position: PagePosition, seen: Seen = () => {}): Promise<ListPage> {
    const { transport, request, reader } = this.#parts;
    const { api, path, auth, signal, timeout, retries, headers: own } = request;
    const query = { ...request.query, ...NOWHERE, ...position };
    const page = {
      ...({ method: 'GET', api, path, auth, signal, timeout, retries, query } as const),
      headers: own,
    };
    if (reader) {
      const read = (bytes: Buffer) => reader.read(bytes) ?? parsedList(bytes);
      const answer = await transport.request({ ...page, read });
      seen(answer);
      // If the bytes are not JSON, request the page again as JSON. The transport then retries, and explains the error.
      if (answer.body !== undefined) return readList(answer.body);
    }
    const answer = await transport.request(page);
    seen(answer);
    const { body, headers } = answer;
    const hint = headers['x-cryptodata-sandbox'];
    return { ...readList(body), ...(hint === undefined ? {} : { hint }) };
  }
}

type Seen = (answer: ServiceAnswer) => void;

function parsedList(bytes: Buffer): unknown {
  try {
    return parseJson(decodeText(bytes));
  } catch {
    return undefined;
  }
}

const NOWHERE = { limit: undefined, offset: undefined, page: undefined };

/** Returns the paging parameters of a query, converted to numbers. */
function positionOf(query: Query = {}): PagePosition {
  const { limit, offset, page } = query;
  return {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
    ...(page === undefined ? {} : { page: Number(page) }),
  };
}
