import { AuthError, CryptodataError, usageError } from '../core/errors.ts';
import { MINUTE } from '../core/instant.ts';
import { checkDestination, type Destination } from './addresses.ts';
import { type AccessTokenClaims, readAccessTokenClaims } from './claims.ts';
import type { AuthHost } from './host.ts';
import { loginCommand, notLoggedIn } from './login-command.ts';
import { readCacheKey, readSecret } from './secrets.ts';
import { ACCESS_TOKEN_LIFETIME, hasSession, readSession, type StoredSession } from './session-file.ts';

interface AccessToken {
  readonly accessToken: string;
  /**
   * The time when the token expires, in milliseconds since 1970; null if unknown, for example for a token that is not a JWT.
   */
  readonly expiresAt: number | null;
}

/**
 * Data about a session that is available without a request to the service. Unknown values are null. Times are in milliseconds.
 */
export interface SessionInfo extends Omit<AccessTokenClaims, 'expiresAt' | 'scopes'> {
  readonly source: 'session' | 'environment';
  readonly scopesGranted: readonly string[] | null;
  readonly scopesRequested: readonly string[] | null;
  readonly obtainedAt: number | null;
  readonly accessExpiresAt: number | null;
  /** 30 days after the refresh token was issued; null if there is no refresh token. */
  readonly refreshExpiresAt: number | null;
}

interface TokenOptions {
  readonly minTtl?: number;
  readonly to?: Destination | undefined;
}

export interface Session {
  /**
   * Returns a token that is valid for at least `minTtl` seconds (default: 60). Refreshes the session if necessary.
   *
   * @param options.to where the token will be sent; omitted if the token is not sent
   * @throws CryptodataError `NOT_LOGGED_IN`, `SESSION_EXPIRED`, `REFRESH_REJECTED`, `MIN_TTL_TOO_LONG`, …
   * @throws usage error `LOGIN_OF_ANOTHER_ADDRESS` if the session was issued for other addresses
   */
  accessToken(options?: TokenOptions): Promise<AccessToken>;
  /**
   * Called after the service has rejected a token with 401. Returns true if a different token is now available.
   *
   * @throws CryptodataError if the refresh fails
   */
  refresh(rejectedToken: string): Promise<boolean>;
  /** Returns the data of the session; null if the profile is not logged in. Sends no request. */
  info(): Promise<SessionInfo | null>;
}

/**
 * Returns the session of the profile. If `CRYPTODATA_ACCESS_TOKEN` is set, returns a session for that token, without calling
 * the keychain.
 */
export function openSession(host: AuthHost): Session {
  const token = host.env['CRYPTODATA_ACCESS_TOKEN'];
  return token ? environmentSession(host, token) : new ProfileSession(host);
}

/** Returns a session for a token from the environment. This session is not stored and cannot be refreshed. */
function environmentSession(host: AuthHost, accessToken: string): Session {
  const { expiresAt, scopes, ...claims } = readAccessTokenClaims(accessToken);
  return {
    async accessToken({ minTtl = 0 } = {}) {
      const left = expiresAt === null ? null : Math.floor((expiresAt - host.now()) / 1000);
      if (minTtl > 0 && left !== null && left < minTtl) {
        throw new AuthError(
          'TOKEN_TOO_SHORT',
          `The token in CRYPTODATA_ACCESS_TOKEN expires in ${Math.max(0, left)} s; ${minTtl} s are required`,
          {
            hint: `Set CRYPTODATA_ACCESS_TOKEN to a newer token. Or unset CRYPTODATA_ACCESS_TOKEN, and log in with: ${loginCommand(host)}`,
          },
        );
      }
      return { accessToken, expiresAt };
    },
    refresh: async () => false,
    info: async () => ({
      source: 'environment',
      ...claims,
      scopesGranted: scopes,
      scopesRequested: null,
      obtainedAt: null,
      accessExpiresAt: expiresAt,
      refreshExpiresAt: null,
    }),
  };
}

/** Time in milliseconds. A token that expires within this time is refreshed before use. */
const SKEW = MINUTE;

class ProfileSession implements Session {
  readonly #host: AuthHost;
  #key: Promise<Buffer | null> | undefined;
  #current: StoredSession | null = null;
  #refreshing: Promise<StoredSession> | undefined;

  constructor(host: AuthHost) {
    this.#host = host;
  }

