import { type CryptodataError, usageError } from '../core/errors.ts';
import { isHeaderValue } from '../core/header.ts';
import { collectAddresses, DATA_ADDRESSES } from './addresses.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { deleteApiKey, readSecret, storeApiKey, storeSecret, underLock } from './secrets.ts';
import { openSession } from './session.ts';

/** Maximum length of an API key. A longer input is probably a file that was piped by mistake. */
export const MAX_KEY_LENGTH = 4096;

/**
 * Checks that a piped or pasted API key is one line of characters that are valid in a header. Error messages do not contain the
 * key.
 *
 * @throws usage error `BAD_API_KEY`
 */
export function parseApiKey(text: string): string {
  // Windows PowerShell puts a byte order mark before piped text.
  const key = text.replace(/^\ufeff/, '').replace(/\r?\n$/, '');
  if (key === '') throw badKey('The API key is empty');
  if (key.length > MAX_KEY_LENGTH) throw badKey(`An API key has at most ${MAX_KEY_LENGTH} characters`);
  if (/[\r\n]/.test(key)) throw badKey('An API key must be a single line, but the input has several lines');
  if (isHeaderValue(key)) return key;
  throw badKey('The API key contains spaces, control characters or non-ASCII characters');
}

function badKey(message: string): CryptodataError {
  return usageError(
    message,
    'Pipe only the key: cryptodata login --with-api-key < FILE. Or run `cryptodata login --with-api-key` on a terminal, and type the key.',
    'BAD_API_KEY',
  );
}

/**
 * Refuses to store an API key if the profile has a session. The service accepts only one kind of credentials in a request, so a
 * profile has either a session or an API key.
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
 * Refuses a browser login if the profile has an API key, if CRYPTODATA_API_KEY is set, or if a workspace is set. Commands would
 * send the key in CRYPTODATA_API_KEY instead of the session. The service would reject requests that have both a session and a
 * workspace.
 *
 * @throws usage error
 */
export async function refuseBesideApiKey(host: AuthHost): Promise<void> {
  const { settings, env } = host;
  if (env['CRYPTODATA_API_KEY']) {
    throw usageError(
      'CRYPTODATA_API_KEY is set, so commands would use that key instead of this login',
      `Unset the variables first: unset CRYPTODATA_API_KEY CRYPTODATA_WORKSPACE. Or store the key with: ${loginCommand(host)} --with-api-key`,
      'API_KEY_IN_ENVIRONMENT',
    );
  }
  if ((await readSecret(host, 'api-key')) !== null) {
    throw apiKeyExists(
      host,
      `Profile ${settings.profile} already has an API key; a profile has a session or an API key, not both`,
    );
  }
  if (settings.get('workspace') === undefined) return;
  const { where, remove } = workspaceInUse(host);
  throw usageError(
    `A workspace is set (${where}), but a browser login is bound to the workspace that you choose in the browser`,
    `${remove} Or store an API key with: ${loginCommand(host)} --with-api-key`,
    'WORKSPACE_WITH_LOGIN',
  );
}

export function apiKeyExists({ settings: { profile } }: AuthHost, message: string): CryptodataError {
  return usageError(
    message,
    `Delete the key first: cryptodata logout -p ${profile}. Or log in with another profile: cryptodata login -p NAME`,
    'PROFILE_HAS_API_KEY',
  );
}

/**
 * Returns two texts for an error. `where` says where the workspace is set, such as `in profile acme`. `remove` is a hint that
 * says how to remove the workspace.
 */
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
 * Stores an API key, then calls `storeSettings`. If `storeSettings` fails, restores the previous key. If there was no previous
 * key, deletes the new key. A lock prevents a login in another process from storing a session at the same time.
 */
export function saveApiKey(
  host: AuthHost,
  apiKey: string,
  storeSettings: () => Promise<void>,
): Promise<{ readonly replaced: boolean }> {
  return underLock(host, async () => {
    await refuseBesideSession(host);
    const before = await readSecret(host, 'api-key');
    const addresses = collectAddresses((key) => host.settings.get(key), DATA_ADDRESSES);
    await storeApiKey(host, { apiKey, addresses });
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
