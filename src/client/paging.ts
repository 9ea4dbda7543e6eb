import { createHash } from 'node:crypto';
import { stringifyJson } from '../core/json.ts';
import type { ListPage } from './envelope.ts';
import { ServiceError } from './errors.ts';

/** Where a page begins, in the API's own parameters. */
export interface PagePosition {
  readonly limit?: number;
  readonly offset?: number;
  readonly page?: number;
}

/** Something that the user should know of an answer that is no error. */
export interface Notice {
  /**
   * - `LIMIT_CLAMPED`: the service used another page size than it was asked for
   * - `OFFSET_IGNORED`: the service began at another row than it was asked for
   * - `TOTAL_MISMATCH`: the list ended with fewer or more rows than the service said there are
   */
  readonly code: 'LIMIT_CLAMPED' | 'OFFSET_IGNORED' | 'TOTAL_MISMATCH';
  readonly message: string;
  readonly asked: number;
  readonly got: number;
}

export interface PagerOptions {
  /** Page size to ask for; the service's default where not given. */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** Page to begin with, from 1. */
  readonly page?: number | undefined;
  /** How the list is paged where its answers show neither or both. */
  readonly style?: 'offset' | 'page' | undefined;
  /** Whether only an empty page ends the list, whatever its total says. */
  readonly toEmptyPage?: boolean | undefined;
  readonly onNotice?: ((notice: Notice) => void) | undefined;
}

export type FetchPage = (position: PagePosition) => Promise<ListPage>;

/**
 * Follows a list to its end, by offset or by page, whichever its answers show. The end is told by the total,
 * `hasMore` or the number of pages, and where none is given, or they disagree, by an empty page: a short page
 * alone may as well be a page size that was clamped without a word. A total ends no list behind a full page. Where the first answer shows neither offset nor
 * page, the way that leads to other rows is the right one. The first page is given even when empty.
 *
 * @throws ServiceError `BAD_PAGING` where the service gives the same page again, or another than it was asked
 * for: going on would lose or double rows
 */
export async function* followPages(fetch: FetchPage, options: PagerOptions): AsyncGenerator<ListPage> {
  const { limit, offset, page, onNotice } = options;
  let asked: PagePosition = {
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(page === undefined ? {} : { page }),
  };
  let answer = await fetchPage(fetch, asked, onNotice);
  const course = new Course(answer, asked, options.style);
  while (true) {
    const { rows } = answer;
    yield answer;
    if (course.isLast(answer, asked, options.toEmptyPage === true)) break;
    const next = await followingPage(fetch, course, answer, asked, options.toEmptyPage === true);
    if (next === undefined) break;
    const { following } = next;
    asked = next.asked;
    if (course.endsBefore(following, asked, options.toEmptyPage === true)) break;
    if (following.rows.length === 0) {
      answer = { ...answer, ...following, rows };
      break;
    }
    answer = following;
    course.take(answer);
  }
  course.reportTotal(answer, onNotice);
}

/** One page, and what the user should know of it. */
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

interface Followed {
  readonly asked: PagePosition;
  readonly following: ListPage;
}

/** The page after `before`; undefined where the service takes no paging at all. */
async function followingPage(
  fetch: FetchPage,
  course: Course,
  before: ListPage,
  at: PagePosition,
  toEmptyPage: boolean,
): Promise<Followed | undefined> {
  const asked = course.next(before, at);
  const first = await attempt(fetch, asked);
  if (course.isGuess && (first instanceof ServiceError || course.repeats(first))) {
    const other = course.nextTheOtherWay(before, at);
    const second = await attempt(fetch, other);
    if (!(second instanceof ServiceError) && !course.repeats(second)) {
      course.turn();
      return { asked: other, following: second };
    }
  }
  if (!(first instanceof ServiceError)) return { asked, following: first };
  // Nothing showed that the list is paged: that the question was refused shows that it is not.
  if (!showsPaging(before)) return undefined;
  // So does a refusal of a page that is asked for beyond what the service calls the end.
  if (toEmptyPage && course.isLast(before, at, false)) return undefined;
  throw first;
}

/** A page, or the refusal of the question. */
async function attempt(fetch: FetchPage, asked: PagePosition): Promise<ListPage | ServiceError> {
  try {
    return await fetch(asked);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'rejected') return error;
    throw error;
  }
}

/** How far a list has been read. */
class Course {
  #byPage: boolean;
  /** Whether neither way was shown or asked for, so that the second page has to show which one it is. */
  #guess: boolean;
  readonly #seen = new Set<string>();
  /** Rows of the list up to the end of the last page taken; undefined where that cannot be known. */
  #end: number | undefined;

  constructor(answer: ListPage, asked: PagePosition, style: 'offset' | 'page' | undefined) {
    const byOffset = answer.offset !== undefined;
    const byPage = answer.page !== undefined || answer.totalPages !== undefined;
    this.#byPage =
      byPage !== byOffset ? byPage : (style ?? (asked.page === undefined ? 'offset' : 'page')) === 'page';
    this.#guess = !byPage && !byOffset && asked.page === undefined && asked.offset === undefined;
    this.#end = this.#byPage ? rowsBefore(answer, asked) : (answer.offset ?? asked.offset ?? 0);
    this.take(answer);
  }

