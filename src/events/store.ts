import { CryptodataError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { takeLock } from '../core/lock.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { AppendFile, madeFile } from './append-file.ts';
import { bodyMark, type Entry, entryLine } from './entry.ts';
import { IdSet } from './id-set.ts';
import { readIds } from './read-store.ts';

export type Kept = 'stored' | 'repeat' | 'otherBody';

/** A file of deliveries that one process writes to; each delivery id is in it once. */
export interface Store {
  readonly path: string;
  /** What it held when it was opened. */
  readonly found: { readonly entries: number; readonly cut: readonly number[] };
  /**
   * Resolves when the entry is on the disk. An entry whose delivery id is there already is a `repeat`, and not written;
   * `otherBody` where its body is not that of the first.
   *
   * @throws CryptodataError of kind `output`: nothing of it was kept
   */
  keep(entry: Entry): Promise<Kept>;
  /** Bytes that are on the disk. */
  readonly length: number;
  /** Another number once another file, or other contents, took the place of those that were there. */
  readonly generation: number;
  /** Resolves when lines are added next. */
  grown(): Promise<void>;
  /** Returns when all is on the disk, and another may open it. */
  close(): Promise<void>;
}

export interface OpenStoreOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a store, or begins one, and reads the ids that it holds.
 *
 * @throws usage error `STORE_IN_USE` where another process writes to it
 */
export async function openStore(path: string, { signal }: OpenStoreOptions = {}): Promise<Store> {
  // One file must have one lock, whatever leads to it.
  const real = await madeFile(path);
  const release = await takeLock(`${real}.lock`, {
    signal,
    patienceHere: 0,
    patience: 8000,
    silence: 6000,
  }).catch((error) => {
    throw lockError(path, `${real}.lock`, error);
  });
  let file: AppendFile | undefined;
  let store: FileStore | undefined;
  try {
    file = await AppendFile.open(path, () => store?.forget());
    const { ids, found } = await idsOf(path, signal);
    store = new FileStore(file, ids, found, release);
    return store;
  } catch (error) {
    await file?.close();
    await release();
    throw error;
  }
}

async function idsOf(
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ ids: IdSet; found: Store['found'] }> {
  const ids = new IdSet();
  let entries = 0;
  const cut: number[] = [];
  for await (const { line, id, mark } of readIds(path)) {
    signal?.throwIfAborted();
    if (id === undefined) cut.push(line);
    else entries += 1;
    if (typeof id === 'string') ids.add(id, mark);
  }
  return { ids, found: { entries, cut } };
}

class FileStore implements Store {
  readonly path: string;
  readonly found: Store['found'];
  readonly #file: AppendFile;
  #ids: IdSet;
  readonly #release: () => Promise<void>;
  /** Entries on their way to the disk, by id. */
  readonly #pending = new Map<string, { readonly mark: number; readonly written: Promise<void> }>();

  constructor(file: AppendFile, ids: IdSet, found: Store['found'], release: () => Promise<void>) {
    this.path = file.path;
    this.found = found;
    this.#file = file;
    this.#ids = ids;
    this.#release = release;
  }

  get length(): number {
    return this.#file.length;
  }

  get generation(): number {
    return this.#file.generation;
  }

  grown(): Promise<void> {
    return this.#file.grown();
  }

  /** The lines are gone: what comes again must be stored again. */
  forget(): void {
    this.#ids = new IdSet();
  }

  async keep(entry: Entry): Promise<Kept> {
    const { id } = entry;
    const line = entryLine(entry);
    if (id === null) {
      await this.#file.append(line);
      return 'stored';
    }
    const mark = bodyMark(line);
    const first = this.#ids.noteOf(id);
    if (first !== undefined && (await this.#file.holds())) return repeat(first, mark);
    const pending = this.#pending.get(id);
    if (pending) {
      // It must not be answered before the first is on the disk; nor well where that one fails.
      await pending.written;
      return repeat(pending.mark, mark);
    }
    const written = this.#file.append(line);
    this.#pending.set(id, { mark, written });
    try {
      await written;
      this.#ids.add(id, mark);
    } finally {
      this.#pending.delete(id);
    }
    return 'stored';
  }

  async close(): Promise<void> {
    await this.#file.close();
    await this.#release();
  }
}

/** A line that others wrote has no mark, and is not told from any. */
function repeat(first: number, mark: number): Kept {
  return first === 0 || first === mark ? 'repeat' : 'otherBody';
}

function lockError(path: string, lock: string, error: unknown): unknown {
  if (!(error instanceof CryptodataError)) return error;
  if (error.code !== 'LOCK_TIMEOUT') return cannotWrite(path, error.cause ?? error);
  const { details } = error;
  const pid = isRecord(details) && typeof details['pid'] === 'number' ? ` (process ${details['pid']})` : '';
  return new CryptodataError('usage', 'STORE_IN_USE', `Another listener${pid} writes to ${path}`, {
    hint: `Choose another file with --store, or stop that one. If none is left, delete ${lock}.`,
    cause: error,
  });
}
