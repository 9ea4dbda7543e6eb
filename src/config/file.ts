import { readFileSync } from 'node:fs';
import { messageOf, systemCode, UsageError, usageError } from '../core/errors.ts';
import { SETTINGS, unknownSetting } from './definitions.ts';

/** The content of `config.toml`: the default profile, and the settings of each profile. The file contains no secrets. */
export interface ConfigFile {
  readonly profile?: string;
  readonly profiles: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Profile names are restricted, because they are used in file names and keychain entries. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

export function checkProfileName(name: string): string {
  if (isProfileName(name)) return name;
  throw usageError(
    `Invalid profile name ${JSON.stringify(name)}`,
    'Use 1 to 64 letters, digits, dots, dashes or underscores. The first character must be a letter or a digit.',
    'BAD_PROFILE_NAME',
  );
}

/** Returns the known name that differs from `name` only in case, if there is one. */
export function otherCase(name: string, known: readonly string[]): string | undefined {
  return known.find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
}

export async function readConfig(path: string): Promise<ConfigFile> {
  return interpret(await readText(path), path);
}

/** Returns the text of the file, or an empty string if the file does not exist. */
export async function readText(path: string): Promise<string> {
  try {
    // Read synchronously: loading `fs/promises` would take longer than reading the file.
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return '';
    throw new UsageError('CONFIG_UNREADABLE', `Cannot read the settings in ${path}: ${messageOf(error)}`, {
      hint: 'Check the permissions of the file, or choose another directory with CRYPTODATA_CONFIG_DIR.',
      cause: error,
    });
  }
}

/** @throws usage error `CONFIG_INVALID` */
export async function interpret(text: string, path: string): Promise<ConfigFile> {
  // An object without a prototype has no inherited properties, so a profile can be called `constructor`.
  const read: Record<string, Record<string, string>> = Object.create(null);
  // Do not load the TOML parser if there is no file.
  if (text === '') return { profiles: read };
  const { parse, TomlError } = await import('smol-toml');
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    // Use only the first line of the message. The other lines quote the file, and a user may have written a secret to the file
    // by mistake.
    const [first = ''] = messageOf(error).split('\n');
    const reason = first.replace(/^Invalid TOML document: /, '');
    const at = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
    throw new UsageError('CONFIG_INVALID', `${path} is not valid TOML: ${reason}${at}`, {
      hint: 'Correct the file, or delete it and set the values again.',
      cause: error,
    });
  }
  const wrong = (what: string, hint?: string) => usageError(`${path}: ${what}`, hint, 'CONFIG_INVALID');
  if (!isTable(document)) throw wrong('the document must be a TOML table');
  const { profile, profiles = {}, ...others } = document;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw wrong(`unknown key ${unknown}; settings belong in the table [profiles.NAME]`);
  if (profile !== undefined && typeof profile !== 'string') throw wrong('"profile" must be a quoted string');
  if (!isTable(profiles)) throw wrong('"profiles" must contain tables: [profiles.NAME]');
  for (const [name, settings] of Object.entries(profiles)) {
    if (!isTable(settings)) throw wrong(`profiles.${name} must be a table`);
    const values: Record<string, string> = {};
    for (const [key, value] of Object.entries(settings)) {
      if (!SETTINGS.some((setting) => setting.key === key)) {
        const { message, hint } = unknownSetting(key);
        throw wrong(`${message} in [profiles.${name}]`, hint);
      }
      if (typeof value !== 'string') throw wrong(`profiles.${name}.${key} must be a quoted string`);
      values[key] = value;
    }
    const other = otherCase(checkProfileName(name), Object.keys(read));
    if (other !== undefined) {
      throw wrong(
        `the names of the profiles ${other} and ${name} differ only in case`,
        'Many file systems and keychains ignore case, so both would have the same session. Rename or delete one of them in the file.',
      );
    }
    read[name] = values;
  }
  return profile === undefined ? { profiles: read } : { profile, profiles: read };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
