import type { ListPage } from '../client/envelope.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count } from '../core/text.ts';
import { idOf } from './rows.ts';

/** The rows that were read from a list, and the totals that the service gave for it. */
export interface ReadSummary {
  /** Rows, each id once. */
  rows: number;
  /** Rows that were skipped because their id had come before. */
  duplicates: number;
  /** The total on the first page. */
  firstTotal: number | undefined;
  /** The first total that differs from it. */
  changedTotal: number | undefined;
  /** Whether rows changed their positions. */
  reordered: boolean;
}

export type OnProgress = (summary: Readonly<ReadSummary>) => void;

export function newSummary(): ReadSummary {
  return { rows: 0, duplicates: 0, firstTotal: undefined, changedTotal: undefined, reordered: false };
}

export interface ReadPagesOptions {
  /** Skip rows whose id has come before (default: true). */
  readonly unique?: boolean;
  readonly onProgress?: OnProgress | undefined;
}

/** Returns the rows of all pages, each id once, and counts them in `summary`. */
export async function* readPages(
  pages: AsyncIterable<ListPage>,
  summary: ReadSummary,
  { unique = true, onProgress }: ReadPagesOptions = {},
): AsyncGenerator<JsonRecord> {
  const seen = new Set<string>();
  for await (const page of pages) {
    addTotal(summary, page.total);
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
 * Why the rows are not verified; undefined if they are. A changed total is enough: a row that was deleted and a row
 * that was missed leave the count as it was. So is a row in another position.
 *
 * @param noun of the rows, in the plural
 */
export function whyUnverified(
  { rows, firstTotal, changedTotal, reordered }: Readonly<ReadSummary>,
  noun = 'legs',
): string | undefined {
  if (firstTotal === undefined) return 'the service gives no total to compare the rows with';
  if (changedTotal !== undefined)
    return `the service's total went from ${count(firstTotal)} to ${count(changedTotal)} during the read`;
  if (rows === firstTotal && reordered) return 'rows changed their positions during the read';
  if (rows === firstTotal) return undefined;
  return `the service says there are ${count(firstTotal)} ${noun}, and ${count(rows)} different ones were read`;
}
