import { join } from 'node:path';
import { CommanderError } from 'commander';
import type { Asked } from './cli/define.ts';
import { EXIT_CODES } from './cli/exits.ts';
import { asksSeveral } from './cli/globals.ts';
import type { JqFilter } from './cli/jq.ts';
import { noteLine, type Outcome } from './cli/outcome.ts';
import { runProgram } from './cli/program.ts';
import { type RenderOptions, render } from './cli/render.ts';
import { reportBug, reportError } from './cli/report.ts';
import { createWriter, drained, PipeClosed, redactWrites } from './cli/writer.ts';
import { TOPICS, TREE, WELCOME } from './commands/tree.ts';
import type { ContextOptions, Globals, OwnContext } from './context.ts';
import { concealArguments, concealEnvironment, SECRET_VARIABLES } from './core/environment.ts';
import { CryptodataError, InterruptedError, usageError } from './core/errors.ts';
import { Redactor } from './core/redact.ts';
import { VERSION } from './core/version.ts';
import { createContext } from './create-context.ts';
import { viewOf } from './formats/columns.ts';
import { isJson } from './formats/registry.ts';
import { styleOf } from './formats/style.ts';

// argv → program → exit code. The only file that maps errors to exit codes and that exits.

const argv = process.argv.slice(2);
// Child processes inherit an environment without secrets. Code that needs the secrets receives this copy.
const env = { ...process.env };
// An empty variable counts as unset.
for (const name of Object.keys(env)) if (/^CRYPTODATA_/i.test(name) && env[name] === '') delete env[name];
const redactor = new Redactor();
concealEnvironment(env, redactor);
concealArguments(argv, redactor);
for (const name of SECRET_VARIABLES) delete process.env[name];
const entry = join(import.meta.dirname, '../bin/cryptodata.js');
redactWrites(process.stderr, redactor);
const streams = {
  // Opened by commands that read it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
};
const style = { out: styleOf(streams.stdout, env), err: styleOf(streams.stderr, env) };
const say = (text: string) => void streams.stderr.write(text);
// Ignore a closed stderr.
streams.stderr.on('error', () => {});

const interrupt = new AbortController();
const write = createWriter(streams.stdout, interrupt.signal);
const onSignal = () => {
  // A second Ctrl-C exits immediately.
  if (interrupt.signal.aborted) process.exit(EXIT_CODES.interrupted);
  interrupt.abort();
  setTimeout(() => void giveUp(), UNWIND).unref();
};
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
for (const name of SIGNALS) process.on(name, onSignal);

/** Ends a wait that Ctrl-C cannot interrupt, such as reading from an idle pipe. */
async function giveUp(): Promise<never> {
  await context?.close();
  process.exit(EXIT_CODES.interrupted);
}

function leaveSignalsToChild(): void {
  for (const name of SIGNALS) process.off(name, onSignal).on(name, () => {});
}

// Declared before main() is called: later declarations have no value yet while it runs.
const EXIT_FOUND = 10;
/** Milliseconds that a command has to stop by itself after Ctrl-C. */
const UNWIND = 10_000;

let context: OwnContext | undefined;
// Node's own report of an uncaught error would bypass the redactor.
let crashed = false;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, crash);
if (process.listenerCount('warning') > 0) process.removeAllListeners('warning').on('warning', warn);
// The code if Node has nothing left to wait for before the command has ended.
process.exitCode = 1;
void main()
  .catch(fail)
  .then(async (code) => {
    await context?.close();
    if (!crashed) await leave(code);
  });

/** Exits after all output is read: a pipe holds only 64 KB until its reader continues. */
async function leave(code: number): Promise<never> {
  await Promise.all([drained(streams.stdout, interrupt.signal), drained(streams.stderr, interrupt.signal)]);
  process.exit(code);
}

async function main(): Promise<number> {
  let code = 0;
  await runProgram(argv, {
    tree: TREE,
    topics: TOPICS,
    welcome: WELCOME,
    version: VERSION,
    async execute(run, globals, asked) {
      const signal = interrupt.signal;
      const open = (own: Pick<ContextOptions, 'globals' | 'env' | 'capture'>) => {
        context = createContext({
          ...own,
          streams,
          redactor,
          style: style.err,
          signal,
          leaveSignalsToChild,
          entry,
          anyProfile: asked.anyProfile,
        });
        return context;
      };
      if (globals.curl) {
        const { firstRequest } = await import('./cli/curl.ts');
        await write(await firstRequest({ run, globals, env, asked, open }));
        context?.note('Nothing was sent. The command may send more requests after this one.');
        return;
      }
      const filter = globals.jq === undefined ? undefined : await jqFilter(globals.jq, asked);
      const several = asksSeveral(globals, env, asked.reads) ? await import('./cli/several.ts') : undefined;
      const names = await several?.profilesAsked(globals, env, asked);
      // The first of several profiles determines the format.
      const own = open({ globals: names?.[0] ? { ...globals, profile: names[0] } : globals, env });
      const form = await formOf(own, asked.lenient);
      const { format } = form;
      const outcome =
        several && names ? await several.inTurn({ context: own, names, run, format }) : await run(own);
      // Work that cannot be interrupted (a token refresh) may have succeeded after Ctrl-C.
      signal.throwIfAborted();
      code = await conclude(outcome, own, { ...form, filter }, globals);
    },
    // Commander writes help here if the command is missing; the error reports that already.
    write: { out: (text) => void streams.stdout.write(text), err: (text) => asksJson() || say(text) },
    width: style.out.width,
  });
  return code;
}

