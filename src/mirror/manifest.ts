import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, messageOf, usageError } from '../core/errors.ts';
import { flushDirectory } from '../core/file.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord, jsonText, parseJson } from '../core/json.ts';
import type { Span } from '../core/span.ts';
import { showText } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { OutputFile } from '../export/output-file.ts';

/** The file that describes the content of a mirror. Each run replaces this file atomically. */
export const MANIFEST = 'mirror.json';

/**
 * The format that this version writes, and the latest format that it reads. Format 1 has no list of spam assets, and no times for
 * additions and deletions.
 */
export const FORMAT = 2;

/** A file of a mirror. Files never change, because new content is written to a file with a new name. */
export interface MirrorFile {
  /** Path relative to the mirror's folder, with slashes as separators. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Times at which the rows were last verified, as ISO 8601. Null means never. */
export interface Claims {
  /** Time of the latest check in which the row count equalled the service's total. */
  readonly countsVerifiedAt: string | null;
  /** Every row that was added or deleted before this time was found. */
  readonly idsVerifiedAt: string | null;
  /** Start time of the latest verified read of the rows. Every field was read at or after this time. */
  readonly contentsVerifiedAt: string | null;
}

/** A span of time and its legs. Windows are ordered by time and do not overlap. */
export interface LegWindow extends Claims {
  /** Start of the window in Unix milliseconds, inclusive; null if the window has no start. */
  readonly from: number | null;
  /** End of the window, inclusive; null if the legs cannot be split by time. The table then has one window. */
  readonly to: number | null;
  /** Null if the window has no legs. */
  readonly file: MirrorFile | null;
  readonly rows: number;
  /** The service's total for the window, extended by 1 ms at both ends; null if the service reports no total. */
  readonly total: number | null;
  /** SHA-256 of the legs as JSON Lines, in order of time and id. */
  readonly legsSha256: string | null;
  /** Ids of the accounts that the legs belong to. */
  readonly walletIds: readonly string[];
}

/** The legs that were created last when the state was read. The next run reads from the newest leg down to these legs. */
export interface Newest {
  /** Newest first. */
  readonly ids: readonly string[];
  /** Whether a run has found a new leg before the legs that were already known, as in a list with the newest leg first. */
  readonly isNewestFirst: boolean;
}

export interface LedgerTable {
  readonly rows: number;
  readonly verified: boolean;
  /** Why the legs are not verified; null if they are verified. */
  readonly why: string | null;
  /** Start time of the read that produced this state, as ISO 8601. */
  readonly readAt: string;
  /** Time at which the service's totals confirmed this state; null if the state is not verified. */
  readonly verifiedAt: string | null;
  /** Maximum number of legs in a window. A window that cannot be split may contain more. */
  readonly windowRows: number;
  readonly windows: readonly LegWindow[];
  /** The `lastSyncedAt` of each account when the state was read, by account id; null if accounts were not read. */
  readonly syncs: Readonly<Record<string, unknown>> | null;
  /** Null if additions and deletions are not known, so that only a read of all windows can find them. */
  readonly newest: Newest | null;
}

/** The latest state of a list other than ledgers. */
export interface Snapshot extends Claims {
  readonly files: readonly MirrorFile[];
  readonly rows: number;
  /** The service's total; null if the service reports no total. */
  readonly total: number | null;
  readonly verified: boolean;
  readonly why: string | null;
  /** Start time of the read that produced these rows, as ISO 8601. */
  readonly readAt: string;
}

/** A file with the differences that a run found. */
export interface HistoryFile extends MirrorFile {
  readonly seenAt: string;
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

/** The latest run, even if it was not verified. */
export interface LastRun {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly verified: boolean;
  readonly why: string | null;
}

export const SNAPSHOTS = ['transactions', 'integrations', 'holdings', 'labels', 'spam'] as const;
export type SnapshotName = (typeof SNAPSHOTS)[number];

/** The content of `mirror.json`. */
export interface MirrorManifest {
  readonly mirror: number;
  readonly tool: string;
  readonly address: string;
  readonly workspace: string | null;
  readonly createdAt: string;
  readonly lastRun: LastRun;
  /** The filters and the lists of the mirror. The filters are always empty. */
  readonly query: JsonRecord;
  readonly ledgers: LedgerTable;
  readonly history: readonly HistoryFile[];
  readonly snapshots: Readonly<Partial<Record<SnapshotName, Snapshot>>>;
}

/** The span of a window; undefined if the legs cannot be split by time. */
export function windowSpan({ from, to }: LegWindow): Span | undefined {
  return to === null ? undefined : { from: from ?? Number.NEGATIVE_INFINITY, to };
}

/** The inverse of {@link windowSpan}. */
export function boundsOf(span: Span | undefined): Pick<LegWindow, 'from' | 'to'> {
  return { from: span && Number.isFinite(span.from) ? span.from : null, to: span?.to ?? null };
}

/** Every file listed in a manifest. */
export function filesOf({ ledgers, history, snapshots }: MirrorManifest): MirrorFile[] {
  return [
    ...ledgers.windows.flatMap(({ file }) => file ?? []),
    ...history,
    ...Object.values(snapshots).flatMap(({ files }) => files),
  ];
}

export async function writeMirror(
  directory: string,
  content: Omit<MirrorManifest, 'mirror' | 'tool'>,
): Promise<MirrorManifest> {
  const manifest = { mirror: FORMAT, tool: `cryptodata ${VERSION}`, ...content } as const;
  const path = join(directory, MANIFEST);
  await OutputFile.fill(path, { overwrite: true }, (file) => file.write(`${jsonText(manifest, 1)}\n`));
  await flushDirectory(directory);
  return manifest;
}

/**
 * Reads `mirror.json`. Returns undefined if the folder does not contain this file.
 *
 * @throws usage error `MIRROR_TOO_NEW` or `BAD_MIRROR`
 */
export async function readMirror(directory: string): Promise<MirrorManifest | undefined> {
  const path = join(directory, MANIFEST);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw usageError(`Cannot read ${showText(path)}: ${messageOf(error)}`, undefined, 'BAD_MIRROR');
  }
  const content = contentOf(text);
  const format = isRecord(content) ? content['mirror'] : undefined;
  if (typeof format === 'number' && format > FORMAT) {
    throw usageError(
      `A newer version of cryptodata wrote ${showText(path)} (format ${format}; this version reads ${FORMAT})`,
      'Update cryptodata.',
      'MIRROR_TOO_NEW',
    );
  }
  const current = format === 1 ? fromFormat1(content) : content;
  if (isManifest(current)) return current;
  throw usageError(
    `${showText(path)} is damaged`,
    'Restore the whole folder from a backup, or create a mirror in another folder.',
    'BAD_MIRROR',
  );
}

function contentOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown) => typeof value === 'string';
const isTextOrNull = (value: unknown) => value === null || isText(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime = (value: unknown) => instantOf(value) !== undefined;
const isTimeOrNull = (value: unknown) => value === null || isTime(value);
const isMomentOrNull = (value: unknown) => value === null || Number.isSafeInteger(value);
const isCountOrNull = (value: unknown) => value === null || isCount(value);
const isFlag = (value: unknown) => typeof value === 'boolean';
const listOf = (is: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is);
type Shape = Readonly<Record<string, (value: unknown) => boolean>>;
const recordOf = (shape: Shape) => (value: unknown) =>
  isRecord(value) && Object.entries(shape).every(([name, is]) => is(value[name]));

const FILE: Shape = {
  // This pattern excludes paths outside the folder.
  file: (value) => isText(value) && /^[a-z]+\/[\w-][\w.-]*$/.test(String(value)),
  ...{ rows: isCount, bytes: isCount },
  sha256: (value) => isText(value) && /^[0-9a-f]{64}$/.test(String(value)),
};
const CLAIMS: Shape = {
  ...{ countsVerifiedAt: isTimeOrNull, idsVerifiedAt: isTimeOrNull, contentsVerifiedAt: isTimeOrNull },
};
const NEWEST: Shape = { ids: listOf(isText), isNewestFirst: isFlag };
const WINDOW: Shape = {
  ...{ from: isMomentOrNull, to: isMomentOrNull, rows: isCount, total: isCountOrNull, ...CLAIMS },
  file: (value) => value === null || recordOf(FILE)(value),
  ...{ legsSha256: isTextOrNull, walletIds: listOf(isText) },
};
const SNAPSHOT: Shape = {
  ...{ files: listOf(recordOf(FILE)), rows: isCount, total: isCountOrNull, ...CLAIMS },
  ...{ verified: isFlag, why: isTextOrNull, readAt: isTime },
};
const CONTENT: Shape = {
  mirror: (value) => Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= FORMAT,
  ...{ tool: isText, address: isText, workspace: isTextOrNull, createdAt: isTime, query: isRecord },
  lastRun: recordOf({ startedAt: isTime, endedAt: isTime, verified: isFlag, why: isTextOrNull }),
  ledgers: recordOf({
    ...{ rows: isCount, verified: isFlag, why: isTextOrNull, readAt: isTime, verifiedAt: isTimeOrNull },
    ...{ windowRows: isCount, windows: (value) => listOf(recordOf(WINDOW))(value) && isInOrder(value) },
    syncs: (value) => value === null || isRecord(value),
    newest: (value) => value === null || recordOf(NEWEST)(value),
  }),
  history: listOf(recordOf({ ...FILE, seenAt: isTime, added: isCount, removed: isCount, changed: isCount })),
  snapshots: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, snapshot]) => SNAPSHOTS.some((known) => known === name) && recordOf(SNAPSHOT)(snapshot),
    ),
};

