import { hash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { CryptodataError, UsageError, usageError } from '../core/errors.ts';
import { flushDirectory } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { acquireLock } from '../core/lock.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type DeliveryEntry, entryLine, type Line, linesInFile, parseEntry } from './entry.ts';

type StoreResult = 'stored' | 'repeat' | 'differentBody';

/** A file of deliveries. Only one process at a time writes to the file. Each delivery id occurs at most once. */
export type Store = Pick<FileStore, keyof FileStore>;

/**
 * Opens or creates a store, and reads the stored ids.
 *
 * @throws usage error `STORE_IN_USE` if another process writes to the store
 */
export async function openStore(path: string, signal?: AbortSignal): Promise<Store> {
  let file: FileHandle | undefined;
  let release: (() => Promise<void>) | undefined;
  try {
    file = await openFile(path);
    // Lock the real path, because several symbolic links may point to the same file.
    release = await lockStore(path, await realpath(path), signal);
    const store = new FileStore(path, file, await completeLastLine(file), release);
    await store.readIds(signal);
    return store;
  } catch (error) {
    await file?.close();
    await release?.();
    throw asOutputError(path, error);
  }
}

async function lockStore(path: string, real: string, signal?: AbortSignal): Promise<() => Promise<void>> {
  const lock = `${real}.lock`;
  try {
    return await acquireLock(lock, { signal, patienceHere: 0, patience: 8000, silence: 6000 });
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    if (error.code !== 'LOCK_TIMEOUT') throw cannotWrite(path, error.cause ?? error);
    const { details } = error;
    const pid = isRecord(details) && typeof details['pid'] === 'number' ? ` (process ${details['pid']})` : '';
    throw new UsageError('STORE_IN_USE', `Another listener${pid} writes to ${path}`, {
      hint: `Choose another file with --store, or stop the other listener. If no listener is running, delete ${lock}.`,
      cause: error,
    });
  }
}

/** Maximum number of bytes per read. */
const CHUNK = 256 * 1024;

class FileStore {
  readonly path: string;
  /** The state of the store when it was opened: the number of entries, and the line number of each invalid line. */
  readonly found = { entries: 0, invalid: [] as number[] };
  #file: FileHandle;
  /** Length of the file in bytes, without the bytes of an incomplete write. */
  #length: number;
  /** Whether the file may contain bytes of an incomplete write after the position `#length`. */
  #isTorn = false;
  /** Increases when the file is replaced, deleted or truncated. */
  #generation = 0;
  /** The checksum of the body of each stored delivery. The keys come from {@link keyOf}. */
  #checksums = new Map<string, number>();
  /** Deliveries whose write is still in progress. */
  readonly #writing = new Map<string, { readonly checksum: number; readonly written: Promise<void> }>();
  #batch: Buffer[] = [];
  #current: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  readonly #events = new EventEmitter<{ grown: [] }>();
  readonly #release: () => Promise<void>;

  constructor(path: string, file: FileHandle, length: number, release: () => Promise<void>) {
    this.path = path;
    this.#file = file;
    this.#length = length;
    this.#release = release;
  }

  /** Length of the file in bytes, without writes in progress. */
  get length(): number {
    return this.#length;
  }

  async readIds(signal: AbortSignal | undefined): Promise<void> {
    for await (const { number, bytes } of linesInFile(
      createReadStream(this.path, { highWaterMark: CHUNK }),
    )) {
      signal?.throwIfAborted();
      if (bytes?.length === 0) continue;
      const entry = bytes && parseEntry(bytes.toString('utf8'));
      if (entry) this.found.entries += 1;
      else this.found.invalid.push(number);
      const key = entry && keyOf(entry);
      if (key !== undefined && !this.#checksums.has(key)) this.#checksums.set(key, crc32(entry?.body ?? ''));
    }
  }

  /**
   * Stores an entry. Resolves to `stored` when the entry is on disk. If the id is already stored, writes nothing and resolves
   * to `repeat`, or to `differentBody` if the stored body differs.
   *
   * @throws CryptodataError of kind `output` if the entry cannot be stored
   */
  async keep(entry: DeliveryEntry): Promise<StoreResult> {
    const line = entryLine(entry);
    const key = keyOf(entry);
    if (key === undefined) {
      await this.#append(line);
      return 'stored';
    }
    const checksum = crc32(entry.body);
    const repeated = (first: number) => (first === checksum ? 'repeat' : 'differentBody');
    const stored = this.#checksums.get(key);
    if (stored !== undefined && (await this.#isIntact())) return repeated(stored);
    const writing = this.#writing.get(key);
    if (writing) {
      // Acknowledge a repeated delivery only after the first delivery is on disk. If the first delivery cannot be written, the
      // repeated delivery fails too.
      await writing.written;
      return repeated(writing.checksum);
    }
    const written = this.#append(line);
    this.#writing.set(key, { checksum, written });
    try {
      await written;
      this.#checksums.set(key, checksum);
    } finally {
      this.#writing.delete(key);
    }
    return 'stored';
  }

  /**
   * Yields each complete line after a position as soon as the line is on disk. If the file is renamed, for example by log
   * rotation, the generator reads the old file to its end, and then continues with the new file.
   *
   * @param ending when this signal is aborted, the generator ends after the last line on disk
   */
  async *follow(from: number, ending: AbortSignal): AsyncGenerator<Line> {
    for (let position = from; ; position = 0) {
      const generation = this.#generation;
      const file = await open(this.path, 'r');
      try {
        const chunks = this.#chunks(file, position, generation, ending);
        for await (const line of linesInFile(chunks, position)) if (line.ended) yield line;
      } finally {
        await file.close();
      }
      if (ending.aborted) return;
    }
  }

  /** Waits until the writes in progress have ended, then releases the store, so that another process can open it. */
  async close(): Promise<void> {
    await (this.#next ?? this.#current).catch(() => undefined);
    await this.#file.close();
    await this.#release();
  }

  /**
   * Yields the bytes of a file as it grows. After `ending` is aborted or the file is replaced, yields the remaining bytes and
   * ends.
   */
  async *#chunks(
    file: FileHandle,
    from: number,
    generation: number,
    ending: AbortSignal,
  ): AsyncGenerator<Buffer> {
    for (let position = from; ; ) {
      const isCurrent = this.#generation === generation;
      if (isCurrent && position >= this.#length) {
        if (ending.aborted) return;
        await once(this.#events, 'grown', { signal: ending }).catch(() => undefined);
        continue;
      }
      const size = isCurrent ? Math.min(CHUNK, this.#length - position) : CHUNK;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, position);
      if (bytesRead === 0) {
        if (this.#generation !== generation || ending.aborted) return;
        await once(this.#events, 'grown', { signal: ending }).catch(() => undefined);
        continue;
      }
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Returns false if the file was deleted or truncated. */
  async #isIntact(): Promise<boolean> {
    // `#checkFile` may have replaced the file and closed the old handle. Try again with the new handle.
    const { nlink, size } = await this.#file.stat().catch(() => this.#file.stat());
    return nlink > 0 && size >= this.#length;
  }

  /** Lines that arrive during a flush are collected. All collected lines are written together, and share the next flush. */
  #append(line: Buffer): Promise<void> {
    this.#batch.push(line);
    this.#next ??= this.#writeBatch(this.#current);
    return this.#next;
  }

  async #writeBatch(previous: Promise<void>): Promise<void> {
    await previous.catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
    const bytes = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#current = this.#next ?? this.#current;
    this.#next = undefined;
    try {
      await this.#write(bytes);
    } catch (error) {
      throw asOutputError(this.path, error);
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#checkFile();
    this.#isTorn = true;
    try {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at);
        at += bytesWritten;
      }
      await this.#file.datasync();
    } catch (error) {
      // Remove the incomplete write now, because it is not certain that another write will follow. If the removal fails, the
      // next write tries again.
      await this.#removeTornWrite().catch(() => undefined);
      throw error;
    }
    this.#length += bytes.length;
    this.#isTorn = false;
    this.#events.emit('grown');
  }

  /**
   * Only shortens the file. If another process has truncated the file in the meantime, setting the old length would append
   * zeros.
   */
  async #removeTornWrite(): Promise<void> {
    const { size } = await this.#file.stat();
    if (size > this.#length) await this.#file.truncate(this.#length);
    this.#isTorn = false;
  }

  /** If the file was renamed, for example by log rotation, continues in a new file. */
  async #checkFile(): Promise<void> {
    const [mine, there] = await Promise.all([this.#file.stat(), stat(this.path).catch(() => undefined)]);
    if (mine.nlink === 0 || mine.size < this.#length) {
      this.#generation += 1;
      // Stored deliveries were removed from the file. Forget the ids of all stored deliveries, so that a repeated delivery is
      // stored again.
      this.#checksums = new Map();
    }
    if (there?.ino === mine.ino && there.dev === mine.dev) {
      if (this.#isTorn && mine.size > this.#length) await this.#removeTornWrite();
      // Another process has changed the file, and may have appended an incomplete line.
      else if (mine.size !== this.#length) this.#length = await completeLastLine(this.#file);
      return;
    }
    const file = await openFile(this.path);
    try {
      this.#length = await completeLastLine(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file.close().catch(() => undefined);
    this.#file = file;
    this.#generation += 1;
    this.#isTorn = false;
  }
}

/** Returns 16 bytes of the SHA-256 of the id, because an id can be very long. Returns undefined for an entry without an id. */
function keyOf({ id }: DeliveryEntry): string | undefined {
  if (id === null) return undefined;
  // Encode the id in UTF-16, because UTF-8 encodes all lone surrogates as the same bytes.
  return hash('sha256', Buffer.from(id, 'utf16le'), 'buffer').toString('latin1', 0, 16);
}

/**
 * Adds a line feed if the last line has none, for example after a crash. Then flushes the file, so that all lines are on disk.
 *
 * @returns the length of the file
 */
async function completeLastLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const last = Buffer.from('\n');
  if (size > 0) await file.read(last, 0, 1, size - 1);
  const isComplete = last.toString() === '\n';
  if (!isComplete) await file.write('\n');
  await file.datasync();
  return isComplete ? size : size + 1;
}

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'a+', 0o600);
  if (!(await file.stat()).isFile()) {
    await file.close();
    throw usageError(`${path} is not a regular file`, 'Choose another file with --store.', 'BAD_STORE');
  }
  await flushDirectory(dirname(path));
  return file;
}

function asOutputError(path: string, error: unknown): unknown {
  return error instanceof CryptodataError ? error : cannotWrite(path, error);
}
