import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { shellWord, showText, someOf } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import type { Action, AddFile, TableState } from '../delta/actions.ts';
import { RETENTION_DAYS } from '../delta/checkpoint.ts';
import { CHECKPOINT_INTERVAL, type CommitOptions, commit } from '../delta/commit.ts';
import { commitInfoOf, READER_VERSION, readTable, versionAt, WRITER_VERSION } from '../delta/log.ts';
import type { ColumnKind } from '../formats/kinds.ts';
import { PARTITION, tableColumns } from './columns.ts';
import {
  FORMAT,
  filesOf,
  isState,
  type MirrorFile,
  type MirrorManifest,
  type NewManifest,
  partitionOf,
  SNAPSHOTS,
  TABLES,
  type TableName,
} from './manifest.ts';

/** Names the state of a workspace in the log of `ledgers`. */
export const APPLICATION = 'cryptodata/';
const FORMAT_PROPERTY = 'cryptodata.format';
const ADDRESS_PROPERTY = 'cryptodata.address';

/** The name of a workspace in paths. Ids of workspaces may contain any character. */
export function workspaceKey(workspace: string): string {
  return createHash('sha256').update(workspace).digest('hex').slice(0, 12);
}

/** Selects a state of a mirror: the workspace (default: the only one), and a version of `ledgers` or a time. */
export interface StateChoice {
  readonly workspace?: string | undefined;
  readonly snapshot?: { readonly version: number } | { readonly time: number } | undefined;
  /** Flags of the commands that errors and notes suggest, such as ` -p acme`. */
  readonly flags?: string | undefined;
}

/** A state of a mirror that a run recorded. */
export interface StoredState {
  /** The version of `ledgers` that contains the state. */
  readonly version: number;
  readonly manifest: MirrorManifest;
  readonly files: readonly MirrorFile[];
}

/**
 * Reads the state of one workspace. Returns undefined if the folder has no tables, or no state of this workspace.
 *
 * @throws usage error `BAD_MIRROR`, `MIRROR_FORMAT`, `FOREIGN_TABLE`, `SEVERAL_WORKSPACES`, `NO_SNAPSHOT`, or an error of the log
 */
export async function readLake(
  directory: string,
  { workspace, snapshot }: StateChoice = {},
): Promise<StoredState | undefined> {
  const folder = join(directory, 'ledgers');
  const chosen =
    snapshot && ('version' in snapshot ? snapshot.version : await versionBefore(folder, snapshot.time));
  const ledgers = await readTable(folder, chosen);
  if (!ledgers) return undefined;
  checkOurs(folder, ledgers);
  // If no workspace was chosen, use the only workspace of the latest version. If the latest version is damaged, use the only
  // workspace of the earlier version.
  const latest = snapshot && (await readTable(folder).catch(() => undefined));
  const name = workspace ?? onlyWorkspace(directory, namesIn(latest ?? ledgers));
  const version = name === undefined ? undefined : ledgers.transactions.get(APPLICATION + name);
  if (name === undefined || version === undefined) return undefined;
  const manifest = await stateAt(directory, version);
  const versions: MirrorManifest['versions'] = { ...manifest.versions, ledgers: version };
  const read = async (table: TableName): Promise<readonly MirrorFile[]> => {
    // Read the version that the run wrote, because another program may have added files to the table since.
    const at = versions[table];
    if (at === undefined) return [];
    const isRead = table === 'ledgers' && at === ledgers.version;
    const state = isRead ? ledgers : await readTable(join(directory, table), at);
    return state ? partFiles(state, name).map((add) => fileOf(table, add)) : [];
  };
  return { version, manifest, files: (await Promise.all(TABLES.map(read))).flat() };
}

/**
 * Reads the state that a run recorded in a version of `ledgers`.
 *
 * @throws usage error `BAD_MIRROR` or `MIRROR_FORMAT`, or an error of the log
 */
