import { profileNames } from '../../auth/profiles.ts';
import { CryptodataError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { readConfig } from '../../config/file.ts';
import { configFile } from '../../config/paths.ts';

/** @throws UNKNOWN_PROFILE for a name that `profiles list` does not show */
export async function checkKnown(directory: string, name: string): Promise<void> {
  const known = await profileNames(directory, await readConfig(configFile(directory)));
  if (!known.includes(name)) throw unknownProfile(name, known);
}

export function unknownProfile(name: string, known: readonly string[]): CryptodataError {
  const near = nearest(name, known);
  const all =
    known.length === 0 ? 'There is none yet: cryptodata login makes one.' : `There are: ${known.join(', ')}.`;
  return new CryptodataError('notFound', 'UNKNOWN_PROFILE', `There is no profile ${name}`, {
    hint: near ? `Did you mean ${near}? ${all}` : all,
  });
}
