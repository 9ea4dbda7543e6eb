import { brief, type FlagModel, type ToolModel, valueRules } from './model.ts';
import { fill } from './script.ts';

/** No test runs this script, because PowerShell was not available. */
export function powershellScript(tool: ToolModel): string {
  const { takes, offers } = valueRules(tool);
  const entries = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([key, value]) => `        ${quoted(key)} = ${value}`).join('\n');
  return fill('template.ps1', {
    commands: entries(
      tool.commands
        .filter(({ commands }) => commands.length > 0)
        .map(({ path, commands }) => [
          path,
          list(commands.map(({ name, summary }) => described(name, summary))),
        ]),
    ),
    flags: entries(tool.commands.map(({ path, flags }) => [path, list(describedFlags(flags))])),
    globals: describedFlags(tool.globals)
      .map((flag) => `        ${flag}`)
      .join('\n'),
    takes: entries(
      takes.flatMap(({ patterns, value }) => patterns.map((pattern) => [pattern, quoted(value)] as const)),
    ),
    values: entries(
      offers.flatMap(({ patterns, value: { words, live, separated } }) => {
        const parts = [
          `Words = ${list(words.map(quoted))}`,
          ...(live ? [`Live = ${quoted(live)}`] : []),
          ...(separated ? ['Separated = $true'] : []),
        ];
        return patterns.map((pattern) => [pattern, `@{ ${parts.join('; ')} }`] as const);
      }),
    ),
  });
}

function list(items: readonly string[]): string {
  return `@(${items.join(', ')})`;
}

function described(name: string, text: string): string {
  return quoted(`${name}|${brief(text)}`);
}

function describedFlags(flags: readonly FlagModel[]): string[] {
  return flags
    .filter(({ hidden }) => !hidden)
    .flatMap(({ names, describe }) =>
      names.filter((name) => name.startsWith('--')).map((name) => described(name, describe)),
    );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
