import { readdir } from 'node:fs/promises';
import { type ConfigFile, isProfileName } from '../config/file.ts';
import { type CryptodataError, systemCode, usageError } from '../core/errors.ts';
import { nearest } from '../core/nearest.ts';
import { sessionsDirectory } from './cache.ts';

/** Every profile: those of config.toml as they stand there, then those of which a login left a session alone. */
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

/** @throws UNKNOWN_PROFILE for a name that is neither `default` nor in `profiles list` */
export async function checkKnown(directory: string, file: ConfigFile, name: string): Promise<void> {
  const known = await profileNames(directory, file);
  if (name !== 'default' && !known.includes(name)) throw unknownProfile(name, known);
}

export function unknownProfile(name: string, known: readonly string[]): CryptodataError {
  const near = nearest(name, known);
  const all = known.length === 0 ? 'There is no profile yet.' : `Profiles: ${known.join(', ')}.`;
  return usageError(
    `There is no profile ${name}`,
    `${near ? `Did you mean ${near}? ` : ''}${all} To create it: cryptodata login -p ${name}`,
    'UNKNOWN_PROFILE',
  );
}
