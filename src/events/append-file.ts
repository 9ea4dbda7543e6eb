import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CryptodataError, usageError } from '../core/errors.ts';
import { flushDirectory } from '../core/file.ts';
import { cannotWrite } from '../core/unwritable.ts';

interface Waiting {
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Bytes that are written and flushed at once. */
const LARGEST_BATCH = 8 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * A file that lines are added to, whole and for good, or not at all. Those that wait while others are flushed to the
 * disk are written together and share one flush. What a failed write left (on a full disk, say) is taken away again, so
 * that no line is there twice when its sender tries again.
 *
 * One process alone may write to it: see the lock of `openStore`.
 */
export class AppendFile {
  readonly path: string;
  #file: FileHandle;
  /** How long the file is without what may be left of a write that failed. */
  #length: number;
  /** Whether more may stand behind that. */
  #torn = false;
  readonly #lost: () => void;
  #generation = 0;
  readonly #waiting: Waiting[] = [];
  #grown = withResolver();
  #working: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle, length: number, lost: () => void) {
    this.path = path;
    this.#file = file;
    this.#length = length;
    this.#lost = lost;
  }

  /** Bytes that are on the disk. */
  get length(): number {
    return this.#length;
  }

  /** Another number once another file, or other contents, took the place of those that were there. */
  get generation(): number {
    return this.#generation;
  }

  /** Resolves when lines are added next. */
  grown(): Promise<void> {
    return this.#grown.promise;
  }

  /** Whether it still holds what was added: false once it was deleted or made shorter. */
  async holds(): Promise<boolean> {
    // It is closed where another takes its place meanwhile.
    const { nlink, size } = await this.#file.stat().catch(() => this.#file.stat());
    return nlink > 0 && size >= this.#length;
  }

  /**
   * @param lost called when lines that were added are found to be gone, before others are added
   * @returns once all that the file holds is on the disk, and ends with a whole line
   * @throws CryptodataError of kind `output` or `usage`
   */
  static async open(path: string, lost: () => void = () => {}): Promise<AppendFile> {
    let file: FileHandle | undefined;
    try {
      file = await openFile(path);
      return new AppendFile(path, file, await endLine(file), lost);
    } catch (error) {
      await file?.close().catch(() => undefined);
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  /**
   * Adds a line (with its line feed); resolves when it is on the disk.
   *
   * @throws CryptodataError of kind `output`: nothing of the line is in the file
   */
  append(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bytes, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Returns when all that was added is on the disk. */
  async close(): Promise<void> {
    await this.#working;
    await this.#file.close();
  }

  async #work(): Promise<void> {
    // What arrives in the same turn of the event loop goes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#next();
      try {
        await this.#write(Buffer.concat(batch.map(({ bytes }) => bytes)));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        const told = error instanceof CryptodataError ? error : cannotWrite(this.path, error);
        for (const { reject } of batch) reject(told);
      }
    }
    this.#working = undefined;
  }

  #next(): Waiting[] {
    let size = 0;
    const beyond = this.#waiting.findIndex(({ bytes }) => {
      size += bytes.length;
      return size > LARGEST_BATCH;
    });
    return this.#waiting.splice(0, beyond < 0 ? this.#waiting.length : Math.max(1, beyond));
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#follow();
    this.#torn = true;
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      // At once, since nobody knows whether there will be another write; that one tries again.
      await this.#mend().catch(() => undefined);
      throw error;
    }
    this.#length += bytes.length;
    this.#torn = false;
    const { resolve } = this.#grown;
    this.#grown = withResolver();
    resolve();
  }

  /** Where another made the file shorter meanwhile, there is nothing to take away: zeros would be added. */
  async #mend(): Promise<void> {
    const { size } = await this.#file.stat();
    if (size > this.#length) await this.#file.truncate(this.#length);
    this.#torn = false;
  }

  /**
   * A file that was moved away or deleted (by a rotation of logs, say) would take lines that nobody finds. What another
   * hand wrote behind ours may lack its end: a line that followed would be part of it, and lost.
   */
  async #follow(): Promise<void> {
    const [mine, there] = await Promise.all([this.#file.stat(), stat(this.path).catch(() => undefined)]);
    if (mine.nlink === 0 || mine.size < this.#length) {
      this.#generation += 1;
      this.#lost();
    }
    if (there && there.ino === mine.ino && there.dev === mine.dev) {
      if (this.#torn && mine.size > this.#length) await this.#file.truncate(this.#length);
      else if (mine.size !== this.#length) this.#length = await endLine(this.#file);
      this.#torn = false;
      return;
    }
    const file = await openFile(this.path);
    try {
      this.#length = await endLine(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file.close().catch(() => undefined);
    this.#file = file;
    this.#generation += 1;
    this.#torn = false;
  }
}

/**
 * Ends a line that a crash cut, and has the disk hold all that is there: its lines count as kept from now on.
 *
 * @returns how long the file is now
 */
async function endLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const last = Buffer.from([LINE_FEED]);
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isEnded = last[0] === LINE_FEED;
  if (!isEnded) await file.write('\n');
  await file.datasync();
  return isEnded ? size : size + 1;
}

/**
 * Makes the file where there is none, so that a link to it leads somewhere.
 *
 * @returns the one path that it has, whatever leads to it
 * @throws CryptodataError of kind `output` or `usage`
 */
export async function madeFile(path: string): Promise<string> {
  try {
    await (await openFile(path)).close();
    return await realpath(path);
  } catch (error) {
    throw error instanceof CryptodataError ? error : cannotWrite(path, error);
  }
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600);
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw usageError(`${path} is no file that lines can be added to`, 'Name another file.', 'BAD_STORE');
  }
  await flushDirectory(dirname(path));
  return file;
}
