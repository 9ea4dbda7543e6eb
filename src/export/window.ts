import type { RecordReader } from '../client/listing.ts';
import { isBadPaging, isEarlyEnd } from '../client/paging.ts';
import type { UpstreamError } from '../core/errors.ts';
import { IdHashes } from '../core/id-hash.ts';
import { sleep } from '../core/sleep.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import { count, showText, someOf } from '../core/text.ts';
import { LARGEST_PAGE, type LedgerSource } from '../read/ledger-source.ts';
import type { Row, RowEncoder } from '../read/rows.ts';
import type { SegmentWriter } from './segment.ts';

/** Maximum number of attempts to read a window whose total changes during the read. */
const ATTEMPTS = 4;
/** After this many consecutive reads without a new row, a window with an unstable order is not read again. */
const IDLE_READS = 4;

export interface WindowOptions {
  readonly encoder: RowEncoder;
  /** A reader from `encoder.newReader`. No other window may use this reader at the same time. */
  readonly reader?: RecordReader | undefined;
  /** Undefined if the selection is not split by time. */
  readonly span: Span | undefined;
  /** Only rows inside this span are written. */
  readonly wanted: OpenSpan;
  /** Whether to ignore the total and read until an empty page. */
  readonly toTheEnd?: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds before the first repeated read. Each further repetition doubles the delay. */
  readonly backoff: number;
  readonly onRows?: (() => void) | undefined;
}

export interface WindowRead {
  /** The service's total, including rows just outside the window; undefined if the service reports no total. */
  readonly total: number | undefined;
  /** For each returned row outside the window: its id and its time. */
  readonly outside: ReadonlyMap<string, number>;
  readonly reads: number;
  /** Why the rows are unverified; undefined if they are verified. */
  readonly doubt?: string;
  /** Whether two attempts found the same contradiction between the total and the rows. */
  readonly contradicted?: boolean;
}

/**
 * Thrown if a row has no readable time, or a time outside the requested span. After this error, the rows must be read without
 * splitting them by time.
 */
export class NotByTimeError extends Error {}

/**
 * Reads one window until its rows are verified, or until verification is impossible.
 *
 * One complete read verifies the rows under three conditions: the total stayed the same, the number of distinct ids equals the
 * total, and each page began with the last rows of the previous page. These last rows are all rows of the page's last
 * millisecond, and the row before them. A read that meets these conditions cannot miss a row that existed unchanged during the
 * whole read. Later, `verifySegments` checks that the service has no row after the last row that was read.
 *
 * If rows with the same time change their order between requests, the rows of several reads are combined until their number
 * equals the total. However, if one row was deleted and another was missed, the numbers can also be equal. The rows are
 * therefore accepted only if the next combination of reads has the same ids.
 */
export async function readWindow(
  source: LedgerSource,
  segment: SegmentWriter,
  options: WindowOptions,
): Promise<WindowRead> {
  const { signal, backoff } = options;
  let reads = 0;
  let attempts = 0;
  let earlier: ReadonlySet<string> | undefined;
  let contradicted: string | undefined;
  for (;;) {
    await segment.clear();
    const outside = new Map<string, number>();
    const toTheEnd = options.toTheEnd === true || attempts > 0;
    attempts += 1;
    const union = await readUnion(source, segment, outside, { ...options, toTheEnd }).catch(findUnread);
    reads += union.reads;
    const { total, contradiction, failure } = union;
    if (failure && attempts === ATTEMPTS) throw failure;
    const done = { total, outside, reads };
    if (union.clean) return done;
    if (!failure && total === undefined) return { ...done, doubt: source.noTotal };
    if (contradiction !== undefined && contradiction === contradicted) {
      return { ...done, doubt: contradiction, contradicted: true };
    }
    contradicted = contradiction;
    if (union.whole) {
      const ids = new Set([...segment.ids, ...outside.keys()]);
      if (earlier && sameSet(earlier, ids)) return done;
      earlier = ids;
    } else {
      earlier = undefined;
    }
    if (attempts === ATTEMPTS) return { ...done, doubt: union.doubt ?? 'the rows kept changing' };
    if (!union.whole) await sleep(backoff * 2 ** (attempts - 1), signal);
  }
}

interface Union {
  readonly total: number | undefined;
  /** Whether the first read already verified the rows. */
  readonly clean: boolean;
  /** Whether the number of distinct rows equals the total. */
  readonly whole: boolean;
  readonly reads: number;
  readonly doubt?: string;
  /**
   * The same text as `doubt`. Set only if the number of rows differs from the total, and further reads would not help.
   */
  readonly contradiction?: string;
  /** Set if the service repeated a page before the end. */
  readonly failure?: UpstreamError;
}

/**
 * Reads again if a page has only rows of the page before it. This happens, for example, if rows are added while a short list
 * is read.
 */
function findUnread(error: unknown): Union {
  if (!isBadPaging(error)) throw error;
  return { total: undefined, clean: false, whole: false, reads: 1, failure: error };
}

