import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { withLock } from '../core/lock.ts';
import { interrupted } from '../core/network.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type Identity, type Kept, readJournal } from './journal.ts';

export interface PartOptions {
  /** The file to be; its unfinished export stands beside it. */
  readonly target: string;
  readonly identity: Identity;
  /**
   * What to do with an unfinished export that is there: go on with it, or begin anew. Where neither is said it is an
   * error, so that no work is lost by accident.
   */
  readonly existing: 'resume' | 'restart' | 'refuse';
  readonly signal: AbortSignal;
}

/** Where an unfinished export stands. */
export function partOf(target: string): string {
  return `${target}.part`;
}

/**
 * Runs `work` with the directory of the unfinished export, which it alone uses meanwhile. Taken away where the work
 * ends well, or got nowhere; else it stays, and the error says how to go on.
 */
export async function withPart<T>(
  options: PartOptions,
  work: (directory: string, kept: Kept | undefined) => Promise<T>,
): Promise<T> {
  try {
    return await locked(options, work);
  } catch (error) {
    const code = error instanceof CryptodataError ? error.code : undefined;
    // Who had it took the directory away at its end, while we waited for it.
    if (code === 'DIRECTORY_UNWRITABLE' && !existsSync(partOf(options.target))) return locked(options, work);
    if (code !== 'LOCK_TIMEOUT') throw error;
    throw usageError(
      `Another export is writing ${options.target}`,
      'Wait for its end, or choose another file.',
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
      // Rows of a service that ignores a filter are of no use to a later run.
      const useless = error instanceof CryptodataError && error.code === 'FILTER_IGNORED';
      if (rows === 0 || useless) await rm(directory, { recursive: true, force: true });
      throw rows === 0 || useless
        ? error
        : resumable(signal.aborted ? interrupted(signal) : error, directory, rows);
    }
  });
}

/** What an export keeps in its directory; of the lock also what waits for it. */
const OWN_NAMES = /^(journal\.(jsonl|tmp)|\d+\.(seg|ids|tmp)|lock(\..*)?)$/;

/** Something of somebody else's may have this name. */
async function refuseForeign(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => undefined);
  const strange = names?.find((name) => !OWN_NAMES.test(name));
  if (names && strange === undefined) return;
  const what = names ? `holds ${showText(strange ?? '')}, which is not of an export` : 'is no folder';
  throw usageError(
    `${directory} is where an unfinished export is kept, and it ${what}`,
    'Move it away, or export to another name.',
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
      `An unfinished export with ${rows.toLocaleString('en')} rows is in ${directory}`,
      `Go on with it: --resume. Or begin anew: --restart.`,
      'UNFINISHED_EXPORT',
    );
  }
  if (kept && existing === 'resume') {
    const others = differences(kept.identity, identity);
    if (others.length === 0) return kept;
    throw usageError(
      `The unfinished export in ${partOf(target)} is another one: ${others.join(', ')}`,
      'Give the same filters and options as then, or begin anew: --restart.',
      'ANOTHER_EXPORT',
    );
  }
  if (!kept && existing === 'resume' && (await readdir(directory)).includes('journal.jsonl')) {
    throw usageError(
      `The unfinished export in ${directory} cannot be read: another version wrote it, or it was changed`,
      'Begin anew: --restart.',
      'UNREADABLE_EXPORT',
    );
  }
  // Everything but the lock, which is ours.
  for (const name of await readdir(directory)) {
    if (!name.startsWith('lock')) await rm(join(directory, name), { recursive: true, force: true });
  }
  return undefined;
}

/** What differs, in the words of the settings: `startTime was 1 and is 2`. */
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
  const { kind, code, message, status, details, hint } = error;
  const kept = `${rows.toLocaleString('en')} rows are kept in ${directory}: with --resume the export goes on from there.`;
  return new CryptodataError(kind, code, message, {
    hint: hint === undefined ? kept : `${hint} ${kept}`,
    status,
    details,
    cause: error,
  });
}