export async function stateAt(directory: string, version: number): Promise<MirrorManifest> {
  const { mirror: state } = await commitInfoOf(join(directory, 'ledgers'), version);
  if (!isState(state)) throw badState(directory, state);
  return state;
}

/** Returns the workspaces of a lake, sorted. */
export async function workspacesIn(directory: string): Promise<readonly string[]> {
  const ledgers = await readTable(join(directory, 'ledgers'));
  return ledgers ? namesIn(ledgers) : [];
}

/** The address of the service that the books in the folder come from; undefined if the folder has no tables. */
export async function serviceIn(directory: string): Promise<string | undefined> {
  const folder = join(directory, 'ledgers');
  const ledgers = await readTable(folder);
  if (!ledgers) return undefined;
  checkOurs(folder, ledgers);
  return ledgers.metaData.configuration[ADDRESS_PROPERTY] ?? undefined;
}

function namesIn({ transactions }: TableState): readonly string[] {
  const ids = [...transactions.keys()].filter((id) => id.startsWith(APPLICATION));
  return ids.map((id) => id.slice(APPLICATION.length)).sort();
}

const MOST_LISTED = 20;

function onlyWorkspace(directory: string, names: readonly string[]): string | undefined {
  if (names.length <= 1) return names[0];
  throw usageError(
    `${showText(directory)} contains ${names.length} workspaces: ${someOf(names.map(showText), { most: MOST_LISTED })}`,
    `Choose a workspace with --workspace ${shellWord(names[0] ?? '')}, or its profile with -p NAME`,
    'SEVERAL_WORKSPACES',
  );
}

async function versionBefore(folder: string, time: number): Promise<number> {
  const version = await versionAt(folder, time);
  if (version !== undefined) return version;
  throw usageError(
    `${showText(folder)} has no snapshot at or before ${new Date(time).toISOString()}`,
    'Choose a later time.',
    'NO_SNAPSHOT',
  );
}

/** @throws usage error `FOREIGN_TABLE` if another program created the table, or `MIRROR_FORMAT` */
function checkOurs(folder: string, { metaData }: TableState): void {
  const format = metaData.configuration[FORMAT_PROPERTY];
  if (format === String(FORMAT)) return;
  if (format) throw otherFormat(folder, format);
  throw usageError(
    `${showText(folder)} is a table of another program`,
    'Use an empty folder, or a folder that does not exist yet.',
    'FOREIGN_TABLE',
  );
}

function otherFormat(path: string, format: string) {
  return usageError(
    `Another version of cryptodata wrote ${showText(path)} (format ${showText(format)}; this version reads ${FORMAT})`,
    'Update cryptodata, or create a mirror in another folder.',
    'MIRROR_FORMAT',
  );
}

function badState(directory: string, state: unknown) {
  const format = isRecord(state) ? state['mirror'] : undefined;
  if (typeof format === 'number' && format !== FORMAT) return otherFormat(directory, String(format));
  return usageError(
    `The state of the mirror ${showText(directory)} is damaged`,
    'Restore the whole folder from a backup, or create a mirror in another folder.',
    'BAD_MIRROR',
  );
}

/** The path of a file relative to the folder of its table, as in the log. */
function pathIn(table: TableName, { file }: Pick<MirrorFile, 'file'>): string {
  return file.slice(table.length + 1);
}

function partFiles({ files }: TableState, workspace: string): readonly AddFile[] {
  return [...files.values()].filter(({ partitionValues }) => partitionValues[PARTITION] === workspace);
}

