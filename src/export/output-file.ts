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

/** Characters that are gathered before they are written. */
const CHUNK = 256 * 1024;

export interface Written {
  /** Where it stands, absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface OutputOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replace a file that exists; refused by default. */
  readonly overwrite?: boolean | undefined;
}

/**
 * A file that is there whole or not at all: what is written goes to a temporary file beside it, which is flushed
 * to the disk and renamed at the end, or taken away.
 */
export class OutputFile {
  readonly #handle: FileHandle;
  readonly #target: string;
  /** Undefined where the target is no plain file (a device, a named pipe), which a rename would destroy. */
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
   * Opens it before anything is fetched, so that a place that cannot be written to is told at once.
   *
   * @throws CryptodataError of kind `output`; usage error `FILE_EXISTS`
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

  /** Bytes are written before it returns; text is gathered first. */
  async write(data: string | Uint8Array): Promise<void> {
    if (typeof data !== 'string') {
      if (this.#pending !== '') await this.#flush();
      return this.#append(data);
    }
    this.#pending += data;
    if (this.#pending.length >= CHUNK) await this.#flush();
  }

  /** Puts the file in its place. */
  async finish(): Promise<Written> {
    await this.#flush();
    await this.#try(async () => {
      // A pipe or a device has nothing to flush.
      if (this.#temporary !== undefined) await this.#handle.sync();
      await this.#handle.close();
      if (this.#temporary !== undefined) await this.#place(this.#temporary);
      forgetAtExit.delete(this.#temporary ?? '');
    });
    return { path: this.#target, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Takes away what was written so far; the file that stood there before stays. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#temporary === undefined) return;
    await rm(this.#temporary, { force: true });
    forgetAtExit.delete(this.#temporary);
  }

  async #place(temporary: string): Promise<void> {
    if (this.#overwrite) return rename(temporary, this.#target);
    try {
      // Unlike a rename, a link never replaces a file that appeared meanwhile.
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

/** Codes of file systems without hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']);

/** @param hint the flags that solve it */
export function fileExists(
  path: string,
  hint = 'Choose another file, or --overwrite to replace it.',
): CryptodataError {
  return usageError(`${path} already exists`, hint, 'FILE_EXISTS');
}

export interface Found {
  readonly target: string;
  /** No plain file: a device or a named pipe. */
  readonly special: boolean;
  /** Permissions of the file, if it exists. */
  readonly mode?: number;
}

/**
 * What a path leads to, links followed.
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

/** Follows links, so that a rename does not replace a link by a file; says what stands at its end. */
async function look(path: string): Promise<Found> {
  try {
    // Of a pipe behind /dev/stdout or /dev/fd/63 the system gives no path that could be followed, but its kind.
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
 * Opens a device or a pipe. To open a pipe that nobody reads would block a thread for good, Ctrl-C or not: until
 * somebody reads it, it is only tried.
 */
async function openSpecial(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
  for (;;) {
    try {
      const reader = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
      const handle = await open(path, 'w');
      await reader.close();
      return handle;
    } catch (error) {
      // A pipe that nobody reads yet; of a socket (the stdout of some programs) the same is said for good.
      if (systemCode(error) !== 'ENXIO' || !(await stat(path)).isFIFO()) throw error;
      await sleep(50, signal ?? NEVER);
    }
  }
}

const NEVER = new AbortController().signal;

/** Files that are not whole, should the process be ended at once. */
const forgetAtExit = new Set<string>();
process.on('exit', () => {
  for (const path of forgetAtExit) rmSync(path, { force: true });
});
