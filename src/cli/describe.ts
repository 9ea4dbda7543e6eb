import type { Schema } from '../api/records.ts';
import type { JsonRecord } from '../core/json.ts';
import type { AnyVerb, Flag, LazyNoun, Noun, Operand } from './define.ts';
import { EXIT_MEANINGS } from './exits.ts';

export interface CommandEntry {
  readonly noun: Noun;
  readonly verb: AnyVerb;
}

export async function entriesOf(tree: readonly LazyNoun[]): Promise<CommandEntry[]> {
  const nouns = await Promise.all(tree.map((lazy) => lazy.load()));
  return nouns.flatMap((noun) => noun.verbs.map((verb) => ({ noun, verb })));
}

/** Finds a command by its words. If only a noun is given, returns the default command of the noun. */
export async function findEntry(
  tree: readonly LazyNoun[],
  words: readonly string[],
): Promise<CommandEntry | undefined> {
  const [name, ...more] = words;
  const noun = await tree.find((lazy) => lazy.name === name)?.load();
  const verb = noun?.verbs.find((one) => one.name === (more.join(' ') || noun.alone || noun.name));
  return noun && verb ? { noun, verb } : undefined;
}

/** Describes a command as JSON, for programs that build command lines. */
export function describeCommand({ noun, verb }: CommandEntry): JsonRecord {
  const { summary, about, operands = [], flags, prints, exits, examples, output, reads } = verb;
  return {
    command: wordsOf({ noun, verb }),
    isDefault: noun.alone === verb.name,
    summary,
    about: about ?? null,
    reads: reads === true,
    operands: operands.map(describeOperand),
    flags: Object.entries(flags).map(([name, flag]) => describeFlag(name, flag)),
    output: prints,
    schema: output === undefined ? null : `cryptodata schema ${wordsOf({ noun, verb })}`,
    exits: exits.map((code) => ({ code, meaning: EXIT_MEANINGS.get(code) ?? '' })),
    examples: examples.map(({ says, line }) => ({ says, line })),
  };
}

/** Returns the words that call a command, such as `ledgers list` or `login`. */
export function wordsOf({ noun, verb }: CommandEntry): string {
  return verb.name === noun.name ? noun.name : `${noun.name} ${verb.name}`;
}

function describeOperand({ written, describe }: Operand): JsonRecord {
  return {
    name: operandName(written),
    required: written.startsWith('<'),
    repeated: written.includes('...'),
    summary: describe,
  };
}

/** Returns the name of an operand, such as `id` for `<id>` and `[id...]`. */
export function operandName(written: string): string {
  return written.replace(/[<>[\].]/g, '');
}

function describeFlag(name: string, flag: Flag<unknown>): JsonRecord {
  return {
    name,
    written: flag.written,
    alias: flag.alias ?? null,
    summary: flag.describe,
    schema: flagSchema(flag),
    default: flag.default ?? null,
  };
}

export function flagSchema({ schema, choices, written }: Flag<unknown>): Schema {
  if (schema) return schema;
  if (choices) return { enum: choices };
  return { type: /[<[]/.test(written) ? 'string' : 'boolean' };
}
