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
import { isRecord } from './json.ts';
import { sleep } from './sleep.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after the lock is acquired, with a promise that settles when the work is done; see `AuthHost.hold`. */
  readonly hold?: ((work: Promise<unknown>) => void) | undefined;
  /** Milliseconds to wait for the lock. */
  readonly patience?: number;
  /** Milliseconds to wait if a running process on this machine holds the lock. */
  readonly patienceHere?: number;
  /** Milliseconds without a heartbeat after which an owner on another machine is considered dead. */
  readonly silence?: number;
  readonly heartbeat?: number;
  /** A monotonic clock in milliseconds, for tests. */
  readonly monotonic?: (() => number) | undefined;
}

/** A waiter checks the lock at least every 150 ms. A gap of more than this many milliseconds means that the machine slept. */
const LONGEST_STEP = 1000;
/** The age in milliseconds at which the files of a waiter on another machine are removed; longer than any wait. */
const ABANDONED_AFTER = 3_600_000;

interface Owner {
  readonly id: string;
  readonly pid: number;
  readonly machine: string;
}

/**
 * Runs `work` while this process holds the lock at `path`, exclusively among all processes that share the directory.
 * See "Concurrent commands" in SECURITY.md.
 *
 * The lock is a directory with one file, whose name is the owner's random id. Renaming a prepared directory to `path`
 * acquires the lock; the rename fails while the owner's file exists. Deleting the owner's file releases the lock. If the
 * owner is dead, a waiting process deletes the owner's file. A slow waiting process cannot release the lock of the next
 * owner by mistake, because the file of the next owner has another name.
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

/** Acquires the lock as {@link withLock} does, and returns the function that releases it. */
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
        await ignoreErrors(rmdir(path)); // Windows cannot rename to an existing directory, even if it is empty
        if (await tryRename(prepared, path)) break;
      }
      if (awake() >= (holder?.here ? patienceHere : patience)) throw lockTimeout(path, holder?.pid);
      // The first waits are short. Jitter keeps many waiting processes from checking at the same time.
      await sleep(Math.min(15 + 5 * looks, 100) * (0.5 + Math.random()), options.signal);
    }
  } catch (error) {
    await ignoreErrors(rm(prepared, { recursive: true, force: true }));
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

async function prepare(directory: string, owner: Owner): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await makePrivateDirectory(dirname(directory));
    await mkdir(directory, { mode: 0o700 });
    try {
      await writeFile(join(directory, owner.id), JSON.stringify(owner), { mode: 0o600 });
      return;
    } catch (error) {
      // `removeDeadWaiters` removed the empty directory.
      if (systemCode(error) !== 'ENOENT' || attempt >= 5) throw error;
    }
  }
}

/**
 * Milliseconds that this process waited while awake. If the laptop sleeps or the process is stopped, the clock jumps. The
 * jump does not count, because the owner of the lock could not run either.
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
    // On Windows, these codes mean that the target exists.
    if (process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code)) return false;
    throw error;
  }
}

interface Holder {
  readonly id: string;
  readonly pid: number | undefined;
  /** Whether `pid` is a process of this machine. */
  readonly here: boolean;
  readonly dead: boolean;
}

/** Watches the owner of a lock for a waiting process. */
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
      // Measure the time without a heartbeat on this machine's clock, because the clocks of two machines may differ.
      const sign = `${id} ${mtimeMs}`;
      const now = this.#awake();
      if (sign !== this.#seen.sign) this.#seen = { sign, at: now };
      const silent = now - this.#seen.at;
      if (owner === null) return { id, pid: undefined, here: false, dead: silent > this.#silence };
      const here = owner.machine === thisMachine();
      if (here && !isAlive(owner.pid)) return { id, pid: owner.pid, here, dead: true };
      // The process with this pid may be the owner (perhaps suspended), or an unrelated process that reuses the pid of a dead
      // owner. Wait four times as long.
      return { id, pid: owner.pid, here, dead: silent > this.#silence * (here ? 4 : 1) };
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? ''))
        return undefined;
      throw error;
    }
  }
}

/** Removes the directories that killed processes prepared while they waited for the lock at `path`. */
export async function removeDeadWaiters(path: string): Promise<void> {
  const beginning = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(beginning) || !/^[0-9a-f-]{36}\.tmp$/.test(name.slice(beginning.length))) continue;
    const prepared = join(dirname(path), name);
    const [id] = await readdir(prepared).catch(() => []);
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
    if (owner?.machine === thisMachine()) return !isAlive(owner.pid);
    return Date.now() - (await stat(file)).mtimeMs > ABANDONED_AFTER;
  } catch {
    return false; // its owner is renaming it
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
    return systemCode(error) !== 'ESRCH'; // EPERM: a process of another user
  }
}

let machine: string | undefined;

/** Identifies the machine, boot and container in which a pid is valid. */
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

/** Ignores the errors of a step that another process may already have done. */
async function ignoreErrors(step: Promise<unknown>): Promise<void> {
  await step.catch(() => undefined);
}

function lockTimeout(path: string, pid: number | undefined): CryptodataError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new UsageError('LOCK_TIMEOUT', `Timed out waiting for ${path}, held by ${who}`, {
    hint: `End the process that holds the lock. If no such process is running, delete ${path} and try again.`,
    details: pid === undefined ? undefined : { pid },
  });
}
