// Runs the built program as a shell does. The settings are empty, and only the variables PATH and TMPDIR are inherited. Node
// takes longer to start than most commands take to run. `run` therefore executes the program in this process, and starts a new
// process only if the arguments or the variables require one. In thorough test runs, such as in CI, `run` always starts a
// process.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Streams } from '../../src/context.ts';
import { shellWord } from '../../src/core/text.ts';
import type { CommandLine as BuiltCommandLine } from '../../src/main.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { atEnd } from '../at-end.ts';
import { removeFolder } from '../remove-folder.ts';
import { THOROUGH } from '../runs.ts';
import { holdToSchema } from '../schema-check.ts';

export { atEnd } from '../at-end.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const ENTRY = join(ROOT, 'bin', 'cryptodata.js');

export type Env = Record<string, string | undefined>;

export interface RunOptions {
  readonly env?: Env | undefined;
  /** The complete text of stdin. */
  readonly input?: string;
  readonly cwd?: string;
}

export interface Result {
  /** The exit code. SIGINT is reported as 130, and any other signal as 143. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line that may still be running. */
export interface Begun {
  readonly ended: Promise<Result>;
  /** Waits until stderr matches `pattern`, and returns the match. Fails if the program ends first. */
  said(pattern: RegExp): Promise<string>;
}

/** A program that runs in its own process. */
export interface Running extends Begun {
  readonly child: ChildProcess;
}

/** Creates an empty directory, and deletes it after the last test of the file. */
export function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cryptodata-e2e-'));
  atEnd(() => removeFolder(directory));
  return directory;
}

let shared: { home: string; bin: string } | undefined;

/**
 * Creates a home directory for runs that do not set one. Its folder `bin` contains the program `cryptodata`, so that shells
 * with this folder in PATH can run it.
 */
function common(): { home: string; bin: string } {
  if (shared) return shared;
  const home = temporary();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'cryptodata'),
    `#!/bin/sh\nexec ${shellWord(process.execPath)} ${shellWord(ENTRY)} "$@"\n`,
    {
      mode: 0o755,
    },
  );
  shared = { home, bin };
  atEnd(() => {
    shared = undefined;
  });
  return shared;
}

/** Returns the complete environment of a run. Only PATH and TMPDIR are inherited. */
export function cleanEnv(more: Env = {}): Record<string, string> {
  const { home, bin } = common();
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: tmpdir(),
    CRYPTODATA_CONFIG_DIR: join(home, 'config'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    ...more,
  };
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function start(args: readonly string[], options: RunOptions = {}): Running {
  assertBuilt();
  return launch(process.execPath, [ENTRY, ...args], options);
}

/** Runs a command line, and returns its result. JSON output must match the schema of the command. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
  assertBuilt();
  const result = await begin(args, options).ended;
  await holdToSchema({ args, stdout: result.stdout, env: options.env });
  return result;
}

/** Starts a command line without waiting for its end, so that a test can act while the command runs. */
export function begin(args: readonly string[], options: RunOptions = {}): Begun {
  return needsProcess(args, options) ? start(args, options) : beginHere(args, options);
}

/**
 * Command lines with one of these arguments run in a separate process. The flags and `__complete` are handled by
 * bin/cryptodata.js, which does not run in this process. The two commands start programs that inherit stdin and stdout.
 */
const OWN_PROCESS = /^(--version|-V|__complete|exec|install)$/;

/** Variables that only the commands read. Any other variable, such as TZ or PATH, requires a separate process. */
const OWN_VARIABLE = /^(CRYPTODATA_\w+|PG\w+|NO_COLOR|FORCE_COLOR|CI|\w+_proxy)$/i;

let running = 0;

function needsProcess(args: readonly string[], { env = {}, cwd = ROOT }: RunOptions): boolean {
  if (THOROUGH || args.some((word) => OWN_PROCESS.test(word))) return true;
  // Runs in this process share one working directory. A run with another directory needs its own process.
  if (running > 0 && resolve(cwd) !== process.cwd()) return true;
  return Object.keys(env).some((name) => !OWN_VARIABLE.test(name));
}

/** Starts a command line in this process, with the code from dist/, also in thorough test runs. */
export function beginHere(args: readonly string[], options: RunOptions): Begun {
  assertBuilt();
  const [stdout, stderr] = [new Collected(), new Collected()];
  const ended = runHere(args, options, stdout, stderr);
  ended.catch(() => {}).finally(() => stderr.end());
  return { ended, said: (pattern) => stderr.said(pattern) };
}

async function runHere(
  args: readonly string[],
  { env, input = '', cwd = ROOT }: RunOptions,
  stdout: Collected,
  stderr: Collected,
): Promise<Result> {
  const { CommandLine } = createRequire(import.meta.url)('../../dist/main.cjs') as {
    CommandLine: typeof BuiltCommandLine;
  };
  const stdin = new PassThrough().end(input);
  const commandLine = new CommandLine({
    argv: args,
    env: cleanEnv(env),
    // These streams lack the members that only terminal streams have, but have all other members that commands use.
    streams: { stdin, stdout, stderr } as unknown as Streams,
    signal: new AbortController().signal,
    leaveSignalsToChild: () => {},
    block: (work) => work(),
    entry: ENTRY,
  });
  running += 1;
  process.chdir(cwd);
  try {
    const code = await commandLine.run();
    await commandLine.close();
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    running -= 1;
    if (running === 0) process.chdir(ROOT);
  }
}

class Collected extends Writable {
  readonly #parts: Buffer[] = [];
  #look: () => void = () => {};

  override _write(part: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#parts.push(part);
    this.#look();
    done();
  }

  override _final(done: () => void): void {
    this.#look();
    done();
  }

  get text(): string {
    return Buffer.concat(this.#parts).toString();
  }

  /** Waits until the text matches `pattern`, and returns the match. Fails if the stream ends first. */
  said(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#look = () => {
        const [found] = pattern.exec(this.text) ?? [];
        if (found !== undefined) resolve(found);
        else if (this.writableEnded) reject(new Error(`it ended without saying ${pattern}: ${this.text}`));
      };
      this.#look();
    });
  }
}

