import { readFileSync, readlinkSync } from 'node:fs';
import {
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { CryptodataError, messageOf, systemCode, UsageError } from './errors.ts';
import { makePrivateDirectory } from './file.ts';
import { HOUR } from './instant.ts';
import { isRecord } from './json.ts';
import { sleep } from './sleep.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called when the lock is acquired. The promise settles after the lock is released. See `AuthHost.hold`. */
  readonly hold?: ((work: Promise<unknown>) => void) | undefined;
  /** Milliseconds to wait for the lock (default: 120,000). */
  readonly patience?: number;
  /** Milliseconds to wait if a process on this machine holds the lock (default: `patience`). */
  readonly patienceHere?: number;
  /** An owner on another machine is considered dead after this many milliseconds without a heartbeat (default: 15,000). */
  readonly silence?: number;
  readonly heartbeat?: number;
  /** A monotonic clock in milliseconds, for tests. */
  readonly monotonic?: (() => number) | undefined;
}

/**
 * In milliseconds. Waiting processes check the lock at least every 150 ms. A longer gap between two checks than this limit
 * means that the machine slept.
 */
const LONGEST_STEP = 1000;
/** In milliseconds. Files of waiting processes on other machines are removed at this age, because no process waits longer. */
const ABANDONED_AFTER = HOUR;

interface Owner {
  readonly id: string;
  readonly pid: number;
  readonly machine: string;
}

/**
 * Acquires the lock at `path`, runs `work` and releases the lock. Only one process at a time can hold the lock, on all machines
 * that share the directory. See "Concurrent commands" in SECURITY.md.
 *
 * The lock is a directory that contains one file, named after the owner's random id. To acquire the lock, a process renames
 * a prepared directory to `path`. The rename fails while the owner's file exists. To release the lock, the owner deletes its
 * file. If the owner is dead, a waiting process deletes the file. The file of the next owner has another name, so a slow
 * waiting process cannot delete that file by mistake.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await acquireLock(path, options);
  const held = (async () => {
    try {
      return await work();
    } finally {
      await release();
    }
  })();
  options.hold?.(held);
  return held;
}

/** Acquires the lock in the same way as {@link withLock}, and returns a function that releases the lock. */
export async function acquireLock(
  path: string,
  options: Omit<LockOptions, 'hold'>,
): Promise<() => Promise<void>> {
  const owner: Owner = { id: crypto.randomUUID(), pid: process.pid, machine: thisMachine() };
  const prepared = `${path}.${owner.id}.tmp`;
  const { patience = 120_000, patienceHere = patience } = options;
  const awake = awakeFor(options.monotonic);
  const watch = new Watch(options.silence ?? 15_000, awake);
  try {
    await prepare(prepared, owner);
    for (let looks = 0; ; looks++) {
      if (await tryRename(prepared, path)) break;
      const holder = await watch.look(path);
      if (holder?.dead) {
        await ignoreErrors(unlink(join(path, holder.id)));
        await ignoreErrors(rmdir(path)); // on Windows, a rename to an empty directory fails too
        if (await tryRename(prepared, path)) break;
      }
      if (awake() >= (holder?.here ? patienceHere : patience)) throw lockTimeout(path, holder?.pid);
      // The first waits are short. With jitter, waiting processes do not all check at the same time.
      await sleep(Math.min(15 + 5 * looks, 100) * (0.5 + Math.random()), options.signal);
    }
  } catch (error) {
    for (const own of [prepared, ownerFileOf(prepared)])
      await ignoreErrors(rm(own, { recursive: true, force: true }));
    if (systemCode(error) === undefined || error instanceof CryptodataError) throw error;
    throw new UsageError('DIRECTORY_UNWRITABLE', `Cannot create ${path}: ${messageOf(error)}`, {
      hint: 'Check that the directory can be created and written to, or choose another directory with CRYPTODATA_CONFIG_DIR.',
      cause: error,
    });
  }
  const file = join(path, owner.id);
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => undefined);
  }, options.heartbeat ?? 2000);
  beat.unref();
  return async () => {
    clearInterval(beat);
    await ignoreErrors(unlink(file));
    await ignoreErrors(rmdir(path));
  };
}

/** The owner's file is written here first. Then it appears in the prepared directory with its whole content. */
function ownerFileOf(prepared: string): string {
  return `${prepared}.owner`;
}

async function prepare(directory: string, owner: Owner): Promise<void> {
  const written = ownerFileOf(directory);
  for (let attempt = 1; ; attempt++) {
    try {
      await makePrivateDirectory(dirname(directory));
      await writeFile(written, JSON.stringify(owner), { mode: 0o600 });
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await rename(written, join(directory, owner.id));
      return;
    } catch (error) {
      // ENOENT: another process removed the file before its content was written, or the directory or its parent while it was
      // empty.
      if (systemCode(error) !== 'ENOENT' || attempt >= 5) throw error;
    }
  }
}

