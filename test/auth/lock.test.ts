import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { removeDeadWaiters, withLock } from '../../src/core/lock.ts';
import { bundle } from '../bundle.ts';
import { failure, temporaryDirectory } from './support.ts';

const run = promisify(execFile);
let script: string;
beforeAll(async () => {
  script = await bundle('./lock.script.ts', import.meta.url);
});

function place() {
  const directory = temporaryDirectory();
  const file = join(directory, 'number');
  writeFileSync(file, '0');
  return { directory, file, lock: join(directory, 'sessions', 'p.lock') };
}

/** Starts a process that holds the lock until the process is killed. */
async function holder(lock: string, file: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script, lock, file, '1', 'hold'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout, 'data');
  return child;
}

describe('the lock between processes', () => {
  it('the lock has one holder at a time while holders are killed', async () => {
    const { directory, file, lock } = place();
    const dying = Array.from({ length: 8 }, () =>
      run(process.execPath, [script, lock, file, '1', 'die']).catch((error) => error.signal),
    );
    const living = Array.from({ length: 12 }, () => run(process.execPath, [script, lock, file, '10']));
    expect(await Promise.all(dying)).toEqual(Array(8).fill('SIGKILL'));
    await Promise.all(living);
    expect(readFileSync(file, 'utf8')).toBe('120');
    // If the last holder was killed, its files remain. Acquiring the lock once more removes these files.
    await withLock(lock, { patience: 10_000 }, async () => undefined);
    expect(readdirSync(join(directory, 'sessions'))).toEqual([]);
  });

  it('the lock has one holder at a time within a process', async () => {
    const { lock } = place();
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inside--;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(lock, {}, work)));
    expect([most, inside]).toEqual([1, 0]);
  });

  it('the lock of a running process cannot be taken over, and the error contains the process id', async () => {
    const { directory, file, lock } = place();
    const owner = await holder(lock, file);
    const error = await failure(withLock(lock, { patience: 200 }, async () => 'taken'));
    expect([error.code, error.message.endsWith(`process ${owner.pid}`)]).toEqual(['LOCK_TIMEOUT', true]);
    const abort = new AbortController();
    const waiting = withLock(lock, { signal: abort.signal }, async () => 'taken');
    abort.abort(new Error('Ctrl-C'));
    await expect(waiting).rejects.toThrow('Ctrl-C');
    expect(readdirSync(join(directory, 'sessions'))).toEqual(['p.lock']);
  });

  it('the lock of a killed process can be taken over', async () => {
    const { file, lock } = place();
    const owner = await holder(lock, file);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await withLock(lock, { patience: 10_000 }, async () => 'taken')).toBe('taken');
  });

  it('removes the files of dead processes that waited for the lock, and keeps the files of running processes', async () => {
    const { directory, file, lock } = place();
    const owner = await holder(lock, file);
    const waiters = [0, 1].map(() => spawn(process.execPath, [script, lock, file, '1']));
    const prepared = () => readdirSync(join(directory, 'sessions')).filter((name) => name.endsWith('.tmp'));
    const whole = () =>
      prepared().every((name) => {
        const [owner] = readdirSync(join(directory, 'sessions', name));
        return owner !== undefined && statSync(join(directory, 'sessions', name, owner)).size > 0;
      });
    await vi.waitUntil(() => prepared().length === 2 && whole(), { timeout: 50_000 });
    const [dying, living] = waiters;
    if (!dying || !living) throw new Error('no waiters');
    const gone = once(dying, 'exit');
    dying.kill('SIGKILL');
    await gone;
    expect(prepared()).toHaveLength(2);
    await removeDeadWaiters(lock);
    expect(prepared()).toHaveLength(1);
    const ended = once(living, 'exit');
    owner.kill('SIGKILL');
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(join(directory, 'sessions'))).toEqual([]);
  });

  it('removes the unfinished files of a process that was killed while writing', async () => {
    const { directory, lock } = place();
    const sessions = join(directory, 'sessions');
    mkdirSync(sessions);
    const name = `p.lock.${crypto.randomUUID()}.tmp`;
    const owner = { id: 'x', pid: process.pid, machine: 'elsewhere' };
    writeFileSync(join(sessions, `${name}.owner`), '{"id":"');
    mkdirSync(join(sessions, `p.lock.${crypto.randomUUID()}.tmp`));
    const waiting = `p.lock.${crypto.randomUUID()}.tmp.owner`;
    writeFileSync(join(sessions, waiting), JSON.stringify(owner));
    await removeDeadWaiters(lock);
    // The owner on another machine may be running.
    expect(readdirSync(sessions)).toEqual([waiting]);
  });

  it('a process takes the lock after another process removes its prepared files', async () => {
    const { lock } = place();
    let isTaken = false;
    const taking = withLock(lock, { patience: 10_000 }, async () => {
      isTaken = true;
    });
    while (!isTaken) await removeDeadWaiters(lock);
    await taking;
  });

  it('a lock that cannot be created causes a usage error', async () => {
    const { directory, file, lock } = place();
    mkdirSync(join(directory, 'sessions'));
    writeFileSync(lock, 'a file, where a directory belongs');
    for (const path of [lock, join(file, 'p.lock')]) {
      const error = await failure(withLock(path, { patience: 500 }, async () => 'taken'));
      expect([error.kind, error.code]).toEqual(['usage', 'DIRECTORY_UNWRITABLE']);
    }
    expect(readdirSync(join(directory, 'sessions'))).toEqual(['p.lock']);
  });

  it('the lock is released if the function that runs under the lock fails', async () => {
    const { lock } = place();
    await expect(
      withLock(lock, {}, async () => {
        throw new Error('work');
      }),
    ).rejects.toThrow('work');
    expect(await withLock(lock, { patience: 100 }, async () => 'taken')).toBe('taken');
  });

  it('the old owner does not release a lock that another process has taken over', async () => {
    const { lock } = place();
    await withLock(lock, {}, async () => {
      const [id = ''] = readdirSync(lock);
      rmSync(join(lock, id));
      writeFileSync(
        join(lock, 'next'),
        JSON.stringify({ id: 'next', pid: process.pid, machine: 'elsewhere' }),
      );
    });
    expect(readdirSync(lock)).toEqual(['next']);
  });
});

