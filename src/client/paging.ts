import type { Paging } from '../api/endpoint.ts';
import {
  NotFoundError,
  RejectedError,
  type ServiceError,
  UnverifiedError,
  UpstreamError,
} from '../core/errors.ts';
import { IdHashes } from '../core/id-hash.ts';
import { contentOf, identityOf, idOf } from '../core/identity.ts';
import { isRecord } from '../core/json.ts';
import { KnownRows } from './known-rows.ts';
import { overlapIn, overlapOf } from './overlap.ts';
import {
  offsetStyle,
  type PagePosition,
  type PageStyle,
  pageStyle,
  shownStyle,
  showsPaging,
} from './paging-styles.ts';
import type { Notice } from './request.ts';
import type { ListPage } from './response.ts';

/** @internal */
export interface WalkOptions<R = unknown> {
  readonly fetch: (position: PagePosition) => Promise<ListPage<R>>;
  /** The first page to request (default: the first page of the list, with the service's default size). */
  readonly start?: PagePosition | undefined;
  /** Paging style (default: `open`). If the first response shows a different style, the style of the response is used. */
  readonly style?: Paging['style'] | undefined;
  /** Whether to read until a page has no new row. If false, the fields of a page can end the list earlier. */
  readonly toTheEnd?: boolean | undefined;
  /**
   * Returns the value that the list is sorted by. If set, each page that is read by offset starts with the last rows of the
   * previous page, so that rows that moved are noticed; see {@link overlapOf}. If the list ends early, no error is thrown,
   * because the caller compares the rows with the total.
   */
  readonly overlap?: ((row: R) => unknown) | undefined;
  /** Returns a text that identifies a row. */
  readonly identify?: ((row: R) => string) | undefined;
  /** Whether two rows with the same identity are always the same row (default: true). */
  readonly identified?: boolean | undefined;
  /** Returns the record of a row without an id; undefined if the row has an id. */
  readonly withoutId?: ((row: R) => unknown) | undefined;
  /** Stores a row. Returns whether the row is new. By default, a row is new if no earlier row has the same identity. */
  readonly take?: ((row: R) => boolean) | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

/** A page of a walk. `rows` does not contain the rows that the page was requested to repeat, and did repeat. */
export interface WalkedPage<R = unknown> extends ListPage<R> {
  /** The rows that are new. */
  readonly fresh: readonly R[];
  /**
   * False if the page should have started with the last rows of the previous page, but did not. Undefined if an overlap was
   * impossible, because a page has only one row or because the list is read by page number.
   */
  readonly joined: boolean | undefined;
  /** Whether rows are identified by their ids. If false, equal rows may be different records. */
  readonly hasIds: boolean;
}

/**
 * Reads the pages of a list. No other code follows pages. The first page is yielded even if it is empty. If only a further
 * request shows the end of the list, the response to that request is yielded as a page without rows.
 *
 * The end is marked by the fields `total`, `hasMore` and `totalPages`, by an empty page, or by a page without a new row.
 * Therefore, the walk always ends, unless the service never stops inventing new rows. A row without an id is new if its content
 * is new. One page is requested again to find the values that change with each response. The walk continues after a short page,
 * because the service may have silently reduced the page size. The walk also continues after a full page that reaches the
 * total, because some services cap the total.
 *
 * @throws ServiceError `BAD_PAGING` if the service repeats a page before the end, or returns a page that was not requested
 * @throws UnverifiedError `LIST_ENDED_EARLY` if the list ends although the service reported more rows
 */
export async function* walkPages<R>(options: WalkOptions<R>): AsyncGenerator<WalkedPage<R>, void, undefined> {
  const { fetch, start = {}, onNotice } = options;
  let asked = start;
  let page = await fetchPage(fetch, asked, onNotice);
  const walk = new Walk(options, page);
  let taken: Taken<R> = walk.takeFirst(page, asked);
  while (true) {
    yield { ...page, ...taken, hasIds: walk.hasIds };
    if (walk.isLast(page, asked)) return walk.finish(page);
    const next = await walk.next(page, asked);
    if ('refusal' in next) {
      if (walk.mayRefuse(page, asked)) return walk.finish(page);
      throw next.refusal;
    }
    if (next.taken.fresh.length === 0) {
      const end = atEnd(page, next.page);
      yield { ...end, rows: [], fresh: [], joined: walk.isJoined(next), hasIds: walk.hasIds };
      return walk.checkEnd(page, { ...next, page: { ...end, rows: next.page.rows } });
    }
    ({ page, asked, taken } = next);
  }
}

/** Fetches a page. Calls `onNotice` if the page does not have the requested size or offset. */
export async function fetchPage<R>(
  fetch: WalkOptions<R>['fetch'],
  asked: PagePosition,
  onNotice: WalkOptions['onNotice'],
): Promise<ListPage<R>> {
  const page = await fetch(asked);
  reportClamp(page, asked, onNotice);
  reportStart(page, asked, onNotice);
  return page;
}

/** @returns an error if the page is empty although the service reports rows at this position */
export function checkOnly(page: ListPage, offset = 0): UnverifiedError | undefined {
  if (page.rows.length > 0) return undefined;
  const { total, hasMore } = page;
  return (total ?? 0) > offset || hasMore === true ? endedEarly(offset, total) : undefined;
}

/** Whether the service rejected a request for a page. Some services reject a request for a page after the end of the list. */
export function isRefusedPage(error: unknown): error is RejectedError | NotFoundError {
  return error instanceof RejectedError || error instanceof NotFoundError;
}

type Taken<R> = Pick<WalkedPage<R>, 'rows' | 'fresh' | 'joined'>;

interface Attempt {
  readonly style: PageStyle;
  readonly asked: PagePosition;
  /** Number of rows of the previous page that this page should repeat. */
  readonly overlap: number;
}

interface NextPage<R> {
  readonly asked: PagePosition;
  readonly page: ListPage<R>;
  readonly taken: Taken<R>;
}

class Walk<R> {
  readonly #options: WalkOptions<R>;
  readonly #identify: (row: R) => string;
  readonly #take: (row: R) => boolean;
  /** The paging styles to try. After the second page, only the style that worked is left. */
  #styles: readonly [PageStyle, ...PageStyle[]];
  /**
   * `#start`: number of rows before the first page. `#reached`: number of rows up to the end of the current page. An unknown
   * number is undefined.
   */
  #start: number | undefined;
  #reached: number | undefined;
  #distinct = 0;
  readonly #firstTotal: number | undefined;
  /** `#first` and `#latest` identify the first page and the latest page, each by its first and its last row. */
  #first = '';
  #latest = '';
  readonly #known: KnownRows<R>;
  /** Whether rows are identified by their ids. */
  readonly hasIds: boolean;
  #overlaps: boolean;
  /** `#firstPage`: the first page. `#isFirst`: whether no later page has been read. */
  readonly #firstPage: ListPage<R>;
  #isFirst = true;

