import { CryptodataError, systemCode, UsageError } from '../core/errors.ts';
import { interrupted } from '../core/network.ts';
import { checkDestination, destination } from './addresses.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, notLoggedIn, sessionLost } from './login-command.ts';
import {
  deleteRefreshLog,
  readRefreshLog,
  refreshTokenIn,
  type SavedResponse,
  startRefreshLog,
  type UnfinishedRefresh,
} from './refresh-log.ts';
import {
  probeKeychain,
  readCacheKey,
  readSecret,
  readStoredSession,
  removeLeftovers,
  requireClientSecret,
  storeSecret,
  underLock,
} from './secrets.ts';
import type { Registration } from './server.ts';
import { REFRESH_TOKEN_LIFETIME, readSession, type StoredSession, writeSession } from './session-file.ts';
import type { TokenSet } from './token.ts';

/**
 * Refreshes the session. Waits for the profile's lock and then reads the stored session again. If another process has refreshed
 * the session in the meantime, no request is sent.
 *
 * Ctrl-C ends the wait for the lock, but does not interrupt the refresh. The server may
 * invalidate the old refresh token as soon as it receives the request, so the new refresh token must be stored.
 *
 * @param fresh whether a session is recent enough for the caller
 * @param knownKey the key of the session file, if already known; avoids a keychain call
 */
export function refreshSession(
  host: AuthHost,
  fresh: (session: StoredSession) => boolean,
  knownKey: Buffer | null = null,
): Promise<StoredSession> {
  const { directory, settings } = host;
  return underLock(host, async () => {
    const read = (key: Buffer | null) => key && readSession(directory, settings.profile, key);
    let key = knownKey;
    let stored = await read(key);
    if (!stored) {
      key = await readCacheKey(host);
      stored = await read(key);
    }
    if (stored && fresh(stored)) return stored;
    const refreshToken = await readSecret(host, 'refresh-token');
    if (refreshToken === null) throw cannotRefresh(host, stored);
    // Only the session file records the server and the client of the refresh token. Without this record, the tool could send
    // the token to the wrong server. With another CRYPTODATA_CONFIG_DIR, the addresses may differ, but the keychain is the
    // same.
    if (!stored || !key) {
      const damaged = `The session file of profile ${settings.profile} is damaged or was encrypted with another key`;
      throw sessionLost(host, 'SESSION_UNREADABLE', damaged);
    }
    return refreshUnderLock(host, { stored, key, refreshToken });
  });
}

/**
 * Marks the stored session as ended, so that `token`, `profiles` and `doctor` do not report it as valid. Called if the service
 * rejected the access token and the session cannot be refreshed. Keeps the refresh token, because the server may be wrong.
 */
export function markSessionEnded(host: AuthHost, rejectedToken: string): Promise<void> {
  return underLock(host, async () => {
    const { session, key } = (await readStoredSession(host)) ?? {};
    if (!session || !key || session.accessToken !== rejectedToken) return;
    const now = host.now();
    const refreshExpiresAt = session.refreshExpiresAt && Math.min(session.refreshExpiresAt, now);
    const accessExpiresAt = Math.min(session.accessExpiresAt, now);
    const ended = { ...session, accessExpiresAt, refreshExpiresAt };
    await writeSession(host.directory, host.settings.profile, key, ended);
  });
}

/** The session and its secrets, read under the lock. */
interface LockedSession {
  readonly stored: StoredSession;
  readonly key: Buffer;
  readonly refreshToken: string;
}

interface Client {
  readonly to: Registration;
  readonly clientSecret: string;
}

