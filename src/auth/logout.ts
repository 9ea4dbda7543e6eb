import { ClientSecretPost, revocationRequest } from 'oauth4webapi';
import { CryptodataError, messageOf } from '../base/errors.ts';
import { withLock } from '../base/lock.ts';
import { changeConfig } from '../config/file.ts';
import { configFile } from '../config/paths.ts';
import { lockPath, readSession, type StoredSession } from './cache.ts';
import { refuseWithAccessToken } from './environment.ts';
import type { AuthHost } from './host.ts';
import { checkIssuer } from './renewal.ts';
import { forgetProfile, readCacheKey, readSecret, requireClientSecret } from './secrets.ts';
import { formOptions, registration } from './server.ts';

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
 * when the service cannot be reached. Under the profile's lock, so that no refresh elsewhere stores a new token after it.
 */
export async function logout(host: AuthHost): Promise<LoggedOut> {
  refuseWithAccessToken(host, 'log out of');
  const { directory, settings } = host;
  return withLock(lockPath(directory, settings.profile), host, async () => {
    let outcome: LoggedOut = { hadSession: false, hadApiKey: false, revoked: false };
    try {
      const hadApiKey = (await readSecret(host, 'api-key')) !== null;
      outcome = { ...outcome, hadApiKey };
      const key = await readCacheKey(host);
      const session = key && (await readSession(directory, settings.profile, key));
      const token = (await readSecret(host, 'refresh-token')) ?? session?.accessToken;
      if (token !== undefined)
        outcome = { hadSession: true, hadApiKey, ...(await revoke(host, session, token)) };
    } finally {
      await forgetProfile(host);
    }
    if (outcome.hadApiKey) await forgetWorkspace(host);
    return outcome;
  });
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

type Revocation = Pick<LoggedOut, 'revoked' | 'reason'>;

async function revoke(host: AuthHost, session: StoredSession | null, token: string): Promise<Revocation> {
  try {
    const to = registration(host);
    checkIssuer(host, to, session);
    const auth = ClientSecretPost(await requireClientSecret(host));
    const response = await revocationRequest(to.as, to.client, auth, token, formOptions(host, true));
    // The specification does not show the answer: any success will do.
    return response.ok ? { revoked: true } : { revoked: false, reason: `HTTP ${response.status}` };
  } catch (error) {
    // Ctrl-C too: whoever logs out wants the local state gone.
    if (error instanceof CryptodataError) return { revoked: false, reason: error.message };
    return { revoked: false, reason: messageOf(error) };
  }
}
