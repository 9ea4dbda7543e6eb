import { createHash } from 'node:crypto';
import type { Paging } from '../api/endpoint.ts';
import { stringifyJson } from '../core/json.ts';
import type { ListPage } from './envelope.ts';
import { ServiceError } from './errors.ts';

/** Where a page begins, in the parameters of the service. */
export interface PagePosition {
  readonly limit?: number;
  readonly offset?: number;
  readonly page?: number;
}

/** Something about an answer that the user should know and that is not an error. */
export interface Notice {
  /**
   * - `LIMIT_CLAMPED`: the service used another page size than requested
   * - `OFFSET_IGNORED`: the service began at another row than requested
   * - `TOTAL_MISMATCH`: the list ended with fewer or more rows than the service said there are
   */
  readonly code: 'LIMIT_CLAMPED' | 'OFFSET_IGNORED' | 'TOTAL_MISMATCH';
  readonly message: string;
  readonly asked: number;
  readonly got: number;
}

export interface PagerOptions {
  /** Page size to request (default: the service's). */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** Page to begin with, from 1. */
  readonly page?: number | undefined;
  /** How the list is paged (default: `open`). The first answer decides if it shows another style. */
  readonly style?: Paging['style'] | undefined;
  /** Whether only an empty page ends the list, whatever its total says. */
  readonly toEmptyPage?: boolean | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

export type FetchPage = (position: PagePosition) => Promise<ListPage>;

/**
 * Reads a list to its end. The total, `hasMore` or the number of pages shows the end; if none is given, or they
 * disagree, an empty page does. A short page alone does not: the service may have clamped the page size silently. Nor
 * does a total behind a full page. The first page is returned even if it is empty.
 *
 * @throws ServiceError `BAD_PAGING` if the service returns the same page again, or another one than requested:
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
  // If neither the first answer nor the user decides, the other way is tried should the declared one repeat rows.
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
      // Nothing showed that the list is paged, or the service already said that it ends here.
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

/** One page, and notices about it. */
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

/** The page after `before` in the first of `ways` that leads to other rows, or else in the first way. */
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
  // The size that the service used, not the requested one: pages must stay aligned.
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
  readonly #seen = new Set<string>();
  /** Rows of the list up to the end of the last page; undefined if unknown. */
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

  /** Whether the last page ends the list, by its own facts. */
  isLast(answer: ListPage, asked: PagePosition, toEmptyPage = this.#toEmptyPage): boolean {
    const { rows, total, hasMore, page, totalPages } = answer;
    if (rows.length === 0) return true;
    if (hasMore === true || toEmptyPage) return false;
    const end = this.#end;
    const reached = total === undefined || end === undefined ? undefined : end >= total;
    if (hasMore === false) return reached !== false;
    // A total may be capped, or 0 beside rows: behind a full page, and beyond the total, it does not end the list.
    const size = answer.limit ?? asked.limit;
    const isFull = size !== undefined && rows.length >= size;
    const isBeyond = total !== undefined && end !== undefined && end > total;
    if (reached === true && !this.byPage && (isFull || isBeyond)) return false;
    if (reached !== undefined) return reached;
    return page !== undefined && totalPages !== undefined && page >= totalPages;
  }

  /** Whether these rows came before. */
  repeats({ rows }: ListPage): boolean {
    return rows.length > 0 && this.#seen.has(fingerprint(rows));
  }

  /**
   * Whether `answer` shows that the list ended with the page before.
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
      throw stuck(`began at row ${answer.offset} instead of row ${asked.offset}`);
    }
    if (!this.repeats(answer)) return false;
    // A list that shows no paging and returns all rows each time has no further pages.
    if (isWhole || !showsPaging(answer)) return true;
    throw stuck('returned the same page again');
  }

  /** A list that is not paged returns all rows again. One that shows its position may be stuck there instead. */
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
      message: `The list ended after ${this.#end} rows, but the service says that it has ${total}`,
      asked: total,
      got: this.#end,
    });
  }
}

function rowsBefore(answer: ListPage, asked: PagePosition): number | undefined {
  const page = answer.page ?? asked.page ?? 1;
  if (page === 1) return 0;
  // Only a full page proves that the size shown is the size that was used.
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

/** A list that is paged by page number ignores the offset, and begins with its first row. */
function reportStart(answer: ListPage, asked: PagePosition, onNotice: PagerOptions['onNotice']): void {
  const { offset, page, limit } = answer;
  if (asked.offset === undefined) return;
  const got = offset ?? (page === undefined || limit === undefined ? undefined : (page - 1) * limit);
  if (got === undefined || got === asked.offset) return;
  onNotice?.({
    code: 'OFFSET_IGNORED',
    message: `The service began at row ${got} instead of row ${asked.offset}`,
    asked: asked.offset,
    got,
  });
}

function showsPaging(answer: ListPage): boolean {
  const { total, limit, offset, page, totalPages, hasMore } = answer;
  return [total, limit, offset, page, totalPages, hasMore].some((fact) => fact !== undefined);
}

/** Identifies a page by its length and outer rows: hashing a whole page would cost more than reading it. */
function fingerprint(rows: readonly unknown[]): string {
  const text = `${rows.length}\n${stringifyJson(rows.at(0))}\n${stringifyJson(rows.at(-1))}`;
  return createHash('sha1').update(text).digest('base64');
}

function stuck(what: string): ServiceError {
  return new ServiceError('service', 'BAD_PAGING', `Cannot read the list to its end: the service ${what}`, {
    hint: 'Request larger pages (limit), so that fewer are needed. If rows are being added meanwhile, try again.',
  });
}
