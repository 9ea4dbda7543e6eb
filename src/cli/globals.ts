import { type Command, Option } from 'commander';
import { SETTINGS, type SettingKey } from '../config/definitions.ts';
import type { Globals } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { shellWord } from '../core/text.ts';
import { isJson, OUTPUT_FORMATS, type OutputFormat, outputFormat } from '../formats/registry.ts';

/** A command may define its own flag --full, which replaces the global flag. */
const FULL = '--full';

/** Every format except the default has its own flag, such as `--json`. */
const SHORT_FORMATS = OUTPUT_FORMATS.filter((format) => format !== 'table');

/**
 * Adds the global flags, which may come before or after the command name.
 *
 * @param replaced global flags that the command replaces with its own flags, such as `--full`
 */
export function addGlobals(program: Command, replaced: readonly string[] = []): void {
  program
    .option(
      '-p, --profile <profile>',
      'profile in config.toml; read commands accept several: a,b,c (CRYPTODATA_PROFILE)',
      // Ignore repeated names, because the command line is parsed twice.
      (name: string, given: readonly string[] = []) => (given.includes(name) ? given : [...given, name]),
    )
    .option('--all-profiles', 'run for every profile, one after the other; only for read commands')
    .addOption(
      new Option(
        '-o, --output <format>',
        `output format: ${OUTPUT_FORMATS.join(', ')} (default: table) (CRYPTODATA_OUTPUT)`,
      ),
    );
  for (const format of SHORT_FORMATS) program.option(`--${format}`, `short for -o ${format}`);
  for (const setting of SETTINGS) {
    if (!('flag' in setting) || setting.flag === 'output') continue;
    program.option(`--${setting.flag} <${setting.value}>`, settingHelp(setting));
  }
  if (!replaced.includes(FULL)) program.option(FULL, 'show every digit of amounts in tables');
  program
    .option('--jq <expression>', 'filter the JSON result with a jq expression (implies -o json)')
    .option('--curl', 'print the first request as a curl command, and send nothing')
    .option('--no-truncate', 'show tables in full, even if they are wider than the terminal')
    .option('--no-pager', 'do not show long tables in a pager (PAGER)')
    .option('--quiet', 'print only results, warnings and errors, without notes and progress')
    .option('--debug', 'log each request, without secrets, and show stack traces')
    .helpOption('-h, --help', 'show help');
}

function settingHelp(setting: (typeof SETTINGS)[number]): string {
  const text = setting.describe[0]?.toLowerCase() + setting.describe.slice(1);
  return 'env' in setting ? `${text} (${setting.env})` : text;
}

/**
 * Whether the user requested several profiles, either with --all-profiles or with a comma-separated list. How many profiles
 * exist does not matter. Therefore, the shape of the result never depends on the configuration. Only read commands accept a
 * list from the environment variable.
 */
export function asksSeveral(
  { profile, allProfiles }: Globals,
  env: NodeJS.ProcessEnv,
  reads: boolean,
): boolean {
  const variable = reads ? env['CRYPTODATA_PROFILE'] : undefined;
  return allProfiles === true || (profile ?? variable ?? '').includes(',');
}

export function readGlobals(program: Command): Globals {
  const given: Record<string, unknown> = program.opts();
  const settings: Partial<Record<SettingKey, string>> = {};
  for (const setting of SETTINGS) {
    if (!('flag' in setting)) continue;
    const value = given[setting.flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') settings[setting.key] = value;
  }
  const formats = SHORT_FORMATS.filter((format) => given[format] === true);
  const named = settings.output;
  const [short, another] = formats;
  if (another !== undefined || (short !== undefined && named !== undefined && named !== short)) {
    throw usageError('Several output formats are set', `Choose one of ${OUTPUT_FORMATS.join(', ')}.`);
  }
  if (short !== undefined) settings.output = short;
  if (settings.output !== undefined) checkFormat(settings.output);
  const { jq, curl } = given;
  if (typeof jq === 'string') settings.output = filteredFormat(settings.output);
  if (given['allProfiles'] === true && given['profile'] !== undefined) {
    throw usageError('-p and --all-profiles cannot be combined', 'Use one or the other.');
  }
  return {
    ...(Array.isArray(given['profile']) ? { profile: given['profile'].join(',') } : {}),
    ...(given['allProfiles'] === true ? { allProfiles: true } : {}),
    settings,
    ...(given['full'] === true ? { full: true } : {}),
    ...(given['truncate'] === false ? { noTruncate: true } : {}),
    ...(given['pager'] === false ? { noPager: true } : {}),
    ...(curl === true ? { curl } : {}),
    ...(typeof jq === 'string' ? { jq } : {}),
    quiet: given['quiet'] === true,
    debug: given['debug'] === true,
  };
}

/**
 * Returns the JSON format that `--jq` filters. No setting changes this format, so the same expression works with all
 * settings.
 */
function filteredFormat(named: string | undefined): OutputFormat {
  if (named === undefined) return 'json';
  const format = outputFormat(named);
  if (isJson(format)) return format;
  throw usageError(
    `--jq filters JSON, but the output format is ${named}`,
    'Omit the format, or use -o jsonl.',
  );
}

function checkFormat(name: string): void {
  if (OUTPUT_FORMATS.some((format) => format === name)) return;
  if (/[./\\]/.test(name)) {
    throw usageError(
      `Unknown output format ${JSON.stringify(name)}`,
      `-o selects a format, not a file. For an export, use --out ${shellWord(name)}. For any other command, redirect the output with: > ${shellWord(name)}`,
    );
  }
  const near = nearest(name, OUTPUT_FORMATS);
  throw usageError(
    `Unknown output format ${JSON.stringify(name)}`,
    `${near ? `Did you mean ${near}? ` : ''}Use one of ${OUTPUT_FORMATS.join(', ')}.`,
  );
}
