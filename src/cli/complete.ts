import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configDirectory, configFile } from '../config/paths.ts';
import { findHome } from '../core/home.ts';

// Answers `cryptodata __complete`, which the scripts in completions/ run each time the user presses Tab. The build bundles this
// file on its own, because it would take too long to load the whole program. Therefore, this file must import little. The file
// sends no request.

/** Values that are looked up when Tab is pressed. The shell itself completes files, folders and commands. */
export type Live = 'files' | 'folders' | 'command' | 'profiles' | 'zones' | 'periods' | 'json' | 'wallets';

export interface Offer {
  readonly words?: readonly string[];
  readonly live?: Live;
  /** Whether the value is a comma-separated list. */
  readonly separated?: true;
}

export interface OfferedFlag extends Offer {
  readonly says: string;
  /** Whether the flag needs a value (`value`), or may have one (`maybe`). Absent if the flag has no value. */
  readonly takes?: 'value' | 'maybe';
  /** Aliases are accepted but not offered. */
  readonly hidden?: true;
}

export interface OfferedCommand {
  readonly says: string;
  readonly commands?: Readonly<Record<string, OfferedCommand>>;
  readonly flags?: Readonly<Record<string, OfferedFlag>>;
  readonly operands?: readonly Offer[];
  /** Whether the last operand may be repeated. */
  readonly repeats?: true;
}

/** The commands of the tool. The build writes them to dist/completions.json. */
export interface CompletionTree extends OfferedCommand {
  /** The flags of every command. */
  readonly globals: Readonly<Record<string, OfferedFlag>>;
}

type Described = readonly [value: string, says?: string | undefined];

interface Answer {
  /**
   * What the shell does with the values. `list` and `part`: it does not end the word. `files` and `folders`: it adds its own
   * files or folders. `command`: it completes the command line after the first `skip` words.
   */
  readonly kind: 'words' | 'list' | 'part' | 'files' | 'folders' | 'command';
  /** The part of the current word before the value to complete. */
  readonly prefix: string;
  readonly values: readonly Described[];
  readonly skip?: number;
}

type Env = NodeJS.ProcessEnv;

/**
 * Returns the completions of a command line. The first line of the text contains the kind of the answer and the prefix of the
 * current word. Every further line contains a value and, after a tab, its description.
 *
 * @param argv `-- WORD... CURRENT` with the words after the program name, or `--line LINE TYPED` with the command line up to
 *   the cursor and the end of the line that the shell replaces. With `--line`, the answer contains only values that match. Of
 *   each value, it contains only the part that replaces TYPED.
 */
export function completions(argv: readonly string[], tree: CompletionTree, env: Env): string {
  const [mode, line = '', typed = ''] = argv;
  if (mode !== '--line') return textOf(answerTo(argv.slice(1), tree, env));
  const words = wordsOf(line).slice(1);
  const current = words.at(-1) ?? '';
  const { prefix, values, kind, skip = 0 } = answerTo(words, tree, env);
  const kept = Math.max(0, current.length - (wordsOf(typed)[0] ?? '').length);
  const matching = values
    .filter(([value]) => (prefix + value).startsWith(current))
    .map(([value, says]) => [(prefix + value).slice(kept), says] as const);
  // The program cannot start the completions of another command, so the shell completes file names instead.
  const byShell = kind === 'command' && words.length > skip ? 'files' : kind;
  return textOf(answer(matching, byShell));
}

function textOf({ kind, prefix, values, skip }: Answer): string {
  // Names from the service are untrusted. A control character could end the line, or change the terminal.
  const lines = values.filter(([value]) => value !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value));
  return [`${kind} ${skip ?? prefix}`, ...lines.map((line) => line.filter(Boolean).join('\t')), ''].join(
    '\n',
  );
}

