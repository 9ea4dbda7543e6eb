import { join } from 'node:path';
import { timeOf } from '../api/ledgers.ts';
import { isBadPaging, isEarlyEnd } from '../client/paging.ts';
import { Claim } from '../core/claim.ts';
import { idHash } from '../core/id-hash.ts';
import { identityOf } from '../core/identity.ts';
import { sleep } from '../core/sleep.ts';
import { isWithin } from '../core/span.ts';
import { count } from '../core/text.ts';
import { LARGEST_PAGE, type LedgerSource } from '../read/ledger-source.ts';
import type { Frozen } from './plan.ts';
import type { Segment } from './resume-log.ts';
import { readSegmentIds } from './segment.ts';
import { idsText, NotByTimeError } from './window.ts';
import type { Windows } from './windows.ts';

/** Maximum number of rounds in which changed windows are read again. */
const ROUNDS = 3;
/** Maximum number of rows to list when searching for rows that were created during the export. */
const NEWEST_ROWS = 4000;
/**
 * Some rows of the export look new. If there are more such rows than this number, their windows are not read again.
 */
const FEW = 20;

export interface Verification {
  readonly claim: Claim;
  /** The service's total for the exported range, requested after all rows were read. */
  readonly total: number | undefined;
  /** Time of the request for `total`, in ISO 8601. */
  readonly at: string;
}

export interface VerifyOptions {
  readonly source: LedgerSource;
  readonly windows: Windows;
  readonly frozen: Frozen;
  readonly directory: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly backoff: number;
}

/**
 * Compares the number of rows with the service's total for the frozen range, and checks that the most recently created rows are
 * in the export. If a recently created row is missing, the row was added after its window had been read. Windows that changed
 * are read again, and then the checks are repeated.
 *
 * Each round requests the total first. The verification does not cover rows that are added after this request.
 */
export async function verifySegments(options: VerifyOptions): Promise<Verification> {
  const { source, windows, frozen, now, signal, backoff } = options;
  const known = new Set(frozen.newest);
  for (let round = 0; ; round++) {
    const at = new Date(now()).toISOString();
    const { total, rows } = await source.page(frozen.range, 0, 1);
    const answer = { total, at };
    const no = (why: string) => ({ claim: Claim.not(why), ...answer });
    if (total === undefined) return no(source.noTotal);
    const segments = windows.segments;
    const contradicted = segments.find((segment) => segment.contradicted);
    if (contradicted?.doubt !== undefined) return no(contradicted.doubt);
    const held = countRowsHeld(segments);
    const agrees = total === held && rows.length <= total;
    const askTheService = async () => {
      const [made, ended] = await Promise.all([findMadeMeanwhile(options, known), dropLast(options)]);
      // Call `readAfterLast` after `findMadeMeanwhile`. Only `readAfterLast` notices a row that was added and then deleted.
      const after = await readAfterLast(options, agrees ? segments.filter(isUncertain) : segments);
      return { made, ended, after };
    };
    // While waiting for the service, read ids from disk.
    const [{ made, ended, after }, twice] = await Promise.all([askTheService(), findTwice(options)]);
    const strayed = withStrays(segments, frozen, known);
    // If rows outside the frozen range already existed before the export, the range is wrong.
    if (round > 0 && strayed.length > 0) throw new NotByTimeError();
    const doubtful = segments.filter(({ doubt }) => doubt !== undefined);
    const changed = new Set([
      ...doubtful,
      ...made.segments,
      ...ended,
      ...twice.segments,
      ...after.changed,
      ...strayed,
    ]);
    if (agrees && changed.size === 0 && !made.tooMany && made.unread === undefined) {
      return { claim: Claim.verified({ by: 'totals', t0: frozen.at, t1: at }), ...answer };
    }
    if (changed.size === 0) for (const segment of findSuspects(segments)) changed.add(segment);
    if (made.tooMany) return no('too many rows were added during the export');
    const why =
      after.why ??
      explainUnverified(segments, total, held) ??
      made.unread ??
      (twice.ids.length > 0
        ? `several rows with different times have the same id: ${idsText(twice.ids)}`
        : undefined) ??
      'rows were added, moved or deleted during the export';
    if (round >= ROUNDS) return no(why);
    if (round > 0 || changed.size === 0) await sleep(backoff * 2 ** round, signal);
    if (!(await windows.again(changed))) {
      return no(`${why}; rows that were already written to stdout cannot be replaced`);
    }
  }
}

