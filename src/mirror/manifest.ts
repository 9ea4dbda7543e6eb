import {
  anything,
  arrayOf,
  bool,
  type Field,
  type Fields,
  mapOf,
  nullable,
  text,
  type ValueOf,
} from '../api/records.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Span } from '../core/span.ts';

/** The format that this version writes, and the only one that it reads. Format 2 was files with a manifest, and can be converted. */
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
  /**
   * Further facts that the log records about the file. A file of integrations has the names of the `accounts`. A file of the
   * history has the time of its run, and its numbers of changes.
   */
  readonly tags: Readonly<Record<string, string>>;
}

export const SNAPSHOTS = ['transactions', 'integrations', 'holdings', 'labels', 'spam'] as const;
export type SnapshotName = (typeof SNAPSHOTS)[number];

export const TABLES = ['ledgers', 'ledgers_history', ...SNAPSHOTS] as const;
export type TableName = (typeof TABLES)[number];

/** The files of a table. */
export function filesOf(table: TableName, files: readonly MirrorFile[]): readonly MirrorFile[] {
  return files.filter(({ file }) => file.startsWith(`${table}/`));
}

const checked = <T>(is: (value: unknown) => boolean) => ({ is, schema: {} }) as Field<T>;
export const wholeNumber = checked<number>((value) => Number.isSafeInteger(value) && Number(value) >= 0);
const moment = checked<number>(Number.isSafeInteger);
export const isoTime = checked<string>((value) => instantOf(value) !== undefined);
/** A record with all these fields, and possibly with further fields. */
export const recordOf = <F extends Fields>(fields: F) =>
  checked<{ readonly [K in keyof F]: ValueOf<F[K]> }>(
    (value) => isRecord(value) && Object.entries(fields).every(([name, { is }]) => is(value[name])),
  );

/** Times at which the rows were last verified, as ISO 8601. Null means never. */
const CLAIMS = {
  /** Time of the latest check in which the row count equalled the service's total. */
  countsVerifiedAt: nullable(isoTime),
  /** Every row that was added or deleted before this time was found. */
  idsVerifiedAt: nullable(isoTime),
  /** Start time of the latest verified read of the rows. Every field was read at or after this time. */
  contentsVerifiedAt: nullable(isoTime),
};
const claims = recordOf(CLAIMS);

/** The row groups of a file that contain a window. */
const part = recordOf({
  file: text,
  /** The number of the first row group, and the number of row groups. */
  first: wholeNumber,
  count: wholeNumber,
});

/** A span of time and its legs. Windows are ordered by time and do not overlap. */
const legWindow = recordOf({
  ...CLAIMS,
  /** Start of the window in Unix milliseconds, inclusive; null if the window has no start. */
  from: nullable(moment),
  /** End of the window, inclusive; null if the legs cannot be split by time, so that the table has one window. */
  to: nullable(moment),
  /** Null if the window has no legs. */
  part: nullable(part),
  rows: wholeNumber,
  /** The service's total for the window, extended by 1 ms at both ends; null if the service reports no total. */
  total: nullable(wholeNumber),
  /** SHA-256 of the legs as JSON Lines, in order of time and id. */
  legsSha256: nullable(text),
  /** Ids of the accounts that the legs belong to. */
  walletIds: arrayOf(text),
});

/** The legs that were created last when the state was read. The next run reads from the newest leg down to these legs. */
const newest = recordOf({
  /** Newest first. */
  ids: arrayOf(text),
  /** Whether a run has found a new leg before the known legs, which shows that the list begins with the newest leg. */
  isNewestFirst: bool,
});

const READ = {
  rows: wholeNumber,
  verified: bool,
  /** Why the rows are not verified; null if they are verified. */
  why: nullable(text),
  /** Start time of the read that produced this state, as ISO 8601. */
  readAt: isoTime,
};

const ledgerTable = recordOf({
  ...READ,
  /** Time at which the service's totals confirmed this state; null if the state is not verified. */
  verifiedAt: nullable(isoTime),
  /** Maximum number of legs in a window. A window that cannot be split may contain more. */
  windowRows: wholeNumber,
  windows: checked<readonly LegWindow[]>((value) => arrayOf(legWindow).is(value) && isInOrder(value)),
  /** The last known `lastSyncedAt` of each account, by account id; null if accounts were never read. */
  syncs: nullable(mapOf(anything)),
  /** Null if additions and deletions are not known, so that only a read of all windows can find them. */
  newest: nullable(newest),
});

/** The latest state of a list other than ledgers. `total` is the service's total, or null if the service reports none. */
const listState = recordOf({ ...READ, ...CLAIMS, total: nullable(wholeNumber) });

/** A run that read damaged files again. Changes to the legs of these files since the previous run are unknown. */
const gap = recordOf({
  seenAt: isoTime,
  /** Number of legs in the damaged windows before the run. */
  rows: wholeNumber,
});

const lastRun = recordOf({ startedAt: isoTime, endedAt: isoTime, verified: bool, why: nullable(text) });

/** The state of a mirror, as the last commit of a run records it. */
const state = recordOf({
  mirror: checked<number>((value) => value === FORMAT),
  tool: text,
  address: text,
  workspace: nullable(text),
  createdAt: isoTime,
  /** The latest run, verified or unverified. */
  lastRun: lastRun,
  /** The filters and the lists of the mirror. The filters are always empty. */
  query: checked<JsonRecord>(isRecord),
  ledgers: ledgerTable,
  /** Runs with changes that are missing in the history. */
  gaps: checked<readonly HistoryGap[] | undefined>((value) => value === undefined || arrayOf(gap).is(value)),
  snapshots: checked<Readonly<Partial<Record<SnapshotName, Snapshot>>>>(
    (value) =>
      mapOf(listState).is(value) &&
      Object.keys(value).every((name) => SNAPSHOTS.some((known) => known === name)),
  ),
  /** For each table except `ledgers`, the version that belongs to this state. */
  versions: mapOf(wholeNumber),
});

export const isState = state.is;

export type Claims = ValueOf<typeof claims>;
export type LegPart = ValueOf<typeof part>;
export type LegWindow = ValueOf<typeof legWindow>;
export type Newest = ValueOf<typeof newest>;
export type LedgerTable = ValueOf<typeof ledgerTable>;
export type Snapshot = ValueOf<typeof listState>;
export type HistoryGap = ValueOf<typeof gap>;
export type LastRun = ValueOf<typeof lastRun>;
export type MirrorManifest = ValueOf<typeof state>;
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
