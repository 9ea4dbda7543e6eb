// Says what the user may have meant by a wrong word.

import { type Command, CommanderError, type Option } from 'commander';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import type { LazyNoun, Noun } from './define.ts';

/** The command to suggest for each word that users may know from other programs. */
export const MEANT: ReadonlyMap<string, string> = new Map([
  ['version', 'cryptodata --version'],
  ['webhook', 'cryptodata events'],
  ['webhooks', 'cryptodata events'],
]);

/** Rejects unknown names before parsing, because a default verb would treat them as operands. */
export async function checkNames(
  name: string,
  next: string | undefined,
  program: Command,
  { noun: loaded, tree }: { readonly noun: Noun | undefined; readonly tree: readonly LazyNoun[] },
): Promise<void> {
  const noun = program.commands.find((command) => command.name() === name);
  if (!noun) throw unknownCommand(name, 'cryptodata', program.commands, await verbsNamed(name, tree));
  const verbs = noun.commands.map((command) => command.name());
  // If a noun has a single verb, the next word is an operand of the verb, as in `cryptodata assets LINK`.
  const [only, ...others] = noun.commands;
  if (only && others.length === 0 && only.registeredArguments.length > 0) return;
  // A default verb with operands accepts any word that does not resemble another verb, as in `cryptodata mirror FOLDER`.
  const alone = loaded?.verbs.find((verb) => verb.name === loaded.alone);
  if (alone?.operands?.length && next !== undefined && nearest(next, verbs) === undefined) return;
  if (next !== undefined && verbs.length > 0 && !verbs.includes(next)) {
    throw unknownCommand(next, `cryptodata ${name}`, noun.commands);
  }
}

/** Returns the commands whose verb has this name, such as `ledgers rollforward`. */
async function verbsNamed(name: string, tree: readonly LazyNoun[]): Promise<readonly string[]> {
  const nouns = await Promise.all(tree.map((lazy) => lazy.load()));
  return nouns.flatMap((noun) =>
    noun.verbs.some((verb) => verb.name === name) && noun.name !== name ? [`${noun.name} ${name}`] : [],
  );
}

function unknownCommand(
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
 * Adds what a missing value is, and removes weak suggestions. Commander suggests every flag that shares half of its letters with
 * an unknown flag, such as `--all` for `--wallet`.
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

/** Says which flag groups by one of the words, because a user may take the filter `--asset` for such a flag. */
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