function explainUnverified(segments: readonly Segment[], total: number, held: number): string | undefined {
  const doubtful = segments.find(({ doubt }) => doubt !== undefined);
  if (doubtful) return doubtful.doubt;
  if (total === held) return undefined;
  return `the service reports a total of ${count(total)} legs, but ${count(held)} were read`;
}

/** The total that the service should report, including the returned rows that lie outside the range. */
export function countRowsHeld(segments: readonly Segment[]): number {
  const beyond = new Set(segments.flatMap((segment) => segment.beyond));
  return segments.reduce((sum, { rows }) => sum + rows, beyond.size);
}

/** If the export lacks the last row of the range, returns the window that should contain this row. */
async function dropLast({ source, windows, frozen, directory }: VerifyOptions): Promise<Segment[]> {
  const { range } = frozen;
  if (range === undefined) {
    const [segment] = windows.segments;
    const [last] = (await source.latest()).rows;
    if (!segment || last === undefined || segment.beyond.includes(identityOf(last))) return [];
    return (await readIds(directory, segment)).has(identityOf(last)) ? [] : [segment];
  }
  const isInside = (row: unknown) => {
    const time = timeOf(row);
    return time !== undefined && isWithin(time, range);
  };
  let { rows } = await source.lastOf(range);
  // If the page contains only rows that are just after the range, read a larger page.
  if (rows.length > 0 && !rows.some(isInside)) rows = (await source.lastOf(range, LARGEST_PAGE)).rows;
  if (rows.length === 0) return [];
  const last = rows.find(isInside);
  const segment = last === undefined ? windows.segments.at(-1) : segmentOf(windows.segments, timeOf(last));
  if (!segment) return [];
  const isHeld = last !== undefined && (await readIds(directory, segment)).has(identityOf(last));
  return isHeld ? [] : [segment];
}

/** Returns the windows with stray rows. A stray row lies outside the range, and existed before the range was frozen. */
function withStrays(segments: readonly Segment[], { newest }: Frozen, known: ReadonlySet<string>): Segment[] {
  const base = new Set(newest);
  const isOld = (id: string) => base.has(id) || !known.has(id);
  return segments.filter(({ strays = [] }) => strays.some(isOld));
}

interface Twice {
  readonly segments: readonly Segment[];
  readonly ids: readonly string[];
}

/**
 * If a row moved from one window to another during the read, both windows contain it. Returns the windows with rows that moved,
 * and the ids of these rows.
 */
async function findTwice({ windows, directory }: VerifyOptions): Promise<Twice> {
  const segments = windows.segments;
  if (segments.length < 2 || !segments.some(isUncertain)) return { segments: [], ids: [] };
  // There may be millions of ids, so compare eight-byte hashes first.
  const hashes = new Float64Array(segments.reduce((sum, { rows }) => sum + rows, 0));
  let end = 0;
  for (const segment of segments) {
    for (const id of await idsOf(directory, segment)) hashes[end++] = idHash(id);
  }
  hashes.sort();
  const repeated = new Set(hashes.filter((hash, index) => hash === hashes[index - 1]));
  if (repeated.size === 0) return { segments: [], ids: [] };
  const first = new Map<string, Segment>();
  const twice = new Set<Segment>();
  const ids = new Set<string>();
  for (const segment of segments) {
    for (const id of await idsOf(directory, segment)) {
      if (!repeated.has(idHash(id))) continue;
      const other = first.get(id);
      if (other) {
        twice.add(other).add(segment);
        ids.add(id);
      } else first.set(id, segment);
    }
  }
  return { segments: [...twice], ids: [...ids] };
}

/**
 * Requests the page after the last row of each window. If this page has an unknown row, or reports a different total than
 * before, the window has changed. A service may return a known row for an offset after the end.
 */
async function readAfterLast(
  { source, directory }: VerifyOptions,
  segments: readonly Segment[],
): Promise<{ changed: Segment[]; why: string | undefined }> {
  const pages = await Promise.all(segments.map(({ span, total }) => source.page(span, total ?? 0, 1)));
  const changed: Segment[] = [];
  let why: string | undefined;
  for (const [at, segment] of segments.entries()) {
    const { rows = [], total } = pages[at] ?? {};
    const isCapped =
      total === segment.total && rows.length > 0 && !(await holdsAll(directory, segment, rows));
    if (isCapped) why = 'the service returned more rows than the total that it reported';
    if (isCapped || total !== segment.total) changed.push(segment);
  }
  return { changed, why };
}

