import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { arrayOf, mapOf, nullable, text, type ValueOf } from '../api/records.ts';
import { isMissing, messageOf, usageError } from '../core/errors.ts';
import { hashOfFile } from '../core/file.ts';
import { parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { readRecords } from '../formats/lines.ts';
import { discardWork, placeFiles, workFolder } from './folder.ts';
import { historyTags, readHistoryFile, writeHistoryFile } from './history.ts';
import { checkBooks, commitState, fileNames, readLake } from './lake.ts';
import { type PlaceLegs, readLegFile } from './leg-file.ts';
import { LegPacker, type NewFile } from './leg-packer.ts';
import { writeListFile } from './list-rows.ts';
import {
  FORMAT,
  isoTime,
  isState,
  type LegWindow,
  type MirrorManifest,
  partitionOf,
  recordOf,
  SNAPSHOTS,
  wholeNumber,
} from './manifest.ts';
import { OLD_MANIFEST } from './open.ts';

// Format 2 was a folder of separate files with a manifest. The manifest had the fields of today's state, and named the file of
// each window and the files of each list.

const FILE = {
  // This pattern excludes paths outside the folder.
  file: { ...text, is: (path: unknown): path is string => /^[a-z]+\/[\w-][\w.-]*$/.test(String(path)) },
  sha256: text,
};
const oldFile = recordOf(FILE);
const counts = { added: wholeNumber, removed: wholeNumber, changed: wholeNumber };
const oldManifest = recordOf({
  mirror: { is: (format: unknown): format is 2 => format === 2, schema: {} },
  ledgers: recordOf({ windows: arrayOf(recordOf({ file: nullable(oldFile) })) }),
  history: arrayOf(recordOf({ ...FILE, ...counts, seenAt: isoTime })),
  snapshots: mapOf(recordOf({ files: arrayOf(oldFile) })),
});
type OldFile = ValueOf<typeof oldFile>;
type OldManifest = ValueOf<typeof oldManifest>;

export interface ConvertOptions extends Pick<MirrorManifest, 'address' | 'workspace'> {
  readonly now: () => number;
  readonly place: PlaceLegs;
}

/** The columns of the earlier format have the names of the fields. */
const sameName = (key: string) => key;

/**
 * Converts a mirror of format 2 to tables. The legs, the history, the lists and all verification times are kept. A crash leaves
 * the old mirror or the new one. Returns false if there is nothing to convert.
 *
 * @throws usage error `BAD_MIRROR`, `OTHER_BOOKS` or `DAMAGED_MIRROR`
 */
export async function convertMirror(directory: string, options: ConvertOptions): Promise<boolean> {
  const old = await readOld(directory);
  if (!old) return false;
  const workspace = partitionOf(options.workspace);
  if (!(await readLake(directory, { workspace }))) {
    checkBooks(directory, old.state, options);
    await convert(directory, old, { ...options, workspace });
  }
  await removeOld(directory);
  return true;
}

interface Old {
  readonly files: OldManifest;
  readonly state: MirrorManifest;
}

async function convert(
  directory: string,
  { files: old, state }: Old,
  { workspace, now, place }: ConvertOptions & { readonly workspace: string },
): Promise<void> {
  const work = await workFolder(directory, workspace);
  const nameOf = fileNames(workspace, now());
  const packer = new LegPacker(work, workspace, () => nameOf('ledgers'), place);
  const windows: LegWindow[] = [];
  for (const [at, window] of state.ledgers.windows.entries()) {
    const { file = null } = old.ledgers.windows[at] ?? {};
    const path = file && (await intact(directory, file));
    // The next run reads a window without an intact file from the service.
    const lost = file && { file: file.file, first: 0, count: 1 };
    const legs = path && readLegFile(path, workspace, undefined, sameName);
    const part = legs ? (await packer.add(legs, window.from === null)).part : lost;
    windows.push({ ...window, part });
  }
  const files: NewFile[] = [...(await packer.finish())];
  for (const file of old.history) {
    const path = await intact(directory, file);
    if (path === undefined) {
      throw usageError(
        `Cannot convert ${showText(directory)}: ${showText(file.file)} is damaged, and contains earlier values of legs`,
        'Restore the file from a backup. To continue without the earlier values, create a mirror in another folder.',
        'DAMAGED_MIRROR',
      );
    }
    const target = join(work, `history-${files.length}.parquet`);
    const content = await writeHistoryFile(target, workspace, readHistoryFile(path, workspace, sameName));
    const written = { file: nameOf('ledgers_history'), ...content, tags: historyTags(file) };
    files.push({ path: target, written });
  }
  const snapshots = { ...state.snapshots };
  for (const name of SNAPSHOTS) {
    const [file] = old.snapshots[name]?.files ?? [];
    if (!file) continue;
    const path = await intact(directory, file);
    // A run reads a list again if the mirror does not contain it.
    if (path === undefined) delete snapshots[name];
    else {
      const target = join(work, `${name}.parquet`);
      const written = { file: nameOf(name), ...(await writeListFile(target, name, readRecords(path))) };
      files.push({ path: target, written });
    }
  }
  await placeFiles(directory, files);
  await commitState(
    { directory, temporary: work, now },
    { ...state, ledgers: { ...state.ledgers, windows }, snapshots },
    files.map(({ written }) => written),
    undefined,
  );
  await discardWork(directory, workspace);
}

/** Returns the path of a file if the file is unchanged. */
async function intact(directory: string, { file, sha256 }: OldFile): Promise<string | undefined> {
  const path = join(directory, ...file.split('/'));
  return (await hashOfFile(path).catch(() => undefined)) === sha256 ? path : undefined;
}

async function readOld(directory: string): Promise<Old | undefined> {
  const path = join(directory, OLD_MANIFEST);
  const bad = (why: string) =>
    usageError(
      `Cannot convert ${showText(path)}: ${why}`,
      'Restore the whole folder from a backup, or create a mirror in another folder.',
      'BAD_MIRROR',
    );
  let files: unknown;
  try {
    files = parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw bad(messageOf(error));
  }
  if (!oldManifest.is(files)) throw bad('the file does not describe a mirror of format 2');
  const { history: _, ...others } = files;
  const windows = files.ledgers.windows.map(({ file: _, ...window }) => ({ ...window, part: null }));
  const lists = Object.entries(files.snapshots).map(([name, { files: _, ...list }]) => [name, list]);
  const state = {
    ...{ ...others, mirror: FORMAT, tool: `cryptodata ${VERSION}`, versions: {} },
    ...{ ledgers: { ...files.ledgers, windows }, snapshots: Object.fromEntries(lists) },
  };
  if (!isState(state)) throw bad('the file does not describe a mirror of format 2');
  return { files, state };
}

const OLD_FOLDERS = ['replaced', 'history', 'work', 'lock'];

/**
 * Removes the files of the earlier format. The manifest is removed last. If a crash interrupts the removal, the next run finds
 * the manifest and removes the remaining files.
 */
async function removeOld(directory: string): Promise<void> {
  for (const table of ['ledgers', ...SNAPSHOTS]) {
    for (const name of await readdir(join(directory, table)).catch(() => [])) {
      if (/\.(parquet|jsonl)$/.test(name)) await rm(join(directory, table, name), { force: true });
    }
  }
  for (const name of OLD_FOLDERS) await rm(join(directory, name), { recursive: true, force: true });
  await rm(join(directory, OLD_MANIFEST), { force: true });
}
