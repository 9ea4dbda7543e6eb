import { Command } from 'commander';
import type { AnyVerb, Example, Noun } from '../cli/define.ts';
import { toOption } from '../cli/define.ts';
import { EXIT_MEANINGS } from '../cli/exits.ts';
import { addGlobals } from '../cli/globals.ts';
import { optionDescription } from '../cli/help.ts';
import { TOPICS, TREE } from '../commands/tree.ts';
import { CREDENTIALS, OTHER_VARIABLES, SETTING_VARIABLES } from '../config/variables.ts';

/**
 * Returns the text of each manual page, by file name: one page for the tool, and one page for each command. The build writes the
 * pages to dist/man. The pages use the macros of man(7).
 */
export async function manPages(): Promise<Map<string, string>> {
  const nouns = await Promise.all(TREE.map(({ load }) => load()));
  return new Map([
    ['cryptodata.1', toolPage(nouns)],
    ...nouns.map((noun): [string, string] => [`cryptodata-${noun.name}.1`, nounPage(noun)]),
  ]);
}

function toolPage(nouns: readonly Noun[]): string {
  const program = new Command();
  addGlobals(program);
  return page('cryptodata', 'export and check crypto portfolio, tax and accounting data', [
    section('SYNOPSIS', ['.B cryptodata', `${italic('command')} [${italic('options')}]`]),
    section('EXAMPLES', examples(FIRST_STEPS)),
    section('COMMANDS', [
      'Each command has its own page, such as cryptodata\\-ledgers(1).',
      ...items(nouns.map(({ name, summary }) => [name, `${summary}.`])),
    ]),
    section('GLOBAL OPTIONS', [
      'Options of every command, before or after its name.',
      ...items(program.options.map((option) => [option.flags, `${capital(option.description)}.`])),
    ]),
    section('ENVIRONMENT', [
      'An empty CRYPTODATA variable counts as unset.',
      ...items(
        [...CREDENTIALS, ...SETTING_VARIABLES, ...OTHER_VARIABLES].map(({ name, describe }) => [
          name,
          `${describe}.`,
        ]),
      ),
    ]),
    section(
      'FILES',
      items([['~/.config/cryptodata/config.toml', 'Profiles and settings, without secrets.']]),
    ),
    exitStatus([...EXIT_MEANINGS.keys()]),
    section('TOPICS', [
      'cryptodata help TOPIC explains:',
      ...items(TOPICS.map(({ name, summary }) => [name, `${summary}.`])),
    ]),
    seeAlso(nouns.map(({ name }) => name)),
  ]);
}

const FIRST_STEPS: readonly Example[] = [
  { says: 'Try the tool without an account', line: 'cryptodata sandbox exec -- cryptodata ledgers' },
  { says: 'Log in with the browser', line: 'cryptodata login' },
  { says: 'Export a year', line: 'cryptodata ledgers export --period 2025 --out 2025.csv' },
];

function nounPage({ name, summary, about, verbs, alone }: Noun): string {
  const single = verbs.length === 1 && verbs[0]?.name === name;
  const words = `cryptodata ${name}`;
  const codes = [...new Set(verbs.flatMap(({ exits }) => exits))].sort((left, right) => left - right);
  const synopsis = verbs.flatMap((verb, at) => [
    ...(at > 0 ? ['.br'] : []),
    `.B ${quoted(single ? words : `${words} ${verb.name}`)}`,
    usage(verb),
  ]);
  return page(`cryptodata-${name}`, summary.charAt(0).toLowerCase() + summary.slice(1), [
    section('SYNOPSIS', synopsis),
    section('DESCRIPTION', [
      ...paragraphs([`${summary}.`, ...(about === undefined ? [] : [about])].join('\n')),
      ...(alone === undefined ? [] : paragraphs(`${words} is short for ${words} ${alone}.`)),
    ]),
    ...verbs.map((verb) =>
      single
        ? verbParts(verb).join('\n')
        : [
            section(`${words} ${verb.name}`.toUpperCase(), paragraphs(`${verb.summary}.`)),
            ...verbParts(verb),
          ].join('\n'),
    ),
    exitStatus(codes),
    seeAlso([]),
  ]);
}

/** Returns the parts of a page that describe one verb. The examples come first, as in the help. */
function verbParts({ about, operands = [], flags, examples: lines, prints }: AnyVerb): string[] {
  const options = Object.values(flags).map((flag) => toOption(flag));
  const alias = (flag: (typeof flags)[string]) =>
    flag.alias ? ` (alias: ${flag.alias.replace(/ .*/, '')})` : '';
  const aliases = Object.values(flags).map(alias);
  return [
    subsection('Examples', examples(lines)),
    ...(about === undefined ? [] : [subsection('Details', paragraphs(about))]),
    ...(operands.length === 0
      ? []
      : [subsection('Arguments', items(operands.map(({ written, describe }) => [written, describe])))]),
    ...(options.length === 0
      ? []
      : [
          subsection(
            'Options',
            items(options.map((option, at) => [option.flags, `${optionDescription(option)}${aliases[at]}`])),
          ),
        ]),
    subsection('Output', paragraphs(prints)),
  ];
}

function usage({ operands = [], flags }: AnyVerb): string {
  const parts = [
    ...(Object.keys(flags).length > 0 ? [`[${italic('options')}]`] : []),
    ...operands.map(({ written }) => italic(written)),
  ];
  return parts.length === 0 ? '\\&' : parts.join(' ');
}

function page(name: string, summary: string, sections: readonly string[]): string {
  const head = [
    '.\\" Generated from the command tree; do not edit.',
    `.TH ${quoted(name.toUpperCase())} 1 "" "cryptodata" "cryptodata manual"`,
    // Turn off hyphenation, which would split commands and field names.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(summary)}`,
  ];
  return `${[...head, ...sections].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`.SH ${quoted(title)}`, ...lines].join('\n');
}

function subsection(title: string, lines: readonly string[]): string {
  return [`.SS ${quoted(title)}`, ...lines].join('\n');
}

function exitStatus(codes: readonly number[]): string {
  return section(
    'EXIT STATUS',
    items(codes.map((code) => [String(code), `${EXIT_MEANINGS.get(code) ?? ''}.`])),
  );
}

function seeAlso(names: readonly string[]): string {
  const pages = ['cryptodata', ...names.map((name) => `cryptodata-${name}`)];
  return section('SEE ALSO', [pages.map((name) => `${escaped(name)}(1)`).join(',\n')]);
}

function items(all: readonly (readonly [term: string, text: string])[]): string[] {
  return all.flatMap(([term, text]) => ['.TP', `.B ${quoted(term)}`, ...textLines(text)]);
}

/** Prints each command on a line of its own, so that it can be copied. */
function examples(all: readonly Example[]): string[] {
  return all.flatMap(({ says, line }) => [
    '.PP',
    `${escaped(says)}:`,
    '.PP',
    '.RS 4',
    '.nf',
    escaped(line),
    '.fi',
    '.RE',
  ]);
}

function paragraphs(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => ['.PP', ...textLines(line)]);
}

function textLines(text: string): string[] {
  return text.split('\n').map((line) => escaped(line.trim()));
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}

/** Escapes characters that roff would interpret or replace. A command with typographic characters would not work in a shell. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^\./, '\\&.');
}