/**
 * Returns a clock that starts at 0. Between two calls, the clock advances by at most {@link LONGEST_STEP} milliseconds. A
 * longer gap means that the laptop slept or the process was suspended. Such a gap does not count as waiting time, because the
 * owner of the lock was possibly suspended too.
 */
function awakeFor(clock = () => performance.now()): () => number {
  let last = clock();
  let total = 0;
  return () => {
    const now = clock();
    total += Math.min(now - last, LONGEST_STEP);
    last = now;
    return total;
  };
}

async function tryRename(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    // On Windows, a rename to an existing directory fails with one of these codes.
    if (process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code)) return false;
    throw error;
  }
}

interface Holder {
  readonly id: string;
  readonly pid: number | undefined;
  /** Whether `pid` belongs to this machine. */
  readonly here: boolean;
  readonly dead: boolean;
}

class Watch {
  readonly #silence: number;
  readonly #awake: () => number;
  #seen: { readonly sign: string; readonly at: number } = { sign: '', at: 0 };

  constructor(silence: number, awake: () => number) {
    this.#silence = silence;
    this.#awake = awake;
  }

  async look(path: string): Promise<Holder | undefined> {
    try {
      const [id] = await readdir(path);
      if (id === undefined) {
        await ignoreErrors(rmdir(path));
        return undefined;
      }
      const file = join(path, id);
      const owner = parseOwner(await readFile(file, 'utf8'));
      const { mtimeMs } = await stat(file);
      // Use the clock of this machine to measure the time since the last heartbeat, because the owner's clock may differ.
      const sign = `${id} ${mtimeMs}`;
      const now = this.#awake();
      if (sign !== this.#seen.sign) this.#seen = { sign, at: now };
      const silent = now - this.#seen.at;
      if (owner === null) return { id, pid: undefined, here: false, dead: silent > this.#silence };
      const here = owner.machine === thisMachine();
      if (here && !isAlive(owner.pid)) return { id, pid: owner.pid, here, dead: true };
      // A process with this pid exists on this machine. It is the owner, which may be suspended, or an unrelated process with
      // the pid of a dead owner. The wait for a heartbeat is therefore four times as long as for an owner on another machine.
      return { id, pid: owner.pid, here, dead: silent > this.#silence * (here ? 4 : 1) };
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? ''))
        return undefined;
      throw error;
    }
  }
}

/** Matches the names of what a waiting process prepares, after the name of the lock. */
const PREPARED = /^\.[0-9a-f-]{36}\.tmp(\.owner)?$/;

/** Each process that waits for the lock at `path` prepares a directory. Removes what killed processes prepared. */
export async function removeDeadWaiters(path: string): Promise<void> {
  const lock = basename(path);
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(lock) || !PREPARED.test(name.slice(lock.length))) continue;
    const prepared = join(dirname(path), name);
    const [id] = name.endsWith('.owner') ? [''] : await readdir(prepared).catch(() => []);
    if (id !== undefined) {
      const file = join(prepared, id);
      if (!(await isAbandoned(file))) continue;
      await ignoreErrors(unlink(file));
    }
    await ignoreErrors(rmdir(prepared));
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const owner = parseOwner(await readFile(file, 'utf8'));
    // Only a file outside a prepared directory can be incomplete. If its owner is running, the owner writes the file again.
    if (owner === null && file.endsWith('.owner')) return true;
    if (owner?.machine === thisMachine()) return !isAlive(owner.pid);
    return Date.now() - (await stat(file)).mtimeMs > ABANDONED_AFTER;
  } catch {
    return false; // the file is gone, because its owner has just renamed the directory
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const owner: unknown = JSON.parse(text);
    if (!isRecord(owner)) return null;
    const { id, pid, machine } = owner;
    if (typeof id !== 'string' || typeof pid !== 'number' || typeof machine !== 'string') return null;
    return Number.isInteger(pid) && pid > 0 ? { id, pid, machine } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH'; // EPERM: the process exists, but belongs to another user
  }
}

let machine: string | undefined;

/** Identifies this machine, its current boot and the container. Pids can be compared only if all three are the same. */
function thisMachine(): string {
  machine ??= [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ].join(' ');
  return machine;
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // not Linux
  }
}

/** Ignores all errors, because another process may already have done the step. */
async function ignoreErrors(step: Promise<unknown>): Promise<void> {
  await step.catch(() => undefined);
}

function lockTimeout(path: string, pid: number | undefined): CryptodataError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new UsageError('LOCK_TIMEOUT', `Timed out waiting for the lock ${path}, which is held by ${who}`, {
    hint: `End the process that holds the lock. If no such process is running, delete ${path} and try again.`,
    details: pid === undefined ? undefined : { pid },
  });
}
