import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { decodePath, readCommit, readTable } from '../delta/log.ts';
import { readLake, workspacesIn } from './lake.ts';
import { TABLES, tableFiles } from './manifest.ts';

export interface VacuumOptions {
  /**
   * Milliseconds. States that were replaced earlier than this can no longer be read. At least a day, because an active run may
   * have placed files that no table contains yet.
   */
  readonly olderThan: number;
  /** Whether to count the files without deleting them. */
  readonly isTrial: boolean;
  readonly now: number;
}

export interface Vacuumed {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Deletes data files that no state of the last `olderThan` milliseconds needs: files that were removed from their table before,
 * and files of runs that were killed before they were committed.
 *
 * @throws usage error `NO_MIRROR`, or an error of the log
 */
export async function vacuumMirror(
  directory: string,
  { olderThan, isTrial, now }: VacuumOptions,
): Promise<Vacuumed> {
  const workspaces = await workspacesIn(directory);
  if (workspaces.length === 0) {
    throw usageError(
      `${showText(directory)} is not a mirror: it has no table named ledgers`,
      undefined,
      'NO_MIRROR',
    );
  }
  const needed = new Set<string>();
  for (const workspace of workspaces) {
    const manifest = await readLake(directory, { workspace });
    for (const { file } of manifest ? [...tableFiles(manifest).values()].flat() : []) needed.add(file);
  }
  const limit = now - olderThan;
  let [files, bytes] = [0, 0];
  for (const table of TABLES) {
    const folder = join(directory, table);
    const state = await readTable(folder);
    if (!state) continue;
    for (const path of state.files.keys()) needed.add(`${table}/${path}`);
    for (let version = 0; version <= state.version; version++) {
      for (const { remove } of await readCommit(folder, version)) {
        if (remove && (remove.deletionTimestamp ?? now) > limit)
          needed.add(`${table}/${decodePath(remove.path)}`);
      }
    }
    for (const file of await dataFiles(directory, table)) {
      const found = needed.has(file) ? undefined : await lstat(join(directory, file)).catch(() => undefined);
      if (!found || found.mtimeMs > limit) continue;
      files += 1;
      bytes += found.size;
      if (isTrial) continue;
      await rm(join(directory, file), { force: true }).catch((error: unknown) => {
        throw cannotWrite(join(directory, file), error);
      });
    }
  }
  return { files, bytes };
}

/** Paths of the Parquet files in the folder of a table, without its log. */
async function dataFiles(directory: string, table: string): Promise<string[]> {
  const names = await readdir(join(directory, table), { recursive: true });
  return names
    .map((name) => `${table}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.parquet') && !path.startsWith(`${table}/_`));
}
