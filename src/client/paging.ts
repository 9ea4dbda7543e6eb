import type { Paging } from '../api/endpoint.ts';
import { ServiceError, UpstreamError } from '../core/errors.ts';
import { idHash } from '../core/id-hash.ts';
import { stringifyJson } from '../core/json.ts';
import type { ListPage } from './envelope.ts';
import type { Notice } from './request.ts';

/** Query parameters that select a page. */
export interface PagePosition {
  readonly limit?: number;
  readonly offset?: number;
  readonly page?: number;
}

export interface PagerOptions {
  /** Page size to request (default: the service's default). */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** Number of the first page, starting at 1. */
  readonly page?: number | undefined;
  /** Paging style (default: `open`). If the first response shows another style, that style is used. */
  readonly style?: Paging['style'] | undefined;
  /** Whether to ignore the total and read until a page is empty. */
  readonly toEmptyPage?: boolean | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

export type FetchPage = (position: PagePosition) => Promise<ListPage>;

/**
 * Reads a list to its end. The fields `total`, `hasMore` and `totalPages` mark the end. If these fields are missing or
 * contradictory, reading continues until a page is empty. The first page is yielded even if it is empty.
 *
 * Reading also continues after a short page, because the service may have silently reduced the page size. Some services cap
 * `total`. Therefore, with paging by offset, reading continues after a full page, even if `total` is reached. However, the
 * list ends there if `hasMore` is false.
 *
 * @throws ServiceError `BAD_PAGING` if the service repeats a page or returns a page that was not requested. Continuing would
 * lose or duplicate rows.
 */
export async function* followPages(fetch: FetchPage, options: PagerOptions): AsyncGenerator<ListPage> {
  const { limit, offset, page, style = 'open', toEmptyPage = false, onNotice } = options;
  let asked: PagePosition = {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(page === undefined ? {} : { page }),
  };
  let answer = await fetchPage(fetch, asked, onNotice);
  const shown = shownStyle(answer);
  const byPage = (shown ?? (page === undefined ? style : 'page')) === 'page';
  const progress = new Progress(answer, asked, byPage, toEmptyPage);
  // If neither the first response nor the user determines the style, the declared style is a guess. If this style returns the
  // same rows again, try the other style.
  const isDecided = shown !== undefined || page !== undefined || offset !== undefined;
  let ways = isDecided ? [byPage] : [byPage, !byPage];
  while (true) {
    const { rows } = answer;
    yield answer;
    if (progress.isLast(answer, asked) || (style === 'none' && !showsPaging(answer))) break;
    const next = await nextPage(fetch, progress, answer, asked, ways);
    ways = [next.byPage];
    progress.byPage = next.byPage;
    if (next.refusal) {
      // The service may reject paging parameters for an unpaged list, or reject a page after the end of the list.
      if (!showsPaging(answer) || progress.isLast(answer, asked, false)) break;
      throw next.refusal;
    }
    asked = next.asked;
    if (progress.endsBefore(next.answer, asked)) break;
    if (next.answer.rows.length === 0) {
      answer = { ...answer, ...next.answer, rows };
      break;
    }
    answer = next.answer;
    progress.take(answer);
  }
  progress.reportTotal(answer, onNotice);
}

/** Fetches a page. Calls `onNotice` if the returned page size or offset is not the requested one. */
export async function fetchPage(
  fetch: FetchPage,
  asked: PagePosition,
  onNotice: PagerOptions['onNotice'],
): Promise<ListPage> {
  const answer = await fetch(asked);
  reportClamp(answer, asked, onNotice);
  reportStart(answer, asked, onNotice);
  return answer;
}

type NextPage = { readonly asked: PagePosition; readonly byPage: boolean } & (
  | { readonly answer: ListPage; readonly refusal?: undefined }
  | { readonly refusal: ServiceError }
);

/**
 * Fetches the page after `before`. Tries each paging style in `ways` until a style returns new rows. If no style does, returns
 * the result of the first style.
 */
async function nextPage(
  fetch: FetchPage,
  progress: Progress,
  before: ListPage,
  at: PagePosition,
  ways: readonly boolean[],
): Promise<NextPage> {
  let first: NextPage | undefined;
  for (const byPage of ways) {
    const next = await tryPage(fetch, positionAfter(before, at, byPage), byPage);
    if (!next.refusal && !progress.repeats(next.answer)) return next;
    first ??= next;
  }
  if (first === undefined) throw new Error('no paging style was given');
  return first;
}

async function tryPage(fetch: FetchPage, asked: PagePosition, byPage: boolean): Promise<NextPage> {
  try {
    return { asked, byPage, answer: await fetch(asked) };
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'rejected') return { asked, byPage, refusal: error };
    throw error;
  }
}

function positionAfter(answer: ListPage, asked: PagePosition, byPage: boolean): PagePosition {
  // Continue with the page size that the service used, so that pages do not overlap or leave gaps.
  const limit = answer.limit ?? asked.limit;
  const size = limit === undefined ? {} : { limit };
  if (byPage) return { ...size, page: (answer.page ?? asked.page ?? 1) + 1 };
  return { ...size, offset: (answer.offset ?? asked.offset ?? 0) + answer.rows.length };
}

function shownStyle({ offset, page, totalPages }: ListPage): 'offset' | 'page' | undefined {
  const byPage = page !== undefined || totalPages !== undefined;
  if (byPage === (offset !== undefined)) return undefined;
  return byPage ? 'page' : 'offset';
}

