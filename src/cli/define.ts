import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../context.ts';
import type { Outcome } from './outcome.ts';

/** One option of a command: how it is written, what it means, and how its text becomes a value. */
export interface Flag<T> {
  readonly written: string;
  readonly describe: string;
  /** Another name of the flag, written in the same way. */
  readonly alias?: string;
  /** Throws a usage error that says what is right. Absent for a flag that takes no value. */
  readonly parse?: (text: string, previous: T | undefined) => T;
  readonly default?: T;
  /** The values, where they are few: shown in the help and offered by completions. */
  readonly choices?: readonly string[];
  /** What the flag means with no value behind it, where the value is optional. */
  readonly bare?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the value types are kept by each command's own `Values<F>`
export type Flags = Readonly<Record<string, Flag<any>>>;
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

/** One operand of a command: `<id>` needed, `[id]` optional, `<file...>` many. */
export interface Operand {
  readonly written: string;
  readonly describe: string;
}

export interface Example {
  readonly says: string;
  readonly line: string;
}

/** A command: flags and help above, `run` below. Commands never print and never exit. */
export interface Verb<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** More for its help, where the summary is not enough. */
  readonly about?: string;
  readonly operands?: readonly Operand[];
  readonly flags: F;
  readonly examples: readonly Example[];
  /** What stands on stdout, and what on stderr. */
  readonly prints: string;
  readonly exits: readonly number[];
  /** Whether it only reads, and returns rows or a record: then it can be run over several profiles. */
  readonly reads?: true;
  /** Checks that must pass for every one of several profiles before the first of them runs. */
  prepare?(context: Context, flags: Values<F>, operands: readonly string[]): Promise<void>;
  /** Whether `-p` may name a profile that does not exist: the command creates it, or uses none. */
  readonly anyProfile?: true;
  run(context: Context, flags: Values<F>, operands: readonly string[]): Promise<Outcome>;
}

export interface Run {
  (context: Context): Promise<Outcome>;
  readonly prepare?: (context: Context) => Promise<void>;
}

/** What is to be known of a command before it runs. */
export interface Asked {
  /** Its words: `ledgers list`. */
  readonly words: string;
  readonly reads: boolean;
  readonly lenient: boolean;
  readonly anyProfile: boolean;
}

export type Execute = (run: Run, asked: Asked) => Promise<void>;

/** A command whose own flag types are closed over, so that the tree can hold them all. */
export interface AnyVerb extends Omit<Verb<Flags>, 'run' | 'prepare'> {
  /** Builds the commander command; `execute` is called when the command line asks for it. */
  build(execute: (run: Run) => Promise<void>): Command;
}

/** Some of several profiles failed. */
const SEVERAL_EXITS = [11];

export function verb<F extends Flags>(definition: Verb<F>): AnyVerb {
  return {
    ...definition,
    exits: definition.reads
      ? [...new Set([...definition.exits, ...SEVERAL_EXITS])].sort((a, b) => a - b)
      : definition.exits,
    build(execute) {
      const command = new Command(definition.name);
      for (const operand of definition.operands ?? []) {
        command.addArgument(new Argument(operand.written, operand.describe));
      }
      const options = Object.entries(definition.flags).flatMap(([name, flag]) => optionsOf(name, flag));
      for (const [, option] of options) command.addOption(option);
      return command.action(async () => {
        const given: Record<string, unknown> = command.opts();
        // Each value was made by the flag's own `parse`, or is its default: what `Values<F>` says of it.
        const values = Object.fromEntries(
          options
            .map(([name, option]) => [name, given[option.attributeName()]])
            // An alias that was not given must not hide the flag's own value.
            .sort(([, left], [, right]) => Number(left !== undefined) - Number(right !== undefined)),
        ) as Values<F>;
        const run = (context: Context) => definition.run(context, values, command.args);
        const prepare = async (context: Context) => definition.prepare?.(context, values, command.args);
        await execute(Object.assign(run, { prepare }));
      });
    },
  };
}

/** A noun with its verbs; or a word that is a command of its own (`login`). */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly about?: string;
  readonly verbs: readonly AnyVerb[];
  /** The verb that the noun means when it stands alone. */
  readonly alone?: string;
  /** Whether it must work although settings cannot be used, as what mends them does. */
  readonly lenient?: true;
  /** See {@link Verb.anyProfile}. */
  readonly anyProfile?: true;
}

/** A noun that is loaded only when the command line names it. */
export interface LazyNoun {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Noun>;
}

/** The options that set a flag: its own, and that of its alias. */
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
        // Commander puts the flag's name before the sentence.
        if (!(error instanceof Error)) throw error;
        const hint = 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : '';
        throw new InvalidArgumentError(`${error.message}.${hint}`);
      }
    });
  }
  if (flag.choices) option.argChoices = [...flag.choices];
  if (flag.bare !== undefined) option.preset(flag.bare);
  if (flag.default !== undefined) option.default(flag.default);
  return option;
}
