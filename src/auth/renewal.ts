import { CryptodataError, systemCode } from '../core/errors.ts';
import { interrupted } from '../core/network.ts';
import { type StoredSession, writeSession } from './cache.ts';
import type { AuthHost } from './host.ts';
import { REFRESH_TOKEN_LIFETIME } from './lifetimes.ts';
import { loginCommand } from './login-command.ts';
import { markRefresh, type Unfinished, unfinished, unmarkRefresh } from './refresh-mark.ts';
import {
  cacheKey,
  probeKeychain,
  readSecret,
  removeRemains,
  requireClientSecret,
  storeSecret,
} from './secrets.ts';
import { type Registration, registration } from './server.ts';
import { refreshedBefore, refreshTokens, type TokenSet } from './token.ts';

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
 * Killed anywhere in here, it leaves a session to continue with, unless the service had acted and its answer had
 * not arrived yet: see `refresh-mark.ts`.
 */
export async function renewSession(
  host: AuthHost,
  { stored, key: known, refreshToken }: Kept,
): Promise<StoredSession> {
  const to = registration(host);
  checkIssuer(host, to, stored);
  const clientSecret = await requireClientSecret(host);
  // A keychain that can be read may refuse to be written; the time to learn it is before the old token dies.
  await probeKeychain(host);
  const key = known ?? (await cacheKey(host));
  if (host.signal.aborted) throw interrupted(host.signal);
  const renewed = spend(host, { to, clientSecret }, { stored, key, refreshToken });
  host.hold?.(renewed, 'session');
  return renewed;
}

async function spend(
  host: AuthHost,
  { to, clientSecret }: Client,
  { stored, key, refreshToken }: Kept & { readonly key: Buffer },
): Promise<StoredSession> {
  const { directory, settings } = host;
  const { tokens, used } = await refreshOrRetry(host, { to, clientSecret }, { key, refreshToken });
  const renewed = tokens.refreshToken !== null && tokens.refreshToken !== used;
  if (tokens.refreshToken !== null && renewed) await storeSecret(host, 'refresh-token', tokens.refreshToken);
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
  await writeSession(directory, settings.profile, key, session);
  await unmarkRefresh(host);
  await removeRemains(directory, settings.profile).catch(() => undefined);
  return session;
}

interface Client {
  readonly to: Registration;
  readonly clientSecret: string;
}

async function refreshOrRetry(
  host: AuthHost,
  { to, clientSecret }: Client,
  { key, refreshToken }: { readonly key: Buffer; readonly refreshToken: string },
): Promise<{ tokens: TokenSet; used: string }> {
  let used = refreshToken;
  for (let attempt = 1; ; attempt++) {
    const before = await unfinished(host, used, key);
    const tokens = await answeredBefore(host, to, before);
    if (tokens) return { tokens, used };
    if (before) host.warn?.(interruptedBefore(host, before.startedAt));
    const mark = await markRefresh(host, used, key, before?.startedAt);
    try {
      return { tokens: await refreshTokens(host, to, clientSecret, used, mark.keep), used };
    } catch (error) {
      // An older mark stays: what it says of the token is as true as before.
      if (before === null && wasNotTaken(error)) await unmarkRefresh(host);
      if (!(error instanceof CryptodataError) || error.code !== 'INVALID_GRANT') throw error;
      // Somebody may have stored another one without our lock: an older version, a restored keychain.
      const now = await readSecret(host, 'refresh-token');
      if (now === null || now === used || attempt >= 3) {
        throw before === null
          ? refreshRejected(host, error)
          : refreshInterrupted(host, before.startedAt, error);
      }
      used = now;
    } finally {
      await mark.close();
    }
  }
}

/** What an earlier process was answered before it was killed; null where that cannot be used. */
async function answeredBefore(
  host: AuthHost,
  to: Registration,
  before: Unfinished | null,
): Promise<TokenSet | null> {
  return before?.answer ? refreshedBefore(host, to, before.answer).catch(() => null) : null;
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
    `The session of profile ${host.settings.profile} is lost: a command was killed while it renewed it at ${time(since)}, and the service refuses the old refresh token`,
    { hint: `Log in again: ${loginCommand(host)}.`, status: cause.status, details: cause.details, cause },
  );
}

function interruptedBefore(host: AuthHost, since: number): string {
  return `An earlier command was killed at ${time(since)} while it renewed the session of profile ${host.settings.profile}: its refresh token may be spent. Trying it again.`;
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
