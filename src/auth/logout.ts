import { changeProfile } from '../config/change.ts';
import { CryptodataError, InterruptedError, messageOf } from '../core/errors.ts';
import { refuseWithAccessToken } from './credentials.ts';
import type { AuthHost } from './host.ts';
import { readRefreshLog, refreshTokenIn } from './refresh-log.ts';
import {
  deleteProfile,
  isOfThisClient,
  readCacheKey,
  readSecret,
  type SecretKind,
  underLock,
} from './secrets.ts';
import { registrationAt } from './server.ts';
import { readSession, type StoredSession } from './session-file.ts';
import { type Revocation, revoke } from './token.ts';

export interface LoggedOut {
  readonly hadSession: boolean;
  /** Whether an API key was stored. Logging out deletes the key, but cannot revoke it. */
  readonly hadApiKey: boolean;
  readonly revoked: boolean;
  readonly reason?: string;
}

/**
 * Revokes the refresh token, or the access token if there is no refresh token. Then deletes the secrets and files of the
 * profile, with or without a connection to the service. Deletes nothing if the keychain cannot be read. Holds the profile's
 * lock, so that no other process stores a refreshed token after the deletion.
 */
export async function logout(host: AuthHost): Promise<LoggedOut> {
  refuseWithAccessToken(host, 'log out');
  const { directory, settings } = host;
  return underLock(host, async () => {
    const hadApiKey = (await readUnlessDamaged(host, 'api-key')) !== null;
    const key = await readCacheKey(host);
    const session = key && (await readSession(directory, settings.profile, key));
    const token = (await currentRefreshToken(host, key)) ?? session?.accessToken;
    const revocation = token === undefined ? { revoked: false } : await revokeStored(host, session, token);
    try {
      await deleteProfile(host);
      // Without the API key, the setting `workspace` is useless, and would prevent a login with the browser.
      if (hadApiKey) await changeProfile(directory, settings.profile, { workspace: undefined });
    } catch (error) {
      if (token !== undefined) host.warn?.(unfinishedText(host, revocation));
      throw error;
    }
    if (host.signal.aborted && token !== undefined && !revocation.revoked) {
      throw new InterruptedError('INTERRUPTED', 'Interrupted', { hint: NOT_REVOKED });
    }
    return { hadSession: token !== undefined, hadApiKey, ...revocation };
  });
}

/** Returns a secret. Returns the error if the entry is damaged, because such an entry can still be deleted. */
async function readUnlessDamaged(host: AuthHost, kind: SecretKind): Promise<string | null | CryptodataError> {
  return readSecret(host, kind).catch((error: unknown) => {
    if (error instanceof CryptodataError && error.code === 'KEYCHAIN_DAMAGED') return error;
    throw error;
  });
}

/**
 * Returns the newest refresh token. If a command was killed before it stored a new refresh token, the token is in the refresh
 * log.
 */
async function currentRefreshToken(
  host: AuthHost,
  key: Buffer | null,
): Promise<string | null | CryptodataError> {
  const stored = await readUnlessDamaged(host, 'refresh-token');
  if (typeof stored !== 'string') return stored;
  const unfinished = await readRefreshLog(host, stored, key);
  return (unfinished?.response && refreshTokenIn(unfinished.response)) ?? stored;
}

/**
 * Revokes the token at the server that issued it, not at a server that is set later. Never throws, because the secrets must be
 * deleted in any case.
 */
async function revokeStored(
  host: AuthHost,
  session: StoredSession | null,
  token: string | CryptodataError,
): Promise<Revocation> {
  try {
    if (token instanceof CryptodataError) throw token;
    if (session === null) return { revoked: false, reason: 'the session file is missing or damaged' };
    const to = registrationAt(session.addresses.auth_url, session.clientId);
    // The client secret in the environment belongs to the client in the settings, not to the client of an older session.
    const given = host.env['CRYPTODATA_CLIENT_SECRET'];
    const secret = given && isOfThisClient(host, session) ? given : await readSecret(host, 'client-secret');
    if (secret === null) return { revoked: false, reason: 'the client secret of the session is not stored' };
    return await revoke(host, to, secret, token);
  } catch (error) {
    return { revoked: false, reason: messageOf(error) };
  }
}

/** The state of the session in the service, if an error follows. */
function unfinishedText({ settings }: AuthHost, { revoked, reason }: Revocation): string {
  const done = revoked ? 'revoked the session' : `did not revoke the session (${reason ?? 'reason unknown'})`;
  return `warning: The service ${done}, but the logout of profile ${settings.profile} failed on this machine.`;
}

const NOT_REVOKED =
  "The session is deleted on this machine, but may still be valid in the service. It expires within 30 days. To end the session now, remove the application's access in the settings of the service.";
