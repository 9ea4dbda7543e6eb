import { readdir } from 'node:fs/promises';
import { systemCode } from '../base/errors.ts';
import { type ConfigFile, isProfileName } from '../config/file.ts';
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
