import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { decodePath, readCommit, readTable, versionAt } from '../delta/log.ts';
import { PARTITION } from './columns.ts';
import { APPLICATION, serviceIn, stateAt } from './lake.ts';
import { partitionOf, TABLES } from './manifest.ts';

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
  if ((await serviceIn(directory)) === undefined) {
    throw usageError(
      `${showText(directory)} is not a mirror: it has no table named ledgers`,
      undefined,
      'NO_MIRROR',
    );
  }
  const limit = now - olderThan;
  const states = await statesInReach(directory, limit);
  const needed = new Set<string>();
  let [files, bytes] = [0, 0];
  for (const table of TABLES) {
    const folder = join(directory, table);
    const state = await readTable(folder);
    if (!state) continue;
    for (const path of state.files.keys()) needed.add(`${table}/${path}`);
    const lives = new Map<string, { readonly workspace: string; readonly from: number }>();
    for (let version = 0; version <= state.version; version++) {
      for (const { add, remove } of await readCommit(folder, version)) {
        const path = decodePath((add ?? remove)?.path ?? '');
        const life = lives.get(path);
        if (add && !life) lives.set(path, { workspace: add.partitionValues[PARTITION] ?? '', from: version });
        if (!remove) continue;
        lives.delete(path);
        // Another program may have replaced files of a state long before the next run.
        const isInState =
          life && states.get(life.workspace)?.some(({ [table]: at = -1 }) => life.from <= at && at < version);
        if (isInState || (remove.deletionTimestamp ?? now) > limit) needed.add(`${table}/${path}`);
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

/** The version of each table that belongs to a state. */
type Versions = Readonly<Record<string, number>>;

/** Returns the states of each workspace that were the latest at or after `limit`. */
async function statesInReach(
  directory: string,
  limit: number,
): Promise<ReadonlyMap<string, readonly Versions[]>> {
  const folder = join(directory, 'ledgers');
  const first = (await versionAt(folder, limit)) ?? 0;
  const { version: last = -1 } = (await readTable(folder)) ?? {};
  const recorded = [...((await readTable(folder, first))?.transactions ?? [])];
  for (let version = first + 1; version <= last; version++) {
    for (const { txn } of await readCommit(folder, version)) if (txn) recorded.push([txn.appId, txn.version]);
  }
  const found = new Map<string, Versions[]>();
  for (const [id, ledgers] of recorded) {
    if (!id.startsWith(APPLICATION)) continue;
    const { workspace, versions } = await stateAt(directory, ledgers);
    const name = partitionOf(workspace);
    found.set(name, [...(found.get(name) ?? []), { ...versions, ledgers }]);
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