type Form = Pick<RenderOptions, 'format' | 'view'>;

async function jqFilter(expression: string, { json, words }: Asked): Promise<JqFilter> {
  if (json) return (await import('./cli/jq.ts')).openJq(expression);
  throw usageError(`"cryptodata ${words}" has no JSON result for --jq`, 'Omit --jq.', 'NO_JSON');
}

/** Runs work that blocks this thread. Without handlers, a signal ends the process at once. */
function block<T>(work: () => T): T {
  for (const name of SIGNALS) process.off(name, onSignal);
  try {
    return work();
  } finally {
    for (const name of SIGNALS) process.on(name, onSignal);
  }
}

/** Read these settings before the command runs, so that an invalid setting is reported before any work is done. */
async function formOf(context: OwnContext, lenient: boolean): Promise<Form> {
  try {
    return { format: await context.format(), view: await context.view() };
  } catch (error) {
    if (lenient) return { format: 'table', view: viewOf(undefined) };
    throw error;
  }
}

/** Writes the outcome of a command, then its notes. */
async function conclude(
  outcome: Outcome,
  context: OwnContext,
  { filter, ...form }: Form & { readonly filter: JqFilter | undefined },
  { full, noTruncate, noPager }: Globals,
): Promise<number> {
  const look = noTruncate ? { ...style.out, width: undefined } : style.out;
  const rendered = render(outcome, { ...form, style: look, full, say: context.note });
  const lines = form.format === 'jsonl';
  const output = filter ? filter(rendered, { lines, block, note: context.note }) : rendered;
  if (form.format === 'table' && style.out.terminal && !noPager && outcome.kind !== 'stream') {
    await writePaged(output, context);
  } else {
    for await (const text of output) {
      context.endProgress();
      await write(text);
    }
  }
  context.endProgress();
  for (const note of outcome.notes?.() ?? []) (note.warning ? context.say : context.note)(noteLine(note));
  const failure = outcome.failed?.();
  if (failure !== undefined) throw failure;
  if (outcome.kind === 'silent' && outcome.exitCode !== undefined) return outcome.exitCode;
  return (outcome.found?.() ?? 0) > 0 ? EXIT_FOUND : 0;
}

/** Shows a table that is longer than the terminal in a pager. */
async function writePaged(output: AsyncIterable<string | Uint8Array>, context: OwnContext): Promise<void> {
  let all = '';
  for await (const text of output) all += text;
  context.endProgress();
  const { page } = await import('./cli/pager.ts');
  if (!(await page(all, { ...streams, env, leaveSignalsToChild }))) await write(all);
}

async function fail(error: unknown): Promise<number> {
  context?.endProgress();
  // The reader closed the pipe, as `| head` does.
  if (error instanceof PipeClosed) return 0;
  const report = { json: await wantsJson(), debug: argv.includes('--debug'), style: style.err, say };
  const known = asKnown(error);
  if (known === 'shown') return 0;
  if (known === undefined) {
    reportBug(error, { ...report, version: VERSION });
    return 1;
  }
  await reportError(known, report);
  return EXIT_CODES[known.kind];
}

function crash(error: unknown): void {
  // Later errors are consequences of the first.
  if (crashed) return;
  crashed = true;
  void reportCrash(error).then(leave, () => process.exit(1));
}

async function reportCrash(error: unknown): Promise<number> {
  if (interrupt.signal.aborted || error instanceof PipeClosed) return fail(error);
  context?.endProgress();
  const report = { json: await wantsJson(), debug: argv.includes('--debug'), style: style.err, say };
  reportBug(error, { ...report, version: VERSION });
  // A token refresh in progress must still be stored.
  await context?.close();
  return 1;
}

/** Writes a warning of Node in Node's usual format. */
function warn({ name, message, stack }: Error): void {
  const text = `(node:${process.pid}) ${argv.includes('--debug') ? stack : `${name}: ${message}`}`;
  if (context) context.say(text);
  else say(`${text}\n`);
}

/** Converts an error to one of the tool's own errors; undefined for a bug, 'shown' after `--help` and `--version`. */
function asKnown(error: unknown): CryptodataError | 'shown' | undefined {
  if (interrupt.signal.aborted) {
    const hint = error instanceof CryptodataError ? error.hint : undefined;
    return new InterruptedError('INTERRUPTED', 'Interrupted', { hint, cause: error });
  }
  if (error instanceof CryptodataError) return error;
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return 'shown';
  // Commander has shown the help of a noun without a default command.
  if (error.code === 'commander.help') {
    const hint = asksJson() ? 'See the --help of the noun.' : 'Choose one of the commands above.';
    return usageError('A command is missing', hint, 'MISSING_COMMAND');
  }
  // Commander's own message: `error: unknown option '--limt'`, a suggestion below it.
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const hint = more.join(' ').replace(/^\(|\)$/g, '') || 'See the --help of the command.';
  return usageError(message, hint);
}

/** Whether errors are JSON: by the settings, or only by the arguments if the settings are not read yet. */
async function wantsJson(): Promise<boolean> {
  const format = await context?.format().catch(() => undefined);
  return format === undefined ? asksJson() : isJson(format);
}

function asksJson(): boolean {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  const attached = /^(?:-o|--output=)(.+)/;
  const named = at >= 0 ? argv[at + 1] : attached.exec(argv.find((word) => attached.test(word)) ?? '')?.[1];
  if (argv.some((word) => /^--(?:jsonl?$|jq(?:=|$))/.test(word))) return true;
  return isJson(named ?? env['CRYPTODATA_OUTPUT'] ?? '');
}
