import { randomBytes } from 'node:crypto';
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nullable, text, type ValueOf } from '../api/records.ts';
import { isMissing, messageOf, usageError } from '../core/errors.ts';
import { makeDirectory } from '../core/file.ts';
import { knownInstant } from '../core/instant.ts';
import { isRecord, jsonText, parseJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { OutputFile } from '../export/output-file.ts';
import { workspaceKey, workspacesIn } from './lake.ts';
import { isoTime, recordOf } from './manifest.ts';

export const MARKS = 'reread';

/** A request to read windows again, whatever their totals. */
const mark = recordOf({
  /** The event that caused the mark, for display: `costbasis.completed`. */
  why: text,
  /** Time at which the event was received, as ISO 8601. */
  at: isoTime,
  /** The affected account; null for all accounts. */
  walletId: nullable(text),
});
export type Mark = ValueOf<typeof mark>;

export interface SavedMark extends Mark {
  readonly name: string;
}

/**
 * Adds a mark, so that the next run reads the marked windows again. If the mirror does not contain the workspace of the event,
 * or the event names none, adds a mark for each workspace. Each mark is a separate file. A run therefore does not delete marks
 * of another workspace, or marks that are added during the run.
 */
export async function addMark(
  directory: string,
  { why, at, walletId }: Mark,
  ofEvent: string | null = null,
): Promise<void> {
  const folder = join(directory, MARKS);
  await makeDirectory(folder).catch((error: unknown) => {
    throw cannotWrite(folder, error);
  });
  // Other users must be able to read a mark, because they can read the rest of the mirror.
  const held = await workspacesIn(directory);
  for (const workspace of ofEvent !== null && held.includes(ofEvent) ? [ofEvent] : held) {
    const name = `${workspaceKey(workspace)}-${knownInstant(at)}-${randomBytes(6).toString('hex')}.json`;
    await OutputFile.fill(join(folder, name), { overwrite: true }, (file) =>
      file.write(`${jsonText({ why, at, walletId })}\n`),
    );
  }
}

/** Whether a mark is for a workspace. A mark whose name contains no workspace is for all workspaces. */
export function isFor(mark: SavedMark, workspace: string): boolean {
  return isOnlyFor(mark, workspace) || !/^[0-9a-f]{12}-/.test(mark.name);
}

export function isOnlyFor({ name }: SavedMark, workspace: string): boolean {
  return name.startsWith(`${workspaceKey(workspace)}-`);
}

/**
 * Reads all marks of a mirror, oldest first. A file that does not contain a valid mark is a mark for all windows, because the mark
 * that it contained is unknown.
 *
 * @throws usage error `BAD_MIRROR` if the folder cannot be read, because the mirror could otherwise seem to be up to date
 */
export async function readMarks(directory: string): Promise<SavedMark[]> {
  const folder = join(directory, MARKS);
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw usageError(
      `Cannot read ${showText(folder)}: ${messageOf(error)}`,
      'Marks are time windows that must be read again. Give your user permission to read this path.',
      'BAD_MIRROR',
    );
  });
  const found: SavedMark[] = [];
  // The name of a mark that is being written starts with a dot.
  for (const name of names.filter((name) => /^[^.].*\.json$/.test(name))) {
    const mark = await readMark(join(folder, name));
    if (mark) found.push({ ...mark, name });
  }
  return found.sort((left, right) => knownInstant(left.at) - knownInstant(right.at));
}

/** Returns undefined if the mark does not exist, because a run may remove marks at any time. */
async function readMark(path: string): Promise<Mark | undefined> {
  try {
    const found = parseJson(await readFile(path, 'utf8'));
    const whole = isRecord(found) ? { ...found, walletId: found['walletId'] ?? null } : found;
    if (mark.is(whole)) return { why: whole.why, at: whole.at, walletId: whole.walletId };
  } catch (error) {
    if (isMissing(error)) return undefined;
  }
  const found = await lstat(path).catch(() => undefined);
  return found && { why: 'a mark that cannot be read', at: found.mtime.toISOString(), walletId: null };
}

/** Removes marks after a run has read the marked windows. */
export async function removeMarks(directory: string, marks: readonly SavedMark[]): Promise<void> {
  const folder = join(directory, MARKS);
  try {
    for (const { name } of marks) await rm(join(folder, name), { recursive: true, force: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}
