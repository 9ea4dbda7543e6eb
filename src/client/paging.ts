import type { Paging } from '../api/endpoint.ts';
import { ServiceError, UpstreamError } from '../core/errors.ts';
import { idHash } from '../core/id-hash.ts';
import { stringifyJson } from '../core/json.ts';
import type { ListPage } from './envelope.ts';
import type { Notice } from './request.ts';

/** The position of a page, as query parameters. */
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
  /**
   * How the list is paged (default: `open`). If the first response shows another style, the style of the response takes
   * precedence.
   */
  readonly style?: Paging['style'] | undefined;
  /** Whether to ignore the total and read until an empty page. */
  readonly toEmptyPage?: boolean | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

export type FetchPage = (position: PagePosition) => Promise<ListPage>;

/**
 * Reads a list to its end. The total, `hasMore` or the number of pages shows where the list ends. If these fields are missing
 * or disagree, reading continues until an empty page. A short page does not end the list, because the service may have silently
 * clamped the page size. With paging by offset, reading continues after a full page even if the total is reached, because the
 * total may be capped. The first page is returned even if it is empty.
 *
 * @throws ServiceError `BAD_PAGING` if the service returns the same page again, or a page that was not requested:
 * continuing would lose or duplicate rows
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
  // Unless the first response or the user determines the style, the declared style is a guess. If a guess repeats rows, try the
  // other style.
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
      // An unpaged list may reject paging parameters. A list that has ended may reject the next page.
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

/** Fetches one page, and reports notices about the page. */
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
 * Fetches the page after `before`. Tries the paging styles in `ways` until a style returns new rows. If every style fails,
 * returns the first result.
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
  if (first === undefined) throw new Error('there is at least one way');
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
  // Use the size that the service used, not the requested size, so that pages are aligned.
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

/** How far a list has been read. */
class Progress {
  byPage: boolean;
  readonly #toEmptyPage: boolean;
  readonly #seen = new Set<number>();
  /** Number of rows up to the end of the last page; undefined if unknown. */
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

  /** Whether the fields of the last page show that the list ends with this page. */
  isLast(answer: ListPage, asked: PagePosition, toEmptyPage = this.#toEmptyPage): boolean {
    const { rows, total, hasMore, page, totalPages } = answer;
    if (rows.length === 0) return true;
    if (hasMore === true || toEmptyPage) return false;
    const end = this.#end;
    if (total !== undefined && end !== undefined) {
      if (end < total) return false;
      // Some services cap the total, or report 0 although there are rows. Continue after a full page, or if there are more rows
      // than the total.
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
      // Some services return the last page for every page past the end.
      if (answer.page < asked.page) return true;
      throw stuck(`returned page ${answer.page} instead of page ${asked.page}`);
    }
    if (asked.offset !== undefined && answer.offset !== undefined && answer.offset !== asked.offset) {
      if (isWhole) return true;
      throw stuck(`returned rows from row ${answer.offset} instead of row ${asked.offset}`);
    }
    if (!this.repeats(answer)) return false;
    // A list that shows no paging and returns all rows each time has no further pages.
    if (isWhole || !showsPaging(answer)) return true;
    throw stuck('returned the same page again');
  }

  /**
   * Whether the service returned all rows again because the list is not paged. With `toEmptyPage`, a page that has an offset or a
   * page number must also have `hasMore: false`, because the service may be stuck instead.
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
      message: `The list ended after ${this.#end} rows, but the service reported ${total} rows`,
      asked: total,
      got: this.#end,
    });
  }
}

function rowsBefore(answer: ListPage, asked: PagePosition): number | undefined {
  const page = answer.page ?? asked.page ?? 1;
  if (page === 1) return 0;
  // Only a full page proves that the service used the page size that it reports.
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

/** Reports an ignored offset. If the response has no offset, the page number and size determine the first row. */
function reportStart(answer: ListPage, asked: PagePosition, onNotice: PagerOptions['onNotice']): void {
  const { offset, page, limit } = answer;
  if (asked.offset === undefined) return;
  const got = offset ?? (page === undefined || limit === undefined ? undefined : (page - 1) * limit);
  if (got === undefined || got === asked.offset) return;
  onNotice?.({
    code: 'OFFSET_IGNORED',
    message: `The service returned rows from row ${got} instead of row ${asked.offset}`,
    asked: asked.offset,
    got,
  });
}

function showsPaging(answer: ListPage): boolean {
  const { total, limit, offset, page, totalPages, hasMore } = answer;
  return [total, limit, offset, page, totalPages, hasMore].some((fact) => fact !== undefined);
}

/** Identifies a page by its length and its first and last rows, because hashing a whole page would cost more than reading it. */
function fingerprint(rows: readonly unknown[]): number {
  return idHash(`${rows.length}\n${stringifyJson(rows.at(0))}\n${stringifyJson(rows.at(-1))}`);
}

function stuck(what: string): ServiceError {
  return new UpstreamError('BAD_PAGING', `Cannot read the whole list: the service ${what}`, {
    hint: 'Request larger pages (limit). If rows are being added, try again later.',
  });
}
