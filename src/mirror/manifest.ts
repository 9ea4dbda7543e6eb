import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Span } from '../core/span.ts';

/**
 * The format that this version writes, and the only one that it reads. Formats 1 and 2 were files with a manifest, and can be
 * converted. In format 3, the table `ledgers` had no column `position`.
 */
export const FORMAT = 4;

/** A file of a mirror. Files never change, because new content is written to a file with a new name. */
export interface MirrorFile {
  /** Path relative to the mirror's folder, with slashes as separators. */
  readonly file: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Statistics for readers of the table, as JSON. */
  readonly stats: string;
  /** The names or ids of the accounts in a file of integrations, as JSON, for completions. */
  readonly accounts?: string;
}

/** The row groups of a file that contain a window. */
export interface LegPart {
  /** Path of the file. */
  readonly file: string;
  /** The number of the first row group, and the number of row groups. */
  readonly first: number;
  readonly count: number;
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
  readonly part: LegPart | null;
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
  /** Whether a run has found a new leg before the known legs, as in a list with the newest leg first. */
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
  readonly files: readonly MirrorFile[];
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

/** A run that read damaged files again. It is unknown which changes these files had since the previous run. */
export interface HistoryGap {
  readonly seenAt: string;
  /** Number of legs in the damaged windows before the run. */
  readonly rows: number;
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

export const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];

/** The state of a mirror: what the last commit of a run recorded, and the files that belong to this state. */
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
  /** What is missing in the history. */
  readonly gaps?: readonly HistoryGap[];
  readonly snapshots: Readonly<Partial<Record<SnapshotName, Snapshot>>>;
}

/** The name of a workspace in the tables. It is never empty. */
export function partitionOf(workspace: string | null): string {
  return workspace ?? 'unknown';
}

/** The span of a window; undefined if the legs cannot be split by time. */
export function windowSpan({ from, to }: LegWindow): Span | undefined {
  return to === null ? undefined : { from: from ?? Number.NEGATIVE_INFINITY, to };
}

/** The inverse of {@link windowSpan}. */
export function boundsOf(span: Span | undefined): Pick<LegWindow, 'from' | 'to'> {
  return { from: span && Number.isFinite(span.from) ? span.from : null, to: span?.to ?? null };
}

/** The files of each table. */
export function tableFiles({ ledgers, history, snapshots }: MirrorManifest) {
  return new Map<TableName, readonly MirrorFile[]>([
    ['ledgers', ledgers.files],
    ['ledgers_history', history],
    ...SNAPSHOTS.map((name) => [name, snapshots[name]?.files ?? []] as const),
  ]);
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

const PART: Shape = { file: isText, first: isCount, count: isCount };
const CLAIMS: Shape = {
  countsVerifiedAt: isTimeOrNull,
  idsVerifiedAt: isTimeOrNull,
  contentsVerifiedAt: isTimeOrNull,
};
const NEWEST: Shape = { ids: listOf(isText), isNewestFirst: isFlag };
const WINDOW: Shape = {
  ...{ from: isMomentOrNull, to: isMomentOrNull, rows: isCount, total: isCountOrNull, ...CLAIMS },
  part: (value) => value === null || recordOf(PART)(value),
  ...{ legsSha256: isTextOrNull, walletIds: listOf(isText) },
};
const SNAPSHOT: Shape = {
  ...{ rows: isCount, total: isCountOrNull, ...CLAIMS },
  ...{ verified: isFlag, why: isTextOrNull, readAt: isTime },
};
const CONTENT: Shape = {
  mirror: (value) => value === FORMAT,
  ...{ tool: isText, address: isText, workspace: isTextOrNull, createdAt: isTime, query: isRecord },
  lastRun: recordOf({ startedAt: isTime, endedAt: isTime, verified: isFlag, why: isTextOrNull }),
  ledgers: recordOf({
    ...{ rows: isCount, verified: isFlag, why: isTextOrNull, readAt: isTime, verifiedAt: isTimeOrNull },
    ...{ windowRows: isCount, windows: (value) => listOf(recordOf(WINDOW))(value) && isInOrder(value) },
    syncs: (value) => value === null || isRecord(value),
    newest: (value) => value === null || recordOf(NEWEST)(value),
  }),
  gaps: (value) => value === undefined || listOf(recordOf({ seenAt: isTime, rows: isCount }))(value),
  versions: (value) => isRecord(value) && Object.values(value).every(isCount),
  snapshots: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([name, snapshot]) => SNAPSHOTS.some((known) => known === name) && recordOf(SNAPSHOT)(snapshot),
    ),
};

/** What the last commit of a run records: a {@link MirrorManifest} without its files, and the versions of the other tables. */
export interface RunState extends Omit<MirrorManifest, 'history' | 'ledgers' | 'snapshots'> {
  readonly ledgers: Omit<LedgerTable, 'files'>;
  readonly snapshots: Readonly<Partial<Record<SnapshotName, Omit<Snapshot, 'files'>>>>;
  readonly versions: Readonly<Record<string, number>>;
}

export function isState(value: unknown): value is RunState {
  return recordOf(CONTENT)(value);
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