/** Reads until the number of rows equals the total, the total changes, or no new rows arrive. */
async function readUnion(
  source: LedgerSource,
  segment: SegmentWriter,
  outside: Map<string, number>,
  options: WindowOptions,
): Promise<Union> {
  let total: number | undefined;
  let idle = 0;
  for (let reads = 1; ; reads++) {
    const before = segment.rows + outside.size;
    const pass = await readOnce(source, segment, outside, reads === 1, options);
    const held = segment.rows + outside.size;
    const partial = { total: pass.total, clean: false, whole: false, reads };
    if (pass.total === undefined) return partial;
    if (pass.early !== undefined) return { ...partial, doubt: pass.early, contradiction: pass.early };
    const moved = pass.moved ?? (total === undefined || total === pass.total ? undefined : total);
    total = pass.total;
    if (moved !== undefined) {
      const doubt = `the service's total changed from ${count(moved)} to ${count(total)} during the read`;
      return { ...partial, doubt };
    }
    if (held === total) return { total, clean: reads === 1 && pass.joined, whole: true, reads };
    const repeated =
      pass.repeated.length === 0 ? '' : `, because several rows have the same id: ${idsText(pass.repeated)}`;
    const doubt = `the service reports a total of ${count(total)} rows, but ${count(held)} were read${repeated}`;
    idle = held === before ? idle + 1 : 0;
    // Further reads would not make the number of rows equal to the total.
    if ((reads === 1 && pass.joined) || held > total || idle >= IDLE_READS)
      return { ...partial, doubt, contradiction: doubt };
    if (idle > 0) await sleep(options.backoff, options.signal);
  }
}

interface Pass {
  readonly total: number | undefined;
  /** The first total. Set only if a later page reported a different total. */
  readonly moved: number | undefined;
  /** Whether each page started with the last rows of the previous page, and no other row was repeated. */
  readonly joined: boolean;
  /** Ids that several rows have. */
  readonly repeated: readonly string[];
  /** Set if the service reported more rows after the last page. */
  readonly early: string | undefined;
}

/** Lists the first three ids, and the number of further ids. */
export function idsText(ids: readonly string[]): string {
  const named = ids.slice(0, 3).map((id) => showText(id.slice(0, 100)));
  return someOf(named, { all: ids.length });
}

/**
 * Reads all pages once.
 *
 * @param isFirst whether the segment has no rows yet
 */
async function readOnce(
  source: LedgerSource,
  segment: SegmentWriter,
  outside: Map<string, number>,
  isFirst: boolean,
  { encoder, reader, span, wanted, toTheEnd = false, onRows }: WindowOptions,
): Promise<Pass> {
  let first: number | undefined;
  let moved: number | undefined;
  let total: number | undefined;
  let joined = true;
  const repeated = new Set<string>();
  let rowsRead = 0;
  const add = (row: Row): boolean => {
    const { id, time, isRecord } = row;
    if (span !== undefined && !isNear(time, span)) throw new NotByTimeError();
    // Do not count values that are not records, so that the number of rows differs from the total, and the window is
    // unverified.
    if (!isRecord) return false;
    if (time === undefined || isWithin(time, wanted)) return segment.add(row);
    const isNew = !outside.has(id);
    outside.set(id, time);
    return isNew;
  };
  // A repeated read mostly returns rows that the segment already has. A row counts as new if this read has not returned it
  // before.
  const seen = isFirst ? undefined : new IdHashes();
  const take = (row: Row): boolean => {
    const isNew = add(row);
    return seen ? seen.add(row.id) : isNew;
  };
  let early: string | undefined;
  try {
    for await (const page of source.rows(span, { encoder, reader, take, toTheEnd })) {
      await segment.settle();
      onRows?.();
      total = page.total;
      first ??= total;
      if (total !== first) moved ??= first;
      if (!page.joined || page.fresh.length < page.rows.length) joined = false;
      if (page.fresh.length < page.rows.length) {
        const fresh = new Set(page.fresh);
        for (const row of page.rows) if (!fresh.has(row)) repeated.add(row.id);
      }
      rowsRead += page.rows.length;
      // If the total changed, the rows must be read again, so stop. While rows are being added, reading on might never reach a
      // page without new rows.
      const isShort = rowsRead >= (total ?? Number.POSITIVE_INFINITY) && page.rows.length < LARGEST_PAGE - 1;
      if (moved !== undefined && (!toTheEnd || isShort)) break;
    }
  } catch (error) {
    if (!isEarlyEnd(error)) throw error;
    early = error.message;
  }
  return { total, moved, joined, repeated: [...repeated], early };
}

/** Whether a row lies inside the span, or at most one millisecond outside it. */
function isNear(time: number | undefined, { from, to }: Span): boolean {
  return time !== undefined && isWithin(time, { from: from - 1, to: to + 1 });
}

function sameSet(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size !== right.size) return false;
  for (const id of left) if (!right.has(id)) return false;
  return true;
}
