import type { ConnectionOptions } from '../client/create.ts';
import type { Client } from './create.ts';

/**
 * Creates a client that uses the login of a profile, as `cryptodata login -p NAME` stored it. Reads the settings of the profile
 * and the keychain. Refreshes the session when necessary, and stores the new tokens for the command line too. The environment
 * variables with an access token, an API key or a workspace have no effect.
 *
 * The login is sent only to the addresses for which it was issued. If an environment variable or the profile contains another
 * address, each call of the returned client throws the UsageError `LOGIN_OF_ANOTHER_ADDRESS` before it sends anything.
 *
 * @param profile name of the profile (default: `CRYPTODATA_PROFILE`, then the default profile in `config.toml`, then `default`)
 * @throws UsageError `UNKNOWN_PROFILE`
 * @throws AuthError `NOT_LOGGED_IN`
 */
export async function fromProfile(profile?: string, options: ConnectionOptions = {}): Promise<Client> {
  // Programs that create their client with `createClient` do not load the code for logins.
  return (await import('./profile.ts')).openProfile(profile, options);
}
