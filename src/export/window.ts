import type { RecordReader } from '../client/listing.ts';
import { sleep } from '../core/sleep.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import { count } from '../core/text.ts';
import { LARGEST_PAGE, type LedgerSource } from '../read/ledger-source.ts';
import type { RowEncoder } from '../read/rows.ts';
import type { SegmentWriter } from './segment.ts';

/** Maximum number of attempts to read a window whose total changes during the read. */
const ATTEMPTS = 4;
/** After this many consecutive reads without a new row, a window with an unstable order is not read again. */
const IDLE_READS = 4;
/** A read stops if the number of duplicate rows exceeds the number of distinct rows by more than this. */
const MOST_REPEATED = 1000;

export interface WindowOptions {
  readonly encoder: RowEncoder;
  /** A reader from `encoder.newReader`. No other window may use this reader at the same time. */
  readonly reader?: RecordReader | undefined;
  /** Undefined if the whole selection is read as one list. */
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
  /** Whether two reads found the same contradiction between the total and the rows. */
  readonly contradicted?: boolean;
}

/** Thrown if a row has no readable time, or a time outside the requested span. The rows must then be read as one list. */
export class NotByTimeError extends Error {}

/**
 * Reads one window until its rows are verified, or until verification is impossible.
 *
 * One complete read verifies the rows under three conditions: the total stayed the same, the number of distinct ids equals the
 * total, and each page began with the last row of the previous page. Such a read cannot miss a row that existed during the
 * whole read. Later, `prove` checks that the service has no row after the last row that was read.
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
    const union = await readUnion(source, segment, outside, { ...options, toTheEnd });
    reads += union.reads;
    const { total, contradiction } = union;
    const done = { total, outside, reads };
    if (union.clean) return done;
    if (total === undefined) return { ...done, doubt: source.noTotal };
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
    attempts += 1;
    if (attempts >= ATTEMPTS) return { ...done, doubt: union.doubt ?? 'the rows kept changing' };
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
  /** Same text as `doubt`. Set only if the first read returned each row once, but the number of rows differs from the total. */
  readonly contradiction?: string;
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
    const pass = await readOnce(source, segment, outside, options);
    const held = segment.rows + outside.size;
    if (pass.total === undefined) return { total: undefined, clean: false, whole: false, reads };
    const moved = pass.moved ?? (total === undefined || total === pass.total ? undefined : total);
    total = pass.total;
    if (moved !== undefined) {
      const doubt = `the service's total changed from ${count(moved)} to ${count(total)} during the read`;
      return { total, clean: false, whole: false, reads, doubt };
    }
    if (held === total) return { total, clean: reads === 1 && pass.joined, whole: true, reads };
    const doubt = `the service reports a total of ${count(total)} rows, but ${count(held)} were read`;
    if (reads === 1 && pass.joined) {
      return { total, clean: false, whole: false, reads, doubt, contradiction: doubt };
    }
    if (held > total || pass.endless) return { total, clean: false, whole: false, reads, doubt };
    idle = held === before ? idle + 1 : 0;
    if (idle >= IDLE_READS) return { total, clean: false, whole: false, reads, doubt };
    if (idle > 0) await sleep(options.backoff, options.signal);
  }
}

interface Pass {
  readonly total: number | undefined;
  /** The first total. Set only if a later page reported a different total. */
  readonly moved?: number;
  /**
   * Valid only for the first read. True if each page started with the last row of the previous page and repeated no other row.
   */
  readonly joined: boolean;
  /** Whether the read was stopped because the service repeated the same rows. */
  readonly endless?: boolean;
}

/** Reads all pages once. */
async function readOnce(
  source: LedgerSource,
  segment: SegmentWriter,
  outside: Map<string, number>,
  { encoder, reader, span, wanted, toTheEnd, onRows }: WindowOptions,
): Promise<Pass> {
  let first: number | undefined;
  let moved: number | undefined;
  let joined = true;
  let last: string | undefined;
  let at = 0;
  let early = 0;
  for (;;) {
    const { rows, total } = await source.rows(span, at - early, encoder, reader);
    first ??= total;
    if (total !== first) moved ??= first;
    const pass = { total, ...(moved === undefined ? {} : { moved }) };
    const [begin] = rows;
    const repeated = early > 0 && begin?.id === last ? 1 : 0;
    if (early > 0 && begin && repeated === 0) joined = false;
    const before = segment.rows + outside.size;
    for (const row of repeated === 0 ? rows : rows.slice(1)) {
      const { id, time, isRecord } = row;
      if (span !== undefined && !isNear(time, span)) throw new NotByTimeError();
      // Do not count values that are not records. The number of rows then differs from the total, so the window is unverified.
      if (!isRecord) continue;
      if (time === undefined || isWithin(time, wanted)) segment.add(row);
      else outside.set(id, time);
    }
    await segment.settle();
    onRows?.();
    const held = segment.rows + outside.size;
    // In the first read of a window, a row that is not new is a duplicate.
    if (held - before < rows.length - repeated) joined = false;
    at += Math.max(0, rows.length - early);
    last = rows.at(-1)?.id ?? last;
    if (!toTheEnd && moved !== undefined) return { ...pass, joined };
    // When the total is reached, stop at the first page that is not full. While rows are being added, an empty page may never
    // come.
    const mayEnd = !toTheEnd || moved !== undefined;
    if (mayEnd && at >= (total ?? Infinity) && rows.length < LARGEST_PAGE) return { ...pass, joined };
    if (at > 2 * held + MOST_REPEATED) return { ...pass, joined: false, endless: true };
    if (rows.length <= early) {
      if (early === 0 || rows.length === 0) return { ...pass, joined };
      // The page has only the overlapping row. Perhaps the service limits pages to one row, so continue without overlap.
      early = 0;
      continue;
    }
    // Without a total, the rows cannot be verified, so the pages need not overlap.
    early = first === undefined ? 0 : 1;
  }
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
