import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { CryptodataError, messageOf } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { explainKeychain, keychainError, keychainTimedOut } from './errors.ts';
import { type Keychain, roundTrip } from './keychain.ts';

/** Reads and writes single entries of the system keychain. The system limits the length of an entry. */
export interface EntryStore {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** Returns whether the entry existed. */
  delete(account: string): Promise<boolean>;
}

/** Windows limits an entry to 2,560 bytes, or 1,280 UTF-16 code units. */
export const ENTRY_LIMIT = 1200;

const HEAD = 'cryptodata:parts:';
type Generation = 'a' | 'b';
interface Head {
  readonly generation: Generation;
  readonly count: number;
  readonly digest: string;
}

/**
 * The system keychain: Keychain on macOS, Credential Manager on Windows, and Secret Service on other systems.
 *
 * Splits values that are too long for one entry. A short value is stored unchanged. A long value is stored as a head and
 * several parts. The head is `cryptodata:parts:GENERATION:COUNT:SHA-256`. The accounts of the parts are
 * `ACCOUNT:GENERATION:0`, `ACCOUNT:GENERATION:1` and so on.
 *
 * The generation is `a` or `b`. If the old value uses `a`, the new value uses `b`; otherwise, the new value uses `a`. The new
 * value becomes valid when its head is written. If the process is killed earlier, the old value remains intact.
 *
 * Parts are written in ascending order and deleted in descending order. The parts of a generation therefore always start at 0
 * and have no gaps. `delete` also finds parts that a killed process did not delete.
 */
export class OsKeychain implements Keychain {
  readonly describe = {
    darwin: 'the macOS Keychain',
    win32: 'the Windows Credential Manager',
    other: 'the Secret Service (GNOME Keyring, KWallet)',
  }[process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'other'];
  readonly #entries: EntryStore;

  constructor(entries: EntryStore) {
    this.#entries = entries;
  }

  probe(account?: string): Promise<void> {
    return roundTrip(this, account);
  }

