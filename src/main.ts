import { fileURLToPath } from 'node:url';
import { CommanderError } from 'commander';
import { EXIT_CODES } from './cli/exits.ts';
import { asksSeveral } from './cli/globals.ts';
import type { Outcome } from './cli/outcome.ts';
import { runProgram } from './cli/program.ts';
import { redactWrites } from './cli/redacted.ts';
import { type RenderOptions, render } from './cli/render.ts';
import { reportBug, reportError } from './cli/report.ts';
import { createWriter, drained, PipeClosed } from './cli/writer.ts';
import { TOPICS, TREE } from './commands/tree.ts';
import { createContext, type OwnContext } from './context.ts';
import { concealArguments, concealEnvironment, SECRET_VARIABLES } from './core/environment.ts';
import { CryptodataError, usageError } from './core/errors.ts';
import { Redactor } from './core/redact.ts';
import { VERSION } from './core/version.ts';
import { viewOf } from './formats/columns.ts';
import { isJson } from './formats/registry.ts';
import { styleOf } from './formats/style.ts';

// argv → program → exit code. The only place that maps errors to exit codes, and the only one that exits.

const argv = process.argv.slice(2);
// What children inherit by themselves is without our secrets: whoever may read them is handed this copy.
const env = { ...process.env };
// An empty variable counts as unset.
for (const name of Object.keys(env)) if (/^CRYPTODATA_/i.test(name) && env[name] === '') delete env[name];
const redactor = new Redactor();
concealEnvironment(env, redactor);
concealArguments(argv, redactor);
for (const name of SECRET_VARIABLES) delete process.env[name];
const entry = fileURLToPath(new URL('../bin/cryptodata.js', import.meta.url));
redactWrites(process.stderr, redactor);
const streams = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
const style = { out: styleOf(streams.stdout, env), err: styleOf(streams.stderr, env) };
const say = (text: string) => void streams.stderr.write(text);
// Nobody may be reading stderr; that is no reason to fail.
streams.stderr.on('error', () => {});

const interrupt = new AbortController();
const write = createWriter(streams.stdout, interrupt.signal);
const onSignal = () => {
  // A second Ctrl-C exits immediately.
  if (interrupt.signal.aborted) process.exit(EXIT_CODES.interrupted);
  interrupt.abort();
  setTimeout(() => void giveUp(), UNWIND).unref();
};
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);

/** Ends a wait that Ctrl-C did not reach, such as reading a pipe that nobody writes. */
async function giveUp(): Promise<never> {
  await context?.close();
  process.exit(EXIT_CODES.interrupted);
}

function leaveSignalsToChild(): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(name, onSignal).on(name, () => {});
}

// Above the call of main(): what stands below it has no value yet while main() runs.
const EXIT_FOUND = 10;
/** Milliseconds for a command to end by itself after Ctrl-C; none takes longer on purpose. */
const UNWIND = 10_000;

let context: OwnContext | undefined;
// Node's own dump of what nobody caught would go past the redactor.
let crashed = false;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, crash);
if (process.listenerCount('warning') > 0) process.removeAllListeners('warning').on('warning', warn);
const exitCode = await main().catch(fail);
await context?.close();
if (!crashed) await leave(exitCode);

/** What was said is to be read whole: a pipe takes 64 KB at once, and the rest when its reader does. */
async function leave(code: number): Promise<never> {
  await Promise.all([drained(streams.stdout, interrupt.signal), drained(streams.stderr, interrupt.signal)]);
  process.exit(code);
}

async function main(): Promise<number> {
  let code = 0;
  await runProgram(argv, {
    tree: TREE,
    topics: TOPICS,
    version: VERSION,
    async execute(run, globals, asked) {
      const signal = interrupt.signal;
      const several = asksSeveral(globals, env, asked.reads) ? await import('./cli/several.ts') : undefined;
      const names = await several?.profilesAsked(globals, env, asked);
      context = createContext({
        // Of several, the first says in which form the result comes.
        globals: names?.[0] ? { ...globals, profile: names[0] } : globals,
        env,
        streams,
        redactor,
        style: style.err,
        signal,
        leaveSignalsToChild,
        entry,
        anyProfile: asked.anyProfile,
      });
      const form = await formOf(context, asked.lenient);
      const { format } = form;
      const outcome =
        several && names ? await several.inTurn({ context, names, run, format }) : await run(context);
      // What cannot be cut short (a refresh) may have ended well after Ctrl-C: the command is interrupted all the same.
      signal.throwIfAborted();
      code = await conclude(outcome, context, form);
    },
    write: { out: (text) => void streams.stdout.write(text), err: say },
    width: style.out.width,
  });
  return code;
}

