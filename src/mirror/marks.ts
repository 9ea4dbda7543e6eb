import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../core/file.ts';
import { isRecord, parseJson, stringifyJson } from '../core/json.ts';
import type { LegWindow } from './manifest.ts';

/** The folder in a mirror for files that mark windows for re-reading. */
export const MARKS = 'reread';

/** Marks windows that must be read again although their totals did not change. */
export interface Mark {
  /** For display: `costbasis.completed`. */
  readonly why: string;
  /** When the reason for re-reading arose, as ISO 8601. Only windows read before this time must be read again. */
  readonly at: string;
  /** The affected account; null for all accounts. */
  readonly walletId: string | null;
}

export interface SavedMark extends Mark {
  /** Name of the file that stores the mark. */
  readonly name: string;
}

/**
 * Marks windows for re-reading in the next run. Each mark is a separate file, so that a run does not delete marks added during
 * the run.
 */
export async function addMark(directory: string, { why, at, walletId }: Mark): Promise<void> {
  const name = `${Date.parse(at)}-${randomBytes(6).toString('hex')}.json`;
  await writePrivateFile(join(directory, MARKS, name), `${stringifyJson({ why, at, walletId })}\n`);
}

/** Reads all marks for re-reading windows of a mirror, oldest first. Skips files that do not contain a valid mark. */
export async function readMarks(directory: string): Promise<SavedMark[]> {
  const folder = join(directory, MARKS);
  const names = (await readdir(folder).catch(() => [])).filter((name) =>
    /^\d+-[0-9a-f]{12}\.json$/.test(name),
  );
  const found: SavedMark[] = [];
  for (const name of names.sort((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10))) {
    const mark = await readMark(join(folder, name));
    if (mark) found.push({ ...mark, name });
  }
  return found;
}

async function readMark(path: string): Promise<Mark | undefined> {
  try {
    const mark = parseJson(await readFile(path, 'utf8'));
    if (!isRecord(mark)) return undefined;
    const { why, at, walletId = null } = mark;
    if (typeof why !== 'string' || typeof at !== 'string' || Number.isNaN(Date.parse(at))) return undefined;
    return { why, at, walletId: typeof walletId === 'string' ? walletId : null };
  } catch {
    return undefined;
  }
}

/** Whether a mark requires a window to be read again. */
export function concerns({ walletId }: Mark, { walletIds }: LegWindow): boolean {
  return walletId === null || walletIds.includes(walletId);
}

/** Removes marks for re-reading after a run has read the windows. */
export async function removeMarks(directory: string, marks: readonly SavedMark[]): Promise<void> {
  for (const { name } of marks) await rm(join(directory, MARKS, name), { force: true });
}
