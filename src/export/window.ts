import { sleep } from '../core/sleep.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import { count } from '../core/text.ts';
import { LARGEST_PAGE, type LedgerSource } from '../read/ledger-source.ts';
import type { RowEncoder } from '../read/rows.ts';
import type { SegmentWriter } from './segment.ts';

/** Reads of a window that begin anew because its total moved, before it is given up. */
const ATTEMPTS = 4;
/** Reads that bring nothing new, one after the other, before rows whose order moves are given up. */
const IDLE_READS = 4;
/** Rows that may come again in one read before it is ended, beside as many as there are different ones. */
const MOST_REPEATED = 1000;

export interface WindowOptions {
  readonly encoder: RowEncoder;
  /** Undefined for all that the user asked for, where it cannot be cut by time. */
  readonly span: Span | undefined;
  /** Which of the rows that the service gives are wanted. */
  readonly wanted: OpenSpan;
  /** Whether pages are read up to an empty one, whatever the total says. */
  readonly toTheEnd?: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds before a read is repeated; doubles each time. */
  readonly backoff: number;
  readonly onRows?: (() => void) | undefined;
}

export interface WindowRead {
  /** The service's total that the rows were held against, neighbours included; undefined where it gives none. */
  readonly total: number | undefined;
  /** Different rows that came and are no part of the window, by id: when they were. */
  readonly outside: ReadonlyMap<string, number>;
  readonly reads: number;
  /** Why the rows are unverified; undefined if they are verified. */
  readonly doubt?: string;
  /** Whether two reads found the same contradiction between the total and the rows. */
  readonly contradicted?: boolean;
}

/**
 * The list cannot be cut by time, and must be read as one: a row has no time that can be read, or the service gave one
 * that is not of the time that was asked for.
 */
export class NotByTimeError extends Error {}

/**
 * Reads one window until its rows are proved, or cannot be.
 *
 * One read from the first page to the last proves them where the total stayed the same, each page began with the
 * last row of the one before (it is asked for one row early), and as many different ids came as the total says:
 * nothing that was there all the time can have been passed over. That nothing stands behind the last row is asked
 * when all windows are read (see prove). Where the order of ties moves, rows unite over
 * several reads; then a row that went and another that was missed could leave the count right, and the rows are
 * accepted when two such unions, one after the other, hold the same ids.
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
    if (attempts >= ATTEMPTS) return { ...done, doubt: union.doubt ?? 'its rows kept changing' };
    if (!union.whole) await sleep(backoff * 2 ** (attempts - 1), signal);
  }
}

interface Union {
  readonly total: number | undefined;
  /** Whether one read alone proves the rows. */
  readonly clean: boolean;
  /** Whether as many different rows came as the total says, over any number of reads. */
  readonly whole: boolean;
  readonly reads: number;
  readonly doubt?: string;
  /** The same, where one read from the first page to the last gave every row once, and not as many as the total. */
  readonly contradiction?: string;
}

/** Reads until the rows are as many as the total says, or the total moves, or nothing new comes. */
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
      const doubt = `its total went from ${count(moved)} to ${count(total)} while it was read`;
      return { total, clean: false, whole: false, reads, doubt };
    }
    if (held === total) return { total, clean: reads === 1 && pass.joined, whole: true, reads };
    const doubt = `the service says there are ${count(total)} rows, and ${count(held)} different ones were read`;
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
  /** The total that it began with, where a later page gave another. */
  readonly moved?: number;
  /** Of a first read: whether each page began where the one before ended, and no row came twice. */
  readonly joined: boolean;
  /** Whether the service gave the same rows again and again, and the read was ended. */
  readonly endless?: boolean;
}

/** Every page once. */
async function readOnce(
  source: LedgerSource,
  segment: SegmentWriter,
  outside: Map<string, number>,
  { encoder, span, wanted, toTheEnd, onRows }: WindowOptions,
): Promise<Pass> {
  let first: number | undefined;
  let moved: number | undefined;
  let joined = true;
  let last: string | undefined;
  let at = 0;
  let early = 0;
  for (;;) {
    const { rows, total } = await source.rows(span, at - early, encoder);
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
      // What is no record is counted nowhere: the total then tells that something is missing.
      if (!isRecord) continue;
      if (isWithin(time, wanted)) segment.add(row);
      else outside.set(id, time ?? -1);
    }
    await segment.settle();
    onRows?.();
    const held = segment.rows + outside.size;
    // In a first read every row is new.
    if (held - before < rows.length - repeated) joined = false;
    at += Math.max(0, rows.length - early);
    last = rows.at(-1)?.id ?? last;
    if (!toTheEnd && moved !== undefined) return { ...pass, joined };
    // A full page may have more behind it, whatever the total says. Rows that keep coming never give an empty one.
    const mayEnd = !toTheEnd || moved !== undefined;
    if (mayEnd && at >= (total ?? Infinity) && rows.length < LARGEST_PAGE) return { ...pass, joined };
    if (at > 2 * held + MOST_REPEATED) return { ...pass, joined: false, endless: true };
    if (rows.length <= early) {
      if (early === 0 || rows.length === 0) return { ...pass, joined };
      // Only the known row came: pages may hold one row each.
      early = 0;
      continue;
    }
    // Without a total nothing is verified, and no page needs to join the one before.
    early = first === undefined ? 0 : 1;
  }
}

/** Whether a row can have been given for the span, asked for with one millisecond more on both sides. */
function isNear(time: number | undefined, { from, to }: Span): boolean {
  return time !== undefined && isWithin(time, { from: from - 1, to: to + 1 });
}

function sameSet(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  if (left.size !== right.size) return false;
  for (const id of left) if (!right.has(id)) return false;
  return true;
}