type Form = Pick<RenderOptions, 'format' | 'view'>;

/** Found out before the command runs: a format that cannot be used must not be told after the work is done. */
async function formOf(context: OwnContext, lenient: boolean): Promise<Form> {
  try {
    return { format: await context.format(), view: await context.view() };
  } catch (error) {
    if (lenient) return { format: 'table', view: viewOf(undefined) };
    throw error;
  }
}

/** Writes what a command returned, then says what there is to say about it. */
async function conclude(outcome: Outcome, context: OwnContext, form: Form): Promise<number> {
  for await (const text of render(outcome, { ...form, style: style.out, say: context.note })) {
    context.endProgress();
    await write(text);
  }
  context.endProgress();
  for (const note of outcome.notes?.() ?? []) (note.warning ? context.say : context.note)(note.text);
  const failure = outcome.failed?.();
  if (failure !== undefined) throw failure;
  if (outcome.kind === 'silent' && outcome.exitCode !== undefined) return outcome.exitCode;
  return (outcome.found?.() ?? 0) > 0 ? EXIT_FOUND : 0;
}

async function fail(error: unknown): Promise<number> {
  context?.endProgress();
  // Whoever read our output has read enough (`| head`): a quiet end.
  if (error instanceof PipeClosed) return 0;
  const report = { json: await wantsJson(), debug: argv.includes('--debug'), style: style.err, say };
  const known = asKnown(error);
  if (known === 'told') return 0;
  if (known === undefined) {
    reportBug(error, { ...report, version: VERSION });
    return 1;
  }
  reportError(known, report);
  return EXIT_CODES[known.kind];
}

function crash(error: unknown): void {
  // What follows from it says no more.
  if (crashed) return;
  crashed = true;
  void tellCrash(error).then(leave, () => process.exit(1));
}

/** Whatever it is, nobody was prepared for it: a bug. */
async function tellCrash(error: unknown): Promise<number> {
  if (interrupt.signal.aborted || error instanceof PipeClosed) return fail(error);
  context?.endProgress();
  const report = { json: await wantsJson(), debug: argv.includes('--debug'), style: style.err, say };
  reportBug(error, { ...report, version: VERSION });
  // A refresh that is under way is still to be stored.
  await context?.close();
  return 1;
}

/** As Node writes them. */
function warn({ name, message, stack }: Error): void {
  say(`(node:${process.pid}) ${argv.includes('--debug') ? stack : `${name}: ${message}`}\n`);
}

/** The error as one of the tool's own; undefined for a bug, 'told' for the end of `--help` and `--version`. */
function asKnown(error: unknown): CryptodataError | 'told' | undefined {
  if (interrupt.signal.aborted) {
    const hint = error instanceof CryptodataError ? error.hint : undefined;
    return new CryptodataError('interrupted', 'INTERRUPTED', 'Interrupted', { hint, cause: error });
  }
  if (error instanceof CryptodataError) return error;
  if (!(error instanceof CommanderError)) return undefined;
  if (error.exitCode === 0) return 'told';
  // Commander has shown the help of a group that was called without any.
  if (error.code === 'commander.help') {
    return usageError('A command is missing', 'Choose one of those above.', 'MISSING_COMMAND');
  }
  // Commander's own sentence: `error: option '--limit <n>' argument '0' is invalid. …`, a suggestion below it.
  const [message = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const hint = more.join(' ').replace(/^\(|\)$/g, '') || 'See --help of the command.';
  return usageError(message, hint);
}

/** Whether errors are told as JSON: what the settings say, or the words alone where these were not read yet. */
async function wantsJson(): Promise<boolean> {
  const format = await context?.format().catch(() => undefined);
  if (format !== undefined) return isJson(format);
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  const attached = /^(?:-o|--output=)(.+)/;
  const named = at >= 0 ? argv[at + 1] : attached.exec(argv.find((word) => attached.test(word)) ?? '')?.[1];
  if (argv.includes('--json') || argv.includes('--jsonl')) return true;
  return isJson(named ?? env['CRYPTODATA_OUTPUT'] ?? '');
}