function fileOf(table: TableName, { path, size, stats, tags }: AddFile): MirrorFile {
  const rows = rowsIn(stats ?? '');
  // Paths of this tool need no encoding, and stay inside the folder.
  const isOurs = /^[0-9a-z-]+(\/[0-9a-z-]+)*\.parquet$/.test(path);
  if (!isOurs || rows === undefined) {
    throw usageError(
      `${showText(table)} contains ${isOurs ? 'a file without a number of rows' : 'a file of another program'}: ${showText(path)}`,
      'Restore the whole folder from a backup, or create a mirror in another folder.',
      'BAD_MIRROR',
    );
  }
  const { sha256, ...others } = tags ?? {};
  const known = Object.entries(others).filter((tag): tag is [string, string] => tag[1] !== null);
  return {
    ...{ file: `${table}/${path}`, rows, bytes: size, sha256: sha256 ?? '', stats: stats ?? '' },
    tags: Object.fromEntries(known),
  };
}

/** Returns the number of rows in the statistics of a file; undefined if the statistics do not contain this number. */
function rowsIn(stats: string): number | undefined {
  try {
    const { numRecords } = Object(JSON.parse(stats));
    return Number.isSafeInteger(numRecords) ? numRecords : undefined;
  } catch {
    return undefined;
  }
}

/** @throws usage error `OTHER_BOOKS` if the mirror contains other books */
export function checkBooks(
  directory: string,
  manifest: Pick<MirrorManifest, 'address' | 'workspace'>,
  inUse: Pick<MirrorManifest, 'address' | 'workspace'>,
): void {
  for (const name of ['address', 'workspace'] as const) {
    checkSame(name, directory, manifest[name] ?? 'unknown', inUse[name] ?? 'unknown');
  }
}

/** @throws usage error `OTHER_BOOKS` if the address or the workspace differs */
export function checkSame(name: 'address' | 'workspace', directory: string, from: string, to: string): void {
  if (from === to) return;
  throw usageError(
    `${showText(directory)} is a mirror of another ${name === 'address' ? 'service' : 'workspace'}: ${showText(from)}, not ${showText(to)}`,
    'Use the profile that created the mirror (-p NAME), or use another folder.',
    'OTHER_BOOKS',
  );
}

/** Returns unique paths for the files of a workspace. Each file name consists of digits, small letters and hyphens. */
export function fileNames(workspace: string, now: number): (table: TableName) => string {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, '').toLowerCase();
  return (table) => `${table}/${workspaceKey(workspace)}/${stamp}-${randomBytes(6).toString('hex')}.parquet`;
}

/**
 * Commits a state. The table `ledgers` is committed last, because its latest commit names the versions of all other tables.
 * Until this commit, readers of the mirror see the earlier state. The history is committed first, because every run commits it.
 * If two first runs compete, the commit of the history decides which run may write to the folder.
 *
 * @param since the version of the state that the run began with; undefined in a first run
 * @throws usage error `MIRROR_RUNNING` if another run has committed a state since
 */
export async function commitState(
  place: CommitOptions,
  state: NewManifest,
  files: readonly MirrorFile[],
  since: number | undefined,
): Promise<void> {
  const versions: Record<string, number> = {};
  for (const table of TABLES) {
    if (table === 'ledgers') continue;
    const version = await commitTable(place, state, table, filesOf(table, files));
    if (version >= 0) versions[table] = version;
  }
  const appId = APPLICATION + partitionOf(state.workspace);
  await commitTable(place, state, 'ledgers', filesOf('ledgers', files), (version, before) => {
    if (before?.transactions.get(appId) !== since) {
      throw usageError(
        `Another run has changed the workspace ${showText(partitionOf(state.workspace))}`,
        'Run the command again.',
        'MIRROR_RUNNING',
      );
    }
    return { txn: { appId, version, lastUpdated: place.now() }, info: { mirror: { ...state, versions } } };
  });
}

/**
 * Makes the files of a workspace in a table equal to `files`. Returns the version that contains these files.
 *
 * @param record returns further facts that the commit records
 */