  constructor(options: WalkOptions<R>, page: ListPage<R>) {
    const { style = 'open', start, identified = true } = options;
    this.#options = options;
    this.#firstTotal = page.total;
    this.#firstPage = page;
    const idIn = (row: R) => (isRecord(row) ? idOf(row) : undefined);
    const ids = new Set(page.rows.map(idIn));
    this.hasIds = identified || (!ids.has(undefined) && ids.size === page.rows.length);
    this.#overlaps = options.overlap !== undefined && this.hasIds;
    this.#known = new KnownRows(
      options.withoutId ?? ((row) => (this.hasIds && idIn(row) !== undefined ? undefined : row)),
    );
    const identify = options.identify ?? (this.hasIds ? identityOf : contentOf);
    this.#identify = identify;
    const seen = new IdHashes();
    this.#take = options.take ?? ((row) => seen.add(identify(row)));
    const shown = shownStyle(page);
    const isByPage = (shown ?? (start?.page === undefined ? style : 'page')) === 'page';
    // If neither the first response nor the user determines the style, the declared style is a guess. If this style returns no
    // new rows, try the other style.
    const isDecided = shown !== undefined || start?.page !== undefined || start?.offset !== undefined;
    const [likely, other] = isByPage
      ? ([pageStyle, offsetStyle] as const)
      : ([offsetStyle, pageStyle] as const);
    this.#styles = isDecided ? [likely] : [likely, other];
  }

