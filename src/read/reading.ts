import type { ListPage } from '../client/envelope.ts';
import { isExactNumber, isRecord, type JsonRecord } from '../core/json.ts';

/** What was read, held against what the service says there is. */
export interface Reading {
  /** Different rows that were read. */
  rows: number;
  /** Rows that came again and were left out. */
  repeated: number;
  /** The service's total with the first page. */
  firstTotal: number | undefined;
  /** The first total that was another than that, on a later page or once more after the last. */
  otherTotal: number | undefined;
  /** Whether rows were seen at another place than they had before. */
  moved: boolean;
}

export type OnProgress = (reading: Readonly<Reading>) => void;

export function startReading(): Reading {
  return { rows: 0, repeated: 0, firstTotal: undefined, otherTotal: undefined, moved: false };
}

export interface ReadPagesOptions {
  /** Whether an id stands for one record, and one that comes again is left out; true where not given. */
  readonly identified?: boolean;
  readonly onProgress?: OnProgress | undefined;
}

/** Gives the rows of all pages, each id once, and counts what `reading` is made of. */
export async function* readPages(
  pages: AsyncIterable<ListPage>,
  reading: Reading,
  { identified = true, onProgress }: ReadPagesOptions = {},
): AsyncGenerator<JsonRecord> {
  const seen = new Set<string>();
  for await (const page of pages) {
    compareTotal(reading, page.total);
    for (const row of page.rows) {
      if (!isRecord(row)) continue;
      const id = identified ? idOf(row) : undefined;
      if (id !== undefined) {
        if (seen.has(id)) {
          reading.repeated += 1;
          continue;
        }
        seen.add(id);
      }
      reading.rows += 1;
      yield row;
    }
    onProgress?.(reading);
  }
}

/** An id as text, also where it is a number of any length. */
export function idOf({ id }: JsonRecord): string | undefined {
  if (typeof id === 'string') return id;
  return typeof id === 'number' || isExactNumber(id) ? `#${id}` : undefined;
}

export function compareTotal(reading: Reading, total: number | undefined): void {
  reading.firstTotal ??= total;
  if (total !== reading.firstTotal) reading.otherTotal ??= total;
}

/**
 * Why the reading cannot be vouched for; undefined where it can. A total that moved is enough: a row that went
 * and one that was passed over for it would leave the count as it was. So is a row at another place.
 *
 * @param what the rows: `legs`
 */
export function doubt(
  { rows, firstTotal, otherTotal, moved }: Readonly<Reading>,
  what = 'legs',
): string | undefined {
  if (firstTotal === undefined) return 'the service gives no total to hold the rows against';
  const count = (number: number) => number.toLocaleString('en');
  if (otherTotal !== undefined)
    return `the service's total went from ${count(firstTotal)} to ${count(otherTotal)} meanwhile`;
  if (rows === firstTotal && moved) return 'rows came to stand at other places meanwhile';
  if (rows === firstTotal) return undefined;
  return `the service says there are ${count(firstTotal)} ${what}, and ${count(rows)} different ones were read`;
}
