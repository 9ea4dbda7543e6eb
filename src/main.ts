import { join } from 'node:path';
import { CommanderError } from 'commander';
import type { Asked } from './cli/define.ts';
import { EXIT_CODES } from './cli/exits.ts';
import { asksSeveral } from './cli/globals.ts';
import type { JqFilter } from './cli/jq.ts';
import { finalError, noteLine, type Outcome } from './cli/outcome.ts';
import { runProgram } from './cli/program.ts';
import { type RenderOptions, render } from './cli/render.ts';
import { type ErrorReportOptions, reportBug, reportError } from './cli/report.ts';
import { createWriter, drained, PipeClosed, redactWrites } from './cli/writer.ts';
import { TOPICS, TREE, WELCOME } from './commands/tree.ts';
import type { ContextOptions, Globals, OwnContext } from './context.ts';
import { concealArguments, concealEnvironment, SECRET_VARIABLES } from './core/environment.ts';
import { CryptodataError, InterruptedError, usageError } from './core/errors.ts';
import { Redactor } from './core/redact.ts';
import { systemFailure } from './core/unwritable.ts';
import { VERSION } from './core/version.ts';
import { createContext } from './create-context.ts';
import { viewOf } from './formats/columns.ts';
import { isJson } from './formats/registry.ts';
import { type Style, styleOf } from './formats/style.ts';

/** Maximum time that a command may keep running after Ctrl-C, in milliseconds. */
const UNWIND = 10_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command line with the streams and signals of this process. No other function exits the process. */
export function start(): void {
  const streams = {
    // Use a getter, because Node opens stdin on the first access.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
  };
  // Child processes inherit an environment without secrets. Code that needs the secrets uses this copy.
  const env = { ...process.env };
  for (const name of SECRET_VARIABLES) delete process.env[name];

  const interrupt = new AbortController();
  const onSignal = () => {
    // A second Ctrl-C exits immediately.
    if (interrupt.signal.aborted) process.exit(EXIT_CODES.interrupted);
    interrupt.abort();
    setTimeout(() => void giveUp(), UNWIND).unref();
  };
  for (const name of SIGNALS) process.on(name, onSignal);

  const commandLine = new CommandLine({
    argv: process.argv.slice(2),
    env,
    streams,
    signal: interrupt.signal,
    leaveSignalsToChild() {
      for (const name of SIGNALS) process.off(name, onSignal).on(name, () => {});
    },
    // Without handlers, a signal ends the process immediately.
    block(work) {
      for (const name of SIGNALS) process.off(name, onSignal);
      try {
        return work();
      } finally {
        for (const name of SIGNALS) process.on(name, onSignal);
      }
    },
    entry: join(import.meta.dirname, '../bin/cryptodata.js'),
  });

  /** Exits from a command that Ctrl-C cannot interrupt, for example during a read from an idle pipe. */
  async function giveUp(): Promise<never> {
    await commandLine.close();
    process.exit(EXIT_CODES.interrupted);
  }

  /** Exits after all output is written. A write to a full pipe waits for the reader of the pipe. */
  async function leave(code: number): Promise<never> {
    await Promise.all([drained(streams.stdout, interrupt.signal), drained(streams.stderr, interrupt.signal)]);
    process.exit(code);
  }

  // Node's own report of an uncaught error would bypass the redactor.
  let crashed = false;
  const crash = (error: unknown) => {
    // Report only the first error, because it causes the later errors.
    if (crashed) return;
    crashed = true;
    void commandLine.crash(error).then(leave, () => process.exit(1));
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, crash);
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning').on('warning', (warning) => commandLine.warn(warning));
  }
  // Exit with 1 if Node's event loop becomes empty before the command ends.
  process.exitCode = 1;
  void commandLine.run().then(async (code) => {
    await commandLine.close();
    if (!crashed) await leave(code);
  });
}

/** The inputs and outputs of one command: arguments, environment, streams and signals. */
export interface CommandLineOptions
  extends Pick<ContextOptions, 'streams' | 'env' | 'signal' | 'leaveSignalsToChild' | 'entry'> {
  /** The arguments after the program name. */
  readonly argv: readonly string[];
  /** Runs `work`, which blocks this thread. Ctrl-C can still end the process. */
  readonly block: <T>(work: () => T) => T;
}

const EXIT_FOUND = 10;

/** Runs one command line, and maps its outcome or error to an exit code. Never ends the process. */
export class CommandLine {
  readonly #argv: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #options: CommandLineOptions;
  readonly #redactor = new Redactor();
  readonly #style: { readonly out: Style; readonly err: Style };
  readonly #write: (data: string | Uint8Array) => Promise<void>;
  #context: OwnContext | undefined;

