import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CryptodataError, UsageError, usageError } from '../core/errors.ts';
import { flushDirectory, makeDirectory } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { removeDeadWaiters, withLock } from '../core/lock.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { readTable } from '../delta/log.ts';
import { serviceIn, workspaceKey } from './lake.ts';
import type { NewFile } from './leg-packer.ts';
import { TABLES } from './manifest.ts';
import { MARKS } from './marks.ts';
import { OLD_MANIFEST } from './open.ts';

const WORK = 'work';
const LOCK = 'lock';

/**
 * Locks one workspace of a mirror and runs `work`. Creates the folder if necessary. Runs for other workspaces may use the folder
 * at the same time.
 *
 * @param work receives the address of the service that the books in the folder come from; undefined if the folder has no
 * tables
 * @throws usage error `MIRROR_RUNNING` if another run is writing this workspace, or `NOT_A_MIRROR` if the folder contains files
 * that are not part of a mirror
 */
export async function withFolder<T>(
  directory: string,
  workspace: string,
  signal: AbortSignal,
  work: (service: string | undefined) => Promise<T>,
): Promise<T> {
  let service: string | undefined;
  try {
    await makeDirectory(directory);
    service = await serviceIn(directory);
    if (service === undefined) await refuseForeign(directory);
  } catch (error) {
    throw error instanceof CryptodataError ? error : cannotWrite(directory, error);
  }
  const lock = join(directory, `${LOCK}-${workspaceKey(workspace)}`);
  try {
    return await withLock(lock, { signal, patience: 8000, patienceHere: 500, silence: 6000 }, async () => {
      await removeDeadWaiters(lock);
      return work(service);
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
  if (existsSync(join(directory, OLD_MANIFEST))) return;
  const names = await readdir(directory);
  const known = [MARKS, ...TABLES];
  const strange = names.find((name) => !known.includes(name) && !/^(work|lock)-/.test(name));
  if (strange !== undefined) {
    throw usageError(
      `${showText(directory)} contains ${showText(strange)}, which is not part of a mirror`,
      'Use an empty folder, or a folder that does not exist yet.',
      'NOT_A_MIRROR',
    );
  }
  // Without the log of the ledgers, a run would replace the history, and the earlier values of legs exist nowhere else.
  const history = await readTable(join(directory, 'ledgers_history'));
  if (!history || history.files.size === 0) return;
  throw usageError(
    `${showText(directory)} contains earlier values of legs, but the log of the table ledgers is missing`,
    'Restore the whole folder from a backup, or create a mirror in another folder.',
    'BAD_MIRROR',
  );
}

/**
 * The folder that a run writes to until the run is committed. The folder is outside the tables, because other programs may
 * delete files in tables.
 */
export async function workFolder(directory: string, workspace: string): Promise<string> {
  const path = workPath(directory, workspace);
  await makeDirectory(path, 0o700).catch((error) => {
    throw cannotWrite(path, error);
  });
  return path;
}

export function discardWork(directory: string, workspace: string): Promise<void> {
  return rm(workPath(directory, workspace), { recursive: true, force: true });
}

function workPath(directory: string, workspace: string): string {
  return join(directory, `${WORK}-${workspaceKey(workspace)}`);
}

/** Moves finished files to their paths in the tables, and flushes the folders. */
export async function placeFiles(directory: string, files: readonly NewFile[]): Promise<void> {
  const folders = new Set<string>();
  try {
    for (const { path, written } of files) {
      const target = join(directory, ...written.file.split('/'));
      await makeDirectory(dirname(target));
      folders.add(dirname(target)).add(dirname(dirname(target)));
      await rename(path, target);
    }
  } catch (error) {
    throw cannotWrite(directory, error);
  }
  for (const folder of [...folders, directory]) await flushDirectory(folder);
}
