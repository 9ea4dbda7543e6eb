import { join } from 'node:path';
import type { ServiceClient } from '../client/client.ts';
import { knownInstant } from '../core/instant.ts';
import { stringifyJson } from '../core/json.ts';
import type { Span } from '../core/span.ts';
import { type EngineOptions, firstWindows, type Reading, withReading } from '../export/engine.ts';
import { type Frozen, freeze } from '../export/plan.ts';
import { readResumeLog, type Segment } from '../export/resume-log.ts';
import { recordEncoder } from '../export/row-text.ts';
import { readRecords } from '../formats/lines.ts';
import { LARGEST_PAGE, type LedgerSelection, type LedgerSource } from '../read/ledger-source.ts';
import { type Differences, writeDifferences } from './differences.ts';
import { openLegFile } from './leg-file.ts';
import {
  boundsOf,
  type LedgerTable,
  type LegWindow,
  type MirrorFile,
  type Newest,
  windowSpan,
} from './manifest.ts';
import { areDeleted, type NewestRead, outdatedWindows, readNewest } from './newest.ts';
import type { Mirror } from './open.ts';
import { mirrorWindowRows, planWindows } from './plan.ts';

export interface ReadLegs
  extends Pick<
    EngineOptions,
    'concurrency' | 'maxRps' | 'patience' | 'signal' | 'now' | 'backoff' | 'onProgress'
  > {
  readonly client: ServiceClient;
  /** The folder that the run writes to. */
  readonly directory: string;
  /** The workspace, the address of the service and the latest syncs. An unfinished run is resumed only if these are the same. */
  readonly identity: EngineOptions['identity'];
  /** The current state; undefined in the first run. */
  readonly mirror: Mirror | undefined;
  readonly isStale: (window: LegWindow) => boolean;
  readonly windowRows?: number | undefined;
  readonly syncs: LedgerTable['syncs'];
}

/** A new file at `path`. When the run is committed, the file is moved into the mirror. Its path there is `file`. */
export interface NewFile {
  readonly path: string;
  readonly file: string;
}

export interface NewLegs {
  readonly table: LedgerTable;
  readonly files: readonly NewFile[];
  readonly differences: (Differences & { readonly seenAt: string }) | undefined;
  /** Why windows were read again although their totals did not change. */
  readonly reasons: readonly string[];
  /** Number of windows that were read. */
  readonly windowsRead: number;
  /** Number of windows with damaged files. */
  readonly damaged: number;
  readonly legsRead: number;
}

/** If the number of legs has grown by more than this share, all windows are read again. */
const MOST_GROWTH = 0.1;

/** Selects every leg of the books. */
const ALL: LedgerSelection = { filters: {}, span: {}, sent: {} };

