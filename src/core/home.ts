import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { usageError } from './errors.ts';

/** The entry of this user in the user database. In a container, a user may have no entry. */
export function accountOfUser(): { readonly username: string; readonly homedir: string } | undefined {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}

/**
 * Returns the home folder of this user, or undefined if it is unknown. Ignores an empty or relative HOME, because the tool must
 * not read settings from the working directory.
 */
export function findHome(env: NodeJS.ProcessEnv): string | undefined {
  const named = env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? '';
  return isAbsolute(named) ? named : accountOfUser()?.homedir;
}

/** Like {@link findHome}, but throws a usage error if the home folder is unknown. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  const home = findHome(env);
  if (home !== undefined) return home;
  throw usageError(
    'The home folder is unknown, because this user has no entry in the user database',
    'Set HOME to the absolute path of a folder.',
    'NO_HOME',
  );
}
