import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, messageOf, usageError } from '../core/errors.ts';
import { makeDirectory } from '../core/file.ts';
import { instantOf, knownInstant } from '../core/instant.ts';
import { isRecord, jsonText, parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { OutputFile } from '../export/output-file.ts';
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
  const folder = join(directory, MARKS);
  await makeDirectory(folder).catch((error: unknown) => {
    throw cannotWrite(folder, error);
  });
  // Other users must be able to read a mark, because they can read the rest of the mirror.
  const path = join(folder, `${knownInstant(at)}-${randomBytes(6).toString('hex')}.json`);
  await OutputFile.fill(path, { overwrite: true }, (file) =>
    file.write(`${jsonText({ why, at, walletId })}\n`),
  );
}

/**
 * Reads all marks of a mirror, oldest first. Skips files that do not contain a valid mark.
 *
 * @throws usage error `BAD_MIRROR` if a mark cannot be read, because the mirror could otherwise seem to be up to date
 */
export async function readMarks(directory: string): Promise<SavedMark[]> {
  const folder = join(directory, MARKS);
  const all = await readdir(folder).catch((error: unknown) => unlessMissing(folder, error, []));
  const names = all.filter((name) => /^\d+-[0-9a-f]{12}\.json$/.test(name));
  const found: SavedMark[] = [];
  for (const name of names.sort((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10))) {
    const mark = await readMark(join(folder, name));
    if (mark) found.push({ ...mark, name });
  }
  return found;
}

/** Returns `otherwise` if a file or folder does not exist. A run may remove marks at any time. */
function unlessMissing<T>(path: string, error: unknown, otherwise: T): T {
  if (isMissing(error)) return otherwise;
  throw usageError(
    `Cannot read ${showText(path)}: ${messageOf(error)}`,
    'Marks state which time windows must be read again. Give your user permission to read this path.',
    'BAD_MIRROR',
  );
}

async function readMark(path: string): Promise<Mark | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => unlessMissing(path, error, ''));
  try {
    const mark = parseJson(text);
    if (!isRecord(mark)) return undefined;
    const { why, at, walletId = null } = mark;
    if (typeof why !== 'string' || typeof at !== 'string' || instantOf(at) === undefined) return undefined;
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