  takeFirst(page: ListPage<R>, asked: PagePosition): Taken<R> {
    const taken = this.#takeRows(page);
    this.#reached = this.#styles[0].reached(page, asked, undefined);
    this.#start = this.#reached && this.#reached - page.rows.length;
    this.#first = this.#latest;
    return taken;
  }

  isLast(page: ListPage, asked: PagePosition): boolean {
    if (page.rows.length === 0) {
      this.#checkEmpty(page, page);
      return true;
    }
    if (page.hasMore !== true && this.#options.style === 'none' && !showsPaging(page)) return true;
    return this.#options.toTheEnd !== true && this.isMarkedLast(page, asked);
  }

  isMarkedLast(page: ListPage, asked: PagePosition): boolean {
    const { total, hasMore, page: number, totalPages } = page;
    if (hasMore === true) return false;
    const reached = this.#reached;
    if (total !== undefined && reached !== undefined) {
      return reached >= total && this.#styles[0].isLast(page, asked, reached);
    }
    return hasMore === false || (number !== undefined && totalPages !== undefined && number >= totalPages);
  }

  /**
   * Whether a rejected request for the next page may mean that `page` is the last page. Some services reject a request for a
   * page after the end of the list, and some reject paging parameters if the list is not paged.
   */
  mayRefuse(page: ListPage, asked: PagePosition): boolean {
    if (this.#isFirst && !showsPaging(page)) return true;
    if (page.total !== undefined) return !this.#isEarly(page, page);
    const isShort = page.rows.length < Math.max(page.limit ?? 0, this.#firstPage.rows.length);
    return this.isMarkedLast(page, asked) || (page.hasMore !== true && isShort);
  }

  /**
   * Fetches the page after `page`. Tries each possible request until one returns new rows or shows the end of the list. If no
   * request does, returns the first result.
   */
  async next(
    page: ListPage<R>,
    asked: PagePosition,
  ): Promise<NextPage<R> | { readonly refusal: ServiceError }> {
    let first: NextPage<R> | { readonly refusal: ServiceError } | undefined;
    for (const attempt of this.#attempts(page, asked)) {
      const result = await this.#try(attempt.asked);
      if ('refusal' in result) {
        first ??= result;
        continue;
      }
      const { style, overlap } = attempt;
      const wrong = style.misplaced(result.page, result.asked);
      // If a service supports only offsets that are multiples of the page size, an overlapping page may start too early.
      if (wrong !== undefined && overlap > 0) {
        first ??= { ...result, taken: NOTHING_NEW };
        continue;
      }
      const next = { ...result, taken: await this.#takeNext(result.page, page, asked, overlap) };
      if (next.taken.fresh.length > 0) {
        if (wrong !== undefined) throw badPaging(wrong);
        this.#styles = [style];
        this.#isFirst = false;
        this.#overlaps = overlap > 0 || (this.#overlaps && page.rows.length === 1);
        this.#reached = style.reached(result.page, result.asked, this.#reached);
        return next;
      }
      const isEnd = result.page.rows.length === 0 || this.#isComplete(page, result.page);
      // An overlapping page after the end contains only the last rows.
      const isOverlap = overlap > 0 && next.taken.joined === true && next.taken.rows.length === 0;
      if (isEnd || isOverlap) return next;
      first ??= next;
    }
    if (first === undefined) throw new Error('there is no paging style');
    return first;
  }

  *#attempts(page: ListPage<R>, asked: PagePosition): Generator<Attempt> {
    const keyOf = this.#overlaps ? this.#options.overlap : undefined;
    const overlap = keyOf ? overlapOf(page.rows.map(keyOf)) : 0;
    for (const style of this.#styles) {
      if (overlap > 0 && style === offsetStyle)
        yield { style, asked: style.after(page, asked, overlap), overlap };
      const after = style.after(page, asked, 0);
      // If no page number is known, the service may number pages from 0, so that the second page has the number 1.
      const isUnknown = page.page === undefined && asked.page === undefined;
      if (style === pageStyle && isUnknown) yield { style, asked: { ...after, page: 1 }, overlap: 0 };
      yield { style, asked: after, overlap: 0 };
    }
  }

  async #takeNext(
    next: ListPage<R>,
    page: ListPage<R>,
    asked: PagePosition,
    overlap: number,
  ): Promise<Taken<R>> {
    const { fetch, start = {} } = this.#options;
    const rows = await this.#known.newRows(next.rows, [page.rows, this.#firstPage.rows], {
      again: async (at) => (await fetch(at === 0 ? asked : start)).rows,
      mayHaveEnded: page.total !== undefined && !this.#isEarly(page, page),
    });
    const repeated = page.rows.slice(page.rows.length - overlap);
    if (rows === undefined || rows.length === next.rows.length) return this.#takeRows(next, repeated);
    if (rows.length === 0) return NOTHING_NEW;
    return { ...this.#takeRows({ ...next, rows }, repeated), joined: false };
  }

  async #try(
    asked: PagePosition,
  ): Promise<Pick<NextPage<R>, 'asked' | 'page'> | { readonly refusal: ServiceError }> {
    try {
      return { asked, page: await this.#options.fetch(asked) };
    } catch (error) {
      if (isRefusedPage(error)) return { refusal: error };
      throw error;
    }
  }

  /** @param repeated the rows of the previous page that this page should repeat */
  #takeRows(page: ListPage<R>, repeated: readonly R[] = []): Taken<R> {
    const isFresh = page.rows.map(this.#take);
    const { overlap: keyOf } = this.#options;
    const overlap = keyOf ? overlapIn(page.rows, repeated, { keyOf, identify: this.#identify }) : 0;
    const isJoined = overlap !== undefined && (overlap === 0 || isFresh[0] === false);
    const rows = isJoined ? page.rows.filter((_, at) => at >= overlap || isFresh[at]) : page.rows;
    const fresh = page.rows.filter((_, at) => isFresh[at]);
    this.#distinct += fresh.length;
    if (fresh.length > 0) this.#latest = this.#endsOf(page);
    // If the caller requested overlapping pages but this page does not overlap, moved rows cannot be detected.
    const isUnknown =
      keyOf !== undefined && this.hasIds && repeated.length === 0 && this.#reached !== undefined;
    return { rows, fresh, joined: isUnknown && rows.length > 0 ? undefined : isJoined };
  }

  #endsOf({ rows }: ListPage<R>): string {
    const [begin, end] = [rows[0], rows.at(-1)];
    if (begin === undefined || end === undefined) return '';
    return `${rows.length} ${this.#identify(begin)} ${this.#identify(end)}`;
  }

  /**
   * Whether a page without new rows repeats an earlier page, or contains only the last rows of the list, as an overlapping page
   * after the end does.
   */
  isJoined({ page, taken }: NextPage<R>): boolean | undefined {
    return this.#isRepeated(page) || (taken.joined && taken.rows.length === 0);
  }

  /** Whether the service returned the first page or the latest page again. */
  #isRepeated(page: ListPage<R>): boolean {
    return [this.#first, this.#latest].includes(this.#endsOf(page));
  }

  /** Called if `next` has no new row. Throws an error if `page` cannot be the end of the list. */
  checkEnd(page: ListPage<R>, next: NextPage<R>): void {
    if (next.page.rows.length === 0) this.#checkEmpty(page, next.page);
    else this.#checkRepeated(page, next);
  }

  #checkRepeated(page: ListPage<R>, next: NextPage<R>): void {
    // The service may return a page of one row again because rows moved.
    const isStuck = next.page.rows.length > 1 && this.#isRepeated(next.page);
    const mayMove = this.#mayBeShort && next.page.hasMore !== true;
    if (this.#isEarly(page, next.page) && (isStuck || !mayMove)) {
      throw badPaging(
        this.#styles[0].misplaced(next.page, next.asked) ??
          (isStuck ? 'returned the same page again' : 'returned no new row'),
      );
    }
    this.finish({ ...page, ...next.page });
  }

  /**
   * Whether the list may end before the total. If the caller requested overlapping pages, the caller compares the rows with the
   * total.
   */
  get #mayBeShort(): boolean {
    return this.#options.overlap !== undefined && this.hasIds && this.#distinct > 0;
  }

