import { join } from 'node:path';
import type { ServiceClient } from '../client/client.ts';
import { stringifyJson } from '../core/json.ts';
import type { Span } from '../core/span.ts';
import { type EngineOptions, firstWindows, type Reading, withReading } from '../export/engine.ts';
import { type Frozen, freeze } from '../export/plan.ts';
import { readResumeLog, type Segment } from '../export/resume-log.ts';
import { recordEncoder } from '../export/row-text.ts';
import { LARGEST_PAGE, type LedgerSelection, type LedgerSource } from '../read/ledger-source.ts';
import { type Differences, writeDifferences } from './differences.ts';
import type { PlaceLegs } from './leg-file.ts';
import { LegPacker, type NewFile } from './leg-packer.ts';
import {
  boundsOf,
  type HistoryGap,
  type LedgerTable,
  type LegWindow,
  type MirrorFile,
  type Newest,
  type TableName,
  windowSpan,
} from './manifest.ts';
import { areDeleted, type NewestRead, outdatedWindows, readNewest } from './newest.ts';
import type { Mirror } from './open.ts';
import { mirrorWindowRows, planWindows } from './plan.ts';

/** How a run requests and places legs. */
export interface LegReading
  extends Pick<
    EngineOptions,
    'concurrency' | 'maxRps' | 'patience' | 'signal' | 'now' | 'backoff' | 'onProgress'
  > {
  readonly client: ServiceClient;
  readonly windowRows?: number | undefined;
  readonly place: PlaceLegs;
}

export interface ReadLegs extends LegReading {
  readonly directory: string;
  /**
   * The workspace, the address of the service and the latest syncs. An unfinished run is resumed only if none of these values
   * has changed.
   */
  readonly identity: EngineOptions['identity'];
  readonly mirror: Mirror | undefined;
  readonly isStale: (window: LegWindow) => boolean;
  readonly syncs: LedgerTable['syncs'];
  readonly workspace: string;
  readonly nameOf: (table: TableName) => string;
}

export interface NewLegs {
  readonly table: LedgerTable;
  readonly files: readonly MirrorFile[];
  readonly written: readonly NewFile[];
  readonly differences: Differences | undefined;
  /** Why windows with unchanged totals were read again. */
  readonly reasons: readonly string[];
  readonly windowsRead: number;
  readonly damaged: number;
  /** Describes the changes that are unknown because of damaged files; undefined if no file was damaged. */
  readonly gap: HistoryGap | undefined;
  readonly legsRead: number;
}

/** If the number of legs has grown by more than this share, all windows are read again. */
const MOST_GROWTH = 0.1;

const ALL: LedgerSelection = { filters: {}, span: {}, sent: {} };

/** Reads the legs. The first run reads all legs; later runs read only windows that changed or are stale. */
export async function readLegs(options: ReadLegs): Promise<NewLegs> {
  const { directory, mirror, now, signal, identity, nameOf } = options;
  const damaged: LegWindow[] = [];
  for (const window of mirror?.manifest.ledgers.windows ?? [])
    if ((await mirror?.windowFault(window)) !== undefined) damaged.push(window);
  const isDamaged = new Set(damaged);
  // An unfinished first run is resumed if the workspace, the service and the latest syncs have not changed since.
  const started = mirror ? undefined : await readResumeLog(directory);
  const isSame = stringifyJson(started?.identity) === stringifyJson(identity);
  const unfinished = isSame ? started : undefined;
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
      idsOf: (window) => mirror.idsOf(window),
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
  const earlier = new Map(table?.windows.map((window) => [spanText(windowSpan(window)), window]));
  /** Returns the earlier window of a segment, if its file still contains the legs of the segment. */
  const sameAs = (segment: Segment): LegWindow | undefined => {
    const old = earlier.get(spanText(segment.span));
    if (old === undefined || segment.ids) return old;
    return !isDamaged.has(old) && old.legsSha256 === segment.sha256 ? old : undefined;
  };
  const fresh = segments.filter(({ ids }) => !ids);
  const staying = new Set(segments.map(sameAs));
  const differences =
    mirror &&
    (await writeDifferences({
      ...{ before: mirror, directory, seenAt: verification.at, damaged, name: nameOf('ledgers_history') },
      segments: segments.filter((segment) => !sameAs(segment)),
      dropped: mirror.manifest.ledgers.windows.filter((old) => !staying.has(old) && !isDamaged.has(old)),
    }));
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
  const { claim } = verification;
  const verified = (at: string) => (claim.verified ? at : null);
  const readAt = frozen.at;
  const claims = {
    ...{ countsVerifiedAt: verified(verification.at), idsVerifiedAt: verified(readAt) },
    contentsVerifiedAt: verified(readAt),
  };
  const retired = retiredFiles(mirror, staying);
  const packer = new LegPacker(directory, options.workspace, () => nameOf('ledgers'), options.place);
  /** Returns where the legs of a kept window are. Copies the legs if their file does not stay in the mirror. */
  const keep = ({ part }: LegWindow) =>
    mirror && part && retired.has(part.file) ? packer.copy(mirror.path(part), part) : Promise.resolve(part);
  const windows: LegWindow[] = [];
  let written: readonly NewFile[];
  try {
    for (const segment of segments) {
      const old = sameAs(segment);
      if (old && segment.ids) {
        const idsVerifiedAt = isKnown && claim.verified ? readAt : old.idsVerifiedAt;
        const countsVerifiedAt = kept.get(old) ?? old.countsVerifiedAt;
        windows.push({ ...old, part: await keep(old), countsVerifiedAt, idsVerifiedAt });
      } else {
        // If a window was read again, and its legs did not change, its file stays.
        const { rows, sha256: legsSha256, file, span } = segment;
        const legs = old
          ? { walletIds: old.walletIds, part: await keep(old) }
          : file === null
            ? { part: null, walletIds: [] }
            : await packer.add(join(directory, file), boundsOf(span).from === null);
        windows.push({
          ...{
            ...boundsOf(segment.span),
            rows,
            legsSha256,
            total: segment.total ?? null,
            ...legs,
            ...claims,
          },
        });
      }
    }
    written = await packer.finish();
  } finally {
    await packer.close();
  }
  const survivors = (mirror?.filesOf('ledgers') ?? []).filter(({ file }) => !retired.has(file));
  return {
    table: {
      ...{ rows: rowsIn(windows), verified: claim.verified, why: claim.why ?? null, readAt },
      ...{ verifiedAt: verified(verification.at), windowRows: windowRows ?? 0, windows },
      ...{ syncs: options.syncs, newest },
    },
    files: [...survivors, ...written.map((file) => file.written)],
    ...{ written, differences, windowsRead: fresh.length, legsRead: rowsIn(fresh), reasons: found.reasons },
    gap: damaged.length === 0 ? undefined : { seenAt: verification.at, rows: rowsIn(damaged) },
    damaged: new Set(damaged.map(({ part }) => part?.file)).size,
  };
}

