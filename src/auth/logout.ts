import { changeConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import { CryptodataError } from '../core/errors.ts';
import { withLock } from '../core/lock.ts';
import { lockPath, readSession, type StoredSession } from './cache.ts';
import { refuseWithAccessToken } from './environment.ts';
import type { AuthHost } from './host.ts';
import { refreshTokenIn, unfinished } from './refresh-mark.ts';
import { type Revocation, revoke } from './revoke.ts';
import { forgetProfile, isOfThisClient, readCacheKey, readSecret, requireClientSecret } from './secrets.ts';
import { registration, registrationAt } from './server.ts';

export interface LoggedOut {
  /** Whether a session was stored. */
  readonly hadSession: boolean;
  /** Whether an API key was stored: there is no way to revoke one, but at the service itself. */
  readonly hadApiKey: boolean;
  /** Whether the service took the token back. */
  readonly revoked: boolean;
  /** Why not, where there was a token to revoke. */
  readonly reason?: string;
}

/**
 * Revokes the refresh token (or, without one, the access token), then forgets everything local: that goes even
 * when the service cannot be reached, but not when the keychain cannot be. Under the profile's lock, so that no refresh
 * elsewhere stores a new token after it.
 */
export async function logout(host: AuthHost): Promise<LoggedOut> {
  refuseWithAccessToken(host, 'log out of');
  const { directory, settings } = host;
  return withLock(lockPath(directory, settings.profile), host, async () => {
    const hadApiKey = (await readSecret(host, 'api-key')) !== null;
    const key = await readCacheKey(host);
    const session = key && (await readSession(directory, settings.profile, key));
    const token = (await currentRefreshToken(host, key)) ?? session?.accessToken;
    const revocation = token === undefined ? { revoked: false } : await revokeStored(host, session, token);
    await forgetProfile(host);
    if (hadApiKey) await forgetWorkspace(host);
    if (host.signal.aborted && token !== undefined && !revocation.revoked) throw interruptedAfter();
    return { hadSession: token !== undefined, hadApiKey, ...revocation };
  });
}

/** The stored one, or its successor where a command was killed before it could store that. */
async function currentRefreshToken(host: AuthHost, key: Buffer | null): Promise<string | null> {
  const stored = await readSecret(host, 'refresh-token');
  const before = stored === null ? null : await unfinished(host, stored, key);
  return (before?.answer && refreshTokenIn(before.answer)) ?? stored;
}

/** At the server that issued it, whichever the settings name by now: this is the last chance to. */
async function revokeStored(
  host: AuthHost,
  session: StoredSession | null,
  token: string,
): Promise<Revocation> {
  try {
    const to = session ? registrationAt(session.authUrl, session.clientId) : registration(host);
    // That of the environment goes with the settings.
    const changed = session !== null && !isOfThisClient(host, session);
    const secret = changed ? await readSecret(host, 'client-secret') : await requireClientSecret(host);
    if (secret === null) return { revoked: false, reason: 'its client secret is not stored' };
    return await revoke(host, to, secret, token);
  } catch (error) {
    if (error instanceof CryptodataError && error.kind === 'usage')
      return { revoked: false, reason: error.message };
    throw error;
  }
}

/** The workspace of a key goes with it: it is of no other use, and would have the next login in the browser refused. */
async function forgetWorkspace({ directory, settings: { profile } }: AuthHost): Promise<void> {
  await changeConfig(configFile(directory), (config) => {
    const kept = config.profiles[profile];
    if (kept === undefined) return config;
    const { workspace: _, ...settings } = kept;
    return { ...config, profiles: { ...config.profiles, [profile]: settings } };
  });
}

/** Ctrl-C: whoever logs out wants the local state gone, and must know what is not. */
function interruptedAfter(): CryptodataError {
  return new CryptodataError('interrupted', 'INTERRUPTED', 'Interrupted', {
    hint: "The session is forgotten here, but the service may not have revoked it. It ends by itself within 30 days; to end it now, take the application's access away in the service's own settings.",
  });
}
