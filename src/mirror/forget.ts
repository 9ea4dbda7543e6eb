import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, usageError } from '../core/errors.ts';
import { flushDirectory } from '../core/file.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import type { Action } from '../delta/actions.ts';
import { commit } from '../delta/commit.ts';
import { decodePath, logName, logOf, readCommit, readTable } from '../delta/log.ts';
import { PARTITION } from './columns.ts';
import { discardWork, withFolder, workFolder } from './folder.ts';
import { APPLICATION, removalOf, workspaceKey, workspacesIn } from './lake.ts';
import { TABLES } from './manifest.ts';
import { isOnlyFor, readMarks, removeMarks } from './marks.ts';

/**
 * Removes a workspace from all versions of all tables: its files, its entries in the logs, and its marks. Other workspaces keep
 * all their versions. After a crash, the next call removes the rest, because the ledgers are removed last.
 *
 * @throws usage error `NO_MIRROR` or `MIRROR_RUNNING`
 */
export function forgetWorkspace(
  directory: string,
  workspace: string,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<void> {
  return withFolder(directory, workspace, signal, async () => {
    if (!(await workspacesIn(directory)).includes(workspace)) {
      throw usageError(
        `${showText(directory)} has no workspace ${showText(workspace)}`,
        undefined,
        'NO_MIRROR',
      );
    }
    const temporary = await workFolder(directory, workspace);
    for (const table of [...TABLES].reverse()) {
      const folder = join(directory, table);
      if (!(await readTable(folder))) continue;
      const paths = await pathsOf(folder, workspace);
      const isOf = (path: string) => paths.has(decodePath(path));
      // Commit a new version, so that programs that have already read the log notice the removal.
      await commit({ directory: folder, temporary, now }, (_, before) => {
        const held = [...(before?.files.values() ?? [])].filter(({ path }) => isOf(path));
        return {
          actions: held.map((add) => ({ remove: removalOf(add, now()) })),
          info: { operation: 'DELETE' },
        };
      });
      try {
        await removeFiles(folder, workspace, paths);
        await removeCopies(folder);
        await rewrite(folder, temporary, (action) => without(action, workspace, isOf));
        await removeCopies(folder);
      } catch (error) {
        throw error instanceof CryptodataError ? error : cannotWrite(folder, error);
      }
    }
    const marks = await readMarks(directory);
    await removeMarks(
      directory,
      marks.filter((mark) => isOnlyFor(mark, workspace)),
    );
    await discardWork(directory, workspace);
  });
}

/**
 * The decoded paths of all data files that a workspace ever had. The paths are read from the log, because other programs choose
 * their own file names.
 */
async function pathsOf(folder: string, workspace: string): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  const { version: last = -1 } = (await readTable(folder)) ?? {};
  for (let version = 0; version <= last; version++) {
    for (const { add, remove } of await readCommit(folder, version)) {
      const file = add ?? remove;
      if (file?.partitionValues?.[PARTITION] === workspace) paths.add(decodePath(file.path));
    }
  }
  return paths;
}

async function removeFiles(folder: string, workspace: string, paths: ReadonlySet<string>): Promise<void> {
  await rm(join(folder, workspaceKey(workspace)), { recursive: true, force: true });
  for (const path of paths) {
    // A path that another program wrote could be absolute, or point outside the folder.
    if (path.startsWith('/') || path.split('/').includes('..')) continue;
    await rm(join(folder, path), { force: true });
    const [first = ''] = path.split('/');
    // Other programs write to a folder such as `workspace_id=acme`, which may contain files that no commit names.
    if (first.startsWith(`${PARTITION}=`)) await rm(join(folder, first), { recursive: true, force: true });
  }
}

/** Deletes the files of the log that repeat what the commits contain: checkpoints, and checksums of Spark. */
async function removeCopies(folder: string): Promise<void> {
  const log = logOf(folder);
  for (const name of await readdir(log)) {
    if (/checkpoint|\.crc$|\.compacted\.json$/.test(name)) await rm(join(log, name), { force: true });
  }
}

/** Removes actions from every commit of a table. Each commit is replaced as a whole. */
async function rewrite(
  folder: string,
  temporary: string,
  keep: (action: Action) => Action | [],
): Promise<void> {
  const { version: last = -1 } = (await readTable(folder)) ?? {};
  for (let version = 0; version <= last; version++) {
    const actions = await readCommit(folder, version);
    const kept = actions.flatMap(keep);
    if (stringifyJson(kept) === stringifyJson(actions)) continue;
    const draft = join(temporary, logName(version));
    await writeFile(draft, kept.map((action) => `${stringifyJson(action)}\n`).join(''), { flush: true });
    await rename(draft, join(logOf(folder), logName(version)));
  }
  await flushDirectory(logOf(folder));
}

function without(action: Action, workspace: string, isOf: (path: string) => boolean): Action | [] {
  const { add, remove, txn, commitInfo } = action;
  if (isOf((add ?? remove)?.path ?? '')) return [];
  if (txn?.appId === APPLICATION + workspace) return [];
  const state = commitInfo?.['mirror'];
  if (!commitInfo || !isRecord(state) || (state['workspace'] ?? 'unknown') !== workspace) return action;
  const { mirror: _, ...info } = commitInfo;
  return { commitInfo: info };
}