  async accessToken(options: TokenOptions = {}): Promise<AccessToken> {
    const minTtl = options.minTtl === undefined ? undefined : checkMinTtl(options.minTtl);
    if (!this.#exists()) throw notLoggedIn(this.#host);
    const startedAt = this.#host.now();
    const isFresh = (session: StoredSession) => {
      const lifetime = session.accessExpiresAt - session.obtainedAt;
      const required = minTtl === undefined ? Math.min(SKEW, lifetime / 2) : minTtl * 1000;
      // Accept a token obtained since `startedAt` that expires soon, because another refresh would not help.
      return session.obtainedAt >= startedAt || session.accessExpiresAt - this.#host.now() > required;
    };
    const stored = this.#check(await this.#read(isFresh), options.to);
    const session =
      stored && isFresh(stored) ? stored : this.#check(await this.#refresh(isFresh), options.to);
    // `checkMinTtl` assumes a lifetime of 24 hours, as in the specification. In a sandbox, the lifetime may be shorter.
    if (minTtl !== undefined && session.accessExpiresAt - session.obtainedAt < minTtl * 1000) {
      throw minTtlTooLong(minTtl, session);
    }
    return { accessToken: session.accessToken, expiresAt: session.accessExpiresAt };
  }

  async refresh(rejectedToken: string): Promise<boolean> {
    if (!this.#exists()) return false;
    const isFresh = (session: StoredSession) =>
      session.accessToken !== rejectedToken && session.accessExpiresAt > this.#host.now();
    const stored = await this.#read(isFresh);
    if (stored && isFresh(stored)) return true;
    try {
      await this.#refresh(isFresh);
      return true;
    } catch (error) {
      if (!(error instanceof CryptodataError) || error.kind !== 'auth') throw error;
      const { markSessionEnded } = await import('./refresh.ts');
      await markSessionEnded(this.#host, rejectedToken);
      if (LOGIN_REQUIRED.has(error.code)) return false;
      throw error;
    }
  }

  async info(): Promise<SessionInfo | null> {
    if (!this.#exists()) return null;
    const stored = await this.#read(() => false);
    if (stored) return describeSession(stored);
    return (await readSecret(this.#host, 'refresh-token')) === null ? null : UNKNOWN;
  }

  /** Checks that a token of the session may be sent to `to`. */
  #check<T extends StoredSession | null>(session: T, to: Destination | undefined): T {
    if (to && session) checkDestination(this.#host.settings, 'session', session.addresses, to);
    return session;
  }

  /** Whether the session file exists. The file is checked on each call, because the user may log in while this process runs. */
  #exists(): boolean {
    return hasSession(this.#host.directory, this.#host.settings.profile);
  }

  /** Returns the session in memory if it is fresh. Otherwise, returns the stored session. */
  async #read(isFresh: (session: StoredSession) => boolean): Promise<StoredSession | null> {
    if (this.#current && isFresh(this.#current)) return this.#current;
    const { directory, settings } = this.#host;
    this.#key ??= readCacheKey(this.#host);
    const key = await this.#key.catch((error) => {
      this.#key = undefined;
      throw error;
    });
    // A login may create the key while this process runs.
    if (key === null) this.#key = undefined;
    let session = key && (await readSession(directory, settings.profile, key));
    if (key && !session) {
      // A login may have changed the key.
      this.#key = readCacheKey(this.#host);
      const newer = await this.#key;
      session = newer && (await readSession(directory, settings.profile, newer));
    }
    return this.#remember(session);
  }

  #remember<T extends StoredSession | null>(session: T): T {
    this.#current = session;
    this.#host.redactor?.conceal(session?.accessToken);
    return session;
  }

  /** Runs one refresh at a time in this process. The lock in `refreshSession` prevents a second refresh in another process. */
  async #refresh(isFresh: (session: StoredSession) => boolean): Promise<StoredSession> {
    for (;;) {
      const joined = this.#refreshing !== undefined;
      this.#refreshing ??= this.#refreshOnce(isFresh).finally(() => {
        this.#refreshing = undefined;
      });
      const session = this.#remember(await this.#refreshing);
      this.#key = undefined; // The refresh may have created a key.

      // If another caller started the refresh, the new token may expire too soon for this caller.
      if (!joined || isFresh(session)) return session;
    }
  }

  async #refreshOnce(isFresh: (session: StoredSession) => boolean): Promise<StoredSession> {
    // Load this module only when needed. Most commands find a valid token and need no refresh.
    const { refreshSession } = await import('./refresh.ts');
    return refreshSession(this.#host, isFresh, await this.#key);
  }
}

const LOGIN_REQUIRED: ReadonlySet<string> = new Set(['NOT_LOGGED_IN', 'SESSION_EXPIRED']);

const UNKNOWN: SessionInfo = {
  source: 'session',
  sub: null,
  workspaceId: null,
  workspaceName: null,
  workspaceType: null,
  role: null,
  plan: null,
  scopesGranted: null,
  scopesRequested: null,
  obtainedAt: null,
  accessExpiresAt: null,
  refreshExpiresAt: null,
};

export function describeSession(session: StoredSession): SessionInfo {
  const { expiresAt: _, scopes: __, ...claims } = readAccessTokenClaims(session.accessToken);
  return {
    source: 'session',
    ...claims,
    scopesGranted: session.granted,
    scopesRequested: session.requested,
    obtainedAt: session.obtainedAt,
    accessExpiresAt: session.accessExpiresAt,
    refreshExpiresAt: session.refreshExpiresAt,
  };
}

function checkMinTtl(minTtl: number): number {
  if (!Number.isFinite(minTtl) || minTtl < 0) {
    throw usageError(
      'The minimum lifetime of a token must be a number of seconds, 0 or greater',
      undefined,
      'BAD_MIN_TTL',
    );
  }
  if (minTtl * 1000 <= ACCESS_TOKEN_LIFETIME) return minTtl;
  throw minTtlTooLong(minTtl);
}

function minTtlTooLong(minTtl: number, session?: StoredSession): CryptodataError {
  const lifetime = session ? session.accessExpiresAt - session.obtainedAt : ACCESS_TOKEN_LIFETIME;
  return usageError(
    `Access tokens are valid for ${Math.floor(lifetime / 1000)} s, but ${minTtl} s are required`,
    'Use a smaller --min-ttl.',
    'MIN_TTL_TOO_LONG',
  );
}
