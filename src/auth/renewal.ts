import { CryptodataError, systemCode } from '../base/errors.ts';
import { interrupted } from '../base/network.ts';
import { type StoredSession, writeSession } from './cache.ts';
import type { AuthHost } from './host.ts';
import { REFRESH_TOKEN_LIFETIME } from './lifetimes.ts';
import { loginCommand } from './login-command.ts';
import { markRefresh, unfinishedSince, unmarkRefresh } from './refresh-mark.ts';
import {
  cacheKey,
  probeKeychain,
  readSecret,
  removeRemains,
  requireClientSecret,
  storeSecret,
} from './secrets.ts';
import { type Registration, registration } from './server.ts';
import { refreshTokens, type TokenSet } from './token.ts';

/** What is kept of a session, as it was read under the lock. */
interface Kept {
  readonly stored: StoredSession | null;
  readonly key: Buffer | null;
  readonly refreshToken: string;
}

/**
 * Spends the refresh token, and stores what comes for it: the new refresh token before anyone uses the new
 * access token. Call under the profile's lock.
 *
 * Killed anywhere in here, it leaves the old session or the new one in a state to go on with; but not where the
 * service had acted and its answer was not stored yet. For that there is the mark: see `refresh-mark.ts`.
 */
export async function renewSession(
  host: AuthHost,
  { stored, key, refreshToken }: Kept,
): Promise<StoredSession> {
  const to = registration(host);
  checkIssuer(host, to, stored);
  const clientSecret = await requireClientSecret(host);
  // A keychain that can be read may refuse to be written; the time to learn it is before the old token dies.
  await probeKeychain(host);
  if (host.signal.aborted) throw interrupted(host.signal);
  const renewed = spend(host, { to, clientSecret }, { stored, key, refreshToken });
  host.hold?.(renewed, 'session');
  return renewed;
}

async function spend(
  host: AuthHost,
  { to, clientSecret }: { readonly to: Registration; readonly clientSecret: string },
  { stored, key, refreshToken }: Kept,
): Promise<StoredSession> {
  const { directory, settings } = host;
  const { tokens, used } = await refreshOrRetry(host, to, clientSecret, refreshToken);
  const renewed = tokens.refreshToken !== null && tokens.refreshToken !== used;
  if (tokens.refreshToken !== null && renewed) await storeSecret(host, 'refresh-token', tokens.refreshToken);
  // Before the session is written: from here on the stored refresh token is known to be good.
  await unmarkRefresh(host);
  const session: StoredSession = {
    accessToken: tokens.accessToken,
    granted: tokens.scopes ?? stored?.granted ?? [],
    requested: stored?.requested ?? tokens.scopes ?? [],
    obtainedAt: tokens.obtainedAt,
    accessExpiresAt: tokens.expiresAt,
    refreshExpiresAt: renewed
      ? tokens.obtainedAt + REFRESH_TOKEN_LIFETIME
      : (stored?.refreshExpiresAt ?? null),
    authUrl: to.authUrl,
    clientId: to.clientId,
  };
  await writeSession(directory, settings.profile, key ?? (await cacheKey(host)), session);
  await removeRemains(directory, settings.profile).catch(() => undefined);
  return session;
}

async function refreshOrRetry(
  host: AuthHost,
  to: Registration,
  clientSecret: string,
  refreshToken: string,
): Promise<{ tokens: TokenSet; used: string }> {
  let used = refreshToken;
  for (let attempt = 1; ; attempt++) {
    const since = await unfinishedSince(host, used);
    if (since === null) await markRefresh(host, used);
    else host.warn?.(interruptedBefore(host, since));
    try {
      return { tokens: await refreshTokens(host, to, clientSecret, used), used };
    } catch (error) {
      // An older mark stays: what it says of the token is as true as before.
      if (since === null && wasNotTaken(error)) await unmarkRefresh(host);
      if (!(error instanceof CryptodataError) || error.code !== 'INVALID_GRANT') throw error;
      // Somebody may have stored another one without our lock: an older version, a restored keychain.
      const now = await readSecret(host, 'refresh-token');
      if (now === null || now === used || attempt >= 3) {
        throw since === null ? refreshRejected(host, error) : refreshInterrupted(host, since, error);
      }
      used = now;
    }
  }
}

function refreshRejected(host: AuthHost, cause: CryptodataError): CryptodataError {
  return new CryptodataError(
    'auth',
    'REFRESH_REJECTED',
    `The session of profile ${host.settings.profile} is over: its 30 days ran out, or the grant was revoked`,
    { hint: `Log in again: ${loginCommand(host)}.`, status: cause.status, details: cause.details, cause },
  );
}

function refreshInterrupted(host: AuthHost, since: number, cause: CryptodataError): CryptodataError {
  return new CryptodataError(
    'auth',
    'REFRESH_INTERRUPTED',
    `The session of profile ${host.settings.profile} is lost: a command that renewed it at ${time(since)} did not get to its end, and the service takes the old refresh token no more`,
    { hint: `Log in again: ${loginCommand(host)}.`, status: cause.status, details: cause.details, cause },
  );
}

function interruptedBefore(host: AuthHost, since: number): string {
  return `An earlier command began to renew the session of profile ${host.settings.profile} at ${time(since)} and did not get to its end: its refresh token may be spent. Trying it once more.`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Network errors after which no byte of the request can have reached the service. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'CONNECTION_REFUSED',
  'NAME_NOT_FOUND',
  'NAME_LOOKUP_FAILED',
  'TLS_FAILED',
  'PROXY_FAILED',
]);

/** Whether the service is known not to have spent the refresh token: it was not reached, or it refused. */
function wasNotTaken(error: unknown): boolean {
  if (!(error instanceof CryptodataError)) return false;
  const { kind, code, status, cause } = error;
  if (kind === 'network') return NOT_SENT.has(code) || systemCode(cause) === 'UND_ERR_CONNECT_TIMEOUT';
  // What is left is a refusal, or Ctrl-C in the pause before a repetition: it does not end what is on its way.
  return kind !== 'service' || (status !== undefined && status >= 400 && status < 500);
}

/** A changed `auth_url` must not get the refresh token that another server issued. */
export function checkIssuer(host: AuthHost, to: Registration, stored: StoredSession | null): void {
  if (!stored || (stored.authUrl === to.authUrl && stored.clientId === to.clientId)) return;
  const what = stored.authUrl === to.authUrl ? 'for another client' : `by ${stored.authUrl}`;
  throw new CryptodataError(
    'usage',
    'SESSION_OF_ANOTHER_SERVER',
    `The session of profile ${host.settings.profile} was issued ${what}`,
    {
      hint: `Use a profile for each server and client (-p NAME), or log in again: ${loginCommand(host)}. In use now: auth_url ${to.authUrl}, client_id ${to.clientId}.`,
    },
  );
}
