import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isMissing, messageOf, usageError } from '../core/errors.ts';
import { hashOfFile } from '../core/file.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { readRecords } from '../formats/lines.ts';
import { discardWork, placeFiles, workFolder } from './folder.ts';
import { openHistoryFile, readHistoryFile } from './history.ts';
import { checkBooks, commitState, fileNames, readLake } from './lake.ts';
import { LegPacker, type NewFile, type PlaceLegs, readLegFile } from './leg-file.ts';
import {
  FORMAT,
  type HistoryFile,
  isState,
  type LegWindow,
  type MirrorManifest,
  partitionOf,
  type RunState,
  SNAPSHOTS,
  type Snapshot,
} from './manifest.ts';
import { OLD_MANIFEST } from './open.ts';
import { writeListFile } from './snapshots.ts';

/** A file of a mirror of format 1 or 2. */
interface OldFile {
  readonly file: string;
  readonly sha256: string;
}

type OldHistory = OldFile & Pick<HistoryFile, 'seenAt' | 'added' | 'removed' | 'changed'>;

export interface ConvertOptions extends Pick<MirrorManifest, 'address' | 'workspace'> {
  readonly now: () => number;
  readonly place: PlaceLegs;
}

/** The columns of earlier formats have the names of the fields. */
const sameName = (key: string) => key;

/**
 * Converts a mirror of format 1 or 2, which consisted of single files and a manifest, to tables. The legs, the history, the lists
 * and all verification times are kept. A crash leaves the old mirror or the new one. Returns false if there is nothing to convert.
 *
 * @throws usage error `BAD_MIRROR`, `OTHER_BOOKS` or `DAMAGED_MIRROR`
 */
export async function convertMirror(directory: string, options: ConvertOptions): Promise<boolean> {
  const old = await readOld(directory);
  if (!old) return false;
  const workspace = partitionOf(options.workspace);
  if (!(await readLake(directory, { workspace }))) {
    checkBooks(directory, old.state, options);
    const work = await workFolder(directory, workspace);
    const { files, manifest } = await converted({ directory, work, old, ...options, workspace });
    await placeFiles(directory, files);
    await commitState({ directory, temporary: work, now: options.now }, manifest);
    await discardWork(directory, workspace);
  }
  await removeOld(directory);
  return true;
}

interface Old {
  readonly state: RunState;
  /** The files of windows, in the same order. */
  readonly windows: readonly (OldFile | undefined)[];
  readonly history: readonly OldHistory[];
  readonly lists: Readonly<Record<string, readonly OldFile[]>>;
}

interface Conversion extends Pick<ConvertOptions, 'now' | 'place'> {
  readonly directory: string;
  readonly work: string;
  readonly old: Old;
  readonly workspace: string;
}

async function converted(conversion: Conversion): Promise<{ files: NewFile[]; manifest: MirrorManifest }> {
  const { directory, work, old, workspace, now, place } = conversion;
  const nameOf = fileNames(workspace, now());
  const packer = new LegPacker(work, workspace, () => nameOf('ledgers'), place);
  const windows: LegWindow[] = [];
  for (const [at, window] of old.state.ledgers.windows.entries()) {
    const file = old.windows[at];
    const path = file && (await intact(directory, file));
    // The next read of a window without an intact file reads it from the service.
    const lost = file && { file: file.file, first: 0, count: 1 };
    const part =
      path === undefined
        ? (lost ?? null)
        : await packer.add(readLegFile(path, workspace, undefined, sameName), window.from === null);
    windows.push({ ...window, part });
  }
  const legFiles = await packer.finish();
  const files: NewFile[] = [...legFiles];
  const history: HistoryFile[] = [];
  for (const { seenAt, added, removed, changed, ...file } of old.history) {
    const path = await intact(directory, file);
    if (path === undefined) {
      throw usageError(
        `Cannot convert ${showText(directory)}: ${showText(file.file)} is damaged, and contains earlier values of legs`,
        'Restore the file from a backup. To continue without the earlier values, create a mirror in another folder.',
        'DAMAGED_MIRROR',
      );
    }
    const target = join(work, `history-${history.length}.parquet`);
    const writing = await openHistoryFile(target, workspace);
    for await (const entry of readHistoryFile(path, workspace, sameName)) await writing.add(entry);
    const written = {
      file: nameOf('ledgers_history'),
      ...(await writing.finish()),
      seenAt,
      added,
      removed,
      changed,
    };
    files.push({ path: target, written });
    history.push(written);
  }
  const snapshots: [string, Snapshot][] = [];
  for (const name of SNAPSHOTS) {
    const list = old.state.snapshots[name];
    const [file] = old.lists[name] ?? [];
    const path = file && (await intact(directory, file));
    // A run reads a list again if the mirror does not contain it.
    if (!list || (file && path === undefined)) continue;
    if (path === undefined) snapshots.push([name, { ...list, files: [] }]);
    else {
      const target = join(work, `${name}.parquet`);
      const written = { file: nameOf(name), ...(await writeListFile(target, name, readRecords(path))) };
      files.push({ path: target, written });
      snapshots.push([name, { ...list, files: [written] }]);
    }
  }
  const { versions: _, ...state } = old.state;
  const ledgers = { ...state.ledgers, windows, files: legFiles.map(({ written }) => written) };
  return { files, manifest: { ...state, ledgers, history, snapshots: Object.fromEntries(snapshots) } };
}