/** Refreshes the session. If the process is killed, the session stays usable, with one exception: see `refresh-log.ts`. */
async function refreshUnderLock(host: AuthHost, locked: LockedSession): Promise<StoredSession> {
  // Load this module only when needed. Most processes that waited for the lock no longer need a refresh.
  const { registration } = await import('./server.ts');
  const to = registration(host);
  checkIssuer(host, to, locked.stored);
  const clientSecret = await requireClientSecret(host);
  // Check that the keychain is writable before the server uses up the old token. Some keychains allow reads but not writes.
  await probeKeychain(host);
  if (host.signal.aborted) throw interrupted(host.signal);
  const refreshed = refreshAndStore(host, { to, clientSecret }, locked);
  host.hold?.(refreshed, 'session');
  return refreshed;
}

/** Refreshes the session. Stores the new refresh token before any code uses the new access token. */
async function refreshAndStore(
  host: AuthHost,
  client: Client,
  { stored, key, refreshToken }: LockedSession,
): Promise<StoredSession> {
  const { directory, settings } = host;
  const { tokens, used } = await requestTokens(host, client, { key, refreshToken });
  const rotated = tokens.refreshToken !== null && tokens.refreshToken !== used;
  if (tokens.refreshToken !== null && rotated) await storeSecret(host, 'refresh-token', tokens.refreshToken);
  const session: StoredSession = {
    accessToken: tokens.accessToken,
    granted: tokens.scopes ?? stored.granted,
    requested: stored.requested,
    obtainedAt: tokens.obtainedAt,
    accessExpiresAt: tokens.expiresAt,
    refreshExpiresAt: rotated ? tokens.obtainedAt + REFRESH_TOKEN_LIFETIME : stored.refreshExpiresAt,
    clientId: client.to.clientId,
    addresses: stored.addresses,
  };
  await writeSession(directory, settings.profile, key, session);
  await deleteRefreshLog(host);
  await removeLeftovers(directory, settings.profile).catch(() => undefined);
  return session;
}

/** @returns the new tokens, and the refresh token that was exchanged for them */
async function requestTokens(
  host: AuthHost,
  { to, clientSecret }: Client,
  { key, refreshToken }: { readonly key: Buffer; readonly refreshToken: string },
): Promise<{ tokens: TokenSet; used: string }> {
  const { refreshToken: request } = await import('./token.ts');
  let used = refreshToken;
  for (let attempt = 1; ; attempt++) {
    const unfinished = await readRefreshLog(host, used, key);
    const saved = await savedTokens(host, to, unfinished);
    if (saved) return { tokens: saved, used };
    const replaced = await storeReplacement(host, used, unfinished?.response);
    if (replaced !== null) {
      used = replaced;
      continue;
    }
    if (unfinished?.killed) host.warn?.(interruptedWarning(host, unfinished.startedAt));
    const log = await startRefreshLog(host, used, key, unfinished);
    let response: SavedResponse | undefined;
    const save = (received: SavedResponse) => {
      response = received;
      log.save(received);
    };
    try {
      return { tokens: await request(host, to, clientSecret, used, save), used };
    } catch (error) {
      const isUnusable = error instanceof CryptodataError && error.code === 'BAD_TOKEN_RESPONSE';
      if (isUnusable && (await storeReplacement(host, used, response)) !== null) throw error;
      // Keep the log of an earlier refresh, because the server may have used up the refresh token.
      if (unfinished === null && isTokenUnspent(error)) await deleteRefreshLog(host);
      else log.fail();
      if (!(error instanceof CryptodataError) || error.code !== 'INVALID_GRANT') throw error;
      // The stored token may have changed despite the lock: someone may have restored a backup of the keychain.
      const current = await readSecret(host, 'refresh-token');
      if (current === null || current === used || attempt >= 3) {
        throw refreshRejected(host, unfinished, error);
      }
      used = current;
    } finally {
      await log.close();
    }
  }
}

/**
 * Stores the refresh token of a response whose access token cannot be used. The server has already replaced the old refresh
 * token, so the session would otherwise be lost. Returns null if the response contains no new refresh token.
 */
async function storeReplacement(
  host: AuthHost,
  used: string,
  response: SavedResponse | null | undefined,
): Promise<string | null> {
  const refreshToken = response ? refreshTokenIn(response) : null;
  if (refreshToken === null || refreshToken === used) return null;
  await storeSecret(host, 'refresh-token', refreshToken);
  await deleteRefreshLog(host);
  return refreshToken;
}

