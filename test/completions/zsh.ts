import { cases, quoted } from './bash.ts';
import { brief, type FlagModel, type ToolModel, valueRules } from './model.ts';
import { fill } from './script.ts';

export function zshScript(tool: ToolModel): string {
  const { takes, offers } = valueRules(tool);
  const commands = tool.commands.map(({ path, commands, flags }) => ({
    patterns: [path],
    value: [
      ...array(
        'subcommands',
        commands.map(({ name, summary }) => described(name, summary)),
      ),
      ...array('flags', describedFlags(flags)),
    ],
  }));
  return fill('template.zsh', {
    commands: cases(commands, (lines) => lines),
    globals: describedFlags(tool.globals)
      .map((line) => `    ${line}`)
      .join('\n'),
    takes: cases(takes, (value) => [`takes=${quoted(value)}`]),
    values: cases(offers, ({ words, live, separated }) => [
      ...(words.length > 0 ? [`values=(${words.map(quoted).join(' ')})`] : []),
      ...(live ? [`live=${live}`] : []),
      ...(separated ? ['separated=1'] : []),
    ]),
  });
}

function array(name: string, items: readonly string[]): string[] {
  return [`${name}=(`, ...items.map((item) => `  ${item}`), ')'];
}

function described(name: string, text: string): string {
  return quoted(`${name.replaceAll(':', '\\:')}:${brief(text)}`);
}

function describedFlags(flags: readonly FlagModel[]): string[] {
  return flags
    .filter(({ hidden }) => !hidden)
    .flatMap(({ names, describe }) => names.map((name) => described(name, describe)));
}
