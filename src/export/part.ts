import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { withLock } from '../core/lock.ts';
import { interrupted } from '../core/network.ts';
import { count, showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type Identity, type Kept, readJournal } from './journal.ts';

export interface PartOptions {
  /** Path of the final file; an unfinished export is stored in `<target>.part`. */
  readonly target: string;
  readonly identity: Identity;
  /**
   * How to treat an existing unfinished export. `refuse` reports an error, so that its rows are not lost by accident. Use
   * `temporary` if the caller deletes the directory of `target`. A failed export is then not kept, and its error does not
   * suggest resuming it.
   */
  readonly existing: 'resume' | 'restart' | 'refuse' | 'temporary';
  readonly signal: AbortSignal;
}

/** The directory of an unfinished export. */
export function partOf(target: string): string {
  return `${target}.part`;
}

/**
 * Runs `work` with exclusive use of the directory of the unfinished export. After a success, the directory is removed. After a
 * failure, the directory is also removed if no rows were read, if the error is `FILTER_IGNORED`, or if the export is temporary.
 * If the directory is kept, the hint of the error shows how to resume the export.
 */
export async function withPart<T>(
  options: PartOptions,
  work: (directory: string, kept: Kept | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await locked(options, work);
  } catch (error) {
    const code = error instanceof CryptodataError ? error.code : undefined;
    // While this process was waiting for the lock, another process removed the directory.
    if (code === 'DIRECTORY_UNWRITABLE' && !existsSync(partOf(options.target))) return locked(options, work);
    if (code !== 'LOCK_TIMEOUT') throw error;
    throw usageError(
      `Another export is writing ${options.target}`,
      'Wait until the other export finishes, or choose another file.',
      'EXPORT_RUNNING',
    );
  }
}

async function locked<T>(
  options: PartOptions,
  work: (directory: string, kept: Kept | undefined) => Promise<T>,
): Promise<T> {
  const { target, signal } = options;
  const directory = partOf(target);
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw cannotWrite(target, error);
    await refuseForeign(directory);
  }
  return withLock(join(directory, 'lock'), { signal, patience: 500 }, async () => {
    const kept = await choose(directory, options);
    try {
      const result = await work(directory, kept);
      await rm(directory, { recursive: true, force: true });
      return result;
    } catch (error) {
      const left = await readJournal(directory).catch(() => undefined);
      const rows = left?.segments.reduce((sum, segment) => sum + segment.rows, 0) ?? 0;
      // If the service ignored a filter, the stored rows are useless.
      const useless = error instanceof CryptodataError && error.code === 'FILTER_IGNORED';
      const isKept = rows > 0 && !useless && options.existing !== 'temporary';
      if (isKept) throw resumable(signal.aborted ? interrupted(signal) : error, directory, rows);
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  });
}

/** Names of the files that an export creates in its directory, including lock files. */
const OWN_NAMES = /^(journal\.(jsonl|tmp)|\d+\.(seg|ids|tmp)|lock(\..*)?)$/;

/** Rejects a directory with files that no export created. */
async function refuseForeign(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => undefined);
  const strange = names?.find((name) => !OWN_NAMES.test(name));
  if (names && strange === undefined) return;
  const what = names
    ? `the folder contains ${showText(strange ?? '')}, which is not part of an export`
    : 'the path is not a folder';
  throw usageError(
    `Cannot keep the unfinished export in ${directory}: ${what}`,
    `Move ${directory}, or export to another file.`,
    'PART_NOT_OURS',
  );
}

async function choose(
  directory: string,
  { target, identity, existing }: PartOptions,
): Promise<Kept | undefined> {
  const kept = await readJournal(directory);
  const rows = kept?.segments.reduce((sum, segment) => sum + segment.rows, 0) ?? 0;
  if (kept && rows > 0 && existing === 'refuse') {
    throw usageError(
      `An unfinished export with ${count(rows)} rows is in ${directory}`,
      `Use --resume to continue the export, or --restart to discard it.`,
      'UNFINISHED_EXPORT',
    );
  }
  if (kept && existing === 'resume') {
    const others = differences(kept.identity, identity);
    if (others.length === 0) return kept;
    throw usageError(
      `The unfinished export in ${partOf(target)} has different settings: ${others.join(', ')}`,
      'Use the same filters and options, or discard the unfinished export with --restart.',
      'ANOTHER_EXPORT',
    );
  }
  if (!kept && existing === 'resume' && (await readdir(directory)).includes('journal.jsonl')) {
    throw usageError(
      `Cannot read the unfinished export in ${directory}: its files were changed, or another version of cryptodata wrote them`,
      'Discard the unfinished export with --restart.',
      'UNREADABLE_EXPORT',
    );
  }
  // Remove everything except the lock, which this process holds.
  for (const name of await readdir(directory)) {
    if (!name.startsWith('lock')) await rm(join(directory, name), { recursive: true, force: true });
  }
  return undefined;
}

/** Describes each difference, such as `startTime was 1 and is 2`. */
function differences(then: Identity, now: Identity): string[] {
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].flatMap((name) => {
    const [before, after] = [then[name] ?? null, now[name] ?? null];
    if (stringifyJson(before) === stringifyJson(after)) return [];
    if (isRecord(before) && isRecord(after)) return differences(before, after);
    return `${name} was ${stringifyJson(before)} and is ${stringifyJson(after)}`;
  });
}

function resumable(error: unknown, directory: string, rows: number): unknown {
  if (!(error instanceof CryptodataError)) return error;
  const { hint } = error;
  const kept = `${count(rows)} rows are kept in ${directory}. Use --resume to continue.`;
  return error.explained({ hint: hint === undefined ? kept : `${hint} ${kept}` });
}
