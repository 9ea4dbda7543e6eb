import type { Command, Help, Option } from 'commander';
import { wrap } from '../core/wrap.ts';
import { OUTPUT_FORMATS } from '../formats/registry.ts';
import type { AnyVerb, Example, Noun } from './define.ts';
import { EXIT_MEANINGS } from './exits.ts';
import { itemLayout, wrapCommand, wrapItem } from './wrap.ts';

/** Parts of a command's help that commander does not provide. */
export interface HelpText {
  readonly examples: readonly Example[];
  /** Prose below the examples. */
  readonly details?: string | undefined;
  /** Sections below the options. */
  readonly end: readonly Section[];
}

export interface Section {
  readonly heading: string;
  readonly lines?: readonly string[];
  readonly items?: readonly Item[];
}

const TEXTS = new WeakMap<Command, HelpText>();

export function setHelp(command: Command, text: HelpText): Command {
  TEXTS.set(command, text);
  return command;
}

export function verbHelp(verb: AnyVerb): HelpText {
  const prints = verb.prints.split('\n');
  const codes = verb.exits.map((code): Item => [String(code), EXIT_MEANINGS.get(code) ?? '']);
  return {
    examples: verb.examples,
    details: verb.about,
    end: [
      { heading: 'Global options (see cryptodata --help):', lines: [GLOBALS] },
      { heading: 'Output:', lines: verb.reads ? [...prints, SEVERAL] : prints },
      { heading: 'Exit codes:', items: codes },
    ],
  };
}

/** Returns the help of a noun, with the first example of each command of the noun. */
export function nounHelp({ name, about, verbs, alone }: Noun): HelpText {
  const more = `See "cryptodata ${name} COMMAND --help" for the options of each command.`;
  const short = `"cryptodata ${name}" is short for "cryptodata ${name} ${alone}" and takes the same options.`;
  return {
    examples: verbs.flatMap((verb) => verb.examples.slice(0, verb.name === alone ? 2 : 1)),
    details: about,
    end: [{ heading: '', lines: alone === undefined ? [more] : [short, more] }],
  };
}

const GLOBALS = `-p NAME, -o ${OUTPUT_FORMATS.join('|')} (${OUTPUT_FORMATS.slice(1)
  .map((format) => `--${format}`)
  .join(', ')}), --tz ZONE, --quiet, --debug`;

const SEVERAL =
  'With several profiles (-p a,b,c or --all-profiles): one list with "profile" as the first column. A failing profile does not stop the others; the exit code is 11, or the common code if all fail the same way.';

/** Formats the help. Usage, summary and examples come first, because most readers need nothing else. */
export function formatHelp(command: Command, helper: Help): string {
  const { examples, details, end } = TEXTS.get(command) ?? { examples: [], end: [] };
  const width = helper.helpWidth ?? 80;
  const items: readonly (readonly [heading: string, items: readonly Item[]])[] = [
    [
      'Arguments:',
      helper
        .visibleArguments(command)
        .map((argument) => [helper.argumentTerm(argument), helper.argumentDescription(argument)]),
    ],
    [
      'Options:',
      helper
        .visibleOptions(command)
        .map((option) => [helper.optionTerm(option), helper.optionDescription(option)]),
    ],
    [
      'Commands:',
      helper
        .visibleCommands(command)
        .map((child) => [helper.subcommandTerm(child), helper.subcommandDescription(child)]),
    ],
  ];
  const terms = items.flatMap(([, all]) => all.map(([term]) => term));
  const layout = itemLayout(terms, width);
  const blocks = [
    wrap(`Usage: ${helper.commandUsage(command)}`, width, '', '    '),
    wrap(helper.commandDescription(command), width),
    titled('Examples:', examples.map((example) => exampleText(example, width)).join('\n\n')),
    details === undefined ? '' : wrap(details, width),
    ...items.map(([heading, all]) =>
      titled(heading, all.map(([term, text]) => wrapItem(term, text, layout)).join('\n')),
    ),
    ...end.map((section) => sectionText(section, width)),
  ];
  return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

type Item = readonly [term: string, text: string];

/** Formats a section: the heading, the lines, and the terms with their descriptions. */
export function sectionText({ heading, lines = [], items = [] }: Section, width: number): string {
  const layout = itemLayout(
    items.map(([term]) => term),
    width,
  );
  const indent = heading === '' ? '' : '  ';
  return titled(
    wrap(heading, width),
    [
      ...lines.map((line) => wrap(line, width, indent)),
      ...items.map(([term, text]) => wrapItem(term, text, layout)),
    ].join('\n'),
  );
}

/**
 * Returns text such as `maximum parallel requests (default: 16)`. Adds the valid values if the description does not contain all
 * of them.
 */
export function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const named = argChoices?.every((value) => new RegExp(`\\b${value}\\b`).test(description)) ?? true;
  const boolean = argChoices?.join() === 'true,false';
  const values = named || boolean ? description : `${description}: ${argChoices?.join(', ')}`;
  // The default true is not shown, because commander sets it for every `--no-…` flag.
  return defaultValue === undefined || defaultValue === true
    ? values
    : `${values} (default: ${defaultValue})`;
}

export function exampleText({ says, line }: Example, width: number): string {
  return `${wrap(says, width, '  # ')}\n${wrapCommand(line, width, '  ')}`;
}

function titled(heading: string, body: string): string {
  if (body === '') return '';
  return heading === '' ? body : `${heading}\n${body}`;
}
