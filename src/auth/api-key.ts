import { type CryptodataError, usageError } from '../core/errors.ts';
import { withLock } from '../core/lock.ts';
import { lockPath } from './cache.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { deleteApiKey, readSecret, storeApiKey, storeSecret } from './secrets.ts';
import { openSession } from './session.ts';

/** Longer than any key, and shorter than a file that was given by mistake. */
export const LONGEST_KEY = 4096;

/**
 * An API key as it was piped or pasted: one line, of characters that can stand in a header. Nothing of it is in an
 * error.
 *
 * @throws usage error `BAD_API_KEY`
 */
export function parseApiKey(text: string): string {
  const key = text.replace(/\r?\n$/, '');
  if (key === '') throw badKey('There is no API key: what was given is empty');
  if (key.length > LONGEST_KEY) throw badKey('What was given is too long for an API key');
  if (/[\r\n]/.test(key)) throw badKey('What was given has several lines: an API key is one');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw badKey('What was given is no API key: it has spaces, control characters or others outside ASCII');
}

function badKey(message: string): CryptodataError {
  return usageError(
    message,
    'Give the key alone: cryptodata login --with-api-key < FILE, or without < FILE on a terminal, which asks for it.',
    'BAD_API_KEY',
  );
}

/** "Send either Authorization: Bearer or x-api-key, not both": a profile holds one of them. @throws usage error */
export async function refuseBesideSession(host: AuthHost): Promise<void> {
  if ((await openSession(host).info()) === null) return;
  const { profile } = host.settings;
  throw usageError(
    `Profile ${profile} holds a session, and a profile holds a session or an API key, not both`,
    `Log out of it first: cryptodata logout -p ${profile}. Or keep both, the key in a profile of its own: cryptodata login --with-api-key -p NAME`,
    'PROFILE_HAS_SESSION',
  );
}

/**
 * The same for a login in the browser; also what would be sent in the place of its session, or be refused beside it.
 *
 * @throws usage error
 */
export async function refuseBesideApiKey(host: AuthHost): Promise<void> {
  const { settings, env } = host;
  if (env['CRYPTODATA_API_KEY']) {
    throw usageError(
      'CRYPTODATA_API_KEY is set: every command would send that key, and not the session of this login',
      `Unset it first: unset CRYPTODATA_API_KEY CRYPTODATA_WORKSPACE. To keep the key instead: ${loginCommand(host)} --with-api-key`,
      'API_KEY_IN_ENVIRONMENT',
    );
  }
  if ((await readSecret(host, 'api-key')) !== null) {
    throw hasApiKey(
      host,
      `Profile ${settings.profile} holds an API key, and a profile holds a session or an API key, not both`,
    );
  }
  if (settings.get('workspace') === undefined) return;
  const { where, without } = workspaceInUse(host);
  throw usageError(
    `A workspace is set (${where}), and goes with an API key alone: a login in the browser is bound to the workspace that is chosen there`,
    `${without} To keep an API key: ${loginCommand(host)} --with-api-key`,
    'WORKSPACE_WITH_LOGIN',
  );
}

export function hasApiKey({ settings: { profile } }: AuthHost, message: string): CryptodataError {
  return usageError(
    message,
    `Forget the key first: cryptodata logout -p ${profile}. Or keep both, the session in a profile of its own: cryptodata login -p NAME`,
    'PROFILE_HAS_API_KEY',
  );
}

/** Where the workspace comes from that is set, and how to do without. */
export function workspaceInUse({ settings }: AuthHost): { readonly where: string; readonly without: string } {
  const origin = settings.resolve('workspace')?.origin;
  if (origin?.from === 'profile') {
    return {
      where: `in profile ${origin.name}`,
      without: `Take it away: cryptodata config unset workspace -p ${origin.name}.`,
    };
  }
  return { where: origin && 'name' in origin ? `by ${origin.name}` : 'by default', without: 'Leave it out.' };
}

/**
 * Keeps the key, and by `keepSettings` what goes with it; both or neither. Under the lock, so that no login of
 * another process stores a session beside it.
 */
export function keepApiKey(
  host: AuthHost,
  apiKey: string,
  keepSettings: () => Promise<void>,
): Promise<{ readonly replaced: boolean }> {
  return withLock(lockPath(host.directory, host.settings.profile), host, async () => {
    await refuseBesideSession(host);
    const before = await readSecret(host, 'api-key');
    await storeApiKey(host, apiKey);
    try {
      await keepSettings();
    } catch (error) {
      if (before === null) await deleteApiKey(host);
      else await storeSecret(host, 'api-key', before);
      throw error;
    }
    return { replaced: before !== null };
  });
}
