import { readdir } from 'node:fs/promises';
import { type ConfigFile, isProfileName, otherCase } from '../config/file.ts';
import { type CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { sessionsDirectory } from './session-file.ts';

/**
 * Returns the profiles in config.toml, in the order of the file. Profiles that have only a session or an API key follow, sorted
 * by name.
 */
export async function profileNames(directory: string, { profiles }: ConfigFile): Promise<string[]> {
  const kept = Object.keys(profiles);
  const others = (await loginNames(directory)).filter((name) => !kept.includes(name));
  return [...kept, ...others.sort()];
}

const LOGIN_FILE = /^(.+)\.(?:session|api-key)$/;

async function loginNames(directory: string): Promise<string[]> {
  let files: string[] = [];
  try {
    files = await readdir(sessionsDirectory(directory));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const names = files.flatMap((file) => LOGIN_FILE.exec(file)?.[1] ?? []);
  return [...new Set(names)].filter(isProfileName);
}

/** How the user chose a profile. */
interface Choice {
  /** True if the profile is the default in config.toml, and the user named no profile. */
  readonly isDefault?: boolean;
  /** True if the user named a profile with -p, but the environment also contains credentials. */
  readonly ambient?: boolean;
  /** True if the command creates the profile, or does not need an existing profile. */
  readonly isNew?: boolean | undefined;
}

/**
 * @throws usage error `UNKNOWN_PROFILE` for a name that is neither `default` nor in `profiles list`, or `PROFILE_CASE`
 */
export async function checkKnown(
  directory: string,
  file: ConfigFile,
  name: string,
  choice: Choice = {},
): Promise<void> {
  if (!choice.isNew && (name === 'default' || Object.hasOwn(file.profiles, name))) return;
  const known = await profileNames(directory, file);
  const same = choice.isNew && otherCase(name, known);
  if (same) throw differOnlyInCase(name, same);
  if (!choice.isNew && !known.includes(name)) throw unknownProfile(name, known, choice);
}

function differOnlyInCase(name: string, same: string): CryptodataError {
  return usageError(
    `The names of the profiles ${same} and ${name} differ only in case`,
    `Many file systems ignore case, so both would have the same files. Use ${same}, or choose another name.`,
    'PROFILE_CASE',
  );
}

export function unknownProfile(
  name: string,
  known: readonly string[],
  { isDefault = false, ambient = false }: Choice = {},
): CryptodataError {
  const same = otherCase(name, known);
  if (same !== undefined) return differOnlyInCase(name, same);
  const near = nearest(name, known);
  const all = known.length === 0 ? 'No profile exists yet.' : `Profiles: ${known.join(', ')}.`;
  const omit = ambient && !isDefault ? 'Omit -p to use the credentials in the environment. ' : '';
  return usageError(
    isDefault
      ? `Profile ${name}, the default profile in config.toml, does not exist`
      : `Profile ${name} does not exist`,
    `${near ? `Did you mean ${near}? ` : ''}${omit}${all} ${isDefault ? 'To choose another profile, run `cryptodata profiles use NAME`. ' : ''}Create profile ${name} with: cryptodata login -p ${name}`,
    'UNKNOWN_PROFILE',
  );
}