/** Tracks how far a list has been read, and detects its end. */
class Progress {
  byPage: boolean;
  readonly #toEmptyPage: boolean;
  readonly #seen = new Set<number>();
  /** Number of rows on all pages so far, which is the offset of the next page; undefined if unknown. */
  #end: number | undefined;

  constructor(answer: ListPage, asked: PagePosition, byPage: boolean, toEmptyPage: boolean) {
    this.byPage = byPage;
    this.#toEmptyPage = toEmptyPage;
    this.#end = byPage ? rowsBefore(answer, asked) : (answer.offset ?? asked.offset ?? 0);
    this.take(answer);
  }

  take(answer: ListPage): void {
    this.#seen.add(fingerprint(answer.rows));
    if (this.#end !== undefined) this.#end += answer.rows.length;
  }

  /** Whether the fields of a page show that it is the last page. */
  isLast(answer: ListPage, asked: PagePosition, toEmptyPage = this.#toEmptyPage): boolean {
    const { rows, total, hasMore, page, totalPages } = answer;
    if (rows.length === 0) return true;
    if (hasMore === true || toEmptyPage) return false;
    const end = this.#end;
    if (total !== undefined && end !== undefined) {
      if (end < total) return false;
      // Some services cap the total, or report 0 for a list that has rows. Continue after a full page, or if more rows than the
      // total have been read.
      const size = answer.limit ?? asked.limit;
      const isFull = size !== undefined && rows.length >= size;
      return hasMore === false || this.byPage || (!isFull && end === total);
    }
    if (hasMore === false) return true;
    return page !== undefined && totalPages !== undefined && page >= totalPages;
  }

  /** Whether an earlier page had the same rows. */
  repeats({ rows }: ListPage): boolean {
    return this.#seen.has(fingerprint(rows));
  }

  /**
   * Whether `answer` shows that the list ended with the previous page.
   *
   * @throws ServiceError `BAD_PAGING`
   */
  endsBefore(answer: ListPage, asked: PagePosition): boolean {
    if (answer.rows.length === 0) return false;
    const isWhole = this.#isWholeAgain(answer);
    if (asked.page !== undefined && answer.page !== undefined && answer.page !== asked.page) {
      // For a page after the end, some services return the last page again.
      if (answer.page < asked.page) return true;
      throw stuck(`returned page ${answer.page} instead of page ${asked.page}`);
    }
    if (asked.offset !== undefined && answer.offset !== undefined && answer.offset !== asked.offset) {
      if (isWhole) return true;
      throw stuck(`started at row ${answer.offset} instead of row ${asked.offset}`);
    }
    if (!this.repeats(answer)) return false;
    // The list is not paged: the service returned the same rows again.
    if (isWhole || !showsPaging(answer)) return true;
    throw stuck('returned the same page again');
  }

  /**
   * Detects a list that is not paged. Returns true if the service returned all rows again. With `toEmptyPage`, a page with an
   * offset or a page number must also contain `hasMore: false`. Otherwise, the service may be stuck on one page.
   */
  #isWholeAgain(answer: ListPage): boolean {
    const { total, hasMore, offset, page } = answer;
    const isWhole = total === undefined ? hasMore === false : this.#end === total && hasMore !== true;
    const isPlaced = offset !== undefined || page !== undefined;
    return isWhole && this.repeats(answer) && (!this.#toEmptyPage || !isPlaced || hasMore === false);
  }

  reportTotal(answer: ListPage, onNotice: PagerOptions['onNotice']): void {
    const { total } = answer;
    if (total === undefined || this.#end === undefined || this.#end === total) return;
    onNotice?.({
      code: 'TOTAL_MISMATCH',
      message: `The list ended after ${this.#end} rows, but the service reported a total of ${total} rows`,
      asked: total,
      got: this.#end,
    });
  }
}

function rowsBefore(answer: ListPage, asked: PagePosition): number | undefined {
  const page = answer.page ?? asked.page ?? 1;
  if (page === 1) return 0;
  // The page size that the service reports is reliable only for a full page.
  return answer.limit === answer.rows.length ? (page - 1) * answer.limit : undefined;
}

function reportClamp(answer: ListPage, asked: PagePosition, onNotice: PagerOptions['onNotice']): void {
  if (asked.limit === undefined || answer.limit === undefined || asked.limit === answer.limit) return;
  onNotice?.({
    code: 'LIMIT_CLAMPED',
    message: `The service used a page size of ${answer.limit} instead of ${asked.limit}`,
    asked: asked.limit,
    got: answer.limit,
  });
}

/**
 * Calls `onNotice` if the service ignored the requested offset. If the response has no offset, calculates the offset from the
 * page number and size.
 */
function reportStart(answer: ListPage, asked: PagePosition, onNotice: PagerOptions['onNotice']): void {
  const { offset, page, limit } = answer;
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

function showsPaging(answer: ListPage): boolean {
  const { total, limit, offset, page, totalPages, hasMore } = answer;
  return [total, limit, offset, page, totalPages, hasMore].some((fact) => fact !== undefined);
}

/** Identifies a page by its length, first row and last row. Hashing all rows would take longer than reading the page. */
function fingerprint(rows: readonly unknown[]): number {
  return idHash(`${rows.length}\n${stringifyJson(rows.at(0))}\n${stringifyJson(rows.at(-1))}`);
}

function stuck(what: string): ServiceError {
  return new UpstreamError('BAD_PAGING', `Cannot read the whole list: the service ${what}`, {
    hint: 'Use a larger page size (limit). If rows are being added, try again later.',
  });
}
