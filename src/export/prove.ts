import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { sleep } from '../base/sleep.ts';
import type { Frozen } from './freeze.ts';
import type { Segment } from './journal.ts';
import type { LedgerSource } from './ledger-source.ts';
import { idOf } from './reading.ts';
import { timeOf } from './rows.ts';
import type { Windows } from './windows.ts';

/** Times that windows which changed are read again after the last one was read. */
const ROUNDS = 3;
/** Pages that are looked at for rows made since the beginning. */
const NEWEST_PAGES = 20;
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
    const total = await source.total(frozen.range);
    const answer = { total, at };
    if (total === undefined) {
      return { verified: false, why: 'the service gives no total to hold the rows against', ...answer };
    }
    const segments = windows.segments;
    const held = heldRows(segments);
    const changed = new Set(segments.filter(({ doubt }) => doubt !== undefined));
    const made = await madeMeanwhile(options, known);
    for (const segment of made.segments) changed.add(segment);
    if (total !== held) for (const segment of await movedTotals(source, segments)) changed.add(segment);
    if (total === held && changed.size === 0 && !made.tooMany) return { verified: true, ...answer };
    const no = (why: string) => ({ verified: false, why, ...answer });
    if (made.tooMany) return no('more rows were added meanwhile than can be looked at');
    const why = whyNot(segments, total, held) ?? 'rows were added while it was read';
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

/** Windows of which the service now gives another total than when they were read. */
async function movedTotals(source: LedgerSource, segments: readonly Segment[]): Promise<Segment[]> {
  const totals = await Promise.all(segments.map(({ span }) => source.total(span)));
  return segments.filter(({ total }, at) => total !== totals[at]);
}

/** The windows of rows that the service made since the beginning, by its own order of making. */
async function madeMeanwhile(
  { source, windows, frozen, directory }: ProveOptions,
  known: Set<string>,
): Promise<{ segments: Segment[]; tooMany: boolean }> {
  const base = new Set(frozen.newest);
  const made: { id: string; time: number | undefined }[] = [];
  let met = false;
  for (let page = 0, offset = 0; !met; page++) {
    if (page >= NEWEST_PAGES) return { segments: [], tooMany: true };
    const { rows } = await source.newest(frozen.range, offset);
    if (rows.length === 0) break;
    offset += rows.length;
    for (const row of rows) {
      const id = isRecord(row) ? idOf(row) : undefined;
      if (id === undefined) continue;
      if (base.has(id)) met = true;
      else if (!known.has(id)) made.push({ id, time: timeOf(row) });
    }
  }
  const segments = windows.segments;
  const placed = made.flatMap(({ id, time }) => {
    const segment = segmentOf(segments, time);
    return segment ? [{ id, segment }] : [];
  });
  const idsOf = new Map<Segment, ReadonlySet<string>>();
  const missing: Segment[] = [];
  const there: Segment[] = [];
  for (const { id, segment } of placed) {
    let ids = idsOf.get(segment);
    if (!ids) {
      ids = await readIds(directory, segment);
      idsOf.set(segment, ids);
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
  return segments.findLast(({ span }) => span === undefined || span.from <= time);
}

async function readIds(directory: string, { file }: Segment): Promise<ReadonlySet<string>> {
  if (file === null) return new Set();
  const ids = parseJson(await readFile(join(directory, file.replace(/seg$/, 'ids')), 'utf8'));
  return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
}
