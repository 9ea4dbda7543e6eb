import { joinOf } from '../api/endpoint.ts';
import { accountJoin } from '../api/integrations.ts';
import { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { plural } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { concerns } from './claims.ts';
import { convertMirror } from './convert.ts';
import { discardWork, placeFiles, withFolder, workFolder } from './folder.ts';
import { checkSame, commitState, fileNames, readLake } from './lake.ts';
import { type LegReading, type NewLegs, readLegs } from './ledgers.ts';
import type { NewFile } from './leg-packer.ts';
import {
  FORMAT,
  type LedgerTable,
  type LegWindow,
  type MirrorFile,
  type MirrorManifest,
  type NewManifest,
  partitionOf,
  SNAPSHOTS,
  type Snapshot,
  type SnapshotName,
} from './manifest.ts';
import { isFor, readMarks, removeMarks, type SavedMark } from './marks.ts';
import { Mirror } from './open.ts';
import { hasSameTotal, readSnapshot } from './snapshots.ts';

export interface RunOptions extends LegReading {
  readonly address: string;
  readonly workspace: string | null;
  /** Whether to read every window again. */
  readonly full: boolean;
  /** Lists to mirror in addition to ledgers (default: the same lists as in the last run, or all lists in the first run). */
  readonly tables?: readonly SnapshotName[] | undefined;
  /** Called with the name of each list before the run reads the list. */
  readonly onTable?: ((name: string) => void) | undefined;
}

/** The result of a run for one list. */
export interface TableResult {
  readonly table: SnapshotName;
  /** The state of the list in the mirror; undefined if the mirror does not contain the list. */
  readonly snapshot: Snapshot | undefined;
  readonly files: readonly MirrorFile[];
  /** Why the list could not be read; undefined if it was read. */
  readonly error: CryptodataError | undefined;
  /** Whether the list changed during the read. */
  readonly changed: boolean;
  /** Whether the earlier list was kept, because all windows and the total of the list are unchanged. */
  readonly isKept?: boolean;
}

export interface RunResult {
  readonly isFirst: boolean;
  readonly manifest: NewManifest;
  readonly files: readonly MirrorFile[];
  readonly legs: NewLegs;
  /** Why the legs are not verified; undefined if they are verified. */
  readonly unverified: string | undefined;
  /** True if the earlier legs are verified and the new legs are not, so that the mirror keeps the earlier legs. */
  readonly keptEarlier: boolean;
  readonly tables: readonly TableResult[];
  /** Number of requests for all lists, including retries. */
  readonly requests: number;
  /** Why windows with unchanged totals were read again. */
  readonly reasons: readonly string[];
  /** Number of accounts whose legs are unknown, because their id is missing, or is uncertain and occurs in no leg. */
  readonly unjoined: number;
}

/**
 * Creates or updates a mirror. The folder keeps the earlier state until the new state is complete.
 *
 * @throws usage error if the folder contains a mirror of other books, or if another run is using the folder
 * @throws CryptodataError if the legs cannot be read
 */
export function runMirror(directory: string, options: RunOptions): Promise<RunResult> {
  const workspace = partitionOf(options.workspace);
  return withFolder(directory, workspace, options.signal, async (service) => {
    checkSame('address', directory, service ?? options.address, options.address);
    await convertMirror(directory, options);
    const stored = await readLake(directory, { workspace });
    // Only a first run is resumed, because later runs read little.
    if (stored || options.full) await discardWork(directory, workspace);
    const marks = (await readMarks(directory)).filter((mark) => isFor(mark, workspace));
    let requests = 0;
    const stopCounting = options.client.watch(() => {
      requests += 1;
    });
    try {
      const result = await run(directory, stored && new Mirror(directory, stored, marks), marks, options);
      await discardWork(directory, workspace);
      return { ...result, requests };
    } finally {
      stopCounting();
    }
  });
}

async function run(
  directory: string,
  mirror: Mirror | undefined,
  marks: readonly SavedMark[],
  options: RunOptions,
): Promise<Omit<RunResult, 'requests'>> {
  const { client, now, onTable, address, workspace } = options;
  const startedAt = new Date(now()).toISOString();
  const before = mirror?.manifest;
  const partition = partitionOf(workspace);
  const work = await workFolder(directory, partition);
  const nameOf = fileNames(partition, now());
  const tables = options.tables ?? tablesOf(before);
  const results: TableResult[] = [];
  const newFiles: NewFile[] = [];
  const reading = { client, now, directory: work, nameOf };
  const read = async (table: SnapshotName, onRecord?: (record: JsonRecord) => void) => {
    onTable?.(table);
    const { result, file } = await readList(table, mirror, { ...reading, onRecord });
    // The accounts are also read for a mirror that does not contain them.
    if (!tables.includes(table)) return result;
    results.push(result);
    if (file) newFiles.push(file);
    return result;
  };
  // Read accounts before legs, so that the next run notices a sync that ends during this run.
  const accounts: JsonRecord[] = [];
  const { error } = await read('integrations', (account) => accounts.push(account));
  const known = error ? undefined : accountsIn(accounts);
  // Keep accounts that are missing in this run, because an account may have synced before a later run finds it again.
  const earlier = before?.ledgers.syncs ?? null;
  const syncs = known ? { ...earlier, ...known.syncs } : earlier;
  onTable?.('ledgers');
  const stale = staleness(options.full, marks, earlier, syncs);
  // An unfinished run is not resumed if an account has synced since, because its legs may be outdated.
  const identity = { mirror: 1, address, workspace, syncs };
  const legs = await readLegs({
    ...{ ...options, directory: work, mirror, identity, syncs, isStale: stale.isStale },
    ...{ workspace: partition, nameOf },
  });
  const isUnchanged = legs.differences !== undefined && legs.windowsRead === 0;
  for (const table of SNAPSHOTS) {
    if (table === 'integrations' || !tables.includes(table)) continue;
    const mayBeSame = table === 'transactions' && !options.full && isUnchanged;
    const same = mayBeSame ? before?.snapshots[table] : undefined;
    if (same?.verified && (await isIntact(mirror, table)) && (await hasSameTotal(client, same))) {
      // An equal total only shows that the number of transactions is the same.
      const snapshot = { ...same, countsVerifiedAt: new Date(now()).toISOString() };
      const files = mirror?.filesOf(table) ?? [];
      results.push({ table, snapshot, files, error: undefined, changed: false, isKept: true });
    } else await read(table);
  }
  const { verified } = legs.table;
  const keptEarlier = !verified && before?.ledgers.verified === true;
  const why = legs.table.why ?? 'reason unknown';
  const history = [...(mirror?.filesOf('ledgers_history') ?? [])];
  if (!keptEarlier) {
    const found = legs.differences?.file;
    newFiles.push(...legs.written, ...(found ? [found] : []));
    if (found) history.push(found.written);
  }
  await placeFiles(directory, newFiles);
  const manifest: NewManifest = {
    ...{ mirror: FORMAT, tool: `cryptodata ${VERSION}`, address, workspace },
    createdAt: before?.createdAt ?? startedAt,
    lastRun: { startedAt, endedAt: new Date(now()).toISOString(), verified, why: verified ? null : why },
    query: { filters: {}, tables },
    ledgers: keptEarlier ? before.ledgers : legs.table,
    gaps: [...(before?.gaps ?? []), ...(legs.gap && !keptEarlier ? [legs.gap] : [])],
    snapshots: Object.fromEntries(
      results.flatMap(({ table, snapshot }) => (snapshot ? [[table, snapshot]] : [])),
    ),
  };
  const legFiles = keptEarlier ? mirror?.filesOf('ledgers') : legs.files;
  const files = [...(legFiles ?? []), ...history, ...results.flatMap((list) => list.files)];
  await commitState({ directory, temporary: work, now }, manifest, files, mirror?.version);
  if (!keptEarlier && verified) await removeMarks(directory, marks);
  const reasons = [...stale.reasons, ...legs.reasons];
  return {
    ...{ isFirst: before === undefined, manifest, files, legs, keptEarlier, tables: results, reasons },
    unverified: verified ? undefined : why,
    unjoined: known ? unjoinedIn(known, manifest.ledgers) : 0,
  };
}

/** Whether the files of a list are undamaged. */
async function isIntact(mirror: Mirror | undefined, table: SnapshotName): Promise<boolean> {
  for (const file of mirror?.filesOf(table) ?? [])
    if ((await mirror?.fault(file)) !== undefined) return false;
  return true;
}

function tablesOf(before: MirrorManifest | undefined): readonly SnapshotName[] {
  const tables = before?.query['tables'];
  return Array.isArray(tables) ? SNAPSHOTS.filter((name) => tables.includes(name)) : SNAPSHOTS;
}

/** Kinds of errors that may affect a single list, for example because of a missing scope. */
const OF_ONE_LIST = ['forbidden', 'notFound', 'rejected', 'service'];

async function readList(
  table: SnapshotName,
  mirror: Mirror | undefined,
  options: Parameters<typeof readSnapshot>[1],
): Promise<{ result: TableResult; file?: NewFile | undefined }> {
  const before = { table, snapshot: mirror?.manifest.snapshots[table], files: mirror?.filesOf(table) ?? [] };
  try {
    const { snapshot, file, changed } = await readSnapshot(table, options);
    // As with legs, an unverified state does not replace a verified state.
    if (changed && before.snapshot?.verified) return { result: { ...before, error: undefined, changed } };
    // If the content has not changed, the earlier file stays.
    const [earlier] = before.files;
    if (earlier?.sha256 === file?.written.sha256 && (await isIntact(mirror, table)))
      return { result: { ...before, snapshot, error: undefined, changed } };
    const files = file ? [file.written] : [];
    return { result: { table, snapshot, files, error: undefined, changed }, file };
  } catch (error) {
    if (!(error instanceof CryptodataError) || !OF_ONE_LIST.includes(error.kind)) throw error;
    return { result: { ...before, error, changed: false } };
  }
}

interface KnownAccounts {
  /** `lastSyncedAt` of each account, by id. */
  readonly syncs: Readonly<Record<string, unknown>>;
  /** Uncertain ids. Such an id is the id of an account only if it also occurs in a leg. */
  readonly uncertain: ReadonlySet<string>;
  /** Number of accounts without an id. */
  readonly withoutId: number;
}

function accountsIn(accounts: readonly JsonRecord[]): KnownAccounts {
  const joins = accounts.map((account) => ({ join: joinOf(account, accountJoin), account }));
  const known = joins.flatMap(({ join, account }) => (join ? [{ ...join, account }] : []));
  return {
    syncs: Object.fromEntries(known.map(({ id, account }) => [id, account['lastSyncedAt'] ?? null])),
    uncertain: new Set(known.flatMap(({ id, isCertain }) => (isCertain ? [] : id))),
    withoutId: joins.length - known.length,
  };
}

/** If every leg belongs to a known account, the other accounts have no legs. */
function unjoinedIn({ syncs, uncertain, withoutId }: KnownAccounts, { windows }: LedgerTable): number {
  const wallets = new Set(windows.flatMap(({ walletIds }) => walletIds));
  if ([...wallets].every((id) => Object.hasOwn(syncs, id))) return 0;
  return [...uncertain].filter((id) => !wallets.has(id)).length + withoutId;
}

/** Decides which windows with unchanged totals must be read again. Also returns the reasons. */
function staleness(
  full: boolean,
  marks: readonly SavedMark[],
  before: LedgerTable['syncs'],
  now: LedgerTable['syncs'],
): { readonly isStale: (window: LegWindow) => boolean; readonly reasons: readonly string[] } {
  const synced = new Set(
    Object.entries(before && now ? now : {}).flatMap(([walletId, at]) =>
      before && Object.hasOwn(before, walletId) && String(before[walletId]) !== String(at) ? walletId : [],
    ),
  );
  return {
    isStale: (window) =>
      full ||
      window.contentsVerifiedAt === null ||
      marks.some((mark) => concerns(mark, window)) ||
      window.walletIds.some((walletId) => synced.has(walletId)),
    reasons: [
      ...(full ? ['--full'] : []),
      ...new Set(marks.map(({ why }) => why)),
      ...(synced.size > 0 ? [`${plural(synced.size, 'account has', 'accounts have')} synced`] : []),
    ],
  };
}