  /** From now on, secrets are redacted in everything that is written to stderr. */
  constructor(options: CommandLineOptions) {
    const { argv, env, streams, signal } = options;
    this.#options = options;
    this.#argv = argv;
    // Treat an empty CRYPTODATA_* variable as unset.
    const isSet = ([name, value]: [string, unknown]) => value !== '' || !/^CRYPTODATA_/i.test(name);
    this.#env = Object.fromEntries(Object.entries(env).filter(isSet));
    concealEnvironment(this.#env, this.#redactor);
    concealArguments(argv, this.#redactor);
    redactWrites(streams.stderr, this.#redactor);
    // Ignore write errors after stderr is closed.
    streams.stderr.on('error', () => {});
    this.#style = { out: styleOf(streams.stdout, this.#env), err: styleOf(streams.stderr, this.#env) };
    this.#write = createWriter(streams.stdout, signal);
  }

  /** Runs the command and reports any error. Returns the exit code. */
  async run(): Promise<number> {
    try {
      return await this.#runProgram();
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Reports an uncaught error. */
  async crash(error: unknown): Promise<number> {
    const isKnown = error instanceof PipeClosed || systemFailure(error) !== undefined;
    if (this.#options.signal.aborted || isKnown) return this.#fail(error);
    this.#context?.endProgress();
    reportBug(error, { ...(await this.#report()), version: VERSION });
    // If a token refresh is in progress, wait until the new token is stored.
    await this.close();
    return 1;
  }

  /** Writes a Node.js warning in the usual format of Node.js. */
  warn({ name, message, stack }: Error): void {
    const text = `(node:${process.pid}) ${this.#debug ? stack : `${name}: ${message}`}`;
    if (this.#context) this.#context.say(text);
    else this.#say(`${text}\n`);
  }

  /** Waits for work that must not be interrupted, then closes connections. */
  async close(): Promise<void> {
    await this.#context?.close();
  }

  async #runProgram(): Promise<number> {
    const { streams, signal, leaveSignalsToChild, entry } = this.#options;
    const env = this.#env;
    const { out, err } = this.#style;
    let code = 0;
    let help = '';
    const ran = runProgram(this.#argv, {
      tree: TREE,
      topics: TOPICS,
      welcome: WELCOME,
      version: VERSION,
      execute: async (run, globals, asked) => {
        const open = (own: Pick<ContextOptions, 'globals' | 'env' | 'capture'>) => {
          this.#context = createContext({
            ...own,
            streams,
            redactor: this.#redactor,
            style: err,
            signal,
            leaveSignalsToChild,
            entry,
            anyProfile: asked.anyProfile,
          });
          return this.#context;
        };
        if (globals.curl) {
          const { firstRequest } = await import('./cli/curl.ts');
          await this.#write(await firstRequest({ run, globals, env, asked, open }));
          this.#context?.note(
            'No request was sent. Only the first request is shown; the command may need more.',
          );
          return;
        }
        const filter = globals.jq === undefined ? undefined : await jqFilter(globals.jq, asked);
        const several = asksSeveral(globals, env, asked.reads) ? await import('./cli/several.ts') : undefined;
        const names = await several?.profilesAsked(globals, env, asked);
        // If there are several profiles, the first profile determines the format.
        const own = open({ globals: names?.[0] ? { ...globals, profile: names[0] } : globals, env });
        const form = await formOf(own, asked.lenient);
        const { format } = form;
        const outcome =
          several && names ? await several.inTurn({ context: own, names, run, format }) : await run(own);
        // The command can succeed despite Ctrl-C, because a token refresh is not interrupted.
        signal.throwIfAborted();
        code = await this.#conclude(outcome, own, { ...form, filter }, globals);
      },
      // Commander writes help to stderr if the command is missing. Suppress this help if errors are JSON.
      write: {
        out: (text) => {
          help += text;
        },
        err: (text) => this.#asksJson() || this.#say(text),
      },
      width: out.width,
    });
    try {
      await ran;
    } catch (error) {
      // Commander throws an error after it has printed help or the version.
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
      await this.#write(help);
    }
    return code;
  }

  /** Writes the outcome of a command and then the notes. Returns the exit code. */
  async #conclude(
    outcome: Outcome,
    context: OwnContext,
    { filter, ...form }: Form & { readonly filter: JqFilter | undefined },
    { full, noTruncate, noPager }: Globals,
  ): Promise<number> {
    const { out } = this.#style;
    const style = noTruncate ? { ...out, width: undefined } : out;
    const rendered = render(outcome, { ...form, style, full, say: context.note });
    const lines = form.format === 'jsonl';
    const { block } = this.#options;
    const output = filter ? filter(rendered, { lines, block, note: context.note }) : rendered;
    if (form.format === 'table' && out.terminal && !noPager && outcome.kind !== 'stream') {
      await this.#writePaged(output, context);
    } else {
      for await (const text of output) {
        context.endProgress();
        context.releaseNotes();
        await this.#write(text);
      }
    }
    context.endProgress();
    context.releaseNotes();
    for (const note of outcome.notes?.() ?? []) (note.warning ? context.say : context.note)(noteLine(note));
    const failure = await finalError(outcome);
    if (failure !== undefined) throw failure;
    if (outcome.kind === 'silent' && outcome.exitCode !== undefined) return outcome.exitCode;
    return (outcome.found?.() ?? 0) > 0 ? EXIT_FOUND : 0;
  }

  /** Writes a table. Uses a pager if the table does not fit the terminal. */
  async #writePaged(output: AsyncIterable<string | Uint8Array>, context: OwnContext): Promise<void> {
    let all = '';
    for await (const text of output) all += text;
    context.endProgress();
    context.releaseNotes();
    const { streams, leaveSignalsToChild } = this.#options;
    const { page } = await import('./cli/pager.ts');
    if (!(await page(all, { ...streams, env: this.#env, leaveSignalsToChild }))) await this.#write(all);
  }

  async #fail(error: unknown): Promise<number> {
    this.#context?.endProgress();
    // The reader, such as `head`, has closed the pipe.
    if (error instanceof PipeClosed) return 0;
    const report = await this.#report();
    const known = this.#asKnown(error);
    if (known === undefined) {
      reportBug(error, { ...report, version: VERSION });
      return 1;
    }
    if (known.kind !== 'usage') this.#context?.releaseNotes();
    await reportError(known, report);
    return EXIT_CODES[known.kind];
  }

  /** Returns the error to report, or undefined if the error is a bug. */
  #asKnown(error: unknown): CryptodataError | undefined {
    if (this.#options.signal.aborted) {
      const hint = error instanceof CryptodataError ? error.hint : undefined;
      return new InterruptedError('INTERRUPTED', 'Interrupted', { hint, cause: error });
    }
    if (error instanceof CryptodataError) return error;
    if (!(error instanceof CommanderError)) return systemFailure(error);
    // The noun has no default command, so Commander has printed the help of the noun.
    if (error.code === 'commander.help') {
      const hint = this.#asksJson() ? 'List the commands with --help.' : 'Choose one of the commands above.';
      return usageError('A command is missing', hint, 'MISSING_COMMAND');
    }
    // Commander's message is, for example, `error: unknown option '--limt'`. A second line may contain a suggestion.
    const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
    const hint = more.join(' ').replace(/^\(|\)$/g, '') || 'Add --help to see the correct usage.';
    return usageError(message, hint);
  }

  async #report(): Promise<ErrorReportOptions> {
    // The setting `output` determines whether errors are JSON. If the setting cannot be read, use the arguments and
    // the environment.
    const format = await this.#context?.format().catch(() => undefined);
    const json = format === undefined ? this.#asksJson() : isJson(format);
    return { json, debug: this.#debug, style: this.#style.err, say: (text) => this.#say(text) };
  }

  #say(text: string): void {
    this.#options.streams.stderr.write(text);
  }

  get #debug(): boolean {
    return this.#argv.includes('--debug');
  }

  #asksJson(): boolean {
    const argv = this.#argv;
    const at = argv.findIndex((word) => word === '-o' || word === '--output');
    const attached = /^(?:-o|--output=)(.+)/;
    const named = at >= 0 ? argv[at + 1] : attached.exec(argv.find((word) => attached.test(word)) ?? '')?.[1];
    if (argv.some((word) => /^--(?:jsonl?$|jq(?:=|$))/.test(word))) return true;
    return isJson(named ?? this.#env['CRYPTODATA_OUTPUT'] ?? '');
  }
}

type Form = Pick<RenderOptions, 'format' | 'view'>;

async function jqFilter(expression: string, { json, words }: Asked): Promise<JqFilter> {
  if (json) return (await import('./cli/jq.ts')).openJq(expression);
  throw usageError(`"cryptodata ${words}" has no JSON output to use with --jq`, 'Omit --jq.', 'NO_JSON');
}

/** Reads the format and the view. Called before the command runs, so that an invalid setting is reported first. */
async function formOf(context: OwnContext, lenient: boolean | undefined): Promise<Form> {
  try {
    return { format: await context.format(), view: await context.view() };
  } catch (error) {
    if (lenient) return { format: 'table', view: viewOf(undefined) };
    throw error;
  }
}
