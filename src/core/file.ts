import { createHash } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { systemCode } from './errors.ts';
import { cannotWrite } from './unwritable.ts';

/**
 * Writes a small file that only the current user can read. The data goes to a temporary file, which is flushed and then
 * renamed to `path`.
 *
 * @throws CryptodataError of kind `output`
 */
export async function writePrivateFile(path: string, data: string | Uint8Array): Promise<void> {
  // If the settings file is a symbolic link, replace the target and keep the link.
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
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

/**
 * Reads a regular file. Refuses any other file, such as a named pipe, without waiting for its writer.
 *
 * @param check receives the status of the open file, and throws if the file must not be read
 */
export async function readRegularFile(path: string, check?: (status: Stats) => void): Promise<Buffer> {
  // Windows has no O_NONBLOCK, and no named pipes in folders.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error('it is not a regular file');
    check?.(status);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Creates an empty directory for temporary files. Only the current user can read it.
 *
 * @throws CryptodataError of kind `output`, for example if TMPDIR does not exist
 */
export function makeTemporaryDirectory(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), prefix)).catch((error: unknown) => {
    throw cannotWrite(tmpdir(), error, 'Set TMPDIR to a directory that you can write to.');
  });
}

/** Creates a directory and any missing parents. Only the current user can read the new directories. */
export function makePrivateDirectory(path: string): Promise<void> {
  return makeDirectory(path, 0o700);
}

/**
 * Creates a directory and any missing parents. With the `recursive` option, `mkdir` would hang if a parent cannot be created,
 * for example below /proc or in a deleted working directory.
 *
 * @throws the system error for the first directory that cannot be created
 */
export async function makeDirectory(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) === 'ENOENT' && parent !== path) {
      await makeDirectory(parent, mode);
      // Another process may have created the directory in the meantime.
      await mkdir(path, { mode }).catch((again) => existing(path, again));
    } else await existing(path, error);
  }
}

async function existing(path: string, error: unknown): Promise<void> {
  // For an existing directory, some systems report a read-only disk or a missing permission instead of EEXIST.
  if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw error;
}

/**
 * Removes the temporary files of processes that were killed during a write to `path`. The caller must hold the lock that all
 * writers of `path` use.
 */
export async function removeUnfinished(path: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const directory = dirname(target);
  const beginning = `${basename(target)}.`;
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(beginning) || !/^[0-9a-f-]{36}\.tmp$/.test(name.slice(beginning.length))) continue;
    await rm(join(directory, name), { force: true });
  }
}

/** Flushes a directory, so that a power failure cannot undo a rename. Windows cannot flush a directory. */
export async function flushDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => undefined);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

/** Returns the SHA-256 of a file. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
