import { isEarlyEnd, type WalkedPage } from '../client/paging.ts';
import type { UnverifiedError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count } from '../core/text.ts';
import type { RowCheck } from './row-check.ts';

/** Row counts of a read, and the totals that the service reported. */
export interface ReadSummary {
  /** Number of rows, counting each id once. */
  rows: number;
  /** Number of rows skipped because an earlier row had the same id. */
  duplicates: number;
  /** The first total that the service reported. */
  firstTotal: number | undefined;
  /** A total that is not a whole number, as the service sent it. */
  oddTotal: string | undefined;
  /** The first total that differs from `firstTotal`. */
  changedTotal: number | undefined;
  /** Whether rows changed position during the read. */
  reordered: boolean;
  /** Whether nothing shows if rows changed position, because pages did not overlap. */
  unjoined: boolean;
  /** Whether the rows were not in the requested order. */
  unsorted: boolean;
  /** How a second read of the list differs: `returned other values of "fee"`; undefined if there is no difference. */
  differs: string | undefined;
  /** The error of a list that ended although the service reported more rows. */
  early: UnverifiedError | undefined;
}

export type OnProgress = (summary: Readonly<ReadSummary>) => void;

export function newSummary(): ReadSummary {
  return {
    rows: 0,
    duplicates: 0,
    firstTotal: undefined,
    oddTotal: undefined,
    changedTotal: undefined,
    reordered: false,
    unjoined: false,
    unsorted: false,
    differs: undefined,
    early: undefined,
  };
}

export interface ReadPagesOptions {
  /** Whether to skip a row that has the same id as an earlier row (default: true). */
  readonly unique?: boolean;
  /** Checks the rows of each page against the filters of the request, before any of them is returned. */
  readonly check?: RowCheck | undefined;
  /** Converts a row that is not a record. By default, such rows are skipped. */
  readonly wrap?: (row: unknown) => JsonRecord;
  /** Called for each page, before its rows are returned. */
  readonly onPage?: (page: WalkedPage) => void;
  readonly onProgress?: OnProgress | undefined;
}

/** Returns the rows of all pages and counts them in `summary`. By default, each id is returned once. */
export async function* readPages(
  pages: AsyncIterable<WalkedPage> | Iterable<WalkedPage>,
  summary: ReadSummary,
  { unique = true, check, wrap, onPage, onProgress }: ReadPagesOptions = {},
): AsyncGenerator<JsonRecord> {
  try {
    for await (const page of pages) {
      addTotal(summary, page.total);
      summary.oddTotal ??= page.oddTotal;
      onPage?.(page);
      check?.check(page.rows);
      if (page.joined === false) summary.reordered = true;
      if (page.joined === undefined) summary.unjoined = true;
      const isUnique = unique && page.hasIds;
      if (isUnique) summary.duplicates += page.rows.length - page.fresh.length;
      for (const row of isUnique ? page.fresh : page.rows) {
        const record = isRecord(row) ? row : wrap?.(row);
        if (record === undefined) continue;
        summary.rows += 1;
        yield record;
      }
      onProgress?.(summary);
    }
  } catch (error) {
    if (!isEarlyEnd(error)) throw error;
    summary.early = error;
  }
}

export function addTotal(summary: ReadSummary, total: number | undefined): void {
  summary.firstTotal ??= total;
  if (total !== summary.firstTotal) summary.changedTotal ??= total;
}

/**
 * Returns why the rows are not verified; undefined if they are verified. The number of rows can match the total by chance, for
 * example if one row was deleted and the read missed another row. Therefore, rows are also unverified if the total changed or a
 * row changed position.
 *
 * @param noun what the message calls the rows, in the plural
 */
export function whyUnverified(
  {
    rows,
    firstTotal,
    oddTotal,
    changedTotal,
    reordered,
    unjoined,
    unsorted,
    differs,
    early,
  }: Readonly<ReadSummary>,
  noun = 'legs',
): string | undefined {
  if (early && (firstTotal === undefined || rows === firstTotal)) return early.message;
  if (firstTotal === undefined) return noTotal(oddTotal);
  if (changedTotal !== undefined)
    return `the service's total changed from ${count(firstTotal)} to ${count(changedTotal)} during the read`;
  if (rows === firstTotal && differs !== undefined) return `the second read ${differs}`;
  if (rows === firstTotal && unsorted) return 'the service did not sort the legs by time';
  if (rows === firstTotal && reordered) return 'rows changed position during the read';
  if (rows === firstTotal && unjoined) {
    return 'the pages cannot overlap, so nothing shows whether rows changed position during the read';
  }
  if (rows === firstTotal) return undefined;
  return `the service reports a total of ${count(firstTotal)} ${noun}, but ${count(rows)} were read`;
}

/** Returns why rows cannot be compared with a total. */
export function noTotal(oddTotal: string | undefined): string {
  return oddTotal === undefined
    ? 'the service reports no total to compare the rows with'
    : `the service reports ${oddTotal} as its total, which is not a whole number`;
}
