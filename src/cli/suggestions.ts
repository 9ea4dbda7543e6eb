// Suggests commands and flags for a word that is wrong.

import { type Command, CommanderError, type Option } from 'commander';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { LazyNoun } from './define.ts';

/** For words that users may know from other programs: the command to suggest. */
export const MEANT: ReadonlyMap<string, string> = new Map([
  ['version', 'cryptodata --version'],
  ['webhook', 'cryptodata events'],
  ['webhooks', 'cryptodata events'],
]);

/** Returns the commands whose verb has this name, such as `ledgers rollforward`. */
export async function verbsNamed(name: string, tree: readonly LazyNoun[]): Promise<readonly string[]> {
  const nouns = await Promise.all(tree.map((lazy) => lazy.load()));
  return nouns.flatMap((noun) =>
    noun.verbs.some((verb) => verb.name === name) && noun.name !== name ? [`${noun.name} ${name}`] : [],
  );
}

export function unknownCommand(
  name: string,
  parent: string,
  known: readonly Command[],
  verbs: readonly string[] = [],
): Error {
  const names = known.map((command) => command.name());
  const meant = parent === 'cryptodata' ? MEANT.get(name) : undefined;
  const [verb, ...others] = verbs;
  const near = others.length === 0 ? (verb ?? nearest(name, names)) : undefined;
  const about = known.filter((command) => mentions(command.summary(), name));
  const all = `The commands are ${names.join(', ')}. See ${parent} --help.`;
  const list = about.map((command) => `${command.summary()}: ${parent} ${command.name()}.`);
  return usageError(
    `Unknown command "${parent} ${name}"`,
    meant
      ? `Did you mean "${meant}"?`
      : near
        ? `Did you mean "${parent} ${near}"?`
        : [...list.slice(0, MOST_LISTED), all].join(' '),
    'UNKNOWN_COMMAND',
  );
}

const MOST_LISTED = 2;

/** Whether a text contains the word, in the singular or in the plural. */
function mentions(text: string, word: string): boolean {
  const stem = (one: string) => one.replace(/s$/, '');
  const words = text.toLowerCase().split(/[^\p{L}]+/u);
  return word.length > 3 && words.some((one) => stem(one) === stem(word.toLowerCase()));
}

/**
 * If the value of a flag is missing, adds the description of the flag. Removes weak suggestions. Commander suggests every flag
 * that shares half of its letters with an unknown flag, such as `--all` for `--wallet`.
 */
export function withSuggestion(error: CommanderError, command: Command): CommanderError {
  const [first = '', ...suggestions] = error.message.split('\n');
  const hinted = (hint: string) =>
    new CommanderError(error.exitCode, error.code, hint === '' ? first : `${first}\n(${hint})`);
  const given = /--([^'= ]*)/.exec(first)?.[1] ?? '';
  if (error.code === 'commander.optionMissingArgument') {
    const option = command.options.find(({ long }) => long === `--${given}`);
    const about = option === undefined ? '' : `--${given} needs a value: ${option.description}.`;
    return hinted([about, ...groupHints(command, [given])].join(' ').trim());
  }
  if (error.code !== 'commander.unknownOption') return error;
  if (/'-v'/.test(first)) return hinted('Did you mean --version?');
  const flags = suggestions.flatMap((line) => line.match(/(?<=--)[\w-]+/g) ?? []);
  return nearest(given, flags) === undefined
    ? hinted(groupHints(command, given.split('-')).join(' '))
    : error;
}

/** Suggests the flag that groups by one of the words, because users may confuse it with a filter such as `--asset`. */
function groupHints(command: Command, words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    const option = command.options.find((each) => isGroupedBy(each, word));
    return option === undefined ? [] : [`To group by ${word}, use ${option.long} ${word}.`];
  });
}

function isGroupedBy({ long, argChoices, description }: Option, word: string): boolean {
  if (word.length < 4 || !/(?:^--|-)by$/.test(long ?? '')) return false;
  return argChoices?.includes(word) === true || description.split(/\W+/).includes(word);
}

/**
 * Returns a clearer error if the user put options before the verb. Commander treats such a verb as an operand of the default
 * verb.
 */
export function misplaced(
  error: CommanderError,
  argv: readonly string[],
  program: Command,
): Error | undefined {
  if (error.code !== 'commander.excessArguments') return undefined;
  const [name] = program.parseOptions([...argv]).operands;
  const verbs = program.commands.find((command) => command.name() === name)?.commands ?? [];
  const rest = argv.slice(argv.indexOf(name ?? '') + 1);
  if (!rest[0]?.startsWith('-')) return undefined;
  const verb = rest.find((word) => verbs.some((command) => command.name() === word));
  if (verb === undefined) return undefined;
  return usageError(
    'Put the subcommand before its options',
    `Write: cryptodata ${name} ${verb} …`,
    'MISPLACED_COMMAND',
  );
}
