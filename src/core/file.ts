import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCode } from './errors.ts';
import { cannotWrite } from './unwritable.ts';

/**
 * Writes a file whole or not at all: a temporary file beside it, flushed to the disk, then renamed. For the
 * tool's own small files; they are readable by their owner only.
 *
 * @throws CryptodataError of kind `output`
 */
export async function writePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  // A link, as people keep their settings in, stays a link.
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await makePrivateDirectory(dirname(target));
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
    await flushDirectory(dirname(target));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw cannotWrite(path, error);
  }
}

/** A directory for the tool's own files, and the missing ones above it; only their owner can read them. */
export function makePrivateDirectory(path: string): Promise<void> {
  return makeDirectory(path, 0o700);
}

/**
 * Creates a directory and the missing ones above it. Node's own `recursive` option never returns, and cannot be
 * stopped by a signal, where a parent cannot exist: below /proc, or relative to a deleted working directory.
 *
 * @throws what the system says of the first directory that cannot be created
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) === 'ENOENT' && parent !== path) {
      await makeDirectory(parent, mode);
      // Another process may have created it meanwhile.
      await mkdir(path, { mode }).catch((again) => existing(path, again));
    } else await existing(path, error);
  }
}

async function existing(path: string, error: unknown): Promise<void> {
  // Some systems report a read-only disk, or a missing permission, before they report that the directory exists.
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
}

/**
 * Removes what processes left that were killed while they wrote `path` with {@link writePrivateFile}. For
 * callers that hold the lock which every writer of that file takes: a living one loses its work.
 */
export async function removeUnfinished(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const directory = dirname(target);
  const beginning = `${basename(target)}.`;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(beginning) || !/^[0-9a-f]{12}\.tmp$/.test(name.slice(beginning.length))) continue;
    await rm(join(directory, name), { force: true });
  }
}

/** Else a power cut may undo the renaming. Where a directory cannot be flushed (Windows) that is as good as it gets. */
export async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
