// Runs a command line in the test process, without main.ts, for tests with hundreds of runs.

import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { noteLine, type Outcome } from '../../src/cli/outcome.ts';
import { runProgram } from '../../src/cli/program.ts';
import { render } from '../../src/cli/render.ts';
import { TOPICS, TREE, WELCOME } from '../../src/commands/tree.ts';
import type { Streams } from '../../src/context.ts';
import { Redactor } from '../../src/core/redact.ts';
import { createContext } from '../../src/create-context.ts';
import type { View } from '../../src/formats/columns.ts';
import { styleOf } from '../../src/formats/style.ts';
import { holdToSchema } from '../schema-check.ts';

/** Some commands find the files of the build by the path of this file. */
const ENTRY = fileURLToPath(new URL('../../bin/cryptodata.js', import.meta.url));

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
}

/** The output of a command, its error (if any) and the number of its findings. */
export interface Ended extends Ran {
  readonly error: unknown;
  readonly found: number;
}

/** @throws the error of the command */
export async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const { stdout, stderr, error } = await endHere(args, env);
  if (error !== undefined) throw error;
  return { stdout, stderr };
}

/**
 * Like {@link runHere}, but returns the error of the command instead of throwing it.
 *
 * @param see receives the outcome of the command before it is rendered, and returns the outcome to render
 */
export async function endHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string | Uint8Array = '',
  see: (outcome: Outcome, view: View) => Promise<Outcome> = async (outcome) => outcome,
): Promise<Ended> {
  const said: string[] = [];
  const written: string[] = [];
  const style = styleOf({}, {});
  const stderr = new PassThrough().on('data', (text) => said.push(String(text)));
  // The fake streams have every member that commands use, but no terminal-specific members.
  const stdin = new PassThrough();
  stdin.end(input);
  const streams = { stdin, stdout: new PassThrough(), stderr } as unknown as Streams;
  let error: unknown;
  let found = 0;
  const ran = runProgram(args, {
    tree: TREE,
    topics: TOPICS,
    welcome: WELCOME,
    version: 'test',
    write: { out: (text) => written.push(text), err: (text) => said.push(text) },
    width: undefined,
    async execute(run, globals) {
      const context = createContext({
        globals,
        env: { ...env, CRYPTODATA_CONFIG_DIR: '/nonexistent', TZ: 'UTC' },
        streams,
        redactor: new Redactor(),
        style,
        signal: new AbortController().signal,
        leaveSignalsToChild: () => {},
        entry: ENTRY,
      });
      try {
        // As in main.ts, messages on stderr are JSON if the output format is JSON.
        const format = await context.format();
        const view = await context.view();
        const outcome = await see(await run(context), view);
        const options = {
          format,
          view,
          style,
          say: context.note,
        };
        for await (const part of render(outcome, options)) written.push(String(part));
        context.releaseNotes();
        for (const note of outcome.notes?.() ?? [])
          (note.warning ? context.say : context.note)(noteLine(note));
        error = outcome.failed?.();
        found = outcome.found?.() ?? 0;
      } finally {
        await context.close();
      }
    },
  });
  await ran.catch((thrown) => {
    error = thrown;
  });
  const stdout = written.join('');
  await holdToSchema({ args, stdout, env });
  return { stdout, stderr: said.join(''), error, found };
}