function rowsIn(parts: readonly { readonly rows: number }[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

/** If a mirror has more small files than this, they are joined. */
const MOST_SMALL_FILES = 8;
const SMALL_FILE_BYTES = 64 * 1024 * 1024;

/** Returns the files that leave the mirror: files with a window that changed, and small files if there are many. */
function retiredFiles(
  mirror: Mirror | undefined,
  staying: ReadonlySet<LegWindow | undefined>,
): ReadonlySet<string> {
  if (!mirror) return new Set();
  const files = mirror.filesOf('ledgers');
  const table = mirror.manifest.ledgers;
  const retired = new Set(table.windows.flatMap((old) => (staying.has(old) ? [] : (old.part?.file ?? []))));
  const used = new Set(table.windows.flatMap(({ part }) => part?.file ?? []));
  const small = files.filter(({ file, bytes }) => bytes < SMALL_FILE_BYTES && !retired.has(file));
  const joined = small.length > MOST_SMALL_FILES ? small : [];
  for (const { file } of [...joined, ...files.filter(({ file }) => !used.has(file))]) retired.add(file);
  return retired;
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
 * Decides whether additions and deletions are known in windows that were not read again. All additions and deletions are known
 * if each added leg is among the newest legs. The window of such a leg is read again, so in all other windows an unchanged
 * total means that no leg was deleted. The total of a window is also unchanged if one leg was deleted and another leg was moved
 * into the window. The service still has the moved leg, which is missing in its earlier window. If all legs were listed, these
 * conditions do not matter, because each window was compared with the list.
 *
 * The service's order is trusted only if the newest legs contain two kinds of legs: the added legs in the windows that were
 * read, and the earlier newest legs that were not deleted. Without this trust, `newest` is null, because only a read of all
 * windows can find the additions and deletions.
 */
async function additionsOf(
  { newest: before, verified }: LedgerTable,
  { source, frozen, newest, differences, isDamaged, windowRows, ...options }: AdditionsOptions,
): Promise<Additions> {
  const unknown: Additions = { isKnown: false, newest: null };
  // The legs of a damaged file are unknown, so a leg could have moved from this file to a window that was not read.
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
    // The missing legs may have been added during the run.
    const later = await readNewest(source, frozen, frozen.newest, missing.length, windowRows);
    if (!missing.every((key) => later?.ahead.has(key))) return unknown;
  }
  const isNewestFirst = before.isNewestFirst || addedKeys.some((key) => newest.ahead.has(key));
  return { isKnown: isNewestFirst, newest: { ids: isNewestFirst ? frozen.newest : ids, isNewestFirst } };
}

function spanText(span: Span | undefined): string {
  return span ? `${span.from}-${span.to}` : 'all';
}