/** Returns the tokens from the response that a killed process saved; null if there is no such response. */
async function savedTokens(
  host: AuthHost,
  to: Registration,
  unfinished: UnfinishedRefresh | null,
): Promise<TokenSet | null> {
  if (!unfinished?.response) return null;
  const { parseSavedResponse } = await import('./token.ts');
  return parseSavedResponse(host, to, unfinished.response).catch(() => null);
}

/** Codes of network errors that occur before any part of the request reaches the server. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'CONNECTION_REFUSED',
  'NAME_NOT_FOUND',
  'NAME_LOOKUP_FAILED',
  'TLS_FAILED',
  'PROXY_FAILED',
]);

/** Whether the refresh token is certainly unused: the server rejected the request, or never received it. */
function isTokenUnspent(error: unknown): boolean {
  if (!(error instanceof CryptodataError)) return false;
  const { kind, code, status, cause } = error;
  if (kind === 'network') return NOT_SENT.has(code) || systemCode(cause) === 'UND_ERR_CONNECT_TIMEOUT';
  // After a `service` error without a 4xx status, the refresh token may be used up. Any other kind of error means that the
  // server rejected the request, or that Ctrl-C was pressed between two attempts.
  return kind !== 'service' || (status !== undefined && status >= 400 && status < 500);
}

/**
 * Checks that the refresh token was issued by the server, and for the client, in the settings. A different server or client
 * must not receive the token.
 */
function checkIssuer(host: AuthHost, to: Registration, stored: StoredSession): void {
  const { addresses, clientId } = stored;
  checkDestination(host.settings, 'session', addresses, destination('auth_url', to.authUrl));
  const isSameServer = addresses.auth_url === to.authUrl;
  if (isSameServer && clientId === to.clientId) return;
  const what = isSameServer ? 'for another client' : `by ${addresses.auth_url}`;
  throw new UsageError(
    'SESSION_OF_ANOTHER_SERVER',
    `The session of profile ${host.settings.profile} was issued ${what}`,
    {
      hint: `Use a separate profile for each combination of server and client (-p NAME), or log in again: ${loginCommand(host)}. Current settings: auth_url ${to.authUrl}, client_id ${to.clientId}.`,
    },
  );
}

function cannotRefresh(host: AuthHost, stored: StoredSession | null): CryptodataError {
  const { profile } = host.settings;
  // A session without an access token remains if a login was killed.
  if (stored === null || stored.accessToken === '') return notLoggedIn(host);
  const why = stored.granted.includes('offline_access')
    ? 'no refresh token is stored'
    : 'it cannot be refreshed without the scope offline_access';
  return sessionLost(
    host,
    'SESSION_EXPIRED',
    `The access token of profile ${profile} has expired or was rejected, and ${why}`,
  );
}

function refreshRejected(
  host: AuthHost,
  unfinished: UnfinishedRefresh | null,
  cause: CryptodataError,
): CryptodataError {
  const session = `The session of profile ${host.settings.profile}`;
  if (unfinished === null) {
    const ended = `${session} has ended: it is older than 30 days, or was revoked`;
    return sessionLost(host, 'REFRESH_REJECTED', ended, cause);
  }
  const time = isoTime(unfinished.startedAt);
  const why = unfinished.killed
    ? `a command was killed during a token refresh at ${time}`
    : `a token refresh at ${time} got no usable response`;
  const lost = `${session} is lost: ${why}, and the server rejects the old refresh token`;
  return sessionLost(host, 'REFRESH_INTERRUPTED', lost, cause);
}

function interruptedWarning(host: AuthHost, since: number): string {
  return `An earlier command was killed at ${isoTime(since)} while it refreshed the session of profile ${host.settings.profile}. The tool now tries the same refresh token again. The token may already be used up.`;
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}
