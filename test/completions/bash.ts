import { type Rule, type ToolModel, valueRules } from './model.ts';
import { fill, shown } from './script.ts';

export function bashScript(tool: ToolModel): string {
  const { takes, offers } = valueRules(tool);
  const commands = tool.commands.map(({ path, commands, flags }) => ({
    patterns: [path],
    value: [
      ...(commands.length > 0 ? [`subcommands=${words(commands.map(({ name }) => name))}`] : []),
      `flags=${words(shown(flags))}`,
    ],
  }));
  return fill('template.bash', {
    commands: cases(commands, (lines) => lines),
    globals: quoted(` ${shown(tool.globals).join(' ')}`),
    takes: cases(takes, (value) => [`takes=${quoted(value)}`]),
    values: cases(offers, ({ words: offered, live, separated }) => [
      ...(offered.length > 0 ? [`values=${words(offered)}`] : []),
      ...(live ? [`live=${live}`] : []),
      ...(separated ? ['separated=1'] : []),
    ]),
  });
}

/** The branches of a `case` statement, for bash and zsh. */
export function cases<T>(rules: readonly Rule<T>[], body: (value: T) => readonly string[]): string {
  return rules
    .map(({ patterns, value }) =>
      [
        `    ${patterns.map(pattern).join(' | ')})`,
        ...body(value).map((line) => `      ${line}`),
        '      ;;',
      ].join('\n'),
    )
    .join('\n');
}

/** Quotes a pattern such as `* --types` or `csv check #*`. An asterisk at either end is a wildcard and is not quoted. */
function pattern(text: string): string {
  const [, start = '', exact = '', end = ''] = /^(\*?)(.*?)(\*?)$/s.exec(text) ?? [];
  return `${start}${quoted(exact)}${end}`;
}

function words(all: readonly string[]): string {
  return quoted(all.join(' '));
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
