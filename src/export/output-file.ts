import { createHash, randomBytes } from 'node:crypto';
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
import { sleep } from '../core/sleep.ts';
import { cannotWrite } from '../core/unwritable.ts';

/** Milliseconds between two attempts to open a pipe that has no reader yet. */
const POLL = 50;
/** Characters to buffer before a write. */
const CHUNK = 256 * 1024;

export interface Written {
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
  readonly #handle: FileHandle;
  readonly #target: string;
  /** Undefined if the target is a device or a named pipe, because a rename would replace the target. */
  readonly #temporary: string | undefined;
  readonly #overwrite: boolean;
  readonly #hash = createHash('sha256');
  #pending = '';
  #bytes = 0;

  private constructor(handle: FileHandle, target: string, temporary: string | undefined, overwrite: boolean) {
    this.#overwrite = overwrite;
    this.#handle = handle;
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
      if (special) return new OutputFile(await openSpecial(target, signal), target, undefined, overwrite);
      if (mode !== undefined && !overwrite) throw fileExists(path);
      const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
      const handle = await open(temporary, 'wx');
      forgetAtExit.add(temporary);
      // Preserve the mode of the file being replaced.
      if (mode !== undefined) await handle.chmod(mode);
      return new OutputFile(handle, target, temporary, overwrite);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  /** Opens a file, calls `fill`, and finishes the file. If `fill` fails, no file is left behind. */
  static async fill(
    path: string,
    options: OutputOptions,
    fill: (file: OutputFile) => Promise<unknown>,
  ): Promise<Written> {
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
  async write(data: string | Uint8Array): Promise<void> {
    if (typeof data !== 'string') {
      if (this.#pending !== '') await this.#flush();
      return this.#append(data);
    }
    this.#pending += data;
    if (this.#pending.length >= CHUNK) await this.#flush();
  }

  /** Flushes the file and renames it to its final name. */
  async finish(): Promise<Written> {
    await this.#flush();
    await this.#try(async () => {
      // Pipes and devices cannot be flushed to disk.
      if (this.#temporary !== undefined) await this.#handle.sync();
      await this.#handle.close();
      if (this.#temporary !== undefined) await this.#place(this.#temporary);
      forgetAtExit.delete(this.#temporary ?? '');
    });
    return { path: this.#target, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Deletes the temporary file and leaves an existing file unchanged. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#temporary === undefined) return;
    await rm(this.#temporary, { force: true });
    forgetAtExit.delete(this.#temporary);
  }

  async #place(temporary: string): Promise<void> {
    if (this.#overwrite) return rename(temporary, this.#target);
    try {
      // If another process has created the target in the meantime, `link` fails, whereas `rename` would replace the target.
      await link(temporary, this.#target);
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (code === 'EEXIST') throw fileExists(this.#target);
      if (!NO_LINKS.has(code)) throw error;
      if ((await look(this.#target)).mode !== undefined) throw fileExists(this.#target);
      return rename(temporary, this.#target);
    }
    await rm(temporary);
  }

  async #flush(): Promise<void> {
    const data = Buffer.from(this.#pending, 'utf8');
    this.#pending = '';
    await this.#append(data);
  }

  async #append(data: Uint8Array): Promise<void> {
    this.#hash.update(data);
    this.#bytes += data.length;
    await this.#try(() => this.#handle.appendFile(data));
  }

  async #try(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(this.#target, error);
    }
  }
}

/** Error codes of file systems that do not support hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** @param hint how to resolve the conflict */
export function fileExists(
  path: string,
  hint = 'Choose another file, or use --overwrite to replace the existing file.',
): CryptodataError {
  return usageError(`${path} already exists`, hint, 'FILE_EXISTS');
}

export interface Found {
  readonly target: string;
  /** Whether the path is a device or a named pipe. */
  readonly special: boolean;
  /** Permissions of the file, if it exists. */
  readonly mode?: number;
}

/**
 * Follows the links of a path, and returns the kind and the permissions of the target.
 *
 * @throws CryptodataError of kind `output`
 */
export async function lookAt(path: string, hint?: string): Promise<Found> {
  try {
    return await look(resolve(path));
  } catch (error) {
    throw cannotWrite(path, error, hint);
  }
}

/** Follows links, so that a later rename replaces the target of a link, not the link. */
async function look(path: string): Promise<Found> {
  try {
    // Call `stat` first: /dev/stdout or /dev/fd/63 may be a pipe, for which `realpath` would fail.
    const found = await stat(path);
    if (found.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    if (!found.isFile()) return { target: path, special: true };
    return { target: await realpath(path), special: false, mode: found.mode & 0o777 };
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? { target: path, special: false } : look(resolve(dirname(path), link));
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
      await sleep(POLL, signal ?? NEVER);
    }
  }
}

const NEVER = new AbortController().signal;

/** Temporary files to delete if the process exits early. */
const forgetAtExit = new Set<string>();
process.on('exit', () => {
  for (const path of forgetAtExit) rmSync(path, { force: true });
});