/** Returns the path of a file if the file is unchanged. */
async function intact(directory: string, { file, sha256 }: OldFile): Promise<string | undefined> {
  for (const path of [join(directory, ...file.split('/')), join(directory, REPLACED, basename(file))]) {
    if ((await hashOfFile(path).catch(() => undefined)) === sha256) return path;
  }
  return undefined;
}

async function readOld(directory: string): Promise<Old | undefined> {
  const path = join(directory, OLD_MANIFEST);
  let content: unknown;
  try {
    content = parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw bad(path, messageOf(error));
  }
  const old = isRecord(content) ? oldState(content) : undefined;
  if (!old) throw bad(path, 'its content is not that of a mirror');
  return old;
}

function bad(path: string, why: string) {
  return usageError(
    `Cannot convert ${showText(path)}: ${why}`,
    'Restore the whole folder from a backup, or create a mirror in another folder.',
    'BAD_MIRROR',
  );
}

function oldState(content: JsonRecord): Old | undefined {
  const { mirror: format, history, snapshots, ...others } = content;
  const ledgers = isRecord(content['ledgers']) ? content['ledgers'] : {};
  if ((format !== 1 && format !== 2) || !Array.isArray(ledgers['windows'])) return undefined;
  const windows = listIn(ledgers['windows']);
  const lists = Object.entries(isRecord(snapshots) ? snapshots : {}).map(
    ([name, list]): [string, JsonRecord] => [name, isRecord(list) ? list : {}],
  );
  // In format 1, additions and deletions are known only as of the last read of every field.
  const withIds = (claims: JsonRecord) =>
    format === 1 ? { ...claims, idsVerifiedAt: claims['contentsVerifiedAt'] } : claims;
  const state = {
    ...{ ...others, mirror: FORMAT, tool: `cryptodata ${VERSION}`, query: queryOf(content), versions: {} },
    ledgers: {
      ...{ ...ledgers, newest: format === 1 ? null : ledgers['newest'] },
      windows: windows.map(({ file: _, ...window }) => ({ ...withIds(window), part: null })),
    },
    snapshots: Object.fromEntries(lists.map(([name, { files: _, ...list }]) => [name, withIds(list)])),
  };
  const files = windows.map(({ file }) => file ?? undefined);
  const held = Object.fromEntries(lists.map(([name, { files }]) => [name, listIn(files)]));
  const records = listIn(history);
  const all = [...files.filter((file) => file !== undefined), ...records, ...Object.values(held).flat()];
  if (!isState(state) || !all.every(isOldFile) || !records.every(isOldHistory)) return undefined;
  return {
    ...{ state, windows: files as (OldFile | undefined)[] },
    ...{ history: records as unknown as OldHistory[], lists: held as unknown as Old['lists'] },
  };
}

function listIn(value: unknown): readonly JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isOldFile(file: unknown): boolean {
  const { file: path, sha256 } = isRecord(file) ? file : {};
  // This pattern excludes paths outside the folder.
  return typeof path === 'string' && /^[a-z]+\/[\w-][\w.-]*$/.test(path) && typeof sha256 === 'string';
}

function isOldHistory({ seenAt, added, removed, changed }: JsonRecord): boolean {
  return instantOf(seenAt) !== undefined && [added, removed, changed].every(Number.isSafeInteger);
}

/** A mirror with every list of format 1 also gets the list that this format did not have. */
function queryOf({ mirror, query }: JsonRecord): JsonRecord {
  const { tables, ...rest } = isRecord(query) ? query : {};
  const isWhole = mirror === 1 && SNAPSHOTS.every((name) => name === 'spam' || listed(tables, name));
  return { ...rest, ...(tables !== undefined && { tables: isWhole ? [...SNAPSHOTS] : tables }) };
}

function listed(tables: unknown, name: string): boolean {
  return Array.isArray(tables) && tables.includes(name);
}

/** Folders of earlier formats: for replaced files, and for differences. */
const REPLACED = 'replaced';
const OLD_FOLDERS = [REPLACED, 'history', 'work', 'lock'];

/** Removes the files of the earlier format. The manifest is removed last, so that a run after a crash removes the rest. */
async function removeOld(directory: string): Promise<void> {
  for (const table of ['ledgers', ...SNAPSHOTS]) {
    for (const name of await readdir(join(directory, table)).catch(() => [])) {
      if (/\.(parquet|jsonl)$/.test(name)) await rm(join(directory, table, name), { force: true });
    }
  }
  for (const name of OLD_FOLDERS) await rm(join(directory, name), { recursive: true, force: true });
  await rm(join(directory, OLD_MANIFEST), { force: true });
}
