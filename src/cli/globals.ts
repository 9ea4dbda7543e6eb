import { type Command, Option } from 'commander';
import { SETTINGS, type SettingKey } from '../config/definitions.ts';
import type { Globals } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { OUTPUT_FORMATS } from '../formats/registry.ts';

/** Formats with a flag of their own: all but the default. */
const SHORT_FORMATS = OUTPUT_FORMATS.filter((format) => format !== 'table');

/** Adds the flags that every command takes; they may stand before or behind the command's name. */
export function addGlobals(program: Command): void {
  program
    .option(
      '-p, --profile <name>',
      'profile of config.toml to use (CRYPTODATA_PROFILE); several for a command that reads: a,b,c',
      // What is on the command line is read twice.
      (name: string, given: readonly string[] = []) => (given.includes(name) ? given : [...given, name]),
    )
    .option('--all-profiles', 'run a command that reads over every profile, one after the other')
    .addOption(new Option('-o, --output <format>', `form of the result: ${OUTPUT_FORMATS.join(', ')}`));
  for (const format of SHORT_FORMATS) program.option(`--${format}`, `short for -o ${format}`);
  for (const setting of SETTINGS) {
    if (!('flag' in setting) || setting.flag === 'output') continue;
    program.option(`--${setting.flag} <value>`, settingHelp(setting));
  }
  program
    .option('--quiet', 'no progress and no notes, only results, warnings and errors')
    .option('--debug', 'log each request (no secret in it) and show stack traces')
    .helpOption('-h, --help', 'show help');
}

function settingHelp(setting: (typeof SETTINGS)[number]): string {
  const text = setting.describe[0]?.toLowerCase() + setting.describe.slice(1);
  return 'env' in setting ? `${text} (${setting.env})` : text;
}

/**
 * Whether several profiles are asked for. A comma decides, not how many there are, so that the form of the result does
 * not depend on the settings. The variable stands for many commands, and several in it for those that read.
 */
export function asksSeveral(
  { profile, allProfiles }: Globals,
  env: NodeJS.ProcessEnv,
  reads: boolean,
): boolean {
  const variable = reads ? env['CRYPTODATA_PROFILE'] : undefined;
  return allProfiles === true || (profile ?? variable ?? '').includes(',');
}

/** Reads the global flags that commander found. */
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
    throw usageError(
      'Only one output format can be asked for',
      `Choose one of ${OUTPUT_FORMATS.join(', ')}.`,
    );
  }
  if (short !== undefined) settings.output = short;
  if (settings.output !== undefined) checkFormat(settings.output);
  if (given['allProfiles'] === true && given['profile'] !== undefined) {
    throw usageError('-p and --all-profiles are both given', 'Use one or the other.');
  }
  return {
    ...(Array.isArray(given['profile']) ? { profile: given['profile'].join(',') } : {}),
    ...(given['allProfiles'] === true ? { allProfiles: true } : {}),
    settings,
    quiet: given['quiet'] === true,
    debug: given['debug'] === true,
  };
}

function checkFormat(name: string): void {
  if (OUTPUT_FORMATS.some((format) => format === name)) return;
  const near = nearest(name, OUTPUT_FORMATS);
  throw usageError(
    `There is no output format ${JSON.stringify(name)}`,
    `${near ? `Did you mean ${near}? ` : ''}It is one of ${OUTPUT_FORMATS.join(', ')}.`,
  );
}
