import type { ListPage } from '../client/envelope.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count } from '../core/text.ts';
import type { RowCheck } from './row-check.ts';
import { idOf } from './rows.ts';

/** Row counts of a read, and the totals that the service reported. */
export interface ReadSummary {
  /** Number of rows, counting each id once. */
  rows: number;
  /** Number of rows skipped because an earlier row had the same id. */
  duplicates: number;
  /** The first total that the service reported. */
  firstTotal: number | undefined;
  /** The first total that differs from `firstTotal`. */
  changedTotal: number | undefined;
  /** Whether rows changed position during the read. */
  reordered: boolean;
}

export type OnProgress = (summary: Readonly<ReadSummary>) => void;

export function newSummary(): ReadSummary {
  return { rows: 0, duplicates: 0, firstTotal: undefined, changedTotal: undefined, reordered: false };
}

export interface ReadPagesOptions {
  /** Whether to skip a row that has the same id as an earlier row (default: true). */
  readonly unique?: boolean;
  readonly onProgress?: OnProgress | undefined;
  /** Checks the rows of each page before any of them is returned. */
  readonly check?: RowCheck | undefined;
}

/** Returns the rows of all pages and counts them in `summary`. By default, each id is returned once. */
export async function* readPages(
  pages: AsyncIterable<ListPage>,
  summary: ReadSummary,
  { unique = true, onProgress, check }: ReadPagesOptions = {},
): AsyncGenerator<JsonRecord> {
  const seen = new Set<string>();
  for await (const page of pages) {
    addTotal(summary, page.total);
    check?.check(page.rows);
    for (const row of page.rows) {
      if (!isRecord(row)) continue;
      const id = unique ? idOf(row) : undefined;
      if (id !== undefined) {
        if (seen.has(id)) {
          summary.duplicates += 1;
          continue;
        }
        seen.add(id);
      }
      summary.rows += 1;
      yield row;
    }
    onProgress?.(summary);
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
  { rows, firstTotal, changedTotal, reordered }: Readonly<ReadSummary>,
  noun = 'legs',
): string | undefined {
  if (firstTotal === undefined) return 'the service reports no total to compare the rows with';
  if (changedTotal !== undefined)
    return `the service's total changed from ${count(firstTotal)} to ${count(changedTotal)} during the read`;
  if (rows === firstTotal && reordered) return 'rows changed position during the read';
  if (rows === firstTotal) return undefined;
  return `the service reports a total of ${count(firstTotal)} ${noun}, but ${count(rows)} were read`;
}