  #checkEmpty(page: ListPage, empty: ListPage): void {
    const end = { ...page, ...empty };
    const mayBeShort = this.#mayBeShort && empty.hasMore !== true;
    if (!mayBeShort && this.#isEarly(page, end)) throw endedEarly(this.#reached, end.total);
    this.finish(end);
  }

  #isComplete(page: ListPage, next: ListPage): boolean {
    return (next.total ?? page.total) !== undefined && !this.#isEarly(page, next);
  }

  /** Whether the service reported more rows than the walk has reached. `next` is the page after the last row. */
  #isEarly(page: ListPage, next: ListPage): boolean {
    const total = next.total ?? page.total;
    if (total !== undefined && this.#reached !== undefined) {
      return this.#reached < total || next.hasMore === true;
    }
    return next.hasMore === true || page.hasMore === true;
  }

  /** Compares the rows with the total at the end of the list. */
  finish({ total }: ListPage): void {
    const { onNotice } = this.#options;
    const [reached, start] = [this.#reached, this.#start];
    if (total === undefined || reached === undefined || start === undefined || this.#distinct === 0) return;
    const distinct = start + this.#distinct;
    // Do not throw if the total changed: rows were added or deleted, so a page may repeat rows of an earlier page.
    if (this.hasIds && !this.#mayBeShort && distinct < total && total === this.#firstTotal) {
      throw endedEarly(distinct, total);
    }
    // `#distinct === total` means that the service returned the whole list, although the walk started at a later row.
    if (reached <= total || (start > 0 && this.#distinct === total)) return;
    onNotice?.({
      code: 'TOTAL_MISMATCH',
      message: `The list has ${reached} rows, but the service reported a total of ${total} rows`,
      asked: total,
      got: reached,
    });
  }
}

/** Merges `last`, a page without new rows, into the page before it. Some services report a total of 0 after the end. */
function atEnd<R>(page: ListPage<R>, last: ListPage<R>): ListPage<R> {
  const { total = 0 } = page;
  return { ...page, ...last, ...(last.total === 0 && total > 0 ? { total } : {}) };
}

const NOTHING_NEW = { rows: [], fresh: [], joined: true } as const;

function reportClamp({ limit }: ListPage, asked: PagePosition, onNotice: WalkOptions['onNotice']): void {
  if (asked.limit === undefined || limit === undefined || asked.limit === limit) return;
  onNotice?.({
    code: 'LIMIT_CLAMPED',
    message: `The service used a page size of ${limit} instead of ${asked.limit}`,
    asked: asked.limit,
    got: limit,
  });
}

/**
 * Calls `onNotice` if the service ignored the requested offset. If the response has no offset, calculates the offset from the
 * page number and size.
 */
function reportStart(
  { offset, page, limit }: ListPage,
  asked: PagePosition,
  onNotice: WalkOptions['onNotice'],
): void {
  if (asked.offset === undefined) return;
  const got = offset ?? (page === undefined || limit === undefined ? undefined : (page - 1) * limit);
  if (got === undefined || got === asked.offset) return;
  onNotice?.({
    code: 'OFFSET_IGNORED',
    message: `The service started at row ${got} instead of row ${asked.offset}`,
    asked: asked.offset,
    got,
  });
}

function badPaging(what: string): ServiceError {
  return new UpstreamError('BAD_PAGING', `Cannot read the whole list: the service ${what}`, {
    hint: 'Use a larger page size (limit). If rows are being added, try again later.',
  });
}

/** Whether the error means that the service repeated a page, or returned a page that was not requested. */
export function isBadPaging(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.code === 'BAD_PAGING';
}

/** Whether the error means that a list ended although the service reported more rows. */
export function isEarlyEnd(error: unknown): error is UnverifiedError {
  return error instanceof UnverifiedError && error.code === 'LIST_ENDED_EARLY';
}

function endedEarly(rows: number | undefined, total: number | undefined): UnverifiedError {
  const more = total === undefined || total <= (rows ?? 0) ? 'that it has more' : `a total of ${total} rows`;
  const after = rows === undefined ? '' : ` after ${rows} ${rows === 1 ? 'row' : 'rows'}`;
  return new UnverifiedError(
    'LIST_ENDED_EARLY',
    `The list ended${after}, but the service reports ${more}. Rows may be missing`,
    { hint: 'Read the list again. If it still ends early, report this to the service.' },
  );
}
