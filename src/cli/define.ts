import { Argument, Command, Option } from 'commander';
import type { List } from '../api/endpoint.ts';
import type { Schema } from '../api/records.ts';
import type { Context } from '../context.ts';
import { CryptodataError, NotFoundError, usageError } from '../core/errors.ts';
import { Returned } from '../core/returned.ts';
import type { End, Ending, Items, Outcome } from './outcome.ts';
import type { Output } from './output.ts';

export type Suggest = () => readonly string[] | Promise<readonly string[]>;

export interface Flag<T> {
  readonly written: string;
  readonly describe: string;
  /** Another name for the flag, in the same syntax as `written`. */
  readonly alias?: string;
  /** Parses the value; throws a usage error if it is invalid. Absent for flags without a value. */
  readonly parse?: (text: string, previous: T | undefined) => T;
  readonly default?: T;
  /** The hint of the error if the flag is used with several profiles. Set if the value can be valid for only one profile. */
  readonly oneProfile?: string;
  /**
   * True if the value is a path to which the command writes. `{profile}` in the path is replaced, and each profile must have
   * its own path.
   */
  readonly ownPath?: true;
  /** The valid values, if there are only a few. The help, shell completion and the JSON Schema list these values. */
  readonly choices?: readonly string[];
  /** Returns the values that shell completion suggests. The placeholders `<file>` and `<profile>` have their own completion. */
  readonly suggests?: Suggest;
  /** Whether the value is a comma-separated list. */
  readonly separated?: true;
  /** The value of the flag if the user gives the flag without a value. */
  readonly bare?: string;
  /** JSON Schema of the value. Not needed if `choices` or the placeholder determines the type. */
  readonly schema?: Schema;
}

// biome-ignore lint/suspicious/noExplicitAny: `Values<F>` keeps the type of each value
export type Flags = Readonly<Record<string, Flag<any>>>;
export type Values<F extends Flags> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never;
};

/** An operand of a command, such as `<id>` (required), `[id]` (optional) or `<file...>` (repeated). */
export interface Operand {
  readonly written: string;
  readonly describe: string;
  readonly suggests?: Suggest;
  /** A sentence that says why a command with this operand accepts only one profile. */
  readonly oneProfile?: string;
  /** The command that lists the ids for this operand. Suggested if the service does not find an id. */
  readonly listedBy?: string;
}

export interface Example {
  readonly says: string;
  readonly line: string;
}

/** Maps the description of each example to its command line. */
export type Examples = Readonly<Record<string, string>>;

export function examplesOf(examples: Examples): readonly Example[] {
  return Object.entries(examples).map(([says, line]) => ({ says, line }));
}

/** A command. Commands return an outcome, and never print or exit. */
export interface Verb<F extends Flags> {
  readonly name: string;
  readonly summary: string;
  /** Details for the help, in addition to the summary. */
  readonly about?: string;
  readonly operands?: readonly Operand[];
  readonly flags: F;
  readonly examples: Examples;
  /** Describes the output on stdout and stderr, for the help. */
  readonly prints: string;
  /** The shape of the output with -o json and -o jsonl. Absent if the output is never JSON. */
  readonly output?: Output;
  /** Exit codes, in any order; `verb` sorts them and removes duplicates. */
  readonly exits: readonly number[];
  /** True if the command only reads data, and returns rows or a record. Such a command can run for several profiles. */
  readonly reads?: true;
  /** The list of the service that the command shows. */
  readonly list?: List;
  /** Called for each of several profiles before the command runs for the first profile. */
  prepare?(context: Context, flags: Values<F>, operands: readonly string[]): Promise<void>;
  /** True if `-p` accepts an unknown profile, because the command creates the profile or needs no profile. */
  readonly anyProfile?: true;
  run(context: Context, flags: Values<F>, operands: readonly string[]): Promise<Outcome>;
}

export interface Run {
  (context: Context): Promise<Outcome>;
  readonly prepare?: (context: Context) => Promise<void>;
  /** The values of the flags with `ownPath`. */
  readonly ownPaths?: readonly string[];
}

/** Facts about the requested command that are needed before it runs. */
export interface Asked {
  /** The words that call the command, such as `ledgers list`. */
  readonly words: string;
  readonly reads: boolean;
  readonly sends: boolean | undefined;
  /** Whether the command can print JSON. */
  readonly json: boolean;
  readonly lenient: boolean | undefined;
  readonly anyProfile: boolean | undefined;
  readonly operands?: readonly Operand[] | undefined;
}

export type Execute = (run: Run, asked: Asked) => Promise<void>;

/** A command whose type does not depend on its flags, so that one tree can contain all commands. */
export interface AnyVerb extends Omit<Verb<Flags>, 'run' | 'prepare' | 'examples'> {
  readonly examples: readonly Example[];
  /** Builds the command for commander. The action of this command calls `execute`. */
  build(execute: (run: Run) => Promise<void>): Command;
}

/** Exit code if the command failed for some profiles, but not for all. */
const SEVERAL_EXITS = [11];

