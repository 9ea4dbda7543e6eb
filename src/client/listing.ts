import type { Paging } from '../api/endpoint.ts';
import type { Api } from '../core/credentials.ts';
import { type JsonRecord, parseJson } from '../core/json.ts';
import type { Query } from './address.ts';
import { join, textOf } from './body.ts';
import { type ListPage, oddTotalOf, readList } from './envelope.ts';
import type { CallOptions } from './options.ts';
import { fetchPage, followPages, type PagePosition } from './paging.ts';
import type { Notice } from './request.ts';
import type { Transport } from './transport.ts';

/** A request for a list. */
export interface ListRequest extends CallOptions {
  readonly api: Api;
  readonly path: readonly string[];
  readonly auth: boolean;
  /** Filters, and optionally `limit`, `offset` or `page`. */
  readonly query?: Query | undefined;
  /** Page size for reading all rows without a `limit`: the largest that the service accepts. */
  readonly allLimit?: number | undefined;
  /** Paging style. The default, `open`, pages by offset unless the responses contain page numbers. */
  readonly style?: Paging['style'] | undefined;
}

/**
 * Reads a page of a list without parsing all of it, which is faster.
 *
 * @internal
 */
export interface RecordReader {
  /**
   * @param page valid UTF-8
   * @returns the envelope, with rows in the reader's own format; undefined if the reader cannot read the page
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
 * A list that is requested only when it is read: `for await` yields every row of every page, `page()` returns one page,
 * `pages()` yields every page. Reading the list twice requests it twice.
 *
 * If rows are added during the read, later rows shift, so rows can be skipped or repeated.
 */
export interface Listing<T> extends AsyncIterable<T> {
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  /** Returns the page at `offset` or `page` (default: the first page). The page's `total` counts the rows of the whole list. */
  page(): Promise<ListPage<T>>;
  /**
   * Yields every page, starting with the page that `page()` returns. Each page is requested when it is needed.
   *
   * @param maximum number of rows needed; larger pages are not requested
   * @param toEmptyPage whether to ignore the total and read until an empty page
   */
  pages(maximum?: number, toEmptyPage?: boolean): AsyncGenerator<ListPage<T>, void, undefined>;
  /** Yields every row, or the first `maximum` rows, with as few requests as possible. */
  rows(maximum?: number): AsyncGenerator<T, void, undefined>;
  /** This list with the rows exactly as the service sends them. The types of fields are not checked. */
  asServed(): Listing<unknown>;
  /**
   * This list with pages read by `reader`. If the reader cannot read a page, the page has the records as the service sends them.
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

  async page(): Promise<ListPage<T>> {
    const { onNotice, request } = this.#parts;
    const position = positionOf(request.query);
    return this.#parsed(await fetchPage((position) => this.#fetch(position), position, onNotice));
  }

  pages(maximum = Number.POSITIVE_INFINITY, toEmptyPage = false): AsyncGenerator<ListPage<T>> {
    const { allLimit } = this.#parts.request;
    return this.#follow(allLimit === undefined ? allLimit : Math.min(allLimit, maximum), toEmptyPage);
  }

  async *rows(maximum = Number.POSITIVE_INFINITY): AsyncGenerator<T> {
    if (maximum <= 0) return;
    let left = maximum;
    for await (const { rows } of this.pages(maximum)) {
      yield* left < rows.length ? rows.slice(0, left) : rows;
      left -= rows.length;
      if (left <= 0) return;
    }
  }

  async *#follow(limit: number | undefined, toEmptyPage: boolean): AsyncGenerator<ListPage<T>> {
    const { request, onNotice } = this.#parts;
    const start = { limit, ...positionOf(request.query) };
    const options = { ...start, style: request.style, toEmptyPage, onNotice };
    for await (const page of followPages((position) => this.#fetch(position), options)) {
      yield this.#parsed(page);
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

  async #fetch(position: PagePosition): Promise<ListPage> {
    const { transport, request, reader } = this.#parts;
    const { api, path, auth, signal, timeout, retries } = request;
    const query = { ...request.query, ...NOWHERE, ...position };
    const page = { method: 'GET', api, path, auth, signal, timeout, retries, query } as const;
    if (reader) {
      const { body } = await transport.request({ ...page, as: 'bytes' });
      const bytes = join(body as readonly Uint8Array[]);
      const read = reader.read(bytes) ?? parsedList(bytes);
      // If the bytes are not JSON, request the page again without `as`, so that the transport retries the request and explains
      // the error.
      if (read !== undefined) return pageOf(read);
    }
    const { body, headers } = await transport.request(page);
    const hint = headers['x-cryptodata-sandbox'];
    return { ...pageOf(body), ...(hint === undefined ? {} : { hint }) };
  }

  #parsed(page: ListPage): ListPage<T> {
    return { ...page, rows: page.rows.map(this.#parts.parse) };
  }
}

function pageOf(body: unknown): ListPage {
  const oddTotal = oddTotalOf(body);
  return { ...readList(body), ...(oddTotal === undefined ? {} : { oddTotal }) };
}

function parsedList(bytes: Buffer): unknown {
  try {
    return parseJson(textOf(bytes));
  } catch {
    return undefined;
  }
}

const NOWHERE = { limit: undefined, offset: undefined, page: undefined };

/** The paging parameters of a query as numbers. */
function positionOf(query: Query = {}): PagePosition {
  const { limit, offset, page } = query;
  return {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
    ...(page === undefined ? {} : { page: Number(page) }),
  };
}
