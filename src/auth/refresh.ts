import { CryptodataError } from '../core/errors.ts';
import { withLock } from '../core/lock.ts';
import { lockPath, readSession, type StoredSession } from './cache.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, notLoggedIn } from './login-command.ts';
import { readCacheKey, readSecret } from './secrets.ts';

/**
 * One refresh at a time across processes: takes the profile's lock, reads the stored session again, and
 * refreshes only where what is stored is still not `enough`.
 *
 * With `knownKey` those who only waited for another's refresh ask the keychain for nothing more.
 *
 * Ctrl-C ends the wait for the lock, but not what follows: once the service has acted, the old refresh token
 * may be dead, and the new one must not be lost.
 */
export function refreshSession(
  host: AuthHost,
  enough: (session: StoredSession) => boolean,
  knownKey: Buffer | null = null,
): Promise<StoredSession> {
  const { directory, settings } = host;
  return withLock(lockPath(directory, settings.profile), host, async () => {
    const read = (key: Buffer | null) => key && readSession(directory, settings.profile, key);
    let key = knownKey;
    let stored = await read(key);
    if (!stored) {
      key = await readCacheKey(host);
      stored = await read(key);
    }
    if (stored && enough(stored)) return stored;
    const refreshToken = await readSecret(host, 'refresh-token');
    if (refreshToken === null) throw noSession(host, stored);
    // Loaded here: most of many processes find that another one did it while they waited.
    const { renewSession } = await import('./renewal.ts');
    return renewSession(host, { stored, key, refreshToken });
  });
}

function noSession(host: AuthHost, stored: StoredSession | null): CryptodataError {
  const { profile } = host.settings;
  if (stored === null) return notLoggedIn(host);
  const why = stored.granted.includes('offline_access')
    ? 'no refresh token is stored'
    : 'offline_access was not granted, so it cannot be renewed';
  return new CryptodataError(
    'auth',
    'SESSION_EXPIRED',
    `The access token of profile ${profile} has run out or was refused, and ${why}`,
    { hint: `Log in again: ${loginCommand(host)}.` },
  );
}
