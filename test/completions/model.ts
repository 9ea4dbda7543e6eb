import { Command, type Option } from 'commander';
import { type Noun, type Suggest, toOption } from '../../src/cli/define.ts';
import { addGlobals } from '../../src/cli/globals.ts';
import { TOPICS, TREE } from '../../src/commands/tree.ts';
import { PERIOD_WORDS } from '../../src/core/period.ts';
import { OUTPUT_FORMATS } from '../../src/formats/registry.ts';

// The command tree in the form that the completion scripts of all shells need.

/** Values that a shell looks up when Tab is pressed. */
export type Live = 'files' | 'folders' | 'profiles' | 'zones' | 'years' | 'json' | 'command';

/** The completions that a shell offers for a value. */
export interface Offer {
  readonly words: readonly string[];
  readonly live?: Live;
  /** Whether a comma separates several values. */
  readonly separated: boolean;
}

export interface FlagModel {
  readonly names: readonly string[];
  readonly describe: string;
  readonly takes: 'nothing' | 'value' | 'maybe';
  readonly offer: Offer;
  /** Aliases are accepted but not offered. */
  readonly hidden: boolean;
}

export interface CommandModel {
  /** The words after `cryptodata`, such as `ledgers list`. Empty for the tool itself. */
  readonly path: string;
  readonly summary: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly flags: readonly FlagModel[];
  readonly operands: readonly Offer[];
  /** Whether the last operand may be repeated. */
  readonly repeats: boolean;
}

export interface ToolModel {
  readonly commands: readonly CommandModel[];
  /** The flags that every command has. */
  readonly globals: readonly FlagModel[];
}

/** Placeholders that name a type of value. */
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
  json: 'json',
  command: 'command',
};

export async function toolModel(): Promise<ToolModel> {
  const nouns = await Promise.all(TREE.map(({ load }) => load()));
  const topics = await Promise.all(TOPICS.map(({ load }) => load()));
  const named = ({ name, summary }: Noun) => ({ name, summary });
  const tool: CommandModel = {
    ...empty(''),
    commands: [...nouns.map(named), { name: 'help', summary: 'Show help for a command or a topic' }],
    flags: [toggle('-V, --version', 'show the version')],
  };
  const help: CommandModel = { ...empty('help'), commands: [...nouns, ...topics].map(named) };
  const helpOf = nouns.filter(isGroup).map(({ name, verbs }) => ({
    ...empty(`help ${name}`),
    commands: verbs.map(({ name, summary }) => ({ name, summary })),
  }));
  const topicModels = await Promise.all(topics.map((topic) => verbModels(topic, 'help ')));
  const commands = await Promise.all(nouns.map((noun) => verbModels(noun, '')));
  return { commands: [tool, ...commands.flat(), help, ...helpOf, ...topicModels.flat()], globals: globals() };
}

function empty(path: string): CommandModel {
  return { path, summary: '', commands: [], flags: [], operands: [], repeats: false };
}

function isGroup({ name, verbs }: Noun): boolean {
  return verbs.length > 1 || verbs[0]?.name !== name;
}

async function verbModels(noun: Noun, before: string): Promise<CommandModel[]> {
  const models = await Promise.all(
    noun.verbs.map(async (verb) => ({
      ...empty(isGroup(noun) ? `${before}${noun.name} ${verb.name}` : `${before}${noun.name}`),
      summary: verb.summary,
      flags: (await Promise.all(Object.values(verb.flags).map(flagModels))).flat(),
      operands: await Promise.all(
        (verb.operands ?? []).map(({ written, suggests }) => offer(written, suggests)),
      ),
      repeats: verb.operands?.at(-1)?.written.includes('...') === true,
    })),
  );
  if (!isGroup(noun)) return models;
  const alone = models.find(({ path }) => path === `${before}${noun.name} ${noun.alone}`) ?? empty('');
  const group: CommandModel = {
    ...alone,
    path: `${before}${noun.name}`,
    summary: noun.summary,
    commands: noun.verbs.map(({ name, summary }) => ({ name, summary })),
  };
  return [group, ...models];
}

type VerbFlag = Noun['verbs'][number]['flags'][string];

async function flagModels(flag: VerbFlag): Promise<FlagModel[]> {
  const own = { ...flagModel(toOption(flag)), offer: await offer(flag.written, flag.suggests, flag) };
  return flag.alias === undefined ? [own] : [own, { ...own, names: namesIn(flag.alias), hidden: true }];
}

function flagModel({ flags, description, required, optional }: Option): FlagModel {
  return {
    names: namesIn(flags),
    describe: description,
    takes: required ? 'value' : optional ? 'maybe' : 'nothing',
    offer: NOTHING,
    hidden: false,
  };
}

