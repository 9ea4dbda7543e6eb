import { Command, type Option } from 'commander';
import type { CompletionTree, Live, Offer, OfferedCommand, OfferedFlag } from '../cli/complete.ts';
import { type Flag, type Noun, type Suggest, toOption } from '../cli/define.ts';
import { addGlobals } from '../cli/globals.ts';
import { TOPICS, TREE } from '../commands/tree.ts';
import { PERIOD_WORDS } from '../core/period.ts';
import { OUTPUT_FORMATS } from '../formats/registry.ts';

/** Placeholders that stand for a type of value. */
const PLACEHOLDERS: Readonly<Record<string, Live>> = {
  file: 'files',
  'name|file': 'files',
  'dir|file': 'files',
  old: 'files',
  new: 'files',
  folder: 'folders',
  dir: 'folders',
  profile: 'profiles',
  zone: 'zones',
  period: 'periods',
  json: 'json',
  command: 'command',
  wallet: 'wallets',
};

/**
 * Returns the completion tree: the commands, and the values to suggest for them. The build writes the tree to
 * dist/completions.json.
 */
export async function completionTree(): Promise<CompletionTree> {
  const nouns = await Promise.all(TREE.map(({ load }) => load()));
  const topics = await Promise.all(TOPICS.map(({ load }) => load()));
  const commands = await commandsOf(nouns);
  const names = Object.entries(commands).map(([name, { says, commands = {} }]) => [
    name,
    withoutFlags(says, commands),
  ]);
  const help: OfferedCommand = {
    says: 'Show help for a command or a topic',
    commands: { ...Object.fromEntries(names), ...(await commandsOf(topics)) },
  };
  return {
    says: '',
    commands: { ...commands, help },
    flags: { '-V': { says: 'show the version' }, '--version': { says: 'show the version' } },
    globals: globals(),
  };
}

function withoutFlags(says: string, commands: Readonly<Record<string, OfferedCommand>>): OfferedCommand {
  const names = Object.entries(commands).map(([name, { says }]) => [name, { says }]);
  return { says, commands: Object.fromEntries(names) };
}

async function commandsOf(nouns: readonly Noun[]): Promise<Record<string, OfferedCommand>> {
  return Object.fromEntries(await Promise.all(nouns.map(async (noun) => [noun.name, await commandOf(noun)])));
}

async function commandOf({ name, summary, verbs, alone }: Noun): Promise<OfferedCommand> {
  const commands = Object.fromEntries(
    await Promise.all(verbs.map(async (verb) => [verb.name, await verbOf(verb)])),
  );
  const only = verbs.length === 1 ? commands[name] : undefined;
  return only ?? { ...commands[alone ?? ''], says: brief(summary), commands };
}

async function verbOf({ summary, flags, operands = [] }: Noun['verbs'][number]): Promise<OfferedCommand> {
  return {
    says: brief(summary),
    flags: Object.assign({}, ...(await Promise.all(Object.values(flags).map(flagOf)))),
    operands: await Promise.all(operands.map(({ written, suggests }) => offerOf(written, suggests))),
    ...(operands.at(-1)?.written.includes('...') ? { repeats: true } : {}),
  };
}

async function flagOf(flag: Flag<unknown>): Promise<Record<string, OfferedFlag>> {
  const { written, alias, suggests, choices, separated } = flag;
  const offer = choices ? { words: choices } : await offerOf(written, suggests);
  const own = { ...optionOf(toOption(flag)), ...offer, ...(separated && { separated }) };
  return { ...byName(written, own), ...(alias === undefined ? {} : byName(alias, { ...own, hidden: true })) };
}

function byName(written: string, flag: OfferedFlag): Record<string, OfferedFlag> {
  const names = written.match(/(?<![\w-])--?[\w-]+/g) ?? [];
  return Object.fromEntries(names.map((name) => [name, flag]));
}

function optionOf({ description, required, optional }: Option): OfferedFlag {
  return {
    says: brief(description),
    ...(required ? { takes: 'value' } : optional ? { takes: 'maybe' } : {}),
  };
}

async function offerOf(written: string, suggests: Suggest | undefined): Promise<Offer> {
  const live = liveOf(written);
  const words = (await suggests?.()) ?? (live === 'periods' ? [...PERIOD_WORDS, '7d', '30d'] : undefined);
  return { ...(words ? { words } : {}), ...(live ? { live } : {}) };
}

function liveOf(written: string): Live | undefined {
  return PLACEHOLDERS[/[<[](.+?)(?:\.\.\.)?[>\]]/.exec(written)?.[1] ?? ''];
}

function globals(): Record<string, OfferedFlag> {
  const program = new Command();
  addGlobals(program);
  const flags = program.options.map((option) => {
    const live = liveOf(option.flags);
    return byName(option.flags, {
      ...optionOf(option),
      ...(live ? { live } : {}),
      ...(option.long === '--profile' ? { separated: true } : {}),
      ...(option.long === '--output' ? { words: OUTPUT_FORMATS } : {}),
    });
  });
  return Object.assign({}, ...flags, byName('-h, --help', { says: 'show help' }));
}

/** Shortens a description. Cuts it before its first semicolon, remark or list of values, or after 70 characters. */
function brief(text: string): string {
  const start = text.split(/: |; | \(|, as in |, such as /)[0] ?? '';
  return start.length <= 70 ? start : `${start.slice(0, 70).replace(/\s+\S*$/, '')} ...`;
}
