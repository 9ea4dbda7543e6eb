import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { CryptodataError } from './errors.ts';
import { cannotWrite } from './unwritable.ts';

/** Characters to buffer before a write. */
const CHUNK = 256 * 1024;

export class HashedFile {
  readonly #handle: FileHandle;
  readonly #name: string;
  readonly #hash = createHash('sha256');
  #pending = '';
  #bytes = 0;

  /** @param name the path to show in errors */
  constructor(handle: FileHandle, name: string) {
    this.#handle = handle;
    this.#name = name;
  }

  /**
   * Creates a file.
   *
   * @param name the path to show in errors
   * @param mode the permissions of the file; by default, the permissions of any new file
   */
  static async create(path: string, name = path, mode?: number): Promise<HashedFile> {
    const handle = await open(path, 'wx').catch((error: unknown) => {
      throw cannotWrite(name, error);
    });
    if (mode !== undefined) {
      await handle.chmod(mode).catch(async (error: unknown) => {
        await handle.close();
        await rm(path, { force: true });
        throw cannotWrite(name, error);
      });
    }
    return new HashedFile(handle, name);
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

  /** Writes the buffered text, flushes the file to disk and closes the file. Pipes and devices cannot be flushed to disk. */
  async finish({ sync }: { readonly sync: boolean }): Promise<{ bytes: number; sha256: string }> {
    await this.#flush();
    await this.#try(async () => {
      if (sync) await this.#handle.sync();
      await this.#handle.close();
    });
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes the file. The buffered text is not written. */
  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
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
      throw error instanceof CryptodataError ? error : cannotWrite(this.#name, error);
    }
  }
}
