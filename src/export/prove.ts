import { join } from 'node:path';
import { idHash } from '../core/id-hash.ts';
import { sleep } from '../core/sleep.ts';
import { isWithin } from '../core/span.ts';
import { LARGEST_PAGE, type LedgerSource } from '../read/ledger-source.ts';
import { identityOf, timeOf } from '../read/rows.ts';
import type { Frozen } from './freeze.ts';
import type { Segment } from './journal.ts';
import { readSegmentIds } from './segment.ts';
import { NotByTimeError } from './window.ts';
import type { Windows } from './windows.ts';

/** Times that windows which changed are read again after the last one was read. */
const ROUNDS = 3;
/** Rows that are looked at for those made since the beginning. */
const NEWEST_ROWS = 4000;
/** So many rows that were made meanwhile, or seem to be, and are held: their windows are read again. */
const FEW = 20;

/** What can be said of all rows together. */
export interface Proof {
  readonly verified: boolean;
  /** Why not. */
  readonly why?: string;
  /** The service's total of the same range, after the last row was read. */
  readonly total: number | undefined;
  /** ISO 8601: when that total was asked for. */
  readonly at: string;
}

export interface ProveOptions {
  readonly source: LedgerSource;
  readonly windows: Windows;
  readonly frozen: Frozen;
  /** Where the segments stand. */
  readonly directory: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly backoff: number;
}

/**
 * Holds all rows against the service's total of the frozen range, and against the rows that it made last: one that
 * it made meanwhile and that is not held was put in where the rows had been read already. Windows that changed are
 * read again, and the questions asked again.
 *
 * The total is asked for first: a row that is put in after that answer is no part of what is proved.
 */
export async function prove(options: ProveOptions): Promise<Proof> {
  const { source, windows, frozen, now, signal, backoff } = options;
  const known = new Set(frozen.newest);
  for (let round = 0; ; round++) {
    const at = new Date(now()).toISOString();
    const { total, rows } = await source.page(frozen.range, 0, 1);
    const answer = { total, at };
    const no = (why: string) => ({ verified: false, why, ...answer });
    if (total === undefined) return no(source.noTotal);
    const segments = windows.segments;
    const contradicted = segments.find((segment) => segment.contradicted);
    if (contradicted?.doubt !== undefined) return no(contradicted.doubt);
    const held = heldRows(segments);
    const [made, ...others] = await Promise.all([
      madeMeanwhile(options, known),
      withoutLast(options),
      heldTwice(options),
    ]);
    // After the rows that were made: one of them that had gone by then shows here alone.
    const after = await afterTheLast(source, segments);
    const strayed = withStrays(segments, frozen, known);
    // They were there before: what was taken for the first or last row of all was not.
    if (round > 0 && strayed.length > 0) throw new NotByTimeError();
    const doubtful = segments.filter(({ doubt }) => doubt !== undefined);
    const changed = new Set([...doubtful, ...made.segments, ...others.flat(), ...after.changed, ...strayed]);
    const agrees = total === held && rows.length <= total;
    if (agrees && changed.size === 0 && !made.tooMany) return { verified: true, ...answer };
    if (made.tooMany) return no('more rows were added meanwhile than can be looked at');
    const why =
      after.why ?? whyNot(segments, total, held) ?? 'rows were added, moved or taken away while it was read';
    if (round >= ROUNDS) return no(why);
    if (round > 0 || changed.size === 0) await sleep(backoff * 2 ** round, signal);
    if (!(await windows.again(changed))) {
      return no(`${why}; what was written to stdout already cannot be mended`);
    }
  }
}

function whyNot(segments: readonly Segment[], total: number, held: number): string | undefined {
  const doubtful = segments.find(({ doubt }) => doubt !== undefined);
  if (doubtful) return doubtful.doubt;
  if (total === held) return undefined;
  const count = (number: number) => number.toLocaleString('en');
  return `the service says there are ${count(total)} legs, and ${count(held)} different ones were read`;
}

/** Rows that the service's total of the range counts: those in the file, and neighbours that came with them. */
export function heldRows(segments: readonly Segment[]): number {
  const beyond = new Set(segments.flatMap((segment) => segment.beyond));
  return segments.reduce((sum, { rows }) => sum + rows, beyond.size);
}

