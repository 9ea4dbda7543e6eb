import { anything, bool, text } from '../api/records.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Span } from '../core/span.ts';

/**
 * The format that this version writes, and the only one that it reads. Format 2 was files with a manifest, and can be converted.
 * In format 3, the table `ledgers` had no column `position`.
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
  /** What else the log records about the file: of integrations, the names of the `accounts`; of the history, what a run found. */
  readonly tags: Readonly<Record<string, string>>;
}

export const SNAPSHOTS = ['transactions', 'integrations', 'holdings', 'labels', 'spam'] as const;
export type SnapshotName = (typeof SNAPSHOTS)[number];

export const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];

/** The files of a state. A list that the mirror does not contain has no files. */
export type TableFiles = Readonly<Record<TableName, readonly MirrorFile[]>>;
export const NO_FILES = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as TableFiles;

type Is<T> = (value: unknown) => value is T;
export type Checked<I> = I extends Is<infer T> ? T : never;
type Shape = Readonly<Record<string, Is<unknown>>>;

export const check = <T>(is: (value: unknown) => boolean) => is as Is<T>;
export const isCount = check<number>((value) => Number.isSafeInteger(value) && Number(value) >= 0);
const isMoment = check<number>(Number.isSafeInteger);
export const isTime = check<string>((value) => instantOf(value) !== undefined);
export const orNull = <T>(is: Is<T>) => check<T | null>((value) => value === null || is(value));
export const listOf = <T>(is: Is<T>) =>
  check<readonly T[]>((value) => Array.isArray(value) && value.every((item) => is(item)));
export const mapOf = <T>(is: Is<T>) =>
  check<Readonly<Record<string, T>>>(
    (value) => isRecord(value) && Object.values(value).every((item) => is(item)),
  );
export const recordOf = <S extends Shape>(shape: S) =>
  check<{ readonly [K in keyof S]: Checked<S[K]> }>(
    (value) => isRecord(value) && Object.entries(shape).every(([name, is]) => is(value[name])),
  );

/** Times at which the rows were last verified, as ISO 8601. Null means never. */
const CLAIMS = {
  /** Time of the latest check in which the row count equalled the service's total. */
  countsVerifiedAt: orNull(isTime),
  /** Every row that was added or deleted before this time was found. */
  idsVerifiedAt: orNull(isTime),
  /** Start time of the latest verified read of the rows. Every field was read at or after this time. */
  contentsVerifiedAt: orNull(isTime),
};
const isClaims = recordOf(CLAIMS);

/** The row groups of a file that contain a window. */
const isPart = recordOf({
  /** Path of the file. */
  file: text.is,
  /** The number of the first row group, and the number of row groups. */
  first: isCount,
  count: isCount,
});

/** A span of time and its legs. Windows are ordered by time and do not overlap. */
const isWindow = recordOf({
  ...CLAIMS,
  /** Start of the window in Unix milliseconds, inclusive; null if the window has no start. */
  from: orNull(isMoment),
  /** End of the window, inclusive; null if the legs cannot be split by time. The table then has one window. */
  to: orNull(isMoment),
  /** Null if the window has no legs. */
  part: orNull(isPart),
  rows: isCount,
  /** The service's total for the window, extended by 1 ms at both ends; null if the service reports no total. */
  total: orNull(isCount),
  /** SHA-256 of the legs as JSON Lines, in order of time and id. */
  legsSha256: orNull(text.is),
  /** Ids of the accounts that the legs belong to. */
  walletIds: listOf(text.is),
});

/** The legs that were created last when the state was read. The next run reads from the newest leg down to these legs. */
const isNewest = recordOf({
  /** Newest first. */
  ids: listOf(text.is),
  /** Whether a run has found a new leg before the known legs, as in a list with the newest leg first. */
  isNewestFirst: bool.is,
});

const READ = {
  rows: isCount,
  verified: bool.is,
  /** Why the rows are not verified; null if they are verified. */
  why: orNull(text.is),
  /** Start time of the read that produced this state, as ISO 8601. */
  readAt: isTime,
};

