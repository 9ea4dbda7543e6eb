import { readdir } from 'node:fs/promises';
import { type ConfigFile, isProfileName } from '../config/file.ts';
import { type CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { sessionsDirectory } from './session-file.ts';

/** Every profile: those of config.toml in their order, then profiles that have only a session. */
export async function profileNames(directory: string, { profiles }: ConfigFile): Promise<string[]> {
  const kept = Object.keys(profiles);
  const others = (await sessionNames(directory)).filter((name) => !kept.includes(name));
  return [...kept, ...others.sort()];
}

async function sessionNames(directory: string): Promise<string[]> {
  let files: string[] = [];
  try {
    files = await readdir(sessionsDirectory(directory));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  const ending = '.session';
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length))
    .filter(isProfileName);
}

/**
 * @param isDefault whether config.toml, not the user, names the profile
 * @throws usage error `UNKNOWN_PROFILE` for a name that is neither `default` nor in `profiles list`
 */
export async function checkKnown(
  directory: string,
  file: ConfigFile,
  name: string,
  isDefault = false,
): Promise<void> {
  if (name === 'default' || Object.hasOwn(file.profiles, name)) return;
  const known = await profileNames(directory, file);
  if (!known.includes(name)) throw unknownProfile(name, known, isDefault);
}

export function unknownProfile(name: string, known: readonly string[], isDefault = false): CryptodataError {
  const near = nearest(name, known);
  const all = known.length === 0 ? 'No profile exists yet.' : `Profiles: ${known.join(', ')}.`;
  return usageError(
    isDefault ? `The default profile ${name} (config.toml) does not exist` : `Profile ${name} does not exist`,
    `${near ? `Did you mean ${near}? ` : ''}${all} ${isDefault ? 'To choose another: cryptodata profiles use NAME. ' : ''}To create it: cryptodata login -p ${name}`,
    'UNKNOWN_PROFILE',
  );
}
