import { type CryptodataError, usageError } from '../core/errors.ts';
import { withLock } from '../core/lock.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { deleteApiKey, readSecret, storeApiKey, storeSecret } from './secrets.ts';
import { openSession } from './session.ts';
import { lockPath } from './session-file.ts';

/** Longer than any API key, but short enough to detect a large file that was piped by mistake. */
export const MAX_KEY_LENGTH = 4096;

/**
 * Checks that a piped or pasted API key is one line of characters that a header can carry. Errors do not quote the key.
 *
 * @throws usage error `BAD_API_KEY`
 */
export function parseApiKey(text: string): string {
  const key = text.replace(/\r?\n$/, '');
  if (key === '') throw badKey('The API key is empty');
  if (key.length > MAX_KEY_LENGTH) throw badKey(`An API key has at most ${MAX_KEY_LENGTH} characters`);
  if (/[\r\n]/.test(key)) throw badKey('An API key is one line, but the input has several lines');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw badKey('The API key contains spaces, control characters or characters outside ASCII');
}

function badKey(message: string): CryptodataError {
  return usageError(
    message,
    'Pipe only the key: cryptodata login --with-api-key < FILE. Or run cryptodata login --with-api-key on a terminal, and type the key.',
    'BAD_API_KEY',
  );
}

/**
 * "Send either Authorization: Bearer or x-api-key, not both". Therefore, a profile has either a session or an API key.
 *
 * @throws usage error
 */
export async function refuseBesideSession(host: AuthHost): Promise<void> {
  if ((await openSession(host).info()) === null) return;
  const { profile } = host.settings;
  throw usageError(
    `Profile ${profile} already has a session; a profile has a session or an API key, not both`,
    `Log out first: cryptodata logout -p ${profile}. Or store the key in another profile: cryptodata login --with-api-key -p NAME`,
    'PROFILE_HAS_SESSION',
  );
}

/**
 * Refuses a login with the browser if the profile has an API key. Also refuses if CRYPTODATA_API_KEY is set, because commands
 * would send that key instead of the session. Also refuses if a workspace is set, because the service would reject the workspace.
 *
 * @throws usage error
 */
export async function refuseBesideApiKey(host: AuthHost): Promise<void> {
  const { settings, env } = host;
  if (env['CRYPTODATA_API_KEY']) {
    throw usageError(
      'CRYPTODATA_API_KEY is set, so commands would use that key instead of this login',
      `Unset the variables first: unset CRYPTODATA_API_KEY CRYPTODATA_WORKSPACE. To store the key instead: ${loginCommand(host)} --with-api-key`,
      'API_KEY_IN_ENVIRONMENT',
    );
  }
  if ((await readSecret(host, 'api-key')) !== null) {
    throw hasApiKey(
      host,
      `Profile ${settings.profile} already has an API key; a profile has a session or an API key, not both`,
    );
  }
  if (settings.get('workspace') === undefined) return;
  const { where, remove } = workspaceInUse(host);
  throw usageError(
    `A workspace is set (${where}), but a browser login is bound to the workspace chosen in the browser`,
    `${remove} To store an API key instead: ${loginCommand(host)} --with-api-key`,
    'WORKSPACE_WITH_LOGIN',
  );
}

export function hasApiKey({ settings: { profile } }: AuthHost, message: string): CryptodataError {
  return usageError(
    message,
    `Delete the key first: cryptodata logout -p ${profile}. Or log in with another profile: cryptodata login -p NAME`,
    'PROFILE_HAS_API_KEY',
  );
}

/** Texts for an error: where the workspace is set, such as `in profile acme`, and how to unset the workspace. */
export function workspaceInUse({ settings }: AuthHost): { readonly where: string; readonly remove: string } {
  const origin = settings.resolve('workspace')?.origin;
  if (origin?.from === 'profile') {
    return {
      where: `in profile ${origin.name}`,
      remove: `Remove the workspace: cryptodata config unset workspace -p ${origin.name}.`,
    };
  }
  return {
    where: origin && 'name' in origin ? `by ${origin.name}` : 'by default',
    remove: 'Omit the workspace.',
  };
}

/**
 * Stores the key, and calls `storeSettings` to store its settings. If storing the key or the settings fails, neither is stored.
 * Holds the lock, so that no login in another process stores a session at the same time.
 */
export function saveApiKey(
  host: AuthHost,
  apiKey: string,
  storeSettings: () => Promise<void>,
): Promise<{ readonly replaced: boolean }> {
  return withLock(lockPath(host.directory, host.settings.profile), host, async () => {
    await refuseBesideSession(host);
    const before = await readSecret(host, 'api-key');
    await storeApiKey(host, apiKey);
    try {
      await storeSettings();
    } catch (error) {
      if (before === null) await deleteApiKey(host);
      else await storeSecret(host, 'api-key', before);
      throw error;
    }
    return { replaced: before !== null };
  });
}