function isManifest(value: unknown): value is MirrorManifest {
  return recordOf(CONTENT)(value);
}

/** Converts a manifest of format 1. In format 1, additions and deletions are known only as of the last read of every field. */
function fromFormat1(content: unknown): unknown {
  if (!isRecord(content) || !isRecord(content['ledgers']) || !isRecord(content['snapshots'])) return content;
  const withIds = (claims: unknown) =>
    isRecord(claims) ? { ...claims, idsVerifiedAt: claims['contentsVerifiedAt'] } : claims;
  const { ledgers, snapshots } = content;
  const windows = Array.isArray(ledgers['windows']) ? ledgers['windows'].map(withIds) : null;
  const lists = Object.entries(snapshots).map(([name, list]) => [name, withIds(list)]);
  return {
    ...{ ...content, ledgers: { ...ledgers, windows, newest: null } },
    snapshots: Object.fromEntries(lists),
  };
}

/**
 * Whether the windows are valid: ordered without overlap, or a single window without `to`. Only the first window may have no
 * `from`.
 */
function isInOrder(value: unknown): boolean {
  const windows = Array.isArray(value) ? value : [];
  if (windows.some(({ to }) => to === null)) return windows.length === 1 && windows[0].from === null;
  return windows.every(({ from, to }, at) =>
    at === 0 ? from === null || from <= to : from !== null && from <= to && windows[at - 1].to < from,
  );
}
