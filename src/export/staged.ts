import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../core/errors.ts';

/** The directory of an unfinished export. */
export function partOf(target: string): string {
  return `${target}.part`;
}

/** Names in FILE.part of the files that are switched. */
const STAGED = ['data.new', 'manifest.new', 'data.old', 'manifest.old'] as const;

/** Returns the files in FILE.part that an earlier run left when it was stopped while it switched them. */
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
