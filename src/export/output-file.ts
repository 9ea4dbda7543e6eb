import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { systemCode } from '../base/errors.ts';
import { cannotWrite } from '../output/writer.ts';

/** Characters that are gathered before they are written. */
const CHUNK = 256 * 1024;

export interface Written {
  /** Where it stands, absolute. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
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
  readonly #hash = createHash('sha256');
  #pending = '';
  #bytes = 0;

  private constructor(handle: FileHandle, target: string, temporary: string | undefined) {
    this.#handle = handle;
    this.#target = target;
    this.#temporary = temporary;
  }

  /**
   * Opens it before anything is fetched, so that a place that cannot be written to is told at once.
   *
   * @throws CryptodataError of kind `output`
   */
  static async open(path: string): Promise<OutputFile> {
    try {
      const { target, special } = await look(resolve(path));
      if (special) return new OutputFile(await open(target, 'w'), target, undefined);
      const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
      return new OutputFile(await open(temporary, 'wx'), target, temporary);
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= CHUNK) await this.#flush();
  }

  /** Puts the file in its place. */
  async finish(): Promise<Written> {
    await this.#flush();
    await this.#try(async () => {
      // A pipe or a device has nothing to flush.
      if (this.#temporary !== undefined) await this.#handle.sync();
      await this.#handle.close();
      if (this.#temporary !== undefined) await rename(this.#temporary, this.#target);
    });
    return { path: this.#target, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Takes away what was written so far; the file that stood there before stays. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (this.#temporary !== undefined) await rm(this.#temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const data = Buffer.from(this.#pending, 'utf8');
    this.#pending = '';
    this.#hash.update(data);
    this.#bytes += data.length;
    await this.#try(() => this.#handle.appendFile(data));
  }

  async #try(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      throw cannotWrite(this.#target, error);
    }
  }
}

/** Follows links, so that a rename does not replace a link by a file; says what stands at its end. */
async function look(path: string): Promise<{ target: string; special: boolean }> {
  try {
    const target = await realpath(path);
    const found = await stat(target);
    if (found.isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    return { target, special: !found.isFile() };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { target: path, special: false };
    throw error;
  }
}
