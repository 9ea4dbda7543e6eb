import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { CryptodataError, messageOf } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { explainKeychain, keychainError, keychainTimedOut } from './errors.ts';
import type { EntryStore } from './split.ts';
import { keychainWorker } from './worker.ts';

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds for one call of the keychain, once the child is up: 3 s where not given. */
  readonly callLimit?: number;
  /** Milliseconds for the child to come up: not the keychain's doing, and long on a crowded machine. */
  readonly startLimit?: number;
}

/** Milliseconds. */
const HUNG_FOR = 10_000;

type Answer = Readonly<Record<string, unknown>>;
interface Waiting {
  readonly answered: (answer: Answer) => void;
  readonly failed: (error: CryptodataError) => void;
}

/**
 * The entries of the operating system's keychain, reached through a child process: see `worker.ts` for why.
 * One child serves all calls, one after the other; it starts at the first, and never keeps this process alive.
 */
export class KeychainProcess implements EntryStore {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #waiting: Waiting | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Counts the children given up: a call that was queued for one of them fails with it. */
  #lost = 0;
  #failure: CryptodataError | undefined;
  /** A keychain that did not answer is not waited for again at once: a command that makes many calls would hang for each. */
  #hung: { readonly error: CryptodataError; readonly until: number } | undefined;
  #callLimit: number;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#callLimit = options.callLimit ?? 3000;
  }

  async get(account: string): Promise<string | null> {
    const value = await this.#call('get', account);
    return typeof value === 'string' ? value : null;
  }

  async set(account: string, secret: string): Promise<void> {
    await this.#call('set', account, secret);
  }

  async delete(account: string): Promise<boolean> {
    return (await this.#call('delete', account)) === true;
  }

  #call(...call: string[]): Promise<unknown> {
    const lost = this.#lost;
    const done = this.#queue.then(async () => {
      if (lost !== this.#lost && this.#failure) throw this.#failure;
      if (this.#hung && performance.now() < this.#hung.until) throw this.#hung.error;
      try {
        return await this.#ask(call);
      } catch (error) {
        if (error instanceof CryptodataError && error.code === 'KEYCHAIN_TIMEOUT') {
          this.#hung = { error, until: performance.now() + HUNG_FOR };
        }
        throw error;
      }
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #ask(call: readonly string[]): Promise<unknown> {
    const child = this.#child ?? (await this.#start());
    const answer = await this.#answer(
      this.#callLimit,
      () => child.stdin?.write(`${JSON.stringify(call)}\n`),
      keychainTimedOut,
    );
    if (typeof answer['error'] === 'string') throw explainKeychain(answer['error']);
    return answer['value'];
  }

  async #start(): Promise<ChildProcess> {
    const library = createRequire(import.meta.url).resolve('@napi-rs/keyring');
    const child = spawn(process.execPath, ['-e', `(${keychainWorker})(require)`, library], {
      env: sessionOnly(this.#options.env),
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    this.#child = child;
    const end = () => child.kill('SIGKILL');
    // A child that hangs inside the native library does not see that its input has ended.
    process.once('exit', end);
    child.once('close', () => process.removeListener('exit', end));
    const gone = (why: string) =>
      this.#giveUp(child, keychainError('KEYCHAIN_FAILED', why, 'See: cryptodata doctor.'));
    child.on('error', (error) => gone(`The keychain's helper process did not start: ${error.message}`));
    child.on('exit', () => gone("The keychain's helper process ended unexpectedly"));
    child.stdin?.on('error', () => undefined); // told by 'exit'
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) =>
        this.#waiting?.answered(readAnswer(line)),
      );
    }
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
    const began = performance.now();
    const answer = await this.#answer(
      this.#options.startLimit ?? 20_000,
      () => undefined,
      () => keychainError('KEYCHAIN_FAILED', "The keychain's helper process did not come up", 'Try again.'),
    );
    if (answer['ready'] === true) {
      // Fifty processes at once on two cores are no hung keychain. How long the child took to come up tells how
      // slow this machine is just now: a call may take ten times that, which at most times is far below 3 s.
      const { callLimit = 3000 } = this.#options;
      this.#callLimit = Math.max(callLimit, 10 * (performance.now() - began));
      return child;
    }
    const error = keychainError(
      'KEYCHAIN_LIBRARY',
      `The keychain library cannot be loaded: ${String(answer['error'])}`,
      'Reinstall with optional dependencies (npm install without --omit=optional).',
    );
    this.#giveUp(child, error);
    throw error;
  }

  #answer(limit: number, ask: () => void, late: (limit: number) => CryptodataError): Promise<Answer> {
    const child = this.#child;
    return new Promise<Answer>((resolve, reject) => {
      // The timer also keeps this process alive meanwhile, which the unreferenced child does not.
      let settled = false;
      const timer = setTimeout(() => {
        // On a crowded machine the answer may be here, and only this process late: one look at the pipe first.
        setImmediate(() => {
          if (!settled) this.#giveUp(child, late(limit));
        });
      }, limit);
      const settle = () => {
        settled = true;
        clearTimeout(timer);
        this.#waiting = undefined;
      };
      this.#waiting = {
        answered: (answer) => {
          settle();
          resolve(answer);
        },
        failed: (error) => {
          settle();
          reject(error);
        },
      };
      ask();
    });
  }

  #giveUp(child: ChildProcess | undefined, error: CryptodataError): void {
    if (child === undefined || child !== this.#child) return;
    this.#child = undefined;
    this.#lost += 1;
    this.#failure = error;
    child.kill('SIGKILL');
    this.#waiting?.failed(error);
  }
}

function readAnswer(line: string): Answer {
  try {
    const answer = parseJson(line);
    return isRecord(answer) ? answer : { error: 'no answer' };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** The child needs the desktop session's variables; nothing of ours, no proxy's password, no option of this Node. */
function sessionOnly(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^CRYPTODATA_|_PROXY$|^NODE_OPTIONS$/i.test(name)),
  );
}
