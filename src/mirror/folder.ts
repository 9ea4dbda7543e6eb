import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CryptodataError, systemCode, UsageError, usageError } from '../core/errors.ts';
import { flushDirectory, makeDirectory } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { removeDeadWaiters, withLock } from '../core/lock.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { filesOf, MANIFEST, type MirrorManifest, SNAPSHOTS } from './manifest.ts';
import { MARKS } from './marks.ts';
import { REPLACED } from './open.ts';

/** The folder for files of a run that is not committed yet. */
const WORK = 'work';
const LOCK = 'lock';
/** Folders of the files listed in `mirror.json`. */
const TABLES = ['ledgers', 'history', ...SNAPSHOTS];
/** Matches the names of the files that a run writes. */
const OURS = /^[\w-]+-[0-9a-f]{16}\.(parquet|jsonl)$/;
/** Matches the temporary name under which a run writes `mirror.json`. */
const UNFINISHED = /^\.mirror\.json\.[0-9a-f]{12}\.part$/;

/**
 * Locks the mirror's folder and runs `work`. Creates the folder if necessary.
 *
 * @throws usage error `MIRROR_RUNNING` if another run is using the folder, or `NOT_A_MIRROR` if the folder contains files that
 * are not part of a mirror
 */
export async function withFolder<T>(
  directory: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await makeDirectory(directory);
    await refuseForeign(directory);
  } catch (error) {
    throw error instanceof CryptodataError ? error : cannotWrite(directory, error);
  }
  const lock = join(directory, LOCK);
  try {
    return await withLock(lock, { signal, patience: 8000, patienceHere: 500, silence: 6000 }, async () => {
      await removeDeadWaiters(lock);
      return work();
    });
  } catch (error) {
    if (!(error instanceof CryptodataError) || error.code !== 'LOCK_TIMEOUT') throw error;
    const { details } = error;
    const pid = isRecord(details) && typeof details['pid'] === 'number' ? ` (process ${details['pid']})` : '';
    throw new UsageError('MIRROR_RUNNING', `Another run${pid} is writing to ${showText(directory)}`, {
      hint: `Wait until the other run finishes. If no run is in progress, delete ${showText(lock)}.`,
      cause: error,
    });
  }
}

async function refuseForeign(directory: string): Promise<void> {
  if (existsSync(join(directory, MANIFEST))) return;
  const known = [WORK, REPLACED, MARKS, ...TABLES];
  const names = await readdir(directory);
  const strange = names.find(
    (name) => !known.includes(name) && !UNFINISHED.test(name) && !/^lock(\..*)?$/.test(name),
  );
  if (strange !== undefined) {
    throw usageError(
      `${showText(directory)} contains ${showText(strange)}, which is not part of a mirror`,
      'Use an empty folder, or a folder that does not exist yet.',
      'NOT_A_MIRROR',
    );
  }
  // A run deletes files that are not listed in `mirror.json`, but the earlier values of legs exist nowhere else.
  const recorded = await readdir(join(directory, 'history')).catch(() => []);
  if (recorded.length > 0) {
    throw usageError(
      `${showText(directory)} contains earlier values of legs, but no mirror.json`,
      'Restore the whole folder from a backup, or create a mirror in another folder.',
      'BAD_MIRROR',
    );
  }
}

/** Creates the folder that a run writes to until the run is committed. */
export async function workFolder(directory: string): Promise<string> {
  const path = join(directory, WORK);
  await makeDirectory(path, 0o700).catch((error) => {
    throw cannotWrite(path, error);
  });
  return path;
}

/** Deletes the files of a run that was not committed. */
export function discardWork(directory: string): Promise<void> {
  return rm(join(directory, WORK), { recursive: true, force: true });
}

/** Deletes files that are not part of the current state: files from killed runs, and files that the last run replaced. */
export async function removeOrphans(directory: string, manifest: MirrorManifest | undefined): Promise<void> {
  await rm(join(directory, REPLACED), { recursive: true, force: true });
  const named = new Set(manifest ? filesOf(manifest).map(({ file }) => file) : []);
  for (const table of TABLES) {
    for (const name of await readdir(join(directory, table)).catch(() => [])) {
      if (OURS.test(name) && !named.has(`${table}/${name}`))
        await rm(join(directory, table, name), { force: true });
    }
  }
  for (const name of await readdir(directory)) {
    if (UNFINISHED.test(name)) await rm(join(directory, name), { force: true });
  }
}

/** Flushes finished files to disk, moves each file to its path in the next `mirror.json`, and flushes the folders. */
export async function placeFiles(
  directory: string,
  files: readonly { readonly path: string; readonly file: string }[],
): Promise<void> {
  const folders = new Set<string>();
  try {
    // Flush in parallel, so that the disk can write several files at once.
    for (let at = 0; at < files.length; at += FLUSHED) {
      await Promise.all(files.slice(at, at + FLUSHED).map(({ path }) => flushFile(path)));
    }
    for (const { path, file } of files) {
      const [table = ''] = file.split('/');
      if (!folders.has(table)) {
        await mkdir(join(directory, table)).catch((error: unknown) => {
          if (systemCode(error) !== 'EEXIST') throw error;
        });
        folders.add(table);
      }
      await rename(path, join(directory, ...file.split('/')));
    }
  } catch (error) {
    throw cannotWrite(directory, error);
  }
  for (const table of folders) await flushDirectory(join(directory, table));
  await flushDirectory(directory);
}

/** Maximum number of files to flush in parallel. */
const FLUSHED = 32;

async function flushFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Moves replaced files to a separate folder. The other folders then contain only current files, so programs can read every file
 * in them. Programs that opened the earlier state can still read the replaced files. The next run deletes any file that could
 * not be moved.
 */
export async function retireFiles(
  directory: string,
  before: MirrorManifest | undefined,
  now: MirrorManifest,
): Promise<void> {
  if (!before) return;
  const named = new Set(filesOf(now).map(({ file }) => file));
  const replaced = filesOf(before).filter(({ file }) => !named.has(file));
  if (replaced.length === 0) return;
  await makeDirectory(join(directory, REPLACED)).catch(() => undefined);
  for (const { file } of replaced) {
    await rename(join(directory, ...file.split('/')), join(directory, REPLACED, basename(file))).catch(
      () => undefined,
    );
  }
}