  take(answer: ListPage): void {
    this.#seen.add(fingerprint(answer.rows));
    if (this.#end !== undefined) this.#end += answer.rows.length;
  }

  /** Whether the page taken last ends the list, by what it says itself. */
  isLast(answer: ListPage, asked: PagePosition, toEmptyPage: boolean): boolean {
    const { rows, total, hasMore, page, totalPages } = answer;
    if (rows.length === 0) return true;
    if (hasMore === true) return false;
    const end = this.#end;
    const reached = total === undefined || end === undefined ? undefined : end >= total;
    if (toEmptyPage) return false;
    if (hasMore === false) return reached !== false;
    // A total may be capped, or 0 beside rows: behind a full page, and beyond the total, it ends nothing.
    const size = answer.limit ?? asked.limit;
    const isFull = size !== undefined && rows.length >= size;
    const isBeyond = total !== undefined && end !== undefined && end > total;
    if (reached === true && !this.#byPage && (isFull || isBeyond)) return false;
    if (reached !== undefined) return reached;
    return page !== undefined && totalPages !== undefined && page >= totalPages;
  }

  get isGuess(): boolean {
    return this.#guess && this.#seen.size === 1;
  }

  /** Whether these rows came before. */
  repeats({ rows }: ListPage): boolean {
    return rows.length > 0 && this.#seen.has(fingerprint(rows));
  }

  nextTheOtherWay(answer: ListPage, asked: PagePosition): PagePosition {
    this.turn();
    const position = this.next(answer, asked);
    this.turn();
    return position;
  }

  turn(): void {
    this.#byPage = !this.#byPage;
  }

  next(answer: ListPage, asked: PagePosition): PagePosition {
    // The size that the service used, not the one that it was asked for: pages must stay aligned.
    const limit = answer.limit ?? asked.limit;
    const size = limit === undefined ? {} : { limit };
    if (this.#byPage) return { ...size, page: (answer.page ?? asked.page ?? 1) + 1 };
    return { ...size, offset: (answer.offset ?? asked.offset ?? 0) + answer.rows.length };
  }

  /** Whether `answer`, to a question for the page after the last one taken, holds nothing further. */
  endsBefore(answer: ListPage, asked: PagePosition, toEmptyPage: boolean): boolean {
    if (answer.rows.length === 0) return false;
    const comesWhole = this.#comesWhole(answer, toEmptyPage);
    if (asked.page !== undefined && answer.page !== undefined && answer.page !== asked.page) {
      // A page past the end, brought back to the last one, is a way to say that there is no more.
      if (answer.page < asked.page) return true;
      throw stuck(`gave page ${answer.page} where page ${asked.page} was asked for`);
    }
    if (asked.offset !== undefined && answer.offset !== undefined && answer.offset !== asked.offset) {
      if (comesWhole) return true;
      throw stuck(`began at row ${answer.offset} where row ${asked.offset} was asked for`);
    }
    if (!this.repeats(answer)) return false;
    // A list that shows no paging and comes whole each time has no further pages.
    if (comesWhole || !showsPaging(answer)) return true;
    throw stuck('gave the same page again');
  }

  /** A list that is not paged gives all rows again. One that shows its place may be stuck there instead. */
  #comesWhole(answer: ListPage, toEmptyPage: boolean): boolean {
    const { total, hasMore, offset, page } = answer;
    const isWhole = total === undefined ? hasMore === false : this.#end === total && hasMore !== true;
    const isPlaced = offset !== undefined || page !== undefined;
    return isWhole && this.repeats(answer) && (!toEmptyPage || !isPlaced || hasMore === false);
  }

  reportTotal(answer: ListPage, onNotice: PagerOptions['onNotice']): void {
    const { total } = answer;
    if (total === undefined || this.#end === undefined || this.#end === total) return;
    onNotice?.({
      code: 'TOTAL_MISMATCH',
      message: `The list ended after ${this.#end} rows, and the service says that it has ${total}`,
      asked: total,
      got: this.#end,
    });
  }
}

function rowsBefore(answer: ListPage, asked: PagePosition): number | undefined {
  const page = answer.page ?? asked.page ?? 1;
  if (page === 1) return 0;
  // Only a full page proves that the size shown is the size used.
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

/** A service that is paged by page takes no offset, and gives its first rows for those that were asked for. */
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

/** Tells pages apart by their length and outer rows: a whole page would cost more than reading it did. */
function fingerprint(rows: readonly unknown[]): string {
  const text = `${rows.length}\n${stringifyJson(rows.at(0))}\n${stringifyJson(rows.at(-1))}`;
  return createHash('sha1').update(text).digest('base64');
}

function stuck(what: string): ServiceError {
  return new ServiceError(
    'service',
    'BAD_PAGING',
    `The list cannot be read to its end: the service ${what}`,
    {
      hint: 'Ask for more rows at once (limit), so that fewer pages are needed. If rows are being added meanwhile, try again.',
    },
  );
}
