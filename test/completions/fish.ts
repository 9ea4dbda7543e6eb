import { brief, type FlagModel, type Rule, type ToolModel, valueRules } from './model.ts';
import { fill } from './script.ts';

export function fishScript(tool: ToolModel): string {
  const { takes, offers } = valueRules(tool);
  const commands = tool.commands.map(({ path, commands, flags }) => ({
    patterns: [path],
    value: [
      ...list(
        'subcommands',
        commands.map(({ name, summary }) => described(name, summary)),
      ),
      ...list('flags', describedFlags(flags)),
    ],
  }));
  return fill('template.fish', {
    commands: cases(commands, (lines) => lines),
    globals: describedFlags(tool.globals)
      .map((item) => `        ${item}`)
      .join(' \\\n'),
    takes: cases(takes, (value) => [`set takes ${value}`]),
    values: cases(offers, ({ words, live, separated }) => [
      ...(words.length > 0 ? [`set values ${words.map(quoted).join(' ')}`] : []),
      ...(live ? [`set live ${live}`] : []),
      ...(separated ? ['set separated 1'] : []),
    ]),
  });
}

function cases<T>(rules: readonly Rule<T>[], body: (value: T) => readonly string[]): string {
  return rules
    .map(({ patterns, value }) =>
      [
        `        case ${patterns.map(quoted).join(' ')}`,
        ...body(value).map((line) => `            ${line}`),
      ].join('\n'),
    )
    .join('\n');
}

function list(name: string, items: readonly string[]): string[] {
  if (items.length === 0) return [`set ${name}`];
  const lines = items.map((item, at) => `    ${item}${at === items.length - 1 ? '' : ' \\'}`);
  return [`set ${name} \\`, ...lines];
}

/** A tab separates a value from its description. */
function described(name: string, text: string): string {
  return `${name}\\t${quoted(brief(text))}`;
}

function describedFlags(flags: readonly FlagModel[]): string[] {
  return flags
    .filter(({ hidden }) => !hidden)
    .flatMap(({ names, describe }) => names.map((name) => described(name, describe)));
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