const isLedgerTable = recordOf({
  ...READ,
  /** Time at which the service's totals confirmed this state; null if the state is not verified. */
  verifiedAt: orNull(isTime),
  /** Maximum number of legs in a window. A window that cannot be split may contain more. */
  windowRows: isCount,
  windows: check<readonly LegWindow[]>((value) => listOf(isWindow)(value) && isInOrder(value)),
  /** The `lastSyncedAt` of each account when the state was read, by account id; null if accounts were not read. */
  syncs: orNull(mapOf(anything.is)),
  /** Null if additions and deletions are not known, so that only a read of all windows can find them. */
  newest: orNull(isNewest),
});

/** The latest state of a list other than ledgers. `total` is the service's total, or null if the service reports none. */
const isSnapshot = recordOf({ ...READ, ...CLAIMS, total: orNull(isCount) });

/** A run that read damaged files again. It is unknown which changes these files had since the previous run. */
const isGap = recordOf({
  seenAt: isTime,
  /** Number of legs in the damaged windows before the run. */
  rows: isCount,
});

const isLastRun = recordOf({ startedAt: isTime, endedAt: isTime, verified: bool.is, why: orNull(text.is) });

/** Whether a value is the state of a mirror, as the last commit of a run records it. */
export const isState = recordOf({
  mirror: check<number>((value) => value === FORMAT),
  tool: text.is,
  address: text.is,
  workspace: orNull(text.is),
  createdAt: isTime,
  /** The latest run, even if it was not verified. */
  lastRun: isLastRun,
  /** The filters and the lists of the mirror. The filters are always empty. */
  query: check<JsonRecord>(isRecord),
  ledgers: isLedgerTable,
  /** What is missing in the history. */
  gaps: check<readonly HistoryGap[] | undefined>((value) => value === undefined || listOf(isGap)(value)),
  snapshots: check<Readonly<Partial<Record<SnapshotName, Snapshot>>>>(
    (value) =>
      mapOf(isSnapshot)(value) &&
      Object.keys(value).every((name) => SNAPSHOTS.some((known) => known === name)),
  ),
  /** The version of each other table that belongs to this state. */
  versions: mapOf(isCount),
});

export type Claims = Checked<typeof isClaims>;
export type LegPart = Checked<typeof isPart>;
export type LegWindow = Checked<typeof isWindow>;
export type Newest = Checked<typeof isNewest>;
export type LedgerTable = Checked<typeof isLedgerTable>;
export type Snapshot = Checked<typeof isSnapshot>;
export type HistoryGap = Checked<typeof isGap>;
export type LastRun = Checked<typeof isLastRun>;
export type MirrorManifest = Checked<typeof isState>;
/** A state that is not committed yet. */
export type NewManifest = Omit<MirrorManifest, 'versions'>;

/**
 * Whether the windows are ordered without overlap, or are a single window without `to`. Only the first window may have no `from`.
 */
function isInOrder(windows: readonly LegWindow[]): boolean {
  const spans = windows.flatMap((window) => windowSpan(window) ?? []);
  if (spans.length < windows.length) return windows.length === 1 && windows[0]?.from === null;
  return spans.every(({ from, to }, at) => from <= to && (at === 0 || from > (spans[at - 1]?.to ?? to)));
}

/** The name of a workspace in the tables. It is never empty. */
export function partitionOf(workspace: string | null): string {
  return workspace ?? 'unknown';
}

/** The span of a window; undefined if the legs cannot be split by time. */
export function windowSpan({ from, to }: Pick<LegWindow, 'from' | 'to'>): Span | undefined {
  return to === null ? undefined : { from: from ?? Number.NEGATIVE_INFINITY, to };
}

/** The inverse of {@link windowSpan}. */
export function boundsOf(span: Span | undefined): Pick<LegWindow, 'from' | 'to'> {
  return { from: span && Number.isFinite(span.from) ? span.from : null, to: span?.to ?? null };
}
