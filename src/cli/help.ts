import type { Command, Help, Option } from 'commander';
import { OUTPUT_FORMATS } from '../formats/registry.ts';
import type { AnyVerb, Example, Noun } from './define.ts';
import { EXIT_MEANINGS } from './exits.ts';

/** The parts of a command's help that commander does not provide. */
export interface HelpText {
  readonly examples: readonly Example[];
  /** Prose below the examples. */
  readonly details?: string | undefined;
  /** Sections below the options. */
  readonly end: readonly Section[];
}

interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

const TEXTS = new WeakMap<Command, HelpText>();

export function setHelp(command: Command, text: HelpText): Command {
  TEXTS.set(command, text);
  return command;
}

export function verbHelp(verb: AnyVerb): HelpText {
  const prints = verb.prints.split('\n');
  const codes = verb.exits.map((code) => `${String(code).padEnd(4)} ${EXIT_MEANINGS.get(code) ?? ''}`);
  return {
    examples: verb.examples,
    details: verb.about,
    end: [
      { heading: 'Global options (see cryptodata --help):', lines: [GLOBALS] },
      { heading: 'Output:', lines: verb.reads ? [...prints, SEVERAL] : prints },
      { heading: 'Exit codes:', lines: codes },
    ],
  };
}

/** A noun's help shows the first example of each of its commands. */
export function nounHelp({ name, about, verbs, alone }: Noun): HelpText {
  const more = `See "cryptodata ${name} COMMAND --help" for the options of each command.`;
  const short = `"cryptodata ${name}" is short for "cryptodata ${name} ${alone}" and takes the same options.`;
  return {
    examples: verbs.flatMap(({ examples }) => examples.slice(0, 1)),
    details: about,
    end: [{ heading: '', lines: alone === undefined ? [more] : [short, more] }],
  };
}

const GLOBALS = `-p NAME, -o ${OUTPUT_FORMATS.join('|')} (${OUTPUT_FORMATS.slice(1)
  .map((format) => `--${format}`)
  .join(', ')}), --tz ZONE, --quiet, --debug`;

const SEVERAL =
  'With several profiles (-p a,b,c or --all-profiles): one list with "profile" as the first column. A failing profile does not stop the others; the exit code is 11, or the common code if all fail the same way.';

/** Usage, summary and examples first: most readers need nothing else. */
export function formatHelp(command: Command, helper: Help): string {
  const { examples, details, end } = TEXTS.get(command) ?? { examples: [], end: [] };
  const width = helper.helpWidth ?? 80;
  const termWidth = helper.padWidth(command, helper);
  const item = (term: string, description: string) => helper.formatItem(term, termWidth, description, helper);
  const sections: Section[] = [
    { heading: `Usage: ${helper.commandUsage(command)}`, lines: [] },
    { heading: '', lines: [helper.boxWrap(helper.commandDescription(command), width)] },
    { heading: 'Examples:', lines: examples.map(exampleText) },
    { heading: '', lines: details === undefined ? [] : [wrapAll(details, helper, width)] },
    {
      heading: 'Arguments:',
      lines: helper
        .visibleArguments(command)
        .map((argument) => item(helper.argumentTerm(argument), helper.argumentDescription(argument))),
    },
    {
      heading: 'Options:',
      lines: helper
        .visibleOptions(command)
        .map((option) => item(helper.optionTerm(option), helper.optionDescription(option))),
    },
    {
      heading: 'Commands:',
      lines: helper
        .visibleCommands(command)
        .map((child) => item(helper.subcommandTerm(child), helper.subcommandDescription(child))),
    },
    ...end.map(({ heading, lines }) => ({
      heading,
      lines: lines.map((line) => wrapAll(line, helper, width, heading === '' ? '' : '  ')),
    })),
  ];
  return `${sections.map(sectionText).filter(Boolean).join('\n\n')}\n`;
}

/** `maximum parallel requests (default: 16)`. The values are added unless the description names them. */
export function optionDescription({ description, argChoices, defaultValue }: Option): string {
  const named = argChoices?.every((value) => new RegExp(`\\b${value}\\b`).test(description)) ?? true;
  const boolean = argChoices?.join() === 'true,false';
  const values = named || boolean ? description : `${description}: ${argChoices?.join(', ')}`;
  // Commander gives `--no-…` a default of true.
  return defaultValue === undefined || defaultValue === true
    ? values
    : `${values} (default: ${defaultValue})`;
}

function exampleText({ says, line }: Example, at: number): string {
  return `${at === 0 ? '' : '\n'}  # ${says}\n  ${line}`;
}

function sectionText({ heading, lines }: Section): string {
  if (heading.startsWith('Usage:')) return heading;
  if (lines.length === 0) return '';
  return heading === '' ? lines.join('\n') : `${heading}\n${lines.join('\n')}`;
}

/** Wraps each line separately, because commander does not wrap text that contains an indented line. */
function wrapAll(text: string, helper: Help, width: number, indent = ''): string {
  return text
    .split('\n')
    .map((line) => helper.boxWrap(line, width - indent.length))
    .join('\n')
    .split('\n')
    .map((line) => (line === '' ? line : `${indent}${line}`))
    .join('\n');
}