export function verb<F extends Flags>(definition: Verb<F>): AnyVerb {
  return {
    ...definition,
    examples: examplesOf(definition.examples),
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
        // The cast is safe, because each value is the result of the flag's own `parse` or `default`. Flags without `parse` are
        // booleans.
        const values = Object.fromEntries(
          options
            .map(([name, option]) => [name, given[option.attributeName()]])
            // Put undefined values first. Otherwise, an unused alias would overwrite the value of the flag.
            .sort(([, left], [, right]) => Number(left !== undefined) - Number(right !== undefined)),
        ) as Values<F>;
        const explain = (error: unknown) => explained(error, definition.operands?.[0], command.args[0]);
        const run = async (context: Context) => {
          const outcome = await definition
            .run(context, values, command.args)
            .catch(async (error: unknown) => {
              throw await explain(error);
            });
          // The cast is safe, because `columnsFlag` is the only flag with this name.
          const { columns: chosen } = values as { readonly columns?: readonly string[] };
          if (outcome.kind === 'rows') {
            const rows = new Returned(explainedItems(outcome.rows, explain));
            const total = () => rows.value?.total;
            return { chosen, ...outcome, explain, rows, ...endOf(rows, outcome), total };
          }
          if (outcome.kind === 'record') return { chosen, ...outcome, explain };
          if (outcome.kind === 'stream') {
            const chunks = new Returned(explainedItems(outcome.chunks, explain));
            return { ...outcome, explain, chunks, ...endOf(chunks, outcome) };
          }
          return { ...outcome, explain };
        };
        const prepare = async (context: Context) => {
          try {
            checkSeveral(definition.flags, values);
            await definition.prepare?.(context, values, command.args);
          } catch (error) {
            throw await explain(error);
          }
        };
        const paths = Object.entries(values).filter(([name]) => definition.flags[name]?.ownPath);
        const ownPaths = paths.flatMap(([, path]) => (typeof path === 'string' && path !== '-' ? path : []));
        await execute(Object.assign(run, { prepare, ownPaths }));
      });
    },
  };
}

/** @throws usage error `ONE_PROFILE_ONLY` if a flag belongs to one profile */
function checkSeveral(flags: Flags, values: Readonly<Record<string, unknown>>): void {
  for (const [name, { written, oneProfile }] of Object.entries(flags)) {
    if (oneProfile === undefined || values[name] === undefined) continue;
    const flag = written.replace(/ .*/, '');
    throw usageError(`${flag} cannot be used with several profiles`, oneProfile, 'ONE_PROFILE_ONLY');
  }
}

/** A generator may return notes and an error at its end. Combines these with the notes and the error of the outcome. */
function endOf(
  items: Returned<unknown, End | undefined>,
  { notes, failed }: Ending,
): Pick<Ending, 'notes' | 'failed'> {
  return {
    notes: () => [...(items.value?.notes ?? []), ...(notes?.() ?? [])],
    failed: () => items.value?.failed ?? failed?.(),
  };
}

async function* explainedItems<T>(
  items: Items<T>,
  explain: (error: unknown) => Promise<unknown>,
): AsyncGenerator<T, End | undefined> {
  try {
    return yield* items;
  } catch (error) {
    throw await explain(error);
  }
}

/**
 * Adds commands and flags to the hint of an error. If the service does not find the id in an operand, the hint names the
 * command that lists the ids.
 */
async function explained(
  error: unknown,
  operand: Operand | undefined,
  id: string | undefined,
): Promise<unknown> {
  if (!(error instanceof CryptodataError)) return error;
  if (!(error instanceof NotFoundError) || operand?.listedBy === undefined || error.code !== 'NOT_FOUND') {
    // If the process has reached its limit of open files, no further module can be loaded.
    const hints = await import('./hints.ts').catch(() => undefined);
    return hints?.withCommands(error) ?? error;
  }
  const what = operand.describe.replace(/ id\b.*/, '');
  return error.explained({
    hint: `The service found no ${what} with the id ${JSON.stringify(id)}. List the ids with: ${operand.listedBy}`,
  });
}

function inOrder(codes: readonly number[]): readonly number[] {
  return [...new Set(codes)].sort((left, right) => left - right);
}

/** The commands of a {@link Noun}. The name and the summary of the noun are in the command tree. */
export interface NounVerbs {
  readonly about?: string;
  readonly verbs: readonly AnyVerb[];
  /** The default verb. */
  readonly alone?: string;
  /** True if the commands also run with invalid settings, so that users can fix the settings. */
  readonly lenient?: true;
  /** See {@link Verb.anyProfile}. */
  readonly anyProfile?: true;
  /** True if the commands send requests that `--curl` can print. */
  readonly sends?: true;
}

interface NounName {
  readonly name: string;
  readonly summary: string;
}

/** A group of commands, such as `ledgers`, or a single command, such as `login`. */
export type Noun = NounName & NounVerbs;

export interface LazyNoun extends NounName {
  load(): Promise<Noun>;
}

/** Returns the commander options for a flag: one for its name and, if it has an alias, one for the alias. */
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
