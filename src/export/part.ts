import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, type ErrorKind, systemCode, usageError } from '../core/errors.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { acquireLock, removeDeadWaiters } from '../core/lock.ts';
import { interrupted } from '../core/network.ts';
import { count, showText } from '../core/text.ts';
import { cannotWrite, isPassing, systemFailure } from '../core/unwritable.ts';
import { settleSwitch } from './pair.ts';
import { type Identity, type LoggedExport, readResumeLog } from './resume-log.ts';
import { findStaged, partOf } from './staged.ts';

export interface PartOptions {
  /** Path of the final file; an unfinished export is stored in `<target>.part`. */
  readonly target: string;
  /** Undefined if the export cannot be resumed. */
  readonly identity: Identity | undefined;
  /**
   * How to treat an existing unfinished export. `refuse` reports an error, so that the rows of the unfinished export are not
   * lost by accident. Use `temporary` if the caller deletes the directory of `target`. With `temporary`, a failed export is not
   * kept, and its error does not suggest resuming it.
   */
  readonly existing: 'resume' | 'restart' | 'refuse' | 'temporary';
  readonly signal: AbortSignal;
}

/**
 * Runs `work` with exclusive use of the directory of the unfinished export. After a success, the directory is removed. After a
 * failure, the directory is also removed if no rows were read, if the error is `FILTER_IGNORED`, or if the export is temporary.
 * If the directory is kept, the hint of the error says so. If another attempt can succeed, the hint also suggests resuming the
 * export.
 */
export function withPart<T>(
  options: PartOptions,
  work: (directory: string, kept: LoggedExport | undefined) => Promise<T>,
): Promise<T> {
  const { target, existing, signal } = options;
  return withLock(options, async (directory) => {
    const kept = await choose(directory, options);
    let result: T;
    try {
      result = await work(directory, kept);
    } catch (error) {
      const failure = error instanceof CryptodataError ? error : (systemFailure(error) ?? error);
      // If the service ignored a filter, the stored rows are useless.
      const useless = error instanceof CryptodataError && error.code === 'FILTER_IGNORED';
      const left = await readResumeLog(directory).catch(() => undefined);
      const rows = useless || existing === 'temporary' ? 0 : countRows(left);
      // Report the failure itself, not a failure to tidy up the directory. The next export tidies up the directory.
      await (rows === 0 ? emptyPart : settleSwitch)(directory, target).catch(() => undefined);
      throw rows === 0
        ? failure
        : checkResumable(signal.aborted ? interrupted(signal) : failure, directory, rows);
    }
    await emptyPart(directory, target).catch((error: unknown) => {
      throw cannotWrite(directory, error, `${target} was written. Delete ${directory}.`);
    });
    return result;
  });
}

/** Ends the switch of the file and its manifest if an earlier run was killed during the switch. */
export async function settlePart(target: string, signal: AbortSignal): Promise<void> {
  if ((await findStaged(partOf(target))).length > 0) await withLock({ target, signal }, async () => {});
}

/**
 * Runs `work` with exclusive use of the directory. At the end, an empty directory is removed. While other processes wait for the
 * lock, the directory contains their files, so the last process removes it.
 */
async function withLock<T>(
  { target, signal }: Pick<PartOptions, 'target' | 'signal'>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = partOf(target);
  const lock = join(directory, 'lock');
  let release = async () => {};
  try {
    await mkdir(directory, { mode: 0o700 }).catch(async (error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw cannotWrite(target, error);
      await refuseForeign(directory);
    });
    // A process on another machine, or from before a restart of this machine, counts as dead if its lock shows no activity for
    // 15 seconds.
    const patience = { signal, patience: 20_000, patienceHere: 500 };
    release = await acquireLock(lock, patience).catch((error: unknown) => {
      throw cannotLock(target, error);
    });
    await settleSwitch(directory, target).catch((error: unknown) => {
      throw cannotWrite(target, error);
    });
    await removeDeadWaiters(lock);
    return await work(directory);
  } finally {
    await release();
    await rmdir(directory).catch(() => undefined);
  }
}

function cannotLock(target: string, error: unknown): unknown {
  const { code, cause } = error instanceof CryptodataError ? error : {};
  if (code === 'DIRECTORY_UNWRITABLE') return cannotWrite(target, cause);
  if (code !== 'LOCK_TIMEOUT') return error;
  return usageError(
    `Another export is writing ${target}`,
    'Wait until the other export finishes, or choose another file.',
    'EXPORT_RUNNING',
  );
}