async function holdsAll(directory: string, segment: Segment, rows: readonly unknown[]): Promise<boolean> {
  const ids = await readIds(directory, segment);
  return rows.map(identityOf).every((id) => ids.has(id) || segment.beyond.includes(id));
}

interface Made {
  /** The windows of the rows that were created during the export. */
  readonly segments: readonly Segment[];
  readonly tooMany: boolean;
  /** Why the newest rows could not be read. */
  readonly unread?: string;
}

/** Finds rows that were created during the export, and returns their windows. Reads the newest rows first. */
async function findMadeMeanwhile(options: VerifyOptions, known: Set<string>): Promise<Made> {
  try {
    return await findMade(options, known);
  } catch (error) {
    if (!isEarlyEnd(error) && !isBadPaging(error)) throw error;
    return { segments: [], tooMany: false, unread: error.message };
  }
}

async function findMade(
  { source, windows, frozen, directory }: VerifyOptions,
  known: Set<string>,
): Promise<Made> {
  const base = new Set(frozen.newest);
  const made: { id: string; time: number | undefined }[] = [];
  let listed = 0;
  for await (const { rows } of source.newest(frozen.range)) {
    listed += rows.length;
    const ids = rows.map(identityOf);
    for (const [at, id] of ids.entries()) {
      if (!base.has(id) && !known.has(id)) made.push({ id, time: timeOf(rows[at]) });
    }
    if (ids.some((id) => base.has(id))) break;
    if (listed >= NEWEST_ROWS) return { segments: [], tooMany: true };
  }
  const segments = windows.segments;
  const placed = made.flatMap(({ id, time }) => {
    const segment = segmentOf(segments, time);
    return segment ? [{ id, segment }] : [];
  });
  const held = new Map<Segment, ReadonlySet<string>>();
  const missing: Segment[] = [];
  const there: Segment[] = [];
  for (const { id, segment } of placed) {
    let ids = held.get(segment);
    if (!ids) {
      ids = await readIds(directory, segment);
      held.set(segment, ids);
    }
    (ids.has(id) || segment.beyond.includes(id) ? there : missing).push(segment);
    known.add(id);
  }
  // The service may list rows with the same creation time in any order. Therefore, an old row can look like a new row. If the
  // export already contains more than FEW of the rows that look new, treat these rows as old.
  return { segments: there.length <= FEW ? [...missing, ...there] : missing, tooMany: false };
}

/**
 * Returns the window of a row. A row just outside the range belongs to the nearest window, because the total of this window
 * also counts the row.
 */
function segmentOf(segments: readonly Segment[], time: number | undefined): Segment | undefined {
  if (time === undefined) return segments.find(({ span }) => span === undefined);
  const [first] = segments;
  if (first?.span && time < first.span.from) return first;
  return segments.findLast(({ span }) => span === undefined || span.from <= Math.floor(time));
}

async function readIds(directory: string, segment: Segment): Promise<ReadonlySet<string>> {
  return new Set(await idsOf(directory, segment));
}

/**
 * Returns the segments that may be outdated and have the same totals as in an earlier run. A window's total also counts legs up
 * to one millisecond outside the window. If a leg is deleted inside the window and another is added just outside, the total
 * stays the same. Returns only those segments that are directly adjacent to a segment read in this run. Without an adjacent
 * segment, returns all segments with unchanged totals.
 */
function findSuspects(segments: readonly Segment[]): Segment[] {
  const kept = segments.filter((segment) => !isUncertain(segment));
  const beside = segments.filter(
    (segment, at) =>
      !isUncertain(segment) && [segments[at - 1], segments[at + 1]].some((next) => next && isUncertain(next)),
  );
  return beside.length > 0 ? beside : kept;
}

function isUncertain({ unchanged }: Segment): boolean {
  return unchanged !== true;
}

async function idsOf(directory: string, { file, ids }: Segment): Promise<readonly string[]> {
  if (ids) return ids();
  return file === null ? [] : readSegmentIds(join(directory, file));
}
