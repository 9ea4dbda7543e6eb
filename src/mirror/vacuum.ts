import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { decodePath, readCommit, readTable, versionAt } from '../delta/log.ts';
import { PARTITION } from './columns.ts';
import { APPLICATION, serviceIn, stateAt } from './lake.ts';
import { type MirrorManifest, TABLES } from './manifest.ts';

export interface VacuumOptions {
  /**
   * An age in milliseconds. States that were replaced longer ago can no longer be read. The age is at least a day, because an
   * active run may have placed files that no table contains yet.
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
 * Deletes data files that no state of the last `olderThan` milliseconds needs. Each of these files was removed from its table,
 * or belongs to a run that was killed before it was committed.
 *
 * @throws usage error `NO_MIRROR`, or an error of the log
 */
export async function vacuumMirror(
  directory: string,
  { olderThan, isTrial, now }: VacuumOptions,
): Promise<Vacuumed> {
  if ((await serviceIn(directory)) === undefined) {
    throw usageError(
      `${showText(directory)} is not a mirror: it has no table named ledgers`,
      undefined,
      'NO_MIRROR',
    );
  }
  const limit = now - olderThan;
  const states = await statesAt(directory, limit);
  let [files, bytes] = [0, 0];
  for (const table of TABLES) {
    const folder = join(directory, table);
    const { version: last = -1 } = (await readTable(folder)) ?? {};
    if (last < 0) continue;
    /**
     * For each file that a state within the limit needs: the version of the table in the oldest such state of the workspace.
     */
    const needed = new Map<string, number>();
    for (let version = 0; version <= last; version++) {
      for (const { add, remove } of await readCommit(folder, version)) {
        const path = `${table}/${decodePath((add ?? remove)?.path ?? '')}`;
        if (add) needed.set(path, states.get(add.partitionValues[PARTITION] ?? '')?.[table] ?? -1);
        // A state still needs files that were removed later, by this tool or another program.
        if (remove && version <= (needed.get(path) ?? -1)) needed.delete(path);
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

/** For each workspace, returns the versions of the tables in the state that was the latest at a time. */
async function statesAt(
  directory: string,
  time: number,
): Promise<ReadonlyMap<string, MirrorManifest['versions']>> {
  const folder = join(directory, 'ledgers');
  const version = await versionAt(folder, time);
  const { transactions = [] } = version === undefined ? {} : ((await readTable(folder, version)) ?? {});
  const found = new Map<string, MirrorManifest['versions']>();
  for (const [id, ledgers] of transactions) {
    if (!id.startsWith(APPLICATION)) continue;
    const { versions } = await stateAt(directory, ledgers);
    found.set(id.slice(APPLICATION.length), { ...versions, ledgers });
  }
  return found;
}

/** Paths of the Parquet files in the folder of a table, without its log. */
async function dataFiles(directory: string, table: string): Promise<string[]> {
  const names = await readdir(join(directory, table), { recursive: true });
  return names
    .map((name) => `${table}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.parquet') && !path.startsWith(`${table}/_`));
}