/** Splits a command line as a shell does, without expansions. The last word may be incomplete or empty. */
function wordsOf(line: string): string[] {
  const words = [''];
  const parts = line.matchAll(/'([^']*)'?|"((?:\\.|[^"\\])*)"?|\\(.)|(\s+)|./gs);
  for (const [part, single, double, escaped, space] of parts) {
    const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? part;
    if (space === undefined) words.push(words.pop() + text);
    else if (words.at(-1) !== '') words.push('');
  }
  return words;
}

/** Follows the words before the cursor, and then completes the current word. */
function answerTo(words: readonly string[], tree: CompletionTree, env: Env): Answer {
  const given: Given = {};
  let command: OfferedCommand = tree;
  let flag = '';
  let operand = 0;
  let onlyOperands = false;
  const flagOf = (name: string) => own(command.flags, name) ?? own(tree.globals, name);
  const isValue = (word: string) => {
    const takes = flagOf(flag)?.takes;
    return takes === 'value' || (takes === 'maybe' && !word.startsWith('-'));
  };

  for (const [at, word] of words.slice(0, -1).entries()) {
    const [name, value] = isValue(word) ? [flag, word] : onlyOperands ? [] : splitFlag(word);
    flag = '';
    if (name !== undefined) given[name] = [...(own(given, name) ?? []), value ?? ''];
    else if (onlyOperands || !word.startsWith('-') || word === '-') {
      const next = onlyOperands || operand > 0 ? undefined : own(command.commands, word);
      if (next) command = next;
      else operand += 1;
    } else if (word === '--') {
      onlyOperands = true;
      if (command.operands?.at(-1)?.live !== 'command') continue;
      const inner = words.slice(at + 1);
      if (inner.length > 1 && inner[0] === 'cryptodata') return answerTo(inner.slice(1), tree, env);
      return { kind: 'command', prefix: '', values: [], skip: at + 2 };
    } else flag = word;
  }

  const current = words.at(-1) ?? '';
  const values = (offer: Offer | undefined, value: string, before = '', used = own(given, flag)) =>
    valuesOf(offer ?? {}, { current: value, before, used: used ?? [], given, env });
  if (isValue(current)) return values(flagOf(flag), current);
  const [name, value = ''] = onlyOperands ? [] : splitFlag(current);
  if (name !== undefined) return values(flagOf(name), value, `${name}=`, own(given, name));
  const flags = Object.entries({ ...command.flags, ...tree.globals }).filter(([, { hidden }]) => !hidden);
  if (!onlyOperands && current.startsWith('-')) return answer(described(flags));
  const { operands = [], repeats } = command;
  const found = values(operands[repeats ? Math.min(operand, operands.length - 1) : operand], current, '', []);
  const commands = operand > 0 || onlyOperands ? {} : command.commands;
  const all = [...described(Object.entries(commands ?? {})), ...found.values];
  // If nothing else can follow, offer the flags.
  const isEnd = all.length === 0 && found.kind === 'words' && current === '' && !onlyOperands;
  return isEnd ? answer(described(flags)) : { ...found, values: all };
}

