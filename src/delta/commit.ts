import { randomBytes } from 'node:crypto';
import { link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CryptodataError, OutputError, systemCode, usageError } from '../core/errors.ts';
import { flushDirectory, makeDirectory } from '../core/file.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { cannotWrite } from '../core/unwritable.ts';
import type { Action, TableState } from './actions.ts';
import { checkpointOf } from './checkpoint.ts';
import { logName, logOf, readTable, WRITER_VERSION } from './log.ts';

export interface CommitOptions {
  readonly directory: string;
  /** A folder outside of the table, on the same file system, for temporary files. */
  readonly temporary: string;
  readonly now: () => number;
}

/** The content of a commit. `info` is recorded with the time of the commit. */
export interface Commit {
  readonly actions: readonly Action[];
  readonly info: JsonRecord;
}

/** Number of commits between two checkpoints. */
export const CHECKPOINT_INTERVAL = 100;

/**
 * Adds a version to a table, and returns its number. If another process adds this version first, `build` is called again with
 * the new state. `build` throws an error if the change cannot be applied to this state. If `build` returns undefined, nothing
 * is changed.
 *
 * The file of a version is never incomplete: it is written and flushed under a temporary name, and then linked to its name in
 * the log. The link fails if this name already exists.
 */
export async function commit(
  { directory, temporary, now }: CommitOptions,
  build: (version: number, before: TableState | undefined) => Commit | undefined,
): Promise<number> {
  for (;;) {
    const before = await readTable(directory);
    if (before && before.protocol.minWriterVersion > WRITER_VERSION) {
      throw usageError(
        `${showText(directory)} has the Delta writer version ${before.protocol.minWriterVersion}, and this version of cryptodata supports ${WRITER_VERSION}`,
        'Update cryptodata.',
        'TABLE_TOO_NEW',
      );
    }
    const version = (before?.version ?? -1) + 1;
    const change = build(version, before);
    if (!change) return version - 1;
    const { actions, info } = change;
    // The times of commits increase also after the clock is set back, so that a version can be found by its time.
    const timestamp = Math.max(now(), (before?.timestamp ?? 0) + 1);
    const lines = [...actions, { commitInfo: { timestamp, ...info } }].map((action) => stringifyJson(action));
    const name = logName(version);
    if (!(await create(join(logOf(directory), name), temporary, `${lines.join('\n')}\n`))) continue;
    if (version > 0 && version % CHECKPOINT_INTERVAL === 0)
      await writeCheckpoint(directory, temporary, version);
    return version;
  }
}

async function writeCheckpoint(directory: string, temporary: string, version: number): Promise<void> {
  const snapshot = await readTable(directory, version);
  if (!snapshot) return;
  const { bytes, size } = checkpointOf(snapshot);
  const log = logOf(directory);
  await create(join(log, logName(version, 'checkpoint.parquet')), temporary, bytes);
  const hint = join(temporary, `last-checkpoint-${randomBytes(6).toString('hex')}`);
  await writeFile(hint, stringifyJson({ version, size }), { flush: true });
  await rename(hint, join(log, '_last_checkpoint'));
}

/** Creates a file that is never visible while it is incomplete. Returns false if the file already exists. */
async function create(path: string, temporary: string, content: string | Uint8Array): Promise<boolean> {
  const draft = join(temporary, `commit-${randomBytes(8).toString('hex')}`);
  try {
    await makeDirectory(temporary, 0o700);
    await makeDirectory(join(path, '..'));
    await writeFile(draft, content, { flush: true });
    await link(draft, path);
    await flushDirectory(join(path, '..'));
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return await isSame(draft, path);
    if (NO_LINKS.includes(systemCode(error) ?? '')) {
      throw new OutputError('NO_HARD_LINKS', `The file system of ${showText(path)} has no hard links`, {
        hint: 'Without hard links, two processes could write the same version. Use a folder on another file system.',
        cause: error,
      });
    }
    throw error instanceof CryptodataError ? error : cannotWrite(path, error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/** On a network disk, creating a link may fail because of the name that the same call has created. */
async function isSame(left: string, right: string): Promise<boolean> {
  const [one, other] = [await stat(left), await stat(right)];
  return one.ino === other.ino && one.dev === other.dev;
}
