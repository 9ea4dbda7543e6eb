import type { CryptodataError } from '../core/errors.ts';
import {
  type Addresses,
  BOUND,
  type BoundKey,
  DATA_ADDRESSES,
  destination,
  type Holder,
  mismatchOf,
} from './addresses.ts';
import type { AuthHost } from './host.ts';
import { readApiKey, readStoredSession, storeApiKey, underLock } from './secrets.ts';
import { hasSession, writeSession } from './session-file.ts';

export interface StoredLogin {
  readonly holder: Holder;
  readonly addresses: Addresses;
  record(addresses: Addresses): Promise<void>;
}

/**
 * Returns the session or the API key of the profile. Returns null if the profile has neither, or if its login cannot be read.
 * Does not call the keychain if the profile has neither.
 */
async function storedLogin(host: AuthHost): Promise<StoredLogin | null> {
  const { directory, settings } = host;
  const { profile } = settings;
  if (hasSession(directory, profile)) {
    const stored = await readStoredSession(host);
    if (stored === null) return null;
    const { session, key } = stored;
    return {
      holder: 'session',
      addresses: session.addresses,
      record: (addresses) =>
        writeSession(directory, profile, key, {
          ...session,
          addresses: { ...session.addresses, ...addresses },
        }),
    };
  }
  const stored = await readApiKey(host);
  if (stored === null) return null;
  return {
    holder: 'API key',
    addresses: stored.addresses,
    record: (addresses) => storeApiKey(host, { ...stored, addresses }),
  };
}

/**
 * Returns an error if commands must not send the stored login to one of the configured addresses. Returns undefined if all
 * addresses are allowed, or if the credentials come from the environment.
 */
export async function configuredMismatch(host: AuthHost): Promise<CryptodataError | undefined> {
  const { env, settings } = host;
  if (env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY']) return undefined;
  const login = await storedLogin(host);
  if (login === null) return undefined;
  for (const key of login.holder === 'API key' ? DATA_ADDRESSES : BOUND) {
    const address = settings.get(key);
    const error =
      address && mismatchOf(settings, login.holder, login.addresses[key], destination(key, address));
    if (error) return error;
  }
  return undefined;
}

/**
 * Binds the stored login to the new value of an address setting. Without `keep`, binds the login only if it had no address for
 * this setting. Call this function before the profile changes.
 *
 * @returns the login, and the address that the login keeps; null if no login is stored
 */
export function bindAddress(
  host: AuthHost,
  key: BoundKey,
  address: string | undefined,
  keep: boolean,
): Promise<{ readonly holder: Holder; readonly own: string | undefined } | null> {
  return underLock(host, async () => {
    const login = await storedLogin(host);
    if (login === null || (login.holder === 'API key' && !DATA_ADDRESSES.includes(key))) return null;
    const { holder, addresses } = login;
    const binds = address !== undefined && (keep || addresses[key] === undefined);
    const bound = binds ? { ...addresses, [key]: address } : addresses;
    if (binds) await login.record(bound);
    return { holder, own: bound[key] };
  });
}
