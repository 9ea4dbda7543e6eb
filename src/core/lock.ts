import { randomBytes } from 'node:crypto';
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
import { CryptodataError, messageOf, systemCode } from './errors.ts';
import { makePrivateDirectory } from './file.ts';
import { isRecord } from './json.ts';
import { sleep } from './sleep.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told of the work once the lock is held; see `AuthHost.hold`. */
  readonly hold?: ((work: Promise<unknown>) => void) | undefined;
  /** Milliseconds to wait for the lock. */
  readonly patience?: number;
  /** The same, where a living process of this machine holds it. */
  readonly patienceHere?: number;
  /** Milliseconds without a sign of life, after which an owner on another machine counts as dead. */
  readonly silence?: number;
  readonly heartbeat?: number;
  /** Milliseconds of a clock that is never set back: a test's own. */
  readonly monotonic?: (() => number) | undefined;
}

/** The wait takes a look every 150 ms at least; what is far longer was no waiting. */
const LONGEST_STEP = 1000;
/** Of a waiter that cannot be asked: longer than any wait. */
const LONG_DEAD = 3_600_000;

interface Owner {
  readonly id: string;
  readonly pid: number;
  readonly machine: string;
}

/**
 * Runs `work` while this process alone holds the lock at `path`, among all processes that share the directory.
 *
 * The lock is a directory that holds one file, named by a random id of its owner. It is taken by renaming a
 * prepared directory to `path`, which fails while a file is in there; it is released, or taken from a dead
 * owner, by unlinking the file of *that* owner. So a late-comer that judged an owner dead long ago cannot take
 * the lock from the next one: there is no such file any more. Nothing here depends on the order of two steps.
 */
export async function withLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const release = await takeLock(path, options);
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

/** Takes the lock as {@link withLock} does, and gives what releases it: for work that has no end of its own. */
export async function takeLock(
  path: string,
  options: Omit<LockOptions, 'hold'>,
): Promise<() => Promise<void>> {
  const owner: Owner = { id: randomBytes(12).toString('hex'), pid: process.pid, machine: thisMachine() };
  const prepared = `${path}.${owner.id}.tmp`;
  const { patience = 120_000, patienceHere = patience } = options;
  const awake = awakeFor(options.monotonic);
  const watch = new Watch(options.silence ?? 15_000, awake);
  try {
    await prepare(prepared, owner);
    for (let looks = 0; ; looks++) {
      if (await renamed(prepared, path)) break;
      const holder = await watch.look(path);
      if (holder?.dead) {
        await forget(unlink(join(path, holder.id)));
        await forget(rmdir(path)); // Windows renames to no existing directory, not even an empty one
        if (await renamed(prepared, path)) break;
      }
      if (awake() >= (holder?.here ? patienceHere : patience)) throw lockTimeout(path, holder?.pid);
      // Soon at first; of many that wait, one has a look every other millisecond in any case.
      await sleep(Math.min(15 + 5 * looks, 100) * (0.5 + Math.random()), options.signal);
    }
  } catch (error) {
    await forget(rm(prepared, { recursive: true, force: true }));
    if (systemCode(error) === undefined || error instanceof CryptodataError) throw error;
    throw new CryptodataError('usage', 'DIRECTORY_UNWRITABLE', `Cannot create ${path}: ${messageOf(error)}`, {
      hint: 'Check that the directory can exist and that you may write to it, or choose another: CRYPTODATA_CONFIG_DIR.',
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
    await forget(unlink(file));
    await forget(rmdir(path));
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
      // Swept away while it was empty; see `removeDeadWaiters`.
      if (systemCode(error) !== 'ENOENT' || attempt >= 5) throw error;
    }
  }
}

/**
 * Milliseconds that this process waited, awake. A laptop that slept for hours, or a process that was stopped,
 * finds that the clock jumped: to whom it waits for, no time has passed either.
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

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    const code = systemCode(error) ?? '';
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false;
    // What Windows says of a taken name; elsewhere it is what it says.
    if (process.platform === 'win32' && ['EPERM', 'EACCES', 'EBUSY'].includes(code)) return false;
    throw error;
  }
}

interface Holder {
  readonly id: string;
  readonly pid: number | undefined;
  /** Whether its number means a process of this machine. */
  readonly here: boolean;
  readonly dead: boolean;
}

/** Watches one lock through the eyes of one who waits for it. */
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
        await forget(rmdir(path));
        return undefined;
      }
      const file = join(path, id);
      const owner = parseOwner(await readFile(file, 'utf8'));
      const { mtimeMs } = await stat(file);
      // Silence is measured by this process's own clock, from when it saw the last sign of life: the clocks of
      // two machines need not agree.
      const sign = `${id} ${mtimeMs}`;
      const now = this.#awake();
      if (sign !== this.#seen.sign) this.#seen = { sign, at: now };
      const silent = now - this.#seen.at;
      if (owner === null) return { id, pid: undefined, here: false, dead: silent > this.#silence };
      const here = owner.machine === thisMachine();
      if (here && !isAlive(owner.pid)) return { id, pid: owner.pid, here, dead: true };
      // A process of this machine with the owner's number may be the owner, stopped for a while, or another
      // that was given a dead one's number: it gets four times the patience.
      return { id, pid: owner.pid, here, dead: silent > this.#silence * (here ? 4 : 1) };
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EBUSY'].includes(systemCode(error) ?? ''))
        return undefined;
      throw error;
    }
  }
}

/**
 * Removes what processes left that were killed while they waited for the lock at `path`; what a living waiter
 * prepared stays.
 */
export async function removeDeadWaiters(path: string): Promise<void> {
  const beginning = `${basename(path)}.`;
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(beginning) || !/^[0-9a-f]{24}\.tmp$/.test(name.slice(beginning.length))) continue;
    const prepared = join(dirname(path), name);
    const [id] = await readdir(prepared).catch(() => []);
    if (id !== undefined) {
      const file = join(prepared, id);
      if (!(await isLeft(file))) continue;
      await forget(unlink(file));
    }
    await forget(rmdir(prepared));
  }
}

async function isLeft(file: string): Promise<boolean> {
  try {
    const owner = parseOwner(await readFile(file, 'utf8'));
    if (owner?.machine === thisMachine()) return !isAlive(owner.pid);
    return Date.now() - (await stat(file)).mtimeMs > LONG_DEAD;
  } catch {
    return false; // it is moving just now
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
    return systemCode(error) !== 'ESRCH'; // EPERM: somebody else's process, but one
  }
}

let machine: string | undefined;

/** Where a process number means the same process: this machine, this boot, this container's numbering. */
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

/** Awaits a step whose failure means that somebody else took it already. */
async function forget(step: Promise<unknown>): Promise<void> {
  await step.catch(() => undefined);
}

function lockTimeout(path: string, pid: number | undefined): CryptodataError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new CryptodataError('usage', 'LOCK_TIMEOUT', `${who} has held ${path} for too long`, {
    hint: `End that process. If none is left, delete ${path} and try again.`,
    details: pid === undefined ? undefined : { pid },
  });
}