/** The window of the last row of all, where it does not hold that row: its pages ended before they should have. */
async function withoutLast({ source, windows, frozen, directory }: ProveOptions): Promise<Segment[]> {
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
  // A row that came a millisecond after the range is given first, and must not hide the last one of the range.
  if (rows.length > 0 && !rows.some(isInside)) rows = (await source.lastOf(range, LARGEST_PAGE)).rows;
  if (rows.length === 0) return [];
  const last = rows.find(isInside);
  const segment = last === undefined ? windows.segments.at(-1) : segmentOf(windows.segments, timeOf(last));
  if (!segment) return [];
  const isHeld = last !== undefined && (await readIds(directory, segment)).has(identityOf(last));
  return isHeld ? [] : [segment];
}

/** Windows beside which there are rows that were not made since the range was frozen. */
function withStrays(segments: readonly Segment[], { newest }: Frozen, known: ReadonlySet<string>): Segment[] {
  const base = new Set(newest);
  const isOld = (id: string) => base.has(id) || !known.has(id);
  return segments.filter(({ strays = [] }) => strays.some(isOld));
}

/** Windows that hold the same row: it moved from one to the other while they were read. */
async function heldTwice({ windows, directory }: ProveOptions): Promise<Segment[]> {
  const segments = windows.segments;
  if (segments.length < 2) return [];
  // Hashes of eight bytes in the place of ids: there may be millions of them.
  const hashes = new Float64Array(segments.reduce((sum, { rows }) => sum + rows, 0));
  let end = 0;
  for (const segment of segments) {
    for (const id of await idsOf(directory, segment)) hashes[end++] = idHash(id);
  }
  hashes.sort();
  const repeated = new Set(hashes.filter((hash, index) => hash === hashes[index - 1]));
  if (repeated.size === 0) return [];
  const first = new Map<string, Segment>();
  const twice = new Set<Segment>();
  for (const segment of segments) {
    for (const id of await idsOf(directory, segment)) {
      if (!repeated.has(idHash(id))) continue;
      const other = first.get(id);
      if (other) twice.add(other).add(segment);
      else first.set(id, segment);
    }
  }
  return [...twice];
}

/**
 * Asks each window for the page after its last row. Windows have changed if that page holds a row, which no total can
 * explain away, or comes with another total than when they were read.
 */
async function afterTheLast(
  source: LedgerSource,
  segments: readonly Segment[],
): Promise<{ changed: Segment[]; why: string | undefined }> {
  const pages = await Promise.all(segments.map(({ span, total }) => source.page(span, total ?? 0, 1)));
  const changed = segments.filter(
    ({ total }, at) => total !== pages[at]?.total || pages[at]?.rows.length !== 0,
  );
  const capped = pages.some(({ rows, total }, at) => rows.length > 0 && total === segments[at]?.total);
  return {
    changed,
    why: capped ? 'the service gives rows after the last one that its total counts' : undefined,
  };
}

/** The windows of rows that the service made since the beginning, by its own order of making. */
async function madeMeanwhile(
  { source, windows, frozen, directory }: ProveOptions,
  known: Set<string>,
): Promise<{ segments: Segment[]; tooMany: boolean }> {
  const base = new Set(frozen.newest);
  const made: { id: string; time: number | undefined }[] = [];
  let met = false;
  for (let offset = 0; !met; ) {
    if (offset >= NEWEST_ROWS) return { segments: [], tooMany: true };
    const { rows } = await source.newest(frozen.range, offset);
    if (rows.length === 0) break;
    offset += rows.length;
    for (const row of rows) {
      const id = identityOf(row);
      if (base.has(id)) met = true;
      else if (!known.has(id)) made.push({ id, time: timeOf(row) });
    }
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
  // Many that are held were made together, long ago, and the service gives such ties in any order.
  return { segments: there.length <= FEW ? [...missing, ...there] : missing, tooMany: false };
}

/** The window of a row; of a neighbour of the range, which the total counts too, the window beside it. */
function segmentOf(segments: readonly Segment[], time: number | undefined): Segment | undefined {
  if (time === undefined) return segments.find(({ span }) => span === undefined);
  const [first] = segments;
  if (first?.span && time < first.span.from) return first;
  return segments.findLast(({ span }) => span === undefined || span.from <= Math.floor(time));
}

async function readIds(directory: string, segment: Segment): Promise<ReadonlySet<string>> {
  return new Set(await idsOf(directory, segment));
}

async function idsOf(directory: string, { file }: Segment): Promise<readonly string[]> {
  return file === null ? [] : readSegmentIds(join(directory, file));
}
