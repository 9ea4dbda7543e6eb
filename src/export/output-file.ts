import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import {
  constants,
  type FileHandle,
  link,
  open,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { HashedFile } from '../core/hashed-file.ts';
import { sleep } from '../core/sleep.ts';
import { cannotWrite } from '../core/unwritable.ts';

/** Milliseconds between two attempts to open a pipe that has no reader yet. */
const POLL = 50;

export interface WrittenPath {
  /** Absolute path. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface OutputOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replace an existing file. Without this option, an existing file is an error. */
  readonly overwrite?: boolean | undefined;
}

/**
 * A file that appears only when it is complete. Data is written to a temporary file in the same directory. At the end, the
 * temporary file is flushed to disk and renamed. After a failure, the temporary file is deleted.
 */
export class OutputFile {
  readonly #file: HashedFile;
  readonly #target: string;
  /** Path of the temporary file; undefined for a device or a named pipe, because a rename would replace the device or pipe. */
  readonly #temporary: string | undefined;
  readonly #overwrite: boolean;

  private constructor(file: HashedFile, target: string, temporary: string | undefined, overwrite: boolean) {
    this.#overwrite = overwrite;
    this.#file = file;
    this.#target = target;
    this.#temporary = temporary;
  }

  /**
   * Opens the file for writing. Fails immediately if the path is not writable.
   *
   * @throws CryptodataError of kind `output` if the path is not writable; a usage error `FILE_EXISTS` if the file already
   * exists and `overwrite` is not set
   */
  static async open(path: string, { signal, overwrite = false }: OutputOptions = {}): Promise<OutputFile> {
    try {
      const { target, special, mode } = await look(resolve(path));
      if (special) {
        const file = new HashedFile(await openSpecial(target, signal), target);
        return new OutputFile(file, target, undefined, overwrite);
      }
      if (mode !== undefined && !overwrite) throw fileExists(path);
      const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
      forgetAtExit.add(temporary);
      // Preserve the mode of the file being replaced.
      const file = await HashedFile.create(temporary, target, mode);
      return new OutputFile(file, target, temporary, overwrite);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  /** Opens a file, calls `fill`, and finishes the file. If `fill` fails, no file is left behind. */
  static async fill(
    path: string,
    options: OutputOptions,
    fill: (file: OutputFile) => Promise<unknown>,
  ): Promise<WrittenPath> {
    const file = await OutputFile.open(path, options);
    try {
      await fill(file);
      return await file.finish();
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  /** Writes bytes immediately, and buffers text. */
  write(data: string | Uint8Array): Promise<void> {
    return this.#file.write(data);
  }

  async finish(): Promise<WrittenPath> {
    const written = await this.#file.finish({ sync: this.#temporary !== undefined });
    try {
      if (this.#temporary !== undefined) await this.#place(this.#temporary);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(this.#target, error);
    }
    return { path: this.#target, ...written };
  }

  /** Deletes the temporary file and leaves an existing file unchanged. */
  async discard(): Promise<void> {
    await this.#file.close();
    if (this.#temporary === undefined) return;
    // If the removal fails, the temporary file is deleted when the process exits. Only the error that led to the discard is
    // reported.
    const removed = await rm(this.#temporary, { force: true }).then(
      () => true,
      () => false,
    );
    if (removed) forgetAtExit.delete(this.#temporary);
  }

  async #place(temporary: string): Promise<void> {
    if (this.#overwrite) await rename(temporary, this.#target);
    else await moveToNew(temporary, this.#target);
    forgetAtExit.delete(temporary);
  }
}

/**
 * Moves a file to a name that does not exist yet.
 *
 * @throws usage error `FILE_EXISTS` if another process has created the target in the meantime
 */
export async function moveToNew(from: string, to: string): Promise<void> {
  try {
    // If the target exists, `link` fails, whereas `rename` would replace the target.
    await link(from, to);
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'EEXIST') throw fileExists(to);
    if (!NO_LINKS.has(code)) throw error;
    if ((await look(to)).mode !== undefined) throw fileExists(to);
    return rename(from, to);
  }
  await rm(from);
}

/** Error codes of file systems that do not support hard links. */
export const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** @param hint how to resolve the conflict */
export function fileExists(
  path: string,
  hint = 'Choose another file, or use `overwrite` to replace the existing file.',
): CryptodataError {
  return usageError(`${path} already exists`, hint, 'FILE_EXISTS');
}

export interface Found {
  readonly target: string;
  /** Whether the path is a device or a named pipe. */
  readonly special: boolean;
  /** Permissions of the file or folder, if it exists. */
  readonly mode?: number;
}

/**
 * Follows the links of a path, and returns the kind and the permissions of the target.
 *
 * @throws CryptodataError of kind `output`
 */
export async function lookAt(
  path: string,
  { folder, hint }: { readonly folder?: boolean; readonly hint?: string } = {},
): Promise<Found> {
  try {
    return await look(resolve(path), folder);
  } catch (error) {
    throw cannotWrite(path, error, hint);
  }
}

/**
 * Follows links, so that a later rename replaces the target of a link, not the link.
 *
 * @param folder whether the path may be a folder
 */
async function look(path: string, folder = false): Promise<Found> {
  try {
    // Call `stat` first: /dev/stdout or /dev/fd/63 may be a pipe, for which `realpath` would fail.
    const found = await stat(path);
    if (found.isDirectory() && !folder) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    if (!found.isFile() && !found.isDirectory()) return { target: path, special: true };
    return { target: await realpath(path), special: false, mode: found.mode & 0o777 };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? { target: path, special: false } : look(resolve(dirname(path), link), folder);
  }
}

/**
 * Opens a device or a pipe. Retries until the pipe has a reader. A blocking call would occupy a thread even after Ctrl-C.
 */
async function openSpecial(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  for (;;) {
    try {
      const reader = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const handle = await open(path, 'w');
      await reader.close();
      return handle;
    } catch (error) {
      // ENXIO means that a pipe has no reader yet, or that the path is a socket. For a socket, `open` always fails, so do not
      // retry.
      if (systemCode(error) !== 'ENXIO' || !(await stat(path)).isFIFO()) throw error;
      await sleep(POLL, signal);
    }
  }
}

/** Temporary files to delete if the process exits early. */
const forgetAtExit = new Set<string>();
process.on('exit', () => {
  for (const path of forgetAtExit) rmSync(path, { force: true });
});