function splitFlag(word: string): [name?: string, value?: string] {
  const [, name, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  return name === undefined ? [] : [name, value ?? ''];
}

function described(entries: readonly (readonly [string, { readonly says: string }])[]): Answer['values'] {
  return entries.map(([name, { says }]) => [name, says]);
}

function answer(values: Answer['values'], kind: Answer['kind'] = 'words', prefix = ''): Answer {
  return { kind, prefix, values };
}

/** Returns an own property, because a name such as `constructor` must not be found in the prototype. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The values that are given before the cursor, by flag. */
type Given = Record<string, readonly string[]>;

interface Ask {
  /** The value up to the cursor. */
  readonly current: string;
  /** The part of the word before the value. */
  readonly before: string;
  /** Earlier values of the flag. These values are not offered again. */
  readonly used: readonly string[];
  readonly given: Given;
  readonly env: Env;
}

function valuesOf({ words = [], live, separated }: Offer, ask: Ask): Answer {
  const { current, before, used } = ask;
  // A + before a name, as in --columns +name, is not part of the name.
  const [start = ''] = (separated && /^(?:.*,)?\+?/s.exec(current)) || [];
  const taken = [...used, start].flatMap((value) => (separated ? value.split(',') : [value]));
  const names = new Set(taken.map((value) => value.replace(/^\+/, '')));
  const lookUp = live && LOOK_UPS[live];
  const found = (lookUp && attempt(() => lookUp({ ...ask, current: current.slice(start.length) }))) ?? [];
  const values = [...new Set([...words, ...found])].filter((value) => !names.has(value));
  const byShell = live === 'files' || live === 'folders' || live === 'command' ? live : undefined;
  const isPart = values.some((value) => /[@/]$/.test(value));
  const kind = byShell ?? (separated ? 'list' : isPart ? 'part' : 'words');
  return answer(
    values.map((value) => [value]),
    kind,
    before + start,
  );
}

type LookUp = (ask: Ask) => readonly string[];

const LOOK_UPS: Readonly<Partial<Record<Live, LookUp>>> = {
  profiles({ env }) {
    const directory = configDirectory(env);
    const text = attempt(() => readFileSync(configFile(directory), 'utf8')) ?? '';
    const tables = text.matchAll(/^\s*\[\s*profiles\s*\.\s*["']?([A-Za-z0-9][\w.-]*)["']?\s*\]/gm);
    const sessions = namesIn(join(directory, 'sessions'))
      .join('\n')
      .matchAll(/^([A-Za-z0-9][\w.-]*)\.session$/gm);
    return [...tables, ...sessions].map(([, name = '']) => name);
  },

  zones: () => [...Intl.supportedValuesOf('timeZone'), 'UTC'],

  periods({ current }) {
    const typed = /^\d{4}/.exec(current)?.[0];
    const latest = Number(typed ?? new Date().getFullYear());
    const parts = ['', '-H1', '-H2', '-Q1', '-Q2', '-Q3', '-Q4'];
    const months = Array.from({ length: 12 }, (_, month) => `-${String(month + 1).padStart(2, '0')}`);
    return [latest, latest - 1].flatMap((year) =>
      [...parts, ...(current.startsWith(`${year}-`) ? months : [])].map((part) => `${year}${part}`),
    );
  },

  json({ current }) {
    if (!current.startsWith('@')) return ['@', '-'];
    const [folder = ''] = /^.*\//s.exec(current.slice(1)) ?? [];
    return namesIn(folder || '.', '/').map((name) => `@${folder}${name}`);
  },

  /** The names of the accounts in the mirror that `--mirror` names. No other file on this machine contains account names. */
  wallets({ given, env }) {
    const written = own(given, '--mirror')?.at(-1);
    if (written === undefined) return [];
    // The shell has not yet expanded ~ in the words.
    const mirror = written.replace(/^~(?=\/)/, findHome(env) ?? '~');
    // The newest file in this folder that has account names contains the current names.
    const log = join(mirror, 'integrations', '_delta_log');
    const commits = namesIn(log).filter((name) => name.endsWith('.json'));
    for (const commit of commits.sort().reverse()) {
      for (const line of readFileSync(join(log, commit), 'utf8').split('\n').filter(Boolean)) {
        const names: unknown = JSON.parse(JSON.parse(line).add?.tags?.accounts ?? 'null');
        if (Array.isArray(names)) return names.filter((name) => typeof name === 'string');
      }
    }
    return [];
  },
};

/** Returns the names in a folder. `mark` is appended to the names of folders. */
function namesIn(folder: string, mark = ''): string[] {
  const files = attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return files.map((file) => file.name + (file.isDirectory() ? mark : ''));
}

/**
 * Returns the result of a function; undefined if the function fails. Every error is ignored, because completions are only a
 * convenience.
 */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