describe('a lock whose owner runs on another machine', () => {
  function foreign(lock: string, contents = JSON.stringify({ id: 'far', pid: 1, machine: 'elsewhere' })) {
    mkdirSync(lock, { recursive: true });
    writeFileSync(join(lock, 'far'), contents);
  }

  it('a lock is kept for an owner on another machine while the heartbeat of the owner continues', async () => {
    const { lock } = place();
    foreign(lock);
    const beat = setInterval(() => utimesSync(join(lock, 'far'), new Date(), new Date()), 10);
    const error = await failure(withLock(lock, { silence: 1000, patience: 1500 }, async () => 'taken'));
    clearInterval(beat);
    expect(error.code).toBe('LOCK_TIMEOUT');
  });

  it('an owner on another machine keeps the lock while the waiting machine sleeps for hours', async () => {
    const { lock } = place();
    foreign(lock);
    let asked = 0;
    let released = false;
    const waiting = withLock(
      lock,
      { monotonic: () => performance.now() + (++asked > 5 ? 3_600_000 : 0) },
      async () => released,
    );
    await vi.waitUntil(() => asked > 12, { timeout: 50_000 });
    released = true;
    rmSync(lock, { recursive: true });
    expect(await waiting).toBe(true);
  });

  it.each([undefined, '', '{"pid":', '{"id":"far","pid":-1,"machine":"x"}'])(
    'an owner on another machine loses the lock after its heartbeat stops (%s)',
    async (contents) => {
      const { lock } = place();
      foreign(lock, contents);
      expect(await withLock(lock, { silence: 100, patience: 20_000 }, async () => 'taken')).toBe('taken');
    },
  );
});
