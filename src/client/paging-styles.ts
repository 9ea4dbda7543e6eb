import type { ListPage } from './response.ts';

/** Query parameters that select a page. */
export interface PagePosition {
  readonly limit?: number;
  readonly offset?: number;
  readonly page?: number;
}

/** How the pages of a list are requested: by offset or by page number. */
export interface PageStyle {
  /** Returns the position of the page after `page`. */
  after(page: ListPage, asked: PagePosition, overlap: number): PagePosition;
  /** Returns the number of rows from the start of the list to the end of a page; undefined if unknown. */
  reached(page: ListPage, asked: PagePosition, before: number | undefined): number | undefined;
  /** Whether a page is the last page, if the rows up to its end reach the total. */
  isLast(page: ListPage, asked: PagePosition, reached: number): boolean;
  /** Returns a text that says why the position of a page is wrong; undefined if the position is right. */
  misplaced(page: ListPage, asked: PagePosition): string | undefined;
}

export const offsetStyle: PageStyle = {
  // Continue with the page size that the service used, so that pages do not overlap or leave gaps.
  after: (page, asked, overlap) => ({
    ...sizeOf(page, asked),
    offset: (page.offset ?? asked.offset ?? 0) + page.rows.length - overlap,
  }),
  reached: ({ offset, rows }, asked) => (offset ?? asked.offset ?? 0) + rows.length,
  isLast({ rows, total, hasMore, limit }, asked, reached) {
    // Some services cap the total, or report 0 for a list that has rows. Continue after a full page, or if more rows than the
    // total have been read.
    const size = limit ?? asked.limit;
    const isFull = size !== undefined && rows.length >= size;
    return hasMore === false || (!isFull && reached === total);
  },
  misplaced: ({ offset }, asked) =>
    asked.offset === undefined || offset === undefined || offset === asked.offset
      ? undefined
      : `started at row ${offset} instead of row ${asked.offset}`,
};

export const pageStyle: PageStyle = {
  after: (page, asked) => ({ ...sizeOf(page, asked), page: (page.page ?? asked.page ?? 1) + 1 }),
  reached(page, asked, before) {
    const start = before ?? rowsBefore(page, asked);
    return start === undefined ? undefined : start + page.rows.length;
  },
  isLast: () => true,
  misplaced: ({ page }, asked) =>
    asked.page === undefined || page === undefined || page === asked.page
      ? undefined
      : `returned page ${page} instead of page ${asked.page}`,
};

function sizeOf({ limit }: ListPage, asked: PagePosition): PagePosition {
  const size = limit ?? asked.limit;
  return size === undefined ? {} : { limit: size };
}

function rowsBefore({ page, limit, rows }: ListPage, asked: PagePosition): number | undefined {
  const number = page ?? asked.page ?? 1;
  // Some services number pages from 0.
  if (number <= 1) return 0;
  // The page size that the service reports is reliable only for a full page.
  return limit === rows.length ? (number - 1) * limit : undefined;
}

/** Returns the style that the fields of a page show; undefined if they show none, or both. */
export function shownStyle({ offset, page, totalPages }: ListPage): 'offset' | 'page' | undefined {
  const isByPage = page !== undefined || totalPages !== undefined;
  if (isByPage === (offset !== undefined)) return undefined;
  return isByPage ? 'page' : 'offset';
}

/** Whether a page has any field about paging. */
export function showsPaging({ total, limit, offset, page, totalPages, hasMore }: ListPage): boolean {
  return [total, limit, offset, page, totalPages, hasMore].some((fact) => fact !== undefined);
}