function namesIn(written: string): string[] {
  return written.match(/(?<![\w-])--?[\w-]+/g) ?? [];
}

const NOTHING: Offer = { words: [], separated: false };

async function offer(
  written: string,
  suggests: Suggest | undefined,
  { choices, separated }: Pick<VerbFlag, 'choices' | 'separated'> = {},
): Promise<Offer> {
  const [, placeholder = ''] = /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(written) ?? [];
  const words = choices ?? (await suggests?.()) ?? [];
  if (placeholder === 'period' && choices === undefined) {
    return { words: [...PERIOD_WORDS, '7d', '30d'], live: 'years', separated: false };
  }
  const live = choices ? undefined : PLACEHOLDERS[placeholder];
  return { words, ...(live ? { live } : {}), separated: separated === true };
}

function toggle(written: string, describe: string): FlagModel {
  return { names: namesIn(written), describe, takes: 'nothing', offer: NOTHING, hidden: false };
}

function globals(): FlagModel[] {
  const program = new Command();
  addGlobals(program);
  const flags = program.options.map((option) => {
    const { words, ...more } = option.long === '--output' ? { words: OUTPUT_FORMATS } : NOTHING;
    const [, placeholder = ''] = /<(.+)>/.exec(option.flags) ?? [];
    const live = PLACEHOLDERS[placeholder];
    const separated = option.long === '--profile';
    return { ...flagModel(option), offer: { ...more, words, ...(live ? { live } : {}), separated } };
  });
  return [...flags, toggle('-h, --help', 'show help')];
}

/** Shortens a description: ends it before its first semicolon, remark or list of values, or after 70 characters. */
export function brief(text: string): string {
  const start = text.split(/: |; | \(|, as in |, such as /)[0] ?? '';
  if (start.length <= 70) return start;
  return `${start.slice(0, 70).replace(/\s+\S*$/, '')} ...`;
}

/** A case in a script. The value applies to every flag (`PATH FLAG`) or argument (`PATH #N`) that matches a pattern. */
export interface Rule<T> {
  readonly patterns: readonly string[];
  readonly value: T;
}

export interface Keyed<T> {
  readonly path: string;
  readonly name: string;
  readonly value: T;
}

/**
 * Groups flags with equal values into rules. The most common value of a flag gets the pattern `* --flag`. This pattern
 * matches every command, so it comes after the patterns for the other values.
 */
export function rulesOf<T>(entries: readonly Keyed<T>[]): Rule<T>[] {
  const exact = new Map<string, { value: T; patterns: string[] }>();
  const general = new Map<string, { value: T; patterns: string[] }>();
  const add = (rules: typeof exact, value: T, pattern: string) => {
    const key = JSON.stringify(value);
    const rule = rules.get(key) ?? { value, patterns: [] };
    rules.set(key, rule);
    rule.patterns.push(pattern);
  };
  for (const [name, uses] of groupBy(entries, (entry) => entry.name)) {
    const byValue = [...groupBy(uses, ({ value }) => JSON.stringify(value)).values()];
    const [most = [], ...others] = byValue.sort((left, right) => right.length - left.length);
    for (const { path, value } of others.flat()) add(exact, value, `${path} ${name}`);
    for (const { value } of most.slice(0, 1)) add(general, value, `* ${name}`);
  }
  return [...exact.values(), ...general.values()];
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

/** Rules that state for each flag whether it takes a value, and which values to offer. */
export interface ValueRules {
  readonly takes: readonly Rule<FlagModel['takes']>[];
  readonly offers: readonly Rule<Offer>[];
}

export function valueRules({ commands, globals }: ToolModel): ValueRules {
  const flags = [...commands, { ...empty('*'), flags: globals }].flatMap(({ path, flags }) =>
    flags.flatMap((flag) => flag.names.map((name) => ({ path, name, flag }))),
  );
  const takes = rulesOf(flags.map(({ path, name, flag }) => ({ path, name, value: flag.takes })));
  const values = flags.filter(({ flag }) => flag.takes !== 'nothing');
  const operands = commands.flatMap(({ path, operands, repeats }) =>
    operands.map((value, at) => ({
      path,
      name: repeats && at === operands.length - 1 ? '#*' : `#${at + 1}`,
      value,
    })),
  );
  return {
    // A flag without a rule takes no value.
    takes: takes.flatMap(({ patterns, value }) => {
      const kept = patterns.filter((pattern) => value !== 'nothing' || !pattern.startsWith('* '));
      return kept.length > 0 ? [{ patterns: kept, value }] : [];
    }),
    offers: [
      ...operands.map(({ path, name, value }) => ({ patterns: [`${path} ${name}`], value })),
      ...rulesOf(values.map(({ path, name, flag }) => ({ path, name, value: flag.offer }))),
    ].filter(({ value }) => value.words.length > 0 || value.live),
  };
}
