import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../core/errors.ts';

/** The directory of an unfinished export. */
export function partOf(target: string): string {
  return `${target}.part`;
}

/** Names of the new and the old files in FILE.part, while an export replaces the old files with the new files. */
const STAGED = ['data.new', 'manifest.new', 'data.old', 'manifest.old'] as const;

/**
 * Returns the files in FILE.part of an earlier run that was stopped while it replaced the old files with the new files.
 */
export async function findStaged(directory: string): Promise<readonly string[]> {
  const found = await Promise.all(
    STAGED.map(async (name) => ((await stateOf(join(directory, name))) ? [name] : [])),
  );
  return found.flat();
}

export async function stateOf(path: string) {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
