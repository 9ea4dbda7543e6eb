import { join } from 'node:path';
import { EXIT_CODES } from './cli/exits.ts';
import { drained } from './cli/writer.ts';
import { CommandLine } from './command-line.ts';
import { SECRET_VARIABLES } from './core/environment.ts';

// Exported for tests, which run command lines without starting a new process.
export { CommandLine };

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

  /** Exits even if Ctrl-C cannot interrupt the command, for example during a read from an idle pipe. */
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
