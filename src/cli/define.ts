import { Argument, Command, Option } from 'commander';
import type { Schema } from '../api/records.ts';
import type { Context } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import type { Outcome } from './outcome.ts';
import type { Output } from './output.ts';

/** Called only when completions are generated. */
export type Suggest = () => readonly string[] | Promise<readonly string[]>;

/** One option of a command. */
export interface Flag<T> {
  readonly written: string;
  readonly describe: string;
  /** Another name for the flag, in the same syntax as `written`. */
  readonly alias?: string;
  /** Throws a usage error that lists the valid values. Absent for flags without a value. */
  readonly parse?: (text: string, previous: T | undefined) => T;
  readonly default?: T;
  /** The valid values, if there are only a few: shown in the help and offered by completions. */
  readonly choices?: readonly string[];
  /** Some of the valid values, for completions. Placeholders such as `<file>` and `<profile>` are completed without this list. */
  readonly suggests?: Suggest;
  /** Whether a comma separates several values. */
  readonly separated?: true;
  /** The value of the flag if the command line gives only the flag's name. */
  readonly bare?: string;
  /** JSON Schema of the value, if neither `choices` nor the placeholder shows its type. */
  readonly schema?: Schema;
}

// biome-ignore lint/suspicious/noExplicitAny: each command's own `Values<F>` keeps the value types
export type Flags = Readonly<Record<string, Flag<any>>>;
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

/** One operand of a command: `<id>` required, `[id]` optional, `<file...>` repeated. */
export interface Operand {
  readonly written: string;
  readonly describe: string;
  readonly suggests?: Suggest;
}

export interface Example {
  readonly says: string;
  readonly line: string;
}

/** A command. Commands never print and never exit. */
export interface Verb<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** Details for the help, if the summary is not enough. */
  readonly about?: string;
  readonly operands?: readonly Operand[];
  readonly flags: F;
  readonly examples: readonly Example[];
  /** The output on stdout and on stderr, for the help. */
  readonly prints: string;
  /** The output with -o json and jsonl, if it is JSON. */
  readonly output?: Output;
  /** Exit codes, in any order; `verb` sorts them and removes duplicates. */
  readonly exits: readonly number[];
  /** Whether the command only reads, and returns rows or a record. Such a command can run over several profiles. */
  readonly reads?: true;
  /** Checks each of several profiles before the command runs for the first profile. */
  prepare?(context: Context, flags: Values<F>, operands: readonly string[]): Promise<void>;
  /** Whether `-p` may name a profile that does not exist, because the command creates it or needs no profile. */
  readonly anyProfile?: true;
  run(context: Context, flags: Values<F>, operands: readonly string[]): Promise<Outcome>;
}

export interface Run {
  (context: Context): Promise<Outcome>;
  readonly prepare?: (context: Context) => Promise<void>;
}

/** Properties of a command that are needed before it runs. */
export interface Asked {
  /** Words of the command line: `ledgers list`. */
  readonly words: string;
  readonly reads: boolean;
  readonly sends: boolean;
  /** Whether the result can be JSON. */
  readonly json: boolean;
  readonly lenient: boolean;
  readonly anyProfile: boolean;
}

export type Execute = (run: Run, asked: Asked) => Promise<void>;

/** A command that hides its flag types, so that one tree can contain all commands. */
export interface AnyVerb extends Omit<Verb<Flags>, 'run' | 'prepare'> {
  /** Builds the commander command, whose action calls `execute`. */
  build(execute: (run: Run) => Promise<void>): Command;
}

/** The exit code if only some of several profiles failed. */
const SEVERAL_EXITS = [11];

export function verb<F extends Flags>(definition: Verb<F>): AnyVerb {
  return {
    ...definition,
    exits: inOrder([...definition.exits, ...(definition.reads ? SEVERAL_EXITS : [])]),
    build(execute) {
      const command = new Command(definition.name);
      for (const operand of definition.operands ?? []) {
        command.addArgument(new Argument(operand.written, operand.describe));
      }
      const options = Object.entries(definition.flags).flatMap(([name, flag]) => optionsOf(name, flag));
      for (const [, option] of options) command.addOption(option);
      return command.action(async () => {
        const given: Record<string, unknown> = command.opts();
        // The cast is safe, because each value comes from the flag's own `parse` or is its default.
        const values = Object.fromEntries(
          options
            .map(([name, option]) => [name, given[option.attributeName()]])
            // An unused alias must not hide the value of the flag.
            .sort(([, left], [, right]) => Number(left !== undefined) - Number(right !== undefined)),
        ) as Values<F>;
        const run = (context: Context) => definition.run(context, values, command.args);
        const prepare = async (context: Context) => definition.prepare?.(context, values, command.args);
        await execute(Object.assign(run, { prepare }));
      });
    },
  };
}

function inOrder(codes: readonly number[]): readonly number[] {
  return [...new Set(codes)].sort((left, right) => left - right);
}

/** A noun with its verbs, or a command without a noun (`login`). */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly verbs: readonly AnyVerb[];
  /** The default verb. */
  readonly alone?: string;
  /** Whether the commands run with invalid settings, so that users can fix the settings. */
  readonly lenient?: true;
  /** See {@link Verb.anyProfile}. */
  readonly anyProfile?: true;
  /** Whether the commands send requests to the service, which `--curl` can print. */
  readonly sends?: true;
}

/** A noun that is loaded only when the command line names it. */
export interface LazyNoun {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Noun>;
}

/** The commander options for a flag: an option for its name, and an option for its alias if there is one. */
function optionsOf(name: string, flag: Flag<unknown>): [string, Option][] {
  const own = toOption(flag);
  if (flag.alias === undefined) return [[name, own]];
  const alias = toOption({ ...flag, written: flag.alias }).hideHelp();
  own.conflicts(alias.attributeName());
  own.description += ` (alias: ${alias.long})`;
  return [
    [name, own],
    [name, alias],
  ];
}

export function toOption(flag: Flag<unknown>): Option {
  const option = new Option(flag.written, flag.describe);
  const { parse } = flag;
  if (parse) {
    option.argParser((text: string, previous: unknown) => {
      try {
        return parse(text, previous);
      } catch (error) {
        if (!(error instanceof CryptodataError)) throw error;
        const { message, hint } = error;
        const name = option.long ?? option.flags;
        throw usageError(
          `Invalid value for ${name}: ${JSON.stringify(text)}`,
          `${message}${/[.?]$/.test(message) ? '' : '.'}${hint ? ` ${hint}` : ''}`,
        );
      }
    });
  }
  if (flag.choices) option.argChoices = [...flag.choices];
  if (flag.bare !== undefined) option.preset(flag.bare);
  if (flag.default !== undefined) option.default(flag.default);
  return option;
}