/** Removes everything from the directory except the lock, which this process holds. */
async function emptyPart(directory: string, target: string): Promise<void> {
  await settleSwitch(directory, target);
  for (const name of await readdir(directory)) {
    if (!name.startsWith('lock')) await rm(join(directory, name), { recursive: true, force: true });
  }
}

function countRows(kept: LoggedExport | undefined): number {
  return kept?.segments.reduce((sum, { rows }) => sum + rows, 0) ?? 0;
}

/** Names of the files that an export creates in its directory, including lock files. */
const OWN_NAMES = /^(resume-log\.(jsonl|tmp)|\d+\.(seg|ids|tmp)|(data|manifest)\.(new|old)|lock(\..*)?)$/;

/** Rejects a directory with files that no export created. */
async function refuseForeign(directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: unknown) => {
    // Another export has just removed the directory.
    if (systemCode(error) === 'ENOENT') return [];
    if (systemCode(error) === 'ENOTDIR') return undefined;
    throw cannotWrite(directory, error);
  });
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

/** The hint names an option of the library. On the command line, `cli/hints.ts` replaces it with the flag `--restart`. */
const RESTART = "Use `unfinished: 'restart'` to discard it";

async function choose(
  directory: string,
  { target, identity, existing }: PartOptions,
): Promise<LoggedExport | undefined> {
  const kept = await readResumeLog(directory);
  const rows = countRows(kept);
  const others = kept && identity ? differences(kept.identity, identity) : [];
  if (rows > 0 && existing === 'refuse') {
    throw usageError(
      `An unfinished export with ${count(rows)} rows is in ${directory}`,
      identity === undefined
        ? 'Choose another file.'
        : others.length === 0
          ? "Use `unfinished: 'resume'` to continue the export, or `unfinished: 'restart'` to discard it."
          : `${RESTART}, or choose another file. The unfinished export has different settings: ${others.join(', ')}.`,
      'UNFINISHED_EXPORT',
    );
  }
  if (kept && existing === 'resume') {
    if (others.length === 0) return kept;
    throw usageError(
      `The unfinished export in ${directory} has different settings: ${others.join(', ')}`,
      `Use the same filters and options. ${RESTART}.`,
      'ANOTHER_EXPORT',
    );
  }
  if (!kept && existing === 'resume' && (await readdir(directory)).includes('resume-log.jsonl')) {
    throw usageError(
      `Cannot read the unfinished export in ${directory}: its files were changed, or another version of cryptodata wrote them`,
      `${RESTART}.`,
      'UNREADABLE_EXPORT',
    );
  }
  await emptyPart(directory, target).catch((error: unknown) => {
    throw cannotWrite(target, error);
  });
  return undefined;
}

/** Describes each difference, such as `startTime was 1 and is now 2`. */
function differences(then: Identity, now: Identity): string[] {
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].flatMap((name) => {
    const [before, after] = [then[name] ?? null, now[name] ?? null];
    if (stringifyJson(before) === stringifyJson(after)) return [];
    if (isRecord(before) && isRecord(after)) return differences(before, after);
    return `${name} was ${stringifyJson(before)} and is now ${stringifyJson(after)}`;
  });
}

function checkResumable(error: unknown, directory: string, rows: number): unknown {
  if (!(error instanceof CryptodataError)) return error;
  const { hint } = error;
  const kept = `${count(rows)} rows are kept in ${directory}.${canResume(error) ? " Use `unfinished: 'resume'` to continue." : ''}`;
  return error.explained({ hint: hint === undefined ? kept : `${hint} ${kept}` });
}

/** Kinds of errors after which the same command can succeed, because their cause is outside the command. */
const OUTSIDE: ReadonlySet<ErrorKind> = new Set([
  'interrupted',
  'network',
  'rateLimited',
  'service',
  'unverified',
  'auth',
  'forbidden',
]);

function canResume(error: CryptodataError): boolean {
  // The rows are kept as text, so a resumed export can change the Parquet types.
  return OUTSIDE.has(error.kind) || isPassing(error) || error.code === 'PARQUET_DECIMAL';
}