/** Reads the legs. The first run reads all legs; later runs read only windows that changed or are stale. */
export async function readLegs(options: ReadLegs): Promise<NewLegs> {
  const { directory, mirror, now, signal, identity } = options;
  const damaged = mirror ? await damagedWindows(mirror) : [];
  const isDamaged = new Set(damaged);
  const unfinished = mirror ? undefined : await unfinishedRun(directory, identity);
  // The window size depends on the number of legs, which is unknown until `freeze` returns.
  let { windowRows } = options;
  const engine = { ...options, selection: ALL, encoder: recordEncoder() };
  const { exported, kept, ...found } = await withReading(engine, async (reading: Reading) => {
    const source = reading.source(signal);
    const frozen = unfinished?.frozen ?? (await freeze(source, ALL, now));
    windowRows ??= Math.max(mirror?.manifest.ledgers.windowRows ?? 0, mirrorWindowRows(frozen.total ?? 0));
    if (!mirror) {
      const windows = firstWindows(frozen, unfinished?.segments ?? []);
      const exported = await reading.read(frozen, windows, windowRows);
      return { source, exported, kept: new Map<LegWindow, string>(), newest: undefined, reasons: [] };
    }
    const table = mirror.manifest.ledgers;
    const grown = (frozen.total ?? 0) - table.rows;
    const haveGrown = grown > Math.max(LARGEST_PAGE, MOST_GROWTH * table.rows);
    const isRead = (window: LegWindow) => haveGrown || isDamaged.has(window) || options.isStale(window);
    const newest =
      table.newest && damaged.length === 0 && !table.windows.every(isRead)
        ? await readNewest(source, frozen, table.newest.ids, grown, windowRows)
        : undefined;
    const outdated = newest && (await outdatedWindows(mirror, newest));
    const isStale = (window: LegWindow) => isRead(window) || outdated?.has(window) === true;
    const plan = await planWindows({
      ...{ source, frozen, table, windowRows, now, isStale },
      idsOf: mirror.idsOf,
    });
    const exported = await reading.read(plan.frozen, plan.windows, windowRows);
    const reasons = [
      ...(haveGrown ? ['more than 10 % of the legs are new'] : []),
      ...(plan.areTooMany ? ['there were too many windows'] : []),
    ];
    return { source, exported, kept: plan.kept, newest, reasons };
  });
  const { frozen, verification, segments } = exported;
  const table = mirror?.manifest.ledgers;
  const earlier = windowsBySpan(table?.windows ?? []);
  /** Returns the earlier window of a segment, if its file still contains the legs of the segment. */
  const sameAs = (segment: Segment): LegWindow | undefined => {
    const old = earlier.get(spanText(segment.span));
    if (old === undefined || segment.ids) return old;
    return !isDamaged.has(old) && old.legsSha256 === segment.sha256 ? old : undefined;
  };
  const fresh = segments.filter(({ ids }) => !ids);
  const stay = new Set(segments.map(sameAs));
  const differences = mirror && {
    ...(await writeDifferences({
      ...{ before: mirror, directory, seenAt: knownInstant(verification.at), damaged },
      segments: segments.filter((segment) => !sameAs(segment)),
      dropped: mirror.manifest.ledgers.windows.filter((old) => !stay.has(old) && !isDamaged.has(old)),
    })),
    seenAt: verification.at,
  };
  const { isKnown, newest }: Additions =
    table && differences && fresh.length < segments.length
      ? await additionsOf(table, {
          ...{ ...options, ...found, differences, frozen, isDamaged: damaged.length > 0 },
          windowRows: windowRows ?? 0,
        })
      : {
          isKnown: true,
          newest: { ids: frozen.newest, isNewestFirst: table?.newest?.isNewestFirst === true },
        };
  const verified = (at: string) => (verification.claim.verified ? at : null);
  const readAt = frozen.at;
  const claims = {
    ...{ countsVerifiedAt: verified(verification.at), idsVerifiedAt: verified(readAt) },
    contentsVerifiedAt: verified(readAt),
  };
  const windows: LegWindow[] = [];
  const files: NewFile[] = [];
  for (const [index, segment] of segments.entries()) {
    const old = sameAs(segment);
    if (old && segment.ids) {
      const idsVerifiedAt = isKnown && verification.claim.verified ? readAt : old.idsVerifiedAt;
      windows.push({ ...old, countsVerifiedAt: kept.get(old) ?? old.countsVerifiedAt, idsVerifiedAt });
    } else if (old) {
      // The window was read again, but its legs did not change.
      windows.push({ ...old, total: segment.total ?? null, ...claims });
    } else {
      const { file, walletIds } = await toParquet(directory, segment, index);
      if (file) files.push(file);
      windows.push({
        ...{ ...boundsOf(segment.span), file: file?.written ?? null, rows: segment.rows },
        ...{ total: segment.total ?? null, legsSha256: segment.sha256, walletIds, ...claims },
      });
    }
  }
  return {
    table: {
      rows: windows.reduce((sum, { rows }) => sum + rows, 0),
      ...{
        verified: verification.claim.verified,
        why: verification.claim.why ?? null,
        readAt,
        verifiedAt: verified(verification.at),
      },
      ...{ windowRows: windowRows ?? 0, windows, syncs: options.syncs, newest },
    },
    ...{ files, differences, damaged: damaged.length, windowsRead: fresh.length, reasons: found.reasons },
    legsRead: fresh.reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** Whether a run knows the additions and deletions in windows that it did not read again. */
interface Additions {
  readonly isKnown: boolean;
  readonly newest: Newest | null;
}

interface AdditionsOptions extends Pick<ReadLegs, 'client' | 'concurrency' | 'maxRps' | 'signal'> {
  readonly source: LedgerSource;
  readonly frozen: Frozen;
  /** The newest legs before the windows were read; undefined if they could not be read. */
  readonly newest: NewestRead | undefined;
  readonly differences: Differences;
  readonly isDamaged: boolean;
  readonly windowRows: number;
}

/**
 * Decides whether additions and deletions are known in windows that were not read again. They are known if each added leg is
 * among the newest legs. The window of such a leg is read again, so in all other windows an unchanged total means that no leg
 * was deleted. A window could also have lost one leg and gained a moved leg. The moved leg is then missing in its earlier window,
 * but the service still has it. None of this matters if all legs were listed, because each window was compared with the list.
 *
 * The service's order is trusted only if the newest legs contain each added leg in the windows that were read, and each earlier
 * newest leg that was not deleted. Otherwise, `newest` is null, because only a read of all windows can then find the additions
 * and deletions.
 */
async function additionsOf(
  { newest: before, verified }: LedgerTable,
  { source, frozen, newest, differences, isDamaged, windowRows, ...options }: AdditionsOptions,
): Promise<Additions> {
  const unknown: Additions = { isKnown: false, newest: null };
  // The legs of a damaged file are unknown, so a leg could have moved from there to a window that was not read.
  if (!before || !verified || isDamaged) return unknown;
  if (newest?.isWhole) return { isKnown: true, newest: { ...before, ids: frozen.newest } };
  const { addedKeys, removedKeys } = differences;
  if (!(await areDeleted(removedKeys, frozen.newest[0], options))) return unknown;
  const removed = new Set(removedKeys);
  const ids = before.ids.filter((id) => !removed.has(id));
  if (!newest) return { isKnown: false, newest: { ...before, ids } };
  if (!ids.every((id) => newest.legs.has(id))) return unknown;
  const missing = addedKeys.filter((key) => !newest.legs.has(key));
  if (missing.length > 0) {
    // These legs may have been added during the run.
    const later = await readNewest(source, frozen, frozen.newest, missing.length, windowRows);
    if (!missing.every((key) => later?.ahead.has(key))) return unknown;
  }
  const isNewestFirst = before.isNewestFirst || addedKeys.some((key) => newest.ahead.has(key));
  return { isKnown: isNewestFirst, newest: { ids: isNewestFirst ? frozen.newest : ids, isNewestFirst } };
}

async function damagedWindows(mirror: Mirror): Promise<LegWindow[]> {
  const damaged: LegWindow[] = [];
  for (const window of mirror.manifest.ledgers.windows) {
    if (window.file && (await mirror.fault(window.file)) !== undefined) damaged.push(window);
  }
  return damaged;
}

/** The state of an unfinished first run for the same books. */
async function unfinishedRun(directory: string, identity: EngineOptions['identity']) {
  const unfinished = await readResumeLog(directory);
  if (!unfinished || stringifyJson(unfinished.identity) !== stringifyJson(identity)) return undefined;
  return unfinished;
}

function windowsBySpan(windows: readonly LegWindow[]): ReadonlyMap<string, LegWindow> {
  return new Map(windows.map((window) => [spanText(windowSpan(window)), window]));
}

function spanText(span: Span | undefined): string {
  return span ? `${span.from}-${span.to}` : 'all';
}

/** Writes the legs of a segment to a Parquet file of the mirror. */
async function toParquet(
  directory: string,
  { file: name, span }: Segment,
  index: number,
): Promise<{
  readonly file: (NewFile & { readonly written: MirrorFile }) | undefined;
  readonly walletIds: readonly string[];
}> {
  if (name === null) return { file: undefined, walletIds: [] };
  const path = join(directory, `${index}.parquet`);
  const wallets = new Set<string>();
  const parquet = await openLegFile(path);
  try {
    for await (const leg of readRecords(join(directory, name))) {
      const { walletId } = leg;
      if (typeof walletId === 'string') wallets.add(walletId);
      const writing = parquet.add(leg);
      if (writing) await writing;
    }
    const written = await parquet.finish();
    const file = `ledgers/${stampOf(span?.from)}-${written.sha256.slice(0, 16)}.parquet`;
    return { file: { path, file, written: { file, ...written } }, walletIds: [...wallets].sort() };
  } finally {
    await parquet.close();
  }
}

/** Formats a time, for example as `20250701T000000000Z`, so that file names sort by time. */
function stampOf(time: number | undefined): string {
  if (time === undefined) return 'all';
  if (!Number.isFinite(time)) return 'start';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time}` : date.toISOString().replace(/[-:.+]/g, '');
}