/** Parses the JSON messages that -o json prints on stderr, one per line. */
export function messagesOf(stderr: string): {
  readonly notes: string[];
  readonly warnings: string[];
  readonly error: { readonly code: string; readonly [more: string]: unknown } | undefined;
} {
  const all = stderr.split('\n').filter((line) => line !== '');
  const messages = all.map((line) => JSON.parse(line));
  return {
    notes: messages.flatMap(({ note }) => note ?? []),
    warnings: messages.flatMap(({ warning }) => warning ?? []),
    error: messages.find(({ error }) => error)?.error,
  };
}

/**
 * Runs a line of bash in which `cryptodata` is this build. The line fails if any command in a pipeline fails. A line that
 * contains only one command and its words runs without bash, as in `run`.
 */
export function bash(script: string, options: RunOptions = {}): Promise<Result> {
  const args = PLAIN_LINE.test(script) ? wordsIn(script).slice(1) : undefined;
  if (args && !needsProcess(args, options)) return beginHere(args, options).ended;
  assertBuilt();
  return launch('bash', ['-o', 'pipefail', '-c', script], options).ended;
}

/** A `cryptodata` command whose words contain nothing that bash would expand. */
const PLAIN_LINE = /^cryptodata(?: +(?:[\w@%+:,./=-]|'[^']*'|"[^"$`\\!]*")+)*$/;

function wordsIn(line: string): string[] {
  const words = line.match(/(?:[^ '"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

export function launch(
  program: string,
  args: readonly string[],
  { env, input, cwd = ROOT }: RunOptions = {},
): Running {
  const child = spawn(program, args, { env: cleanEnv(env), cwd, stdio: 'pipe' });
  // A failed test may leave the program running.
  atEnd(() => child.kill('SIGKILL'));
  const [stdout, stderr] = [new Collected(), new Collected()];
  child.stdout.pipe(stdout);
  child.stderr.pipe(stderr);
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<Result>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({
        code: code ?? 128 + (signal === 'SIGINT' ? 2 : 15),
        stdout: stdout.text,
        stderr: stderr.text,
      });
    });
  });
  return { child, ended, said: (pattern) => stderr.said(pattern) };
}

/** Creates a sandbox for the tests of one file, and closes it after the last test. */
export async function sandboxed(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  atEnd(() => sandbox.close());
  return sandbox;
}

/** The requests to the sandbox since its last `reset`, except requests for paths below /oidc/. */
export function asked(
  sandbox: Sandbox,
): readonly { path: string; query: Readonly<Record<string, unknown>> }[] {
  return sandbox.truth.requests().filter(({ path }) => !path.startsWith('/oidc/'));
}

/** The relative paths of all files and links below a directory. */
export function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() || entry.isSymbolicLink())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .sort();
  } catch {
    return [];
  }
}

let built = false;

/** Fails if dist/ is older than the sources, because the tests would then run an outdated build. */
function assertBuilt(): void {
  if (built) return;
  const made = statSync(join(ROOT, 'dist', 'main.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(
    ...filesIn(join(ROOT, 'src')).map((file) => statSync(join(ROOT, 'src', file)).mtimeMs),
  );
  if (made < newest) throw new Error('dist/ is older than src/, or missing: npm run build');
  built = true;
}