  async get(account: string): Promise<string | null> {
    // Another process may change the value between the reads of the head and of the parts. The digest of the parts then differs
    // from the digest in the head. The next attempt reads the new head and parts.
    for (let attempt = 0; attempt < 5; attempt++) {
      const entry = await this.#entries.get(account);
      const head = entry === null ? null : parseHead(entry);
      if (head === null) return entry;
      const parts: string[] = [];
      for (let index = 0; index < head.count; index++) {
        parts.push((await this.#entries.get(partAccount(account, head.generation, index))) ?? '');
      }
      const secret = parts.join('');
      if (digestOf(secret) === head.digest) return secret;
    }
    throw keychainError(
      'KEYCHAIN_DAMAGED',
      `The keychain entry ${account} is incomplete`,
      `Log in again: cryptodata login -p ${account.slice(0, account.lastIndexOf(':'))}.`,
    );
  }

  async set(account: string, secret: string): Promise<void> {
    const before = parseHead((await this.#entries.get(account)) ?? '');
    if (secret.length <= ENTRY_LIMIT && !secret.startsWith(HEAD)) {
      await this.#entries.set(account, secret);
    } else {
      const generation = before?.generation === 'a' ? 'b' : 'a';
      const parts = splitText(secret, ENTRY_LIMIT);
      for (const [index, part] of parts.entries()) {
        await this.#entries.set(partAccount(account, generation, index), part);
      }
      await this.#entries.set(account, `${HEAD}${generation}:${parts.length}:${digestOf(secret)}`);
    }
    if (before) await this.#deleteParts(account, before.generation);
  }

  async delete(account: string): Promise<void> {
    await this.#entries.delete(account);
    await this.#deleteParts(account, 'a');
    await this.#deleteParts(account, 'b');
  }

  async #deleteParts(account: string, generation: Generation): Promise<void> {
    let count = 0;
    while ((await this.#entries.get(partAccount(account, generation, count))) !== null) count++;
    while (count-- > 0) await this.#entries.delete(partAccount(account, generation, count));
  }
}

function partAccount(account: string, generation: Generation, index: number): string {
  return `${account}:${generation}:${index}`;
}

function parseHead(entry: string): Head | null {
  const [, generation, count, digest] = /^cryptodata:parts:([ab]):(\d{1,5}):([\w-]{43})$/.exec(entry) ?? [];
  if ((generation !== 'a' && generation !== 'b') || digest === undefined) return null;
  return { generation, count: Number(count), digest };
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Splits text into pieces of at most `limit` UTF-16 code units. Surrogate pairs stay whole, because half a pair is invalid. */
function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + limit, text.length);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last < 0xdc00 && end - start > 1) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Time limit in milliseconds for each call to the keychain, not counting the start of the child (default: 3000). */
  readonly callLimit?: number;
  /** Time limit in milliseconds for the start of the child (default: 20,000). On a busy machine, the start can be slow. */
  readonly startLimit?: number;
}

/** Pause in milliseconds after a timeout. During this pause, the keychain is not called. */
const HUNG_FOR = 10_000;

type Answer = Readonly<Record<string, unknown>>;
interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: CryptodataError) => void;
}

/**
 * Calls the operating system's keychain in a child process. See `keychainWorker` for the reason. One child processes all calls
 * in order. The child starts at the first call, and does not keep this process alive.
 */
export class KeychainProcess implements EntryStore {
  readonly #options: ChildOptions;
  #child: ChildProcess | undefined;
  #waiting: Waiting | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** Number of child processes that failed or hung. When a child fails or hangs, all queued calls fail. */
  #abandoned = 0;
  #failure: CryptodataError | undefined;
  /**
   * After a timeout, further calls fail immediately. Without this rule, a command with many calls would wait for many timeouts.
   */
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
    const abandoned = this.#abandoned;
    const done = this.#queue.then(async () => {
      if (abandoned !== this.#abandoned && this.#failure) throw this.#failure;
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
    // Kill the child, because a child that hangs in the native library does not detect the end of its input.
    process.once('exit', end);
    child.once('close', () => process.removeListener('exit', end));
    const fail = (why: string) =>
      this.#abandon(child, keychainError('KEYCHAIN_FAILED', why, 'See: cryptodata doctor.'));
    child.on('error', (error) => fail(`Cannot start the keychain helper process: ${error.message}`));
    child.on('exit', () => fail('The keychain helper process ended unexpectedly'));
    child.stdin?.on('error', () => undefined); // reported by 'exit'
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => this.#waiting?.resolve(readAnswer(line)));
    }
    child.unref();
    for (const pipe of [child.stdin, child.stdout]) if (pipe instanceof Socket) pipe.unref();
    const began = performance.now();
    const answer = await this.#answer(
      this.#options.startLimit ?? 20_000,
      () => undefined,
      () =>
        keychainError('KEYCHAIN_FAILED', 'The keychain helper process did not start in time', 'Try again.'),
    );
    if (answer['ready'] === true) {
      // On a busy machine, a slow call does not mean that the keychain hangs. Therefore, the time limit of a call is at least
      // ten times the duration of the start.
      const { callLimit = 3000 } = this.#options;
      this.#callLimit = Math.max(callLimit, 10 * (performance.now() - began));
      return child;
    }
    const error = keychainError(
      'KEYCHAIN_LIBRARY',
      `Cannot load the keychain library: ${String(answer['error'])}`,
      'Reinstall the tool with its optional dependencies: run npm install without --omit=optional.',
    );
    this.#abandon(child, error);
    throw error;
  }

  async #answer(limit: number, ask: () => void, late: (limit: number) => CryptodataError): Promise<Answer> {
    const child = this.#child;
    let waiting: Waiting | undefined;
    // The timer keeps this process alive, because the child is unreferenced. When the time limit expires on a busy machine, the
    // response may already be in the pipe. `setImmediate` lets Node read the pipe before the call fails.
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (this.#waiting === waiting) this.#abandon(child, late(limit));
      });
    }, limit);
    try {
      return await new Promise<Answer>((resolve, reject) => {
        waiting = { resolve, reject };
        this.#waiting = waiting;
        ask();
      });
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }

  #abandon(child: ChildProcess | undefined, error: CryptodataError): void {
    if (child === undefined || child !== this.#child) return;
    this.#child = undefined;
    this.#abandoned += 1;
    this.#failure = error;
    child.kill('SIGKILL');
    this.#waiting?.reject(error);
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

/**
 * Removes the variables that configure this tool, Node or a proxy. The child needs only the variables of the desktop session.
 */
function sessionOnly(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^CRYPTODATA_|_PROXY$|^NODE_OPTIONS$/i.test(name)),
  );
}

/**
 * The program of the child process. The source text of this function is passed to `node -e`, so the function can use only its
 * argument and Node's globals.
 *
 * The native library connects to the Secret Service on the main thread and cannot be interrupted. If the library
 * hung in the tool's own process, the tool could not even exit. A child process can be killed.
 *
 * Each input line is a call as JSON: `[operation, account, secret?]`. Each output line is a response. Secrets are passed only
 * through the pipes.
 */
function keychainWorker(load: NodeJS.Require): void {
  const { createInterface }: typeof import('node:readline') = load('node:readline');
  const write = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`);
  const failure = (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) });
  const lines = createInterface({ input: process.stdin });
  let library: typeof import('@napi-rs/keyring');
  try {
    library = load(process.argv[1] ?? '');
    write({ ready: true });
  } catch (error) {
    write({ ready: false, ...failure(error) });
    return;
  }
  lines.on('line', (line) => {
    try {
      const [operation, account, secret]: string[] = JSON.parse(line);
      // Without this option, the library falls back to the kernel's keyring, which loses its entries at reboot.
      const entry = new library.Entry('cryptodata', account ?? '', { linux: { store: 'secret-service' } });
      if (operation === 'get') write({ value: entry.getPassword() });
      else if (operation === 'set') write({ value: entry.setPassword(secret ?? '') ?? null });
      else write({ value: entry.deletePassword() });
    } catch (error) {
      write(failure(error));
    }
  });
}