async function commitTable(
  { directory, temporary, now }: CommitOptions,
  { workspace, address, snapshots }: NewManifest,
  table: TableName,
  files: readonly MirrorFile[],
  record?: (version: number, before: TableState | undefined) => Pick<Action, 'txn'> & { info: JsonRecord },
): Promise<number> {
  const partition = partitionOf(workspace);
  const wanted = new Map(files.map((file) => [pathIn(table, file), file]));
  return commit({ directory: join(directory, table), temporary, now }, (version, before) => {
    if (before) {
      // Another first run may have created the table since this run began.
      checkOurs(table, before);
      checkSame('address', directory, before.metaData.configuration[ADDRESS_PROPERTY] ?? address, address);
    }
    // A list that no run has read has no table.
    const isUnread = SNAPSHOTS.some((list) => list === table && snapshots[list] === undefined);
    if (!before && files.length === 0 && isUnread) return undefined;
    const held = before ? partFiles(before, partition) : [];
    const known = new Set(held.map(({ path }) => path));
    const added = [...wanted].filter(([path]) => !known.has(path));
    for (const [, { file }] of added) {
      if (existsSync(join(directory, file))) continue;
      throw usageError(
        `Another program has replaced and deleted ${showText(join(directory, file))}`,
        'Restore the file from a backup, or create a mirror in another folder.',
        'BAD_MIRROR',
      );
    }
    const { txn, info } = record?.(version, before) ?? {};
    const actions: Action[] = [
      ...(before ? [] : newTable(table, address, now())),
      ...held.filter(({ path }) => !wanted.has(path)).map((add) => ({ remove: removalOf(add, now()) })),
      ...added.map(([path, file]) => ({ add: addOf(path, file, partition, now()) })),
      ...(txn ? [{ txn }] : []),
    ];
    if (actions.length === 0) return undefined;
    return {
      actions,
      info: {
        ...{ operation: 'WRITE', operationParameters: { mode: 'Append' }, isBlindAppend: false },
        ...{ engineInfo: `cryptodata/${VERSION}`, ...info },
      },
    };
  });
}

function addOf(
  path: string,
  { bytes, sha256, stats, tags }: MirrorFile,
  workspace: string,
  now: number,
): AddFile {
  return {
    ...{ path, partitionValues: { [PARTITION]: workspace }, size: bytes, modificationTime: now },
    ...{ dataChange: true, stats, tags: { sha256, ...tags } },
  };
}

export function removalOf({ path, partitionValues, size }: AddFile, now: number) {
  return {
    ...{ path, deletionTimestamp: now, dataChange: true, extendedFileMetadata: true },
    ...{ partitionValues, size },
  };
}

const TYPES: Readonly<Record<ColumnKind, string>> = {
  ...{ decimal: 'decimal(38,18)', boolean: 'boolean', moment: 'timestamp' },
  ...{ count: 'integer', number: 'string', time: 'string', day: 'string', text: 'string', json: 'string' },
};

/** The first actions of a table (PROTOCOL.md, "Change Metadata" and "Protocol Evolution"). */
function newTable(table: TableName, address: string, now: number): Action[] {
  const columns = [{ name: PARTITION, kind: 'text' as const }, ...tableColumns(table)];
  const fields = columns.map(({ name, kind }) => ({ name, type: TYPES[kind], nullable: true, metadata: {} }));
  return [
    { protocol: { minReaderVersion: READER_VERSION, minWriterVersion: WRITER_VERSION } },
    {
      metaData: {
        ...{ id: randomUUID(), name: table, format: { provider: 'parquet', options: {} } },
        schemaString: JSON.stringify({ type: 'struct', fields }),
        ...{ partitionColumns: [PARTITION], createdTime: now },
        configuration: {
          'delta.checkpointInterval': String(CHECKPOINT_INTERVAL),
          'delta.enableExpiredLogCleanup': 'false',
          'delta.deletedFileRetentionDuration': `interval ${RETENTION_DAYS} days`,
          'delta.parquet.compression.codec': 'snappy',
          [FORMAT_PROPERTY]: String(FORMAT),
          [ADDRESS_PROPERTY]: address,
        },
      },
    },
  ];
}
