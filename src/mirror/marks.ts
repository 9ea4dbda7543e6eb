import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../core/file.ts';
import { isRecord, parseJson, stringifyJson } from '../core/json.ts';
import type { LegWindow } from './manifest.ts';

/** The subfolder of a mirror that contains the marks. */
export const MARKS = 'reread';

/** A request to read windows again, even if their totals did not change. */
export interface Mark {
  /** The event that caused the mark, for display: `costbasis.completed`. */
  readonly why: string;
  /** Time at which the event was received, as ISO 8601. */
  readonly at: string;
  /** The affected account; null for all accounts. */
  readonly walletId: string | null;
}

export interface SavedMark extends Mark {
  /** Name of the file that stores the mark. */
  readonly name: string;
}

/**
 * Adds a mark, so that the next run reads the marked windows again. Each mark is a separate file, so that a run does not delete
 * a mark that is added during the run.
 */
export async function addMark(directory: string, { why, at, walletId }: Mark): Promise<void> {
  const name = `${Date.parse(at)}-${randomBytes(6).toString('hex')}.json`;
  await writePrivateFile(join(directory, MARKS, name), `${stringifyJson({ why, at, walletId })}\n`);
}

/** Reads all marks of a mirror, oldest first. Skips files that do not contain a valid mark. */
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

/** Whether the next run must read a window again because of a mark. */
export function concerns({ walletId }: Mark, { walletIds }: LegWindow): boolean {
  return walletId === null || walletIds.includes(walletId);
}

/** Removes marks after a run has read the marked windows. */
export async function removeMarks(directory: string, marks: readonly SavedMark[]): Promise<void> {
  for (const { name } of marks) await rm(join(directory, MARKS, name), { force: true });
}
